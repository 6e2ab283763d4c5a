import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting

extension TemporaryFolder {
  func source(
    _ name: String, encoding: JSONLinesEncoding = .plain, keyField: String = "_key", maxLineBytes: Int? = nil
  ) throws -> FileAdapter {
    var config = FileAdapter.Config()
    config.path = name
    config.encoding = encoding
    config.keyField = keyField
    if let maxLineBytes { config.maxLineBytes = ByteCount(maxLineBytes) }
    return try FileAdapter(config, context: AdapterContext(role: .source, baseDirectory: path))
  }

  func sink(
    _ name: String, encoding: JSONLinesEncoding = .plain, keyField: String = "_key",
    durability: FileAdapter.Config.Durability = .process
  ) throws -> FileAdapter {
    var config = FileAdapter.Config()
    config.path = name
    config.encoding = encoding
    config.keyField = keyField
    config.durability = durability
    return try FileAdapter(config, context: AdapterContext(role: .sink, baseDirectory: path))
  }
}

/// The error that `body` throws; nil where it throws none.
func thrown(by body: () async throws -> Void) async -> SluiceError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? SluiceError ?? SluiceError(.internal, "\(error)")
  }
}

/// Every page of a source, by tokens. With `reopening`, each page is read by a new instance.
func allPages(
  _ open: () throws -> FileAdapter, size: Int, reopening: Bool = false
) async throws -> [Page] {
  var adapter = try open()
  let frozen = try await adapter.freeze()
  var pages: [Page] = []
  var position = PagePosition.start
  while true {
    if reopening { adapter = try open() }
    let page = try await adapter.page(PageRequest(position: position, size: size, frozen: frozen))
    pages.append(page)
    guard let token = page.signals.nextToken else { return pages }
    position = .token(token)
  }
}
