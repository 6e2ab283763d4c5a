import Foundation
import SluiceBuiltin
import SluiceCore
import SluiceTesting
import Testing

/// Every component of the built-in catalog, and the state store of the kit, keeps every promise that it can be held to.
@Suite("conformance") struct ConformanceTests {
  static let behaviours = Conformance.builtin.behaviours(of: Catalog.builtin.adding(MemoryStateStore.self))
  static let promises = behaviours.filter { $0.skipReason == nil }

  @Test("a component keeps its promise", .timeLimit(.minutes(5)), arguments: promises)
  func conforms(_ behaviour: Behaviour) async throws { try await behaviour.run() }

  @Test("what is not promised is listed with its reason")
  func skips() throws {
    let list = Self.behaviours.compactMap { behaviour in behaviour.skipReason.map { "\(behaviour) [\($0)]\n" } }
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Skips.txt").path
    if ProcessInfo.processInfo.environment["SLUICE_RECORD"] != nil {
      try list.joined().write(toFile: path, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { "\($0)\n" }
    #expect(list == recorded, "SLUICE_RECORD=1 swift test --filter ConformanceTests writes the list anew")
  }

  @Test("no two promises have one name")
  func names() {
    let names = Self.behaviours.map(\.description)
    let twice = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys
    #expect(twice.isEmpty)
  }

  @Test("a component without a fixture fails, and so does a fixture without a component")
  func enrolment() async {
    var conformance = Conformance.builtin
    conformance.adapters.removeAll { $0.component == "sqlite" }
    let behaviours = conformance.behaviours(of: .builtin)
    var failed: [String] = []
    for behaviour in behaviours where behaviour.name == "has a fixture" || behaviour.name == "is registered" {
      do { try await behaviour.run() } catch { failed.append(behaviour.subject) }
    }
    #expect(failed == ["adapter sqlite", "state memory"])
  }
}
