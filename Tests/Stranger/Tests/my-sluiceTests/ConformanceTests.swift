import Foundation
import SluiceCore
import SluiceTesting
import Testing

@testable import my_sluice

@Suite struct ConformanceTests {
  static let behaviours = Conformance(adapters: [KeyValuesPlace.fixture])
    .behaviours(of: Catalog().adding(KeyValues.self))

  @Test(arguments: behaviours.filter { $0.skipReason == nil })
  func conforms(_ behaviour: Behaviour) async throws { try await behaviour.run() }
}

struct KeyValuesPlace: ConformanceStore {
  static var fixture: AdapterFixture {
    var fixture = AdapterFixture(KeyValues.self, like: KeyValuesConfig()) { try KeyValuesPlace(TemporaryFolder()) }
    fixture.fields = { number, revision in [Field("title", .string("note \(number)=\(revision)"))] }
    fixture.values = [Field("empty", .string("")), Field("text", .string("a=b \u{E9} \t"))]
    fixture.refused = Document(key: Key("refused"), [Field("n", .int(1))])
    fixture.comparesVersions = false
    return fixture
  }

  let folder: TemporaryFolder
  var files: URL { URL(filePath: folder.file("notes")) }

  init(_ folder: TemporaryFolder) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    var config = KeyValuesConfig()
    config.path = "notes"
    return try await KeyValues(config, context: AdapterContext(role: role, baseDirectory: folder.path))
  }

  func put(_ documents: [Document]) async throws {
    for document in documents {
      let lines = document.fields.materialized.map { field in
        if case .string(let text) = field.value { "\(field.name)=\(text)\n" } else { "" }
      }
      try Data(lines.joined().utf8).write(to: files.appending(path: name(of: document.key)))
    }
  }

  func remove(_ keys: [Key]) async throws {
    for key in keys { try FileManager.default.removeItem(at: files.appending(path: name(of: key))) }
  }

  func contents() async throws -> [Document] {
    try FileManager.default.contentsOfDirectory(atPath: files.path).filter { $0.hasSuffix(".txt") }.map { name in
      let text = try String(contentsOf: files.appending(path: name), encoding: .utf8)
      let fields = text.split(separator: "\n").map { line in
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return Field(String(parts[0]), .string(String(parts[1])))
      }
      let key = name.dropLast(4).removingPercentEncoding.flatMap { Key(canonical: Array($0.utf8)) }
      return Document(key: try #require(key), fields)
    }
  }

  func lose() async throws { try FileManager.default.removeItem(at: files) }

  private func name(of key: Key) -> String {
    let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789")
    return "\(key.description.addingPercentEncoding(withAllowedCharacters: plain) ?? "").txt"
  }
}
