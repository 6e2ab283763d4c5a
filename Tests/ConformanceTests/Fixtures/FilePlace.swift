import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting

/// A file, or a folder of one collection's file, in a folder of its own.
struct FilePlace: ConformanceStore {
  private let folder: TemporaryFolder
  private let config: FileAdapter.Config

  static let fixtures = [
    fixture("encoding: typed", "out.jsonl") { $0.encoding = .typed },
    fixture("encoding: plain", "out.jsonl") { $0.encoding = .plain },
    fixture("array", "out.json") { $0.encoding = .typed },
    fixture("gzip, durability: power", "out.jsonl.gz") {
      $0.encoding = .typed
      $0.durability = .power
    },
    fixture("gzip, array", "out.json.gz") { $0.encoding = .typed },
    fixture("{collection}", "{collection}.jsonl") { $0.encoding = .typed },
    fixture("publish: append, encoding: typed", "out.jsonl") {
      $0.publish = .append
      $0.encoding = .typed
    },
    fixture("publish: append, gzip", "out.jsonl.gz") { $0.publish = .append },
  ]

  private static func fixture(
    _ variant: String, _ path: String, _ configure: @Sendable (inout FileAdapter.Config) -> Void
  ) -> AdapterFixture {
    var config = FileAdapter.Config()
    config.path = path
    configure(&config)
    let settings = config
    var fixture = AdapterFixture(FileAdapter.self, variant, like: settings) { try await FilePlace(settings) }
    if settings.publish == .append { fixture.roles = [.sink] }
    if settings.encoding == .plain {
      fixture.values = SampleContent.json
      fixture.refused = Document(key: Key("refused"), [Field("_key", .string("a name that is taken"))])
    }
    if path.contains("{") { fixture.key = { Key(segments: ["c", $0]) } }
    return fixture
  }

  private init(_ config: FileAdapter.Config) async throws {
    folder = try TemporaryFolder()
    self.config = config
    // A source wants a file, be it empty; a log begins with its first line.
    if config.publish != .append { try await write([]) }
  }

  /// The one file that the fixture's keys lie in.
  private var name: String { config.path.replacing("{collection}", with: "c") }
  private var isCompressed: Bool { name.hasSuffix(".gz") }
  private var isArray: Bool { name.contains(".json.") || name.hasSuffix(".json") }

  func open(as role: ConfigRole) async throws -> any Adapter {
    try FileAdapter(config, context: AdapterContext(role: role, baseDirectory: folder.path))
  }

  func put(_ documents: [Document]) async throws {
    let keys = Set(documents.map(\.key))
    try await write(try await contents().filter { !keys.contains($0.key) } + documents)
  }

  func remove(_ keys: [Key]) async throws { try await write(try await contents().filter { !keys.contains($0.key) }) }

  func lose() async throws { for name in try folder.names() { folder.remove(name) } }

  func contents() async throws -> [Document] {
    if !folder.exists(name) { return [] }
    let bytes = isCompressed ? try await gzip("-dc", folder.file(name)) : try folder.read(name)
    if isArray {
      return try TypedDecoder().items(bytes.dropFirst(1).dropLast(bytes.last == 0x0A ? 2 : 1) + []).documents
    }
    return try Lines.decode(bytes, config.encoding, isLog: config.publish == .append)
  }

  /// Puts another file in the place of the one that is there.
  private func write(_ documents: [Document]) async throws {
    var bytes = try Lines.encode(documents.sorted { $0.key < $1.key }, config.encoding)
    if isArray {
      let items = bytes.split(separator: 0x0A)
      bytes = [0x5B] + items.joined(separator: [0x2C, 0x0A]) + [0x5D, 0x0A]
    }
    folder.remove(name)
    try folder.write(bytes, to: isCompressed ? "plain" : name)
    if isCompressed {
      try folder.write(await gzip("-c", folder.file("plain")), to: name)
      folder.remove("plain")
    }
  }

  private func gzip(_ option: String, _ path: String) async throws -> [UInt8] {
    let run = await (try ChildProcess("/usr/bin/env", ["gzip", option, path], environment: ["PATH": "/usr/bin:/bin"]))
      .wait()
    guard run.exitCode == 0 else { throw SluiceError(.io, "gzip: \(run.errorText)") }
    return run.output
  }
}
