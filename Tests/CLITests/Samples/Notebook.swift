import SluiceCore
import Synchronization

struct NotebookConfig: Configurable {
  var name = ""
  var upperCase = false

  static let spec = ConfigSpec<NotebookConfig>(
    "A notebook of this program, by its name.",
    [
      Setting("name", \.name, "The notebook's name.", required: true, examples: ["users"]),
      Setting("upper_case", \.upperCase, "Read texts in capital letters.", role: .source),
    ],
    check: { config, marks, diagnostics in
      guard config.name.contains("/") else { return }
      diagnostics.error("notebook_name", "a name has no slash", at: marks.place(of: "name"), hint: "use -")
    })
}

final class Notebook: Adapter {
  typealias Config = NotebookConfig
  static let name = "notebook"
  static let summary = "Notes of this program: a key and a text each."

  let config: NotebookConfig
  let pages: Pages

  init(_ config: NotebookConfig, context: AdapterContext) async throws {
    self.config = config
    pages = Pages.named(config.name)
  }
}

extension Notebook {
  static func capabilities(of config: NotebookConfig) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Notebook.self)
    capabilities.positions = [.start, .after]
    capabilities.order = .byKey
    return capabilities
  }
}

extension Notebook: Pageable, Lookup {
  var sourceIdentity: SourceIdentity { SourceIdentity([.init("notebook", config.name)]) }

  func page(_ request: PageRequest) async throws -> Page {
    var keys = pages.sortedKeys
    if case .after(let cursor) = request.position { keys = keys.filter { cursor.key < $0 } }
    let found = Array(keys.prefix(request.size))
    return Page(
      try await documents(for: found),
      signals: PageSignals(count: found.count, last: found.last.map { PagePosition.Cursor($0) }))
  }

  func documents(for keys: [Key]) async throws -> Batch {
    var builder = BatchBuilder()
    for key in keys {
      if let text = pages[key] {
        builder.add(key: key, [Field("text", .string(config.upperCase ? text.uppercased() : text))])
      } else {
        builder.delete(key: key)
      }
    }
    return try builder.finish()
  }
}

extension Notebook: Writable {
  func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    var rejections: [Rejection] = []
    for change in delivery.batch {
      switch change {
      case .upsert(let document):
        if case .string(let text)? = document.fields["text"] {
          pages[document.key] = text
          continue
        }
        let place = Place(key: document.key.description, field: "text")
        let error = SluiceError(.rejected, "a note needs a text", at: place, hint: "leave it out with where")
        guard delivery.acceptsRejections else { throw error }
        rejections.append(Rejection(document.key, error))
      case .delete(let key, _): pages[key] = nil
      case .dropped: continue
      }
    }
    return delivery.confirm(rejecting: rejections)
  }

  func identity(creating: Bool) async throws -> SinkIdentity? { SinkIdentity(pages.identity) }

  func isEmpty() async throws -> Bool { pages.sortedKeys.isEmpty }
}

extension Notebook: Verifiable {
  func contents(after place: String?, limit: Int) async throws -> Contents {
    var builder = BatchBuilder()
    let rest = pages.sortedKeys.filter { key in place.map { Key($0) < key } ?? true }
    for key in rest.prefix(limit) { builder.add(key: key, [Field("text", .string(pages[key] ?? ""))]) }
    return Contents(try builder.finish(), next: rest.count > limit ? rest[limit - 1].id : nil)
  }

  func asKept(_ batch: Batch) async throws -> Batch {
    var builder = BatchBuilder()
    for case .upsert(let document) in batch {
      if let text = document.fields["text"] { builder.add(key: document.key, [Field("text", text)]) }
    }
    return try builder.finish()
  }
}

/// The store itself: what a driver of a database would be.
final class Pages: Sendable {
  private static let all = Mutex<[String: Pages]>([:])
  private let texts = Mutex<[Key: String]>([:])
  /// Made anew with the store, so that a ledger of an earlier one does not count.
  let identity = "\(UInt64.random(in: 0 ... .max))"

  static func named(_ name: String) -> Pages {
    all.withLock { all in
      let pages = all[name] ?? Pages()
      all[name] = pages
      return pages
    }
  }

  subscript(key: Key) -> String? {
    get { texts.withLock { $0[key] } }
    set { texts.withLock { $0[key] = newValue } }
  }

  var sortedKeys: [Key] { texts.withLock { $0.keys.sorted() } }
}
