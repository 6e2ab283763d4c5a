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
    if let maxLineBytes { config.maxLine = ByteCount(maxLineBytes) }
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

extension TemporaryFolder {
  func source(_ settings: FileAdapter.Config) throws -> FileAdapter {
    try FileAdapter(settings, context: AdapterContext(role: .source, baseDirectory: path))
  }

  func sink(_ settings: FileAdapter.Config) throws -> FileAdapter {
    try FileAdapter(settings, context: AdapterContext(role: .sink, baseDirectory: path))
  }

  /// Writes batches to a sink, one delivery each, and publishes them.
  @discardableResult func publish(_ batches: [Batch], to settings: FileAdapter.Config) async throws -> Publication {
    var driver = SinkDriver(try sink(settings))
    try await driver.openStage()
    for batch in batches { try await driver.send(batch) }
    let publication = try await driver.publish()
    await driver.sink.close()
    return publication
  }
}

/// Settings of a path, with others set by `change`.
func fileSettings(_ path: String, _ change: (inout FileAdapter.Config) -> Void = { _ in }) -> FileAdapter.Config {
  var settings = FileAdapter.Config()
  settings.path = path
  change(&settings)
  return settings
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

/// Every page of a source, by tokens; the first rejection is thrown, as by a job that stops at one. With `reopening`, each page is read by a new instance.
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
    if let first = page.rejections.first { throw first }
    pages.append(page)
    guard let token = page.signals.nextToken else { return pages }
    position = .token(token)
  }
}
