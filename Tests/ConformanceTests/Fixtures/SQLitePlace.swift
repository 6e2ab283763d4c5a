import SluiceCore
import SluiceJSON
import SluiceTesting

@testable import SluiceSQLite

/// A table of a database of its own.
struct SQLitePlace: ConformanceStore {
  private let folder: TemporaryFolder
  private let config: SQLiteAdapter.Config

  static let fixtures = [
    fixture("publish: in_place", .inPlace, .typed), fixture("publish: in_place, encoding: plain", .inPlace, .plain),
    fixture("publish: replace", .replace, .typed),
  ]

  private static func fixture(
    _ variant: String, _ publish: SQLiteAdapter.Publish, _ encoding: DocumentEncoding
  ) -> AdapterFixture {
    var config = SQLiteAdapter.Config()
    config.path = "out.db"
    config.table = "users"
    config.publish = publish
    config.encoding = encoding
    let settings = config
    var fixture = AdapterFixture(SQLiteAdapter.self, variant, like: settings) {
      SQLitePlace(folder: try TemporaryFolder(), config: settings)
    }
    if encoding == .plain { fixture.values = SampleContent.json }
    let version = DocumentHeader(version: .sequence(.max))
    fixture.refused = Document(key: Key("refused"), header: version, [Field("n", .int(1))])
    return fixture
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    try await SQLiteAdapter(config, context: AdapterContext(role: role, baseDirectory: folder.path))
  }

  /// Somebody else's connection to the database.
  private var connection: Connection {
    get throws { try Connection(path: folder.file("out.db"), creating: true, synchronous: .normal, busyTimeout: 5000) }
  }

  private func hasTable(_ connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'users'") { _ in } != nil
  }

  func put(_ documents: [Document]) async throws {
    let connection = try connection
    for document in documents {
      let fields = JSON.encode(.map(document.fields.materialized))
      try connection.run(
        "INSERT OR REPLACE INTO users (key, document) VALUES (?, ?)", .text(document.key.description),
        .text(String(decoding: fields, as: UTF8.self)))
    }
  }

  func contents() async throws -> [Document] {
    let connection = try connection
    guard try hasTable(connection) else { return [] }
    return try connection.all("SELECT key, document FROM users") { row in
      let text = Array(row.text(1).utf8)
      var fields: [Field] = []
      if config.encoding == .typed {
        fields = try JSON.parseTypedFields(text)
      } else if case .map(let plain) = try JSON.parse(text) {
        fields = plain
      }
      guard let key = Key(canonical: Array(row.text(0).utf8)) else { throw SluiceError(.malformedData, "a key") }
      return Document(key: key, fields)
    }
  }

  func deleted() async throws -> [Key: Timestamp] {
    let connection = try connection
    let rows = try connection.all("SELECT key, deleted_at FROM users WHERE deleted_at IS NOT NULL") {
      (Key($0.text(0)), RFC3339.parse($0.text(1)))
    }
    return Dictionary(rows.map { ($0, $1 ?? Timestamp(seconds: 0, nanoseconds: 0)) }) { first, _ in first }
  }

  func lose() async throws { try connection.execute("DROP TABLE users") }
}
