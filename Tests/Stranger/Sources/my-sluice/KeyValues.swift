import Foundation
import SluiceCore

struct KeyValuesConfig: Configurable {
  var path = ""
  var suffix = "txt"
  var comments = false

  static let spec = ConfigSpec<KeyValuesConfig>(
    "A folder of files, one for each document, with a name=value a line.",
    [
      Setting("path", \.path, "The folder. A sink makes it.", required: true, examples: ["notes"]),
      Setting("suffix", \.suffix, "What the names of the files end in, after the dot."),
      Setting("comments", \.comments, "Leave out lines that begin with #.", role: .source),
    ],
    check: { config, marks, diagnostics in
      guard config.suffix.isEmpty || config.suffix.contains(where: { "./%".contains($0) }) else { return }
      diagnostics.error(
        "key_values_suffix", "suffix: \"\(config.suffix)\" cannot be the end of a name", at: marks.place(of: "suffix"),
        hint: "write letters and digits, without the dot")
    })
}

final class KeyValues: Adapter {
  typealias Config = KeyValuesConfig
  static let name = "key_values"
  static let summary = "A folder of files, one for each document, with a name=value a line."

  let config: KeyValuesConfig
  let folder: KeyValuesFolder

  init(_ config: KeyValuesConfig, context: AdapterContext) async throws {
    self.config = config
    let base = URL(filePath: context.baseDirectory, directoryHint: .isDirectory)
    folder = KeyValuesFolder(url: URL(filePath: config.path, relativeTo: base), suffix: config.suffix)
  }
}

extension KeyValues {
  static func capabilities(of config: KeyValuesConfig) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: KeyValues.self)
    capabilities.positions = [.start, .after]
    capabilities.order = .byKey
    return capabilities
  }
}

extension KeyValues: Pageable, Lookup {
  var sourceIdentity: SourceIdentity { SourceIdentity([.init("folder", folder.url.path)]) }

  func page(_ request: PageRequest) async throws -> Page {
    var keys = try folder.keys()
    switch request.position {
    case .start: break
    case .after(let cursor): keys = keys.filter { cursor.key < $0 }
    default: throw SluiceError(.positionLost, "the folder is listed by key only", at: folder.place)
    }
    var builder = BatchBuilder()
    for key in keys.prefix(request.size) {
      // A file that was removed since is no document any more.
      if let fields = try fields(of: key) { builder.add(key: key, fields) }
    }
    let last = keys.prefix(request.size).last.map { PagePosition.Cursor($0) }
    return Page(try builder.finish(), signals: PageSignals(count: keys.prefix(request.size).count, last: last))
  }

  func documents(for keys: [Key]) async throws -> Batch {
    var builder = BatchBuilder()
    for key in keys {
      if let fields = try fields(of: key) { builder.add(key: key, fields) } else { builder.delete(key: key) }
    }
    return try builder.finish()
  }

  /// The fields of a document; nil where there is no file.
  private func fields(of key: Key) throws -> [Field]? {
    guard let text = try folder.read(key) else { return nil }
    var fields: [Field] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.isEmpty || config.comments && line.hasPrefix("#") { continue }
      guard let sign = line.firstIndex(of: "=") else {
        var place = folder.place(of: key)
        place.line = number + 1
        throw SluiceError(.malformedData, "a line has no =", at: place, hint: "write name=value")
      }
      fields.append(Field(String(line[..<sign]), .string(String(line[line.index(after: sign)...]))))
    }
    return fields
  }
}

extension KeyValues: Writable {
  func apply(_ delivery: consuming Delivery) async throws -> Receipt {
    var rejections: [Rejection] = []
    for change in delivery.batch {
      switch change {
      case .upsert(let document):
        do {
          try folder.write(Self.text(of: document), to: document.key)
        } catch let error as SluiceError where error.code == .rejected && delivery.acceptsRejections {
          rejections.append(Rejection(document.key, error))
        }
      case .delete(let key, _): try folder.remove(key)
      case .dropped: continue
      }
    }
    return delivery.confirm(rejecting: rejections)
  }

  func identity(creating: Bool) async throws -> SinkIdentity? {
    try folder.identity(creating: creating).map { SinkIdentity($0) }
  }

  func isEmpty() async throws -> Bool { try !folder.exists || folder.keys().isEmpty }

  /// The lines of a document. Throws `rejected` for what a line cannot hold.
  private static func text(of document: Document) throws -> String {
    var text = ""
    for field in document.fields.materialized {
      let place = Place(key: document.key.description, field: field.name)
      guard case .string(let value) = field.value, !value.utf8.contains(0x0A) else {
        throw SluiceError(.rejected, "a value must be text of one line", at: place, hint: "leave it out with drop")
      }
      guard !field.name.isEmpty, !field.name.utf8.contains(where: { $0 == 0x0A || $0 == 0x3D || $0 == 0x23 }) else {
        throw SluiceError(.rejected, "a name must have no =, # and line end", at: place, hint: "use rename")
      }
      text += "\(field.name)=\(value)\n"
    }
    return text
  }
}

extension KeyValues: Verifiable {
  func contents(after place: String?, limit: Int) async throws -> Contents {
    guard folder.exists else { return Contents(Batch(), next: nil) }
    let last = place.flatMap { Key(canonical: Array($0.utf8)) }
    let keys = try folder.keys().filter { key in last.map { $0 < key } ?? true }
    var builder = BatchBuilder()
    for key in keys.prefix(limit) {
      if let fields = try fields(of: key) { builder.add(key: key, fields) }
    }
    return Contents(try builder.finish(), next: keys.count > limit ? keys[limit - 1].description : nil)
  }

  func asKept(_ batch: Batch) async throws -> Batch {
    var builder = BatchBuilder()
    for case .upsert(let document) in batch {
      do { _ = try Self.text(of: document) } catch { continue }
      builder.add(document)
    }
    return try builder.finish()
  }
}
