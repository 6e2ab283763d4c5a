import Foundation
import SluiceTesting
import Testing

@Suite("saved state") struct StateTests {
  private func finished() async throws -> Bench {
    let bench = try Bench()
    try bench.configure(Job.file)
    #expect(try await bench.sluice("run").exitCode == 0)
    try #require(!bench.folder.exists(".sluice/state.db-wal"), "the log is closed with the run")
    return bench
  }

  /// How a state database may be damaged.
  enum Damage: String, CaseIterable {
    case empty, cutInHeader, cutInHalf, cutLate, garbage, garbageInside, foreign

    func apply(to bytes: [UInt8]) -> [UInt8] {
      switch self {
      case .empty: []
      case .cutInHeader: Array(bytes.prefix(50))
      case .cutInHalf: Array(bytes.prefix(bytes.count / 2))
      case .cutLate: Array(bytes.dropLast(1000))
      case .garbage: (0..<bytes.count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
      // The header is whole, what follows is not.
      case .garbageInside: bytes.prefix(100) + (100..<bytes.count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
      case .foreign: Array("{\"cursor\": 12}\n".utf8)
      }
    }
  }

  @Test("C93 damaged state stops the run with path and hint, and is left as it is", arguments: Damage.allCases)
  func damaged(damage: Damage) async throws {
    let bench = try await finished()
    let bytes = damage.apply(to: try bench.folder.read(".sluice/state.db"))
    try bench.folder.write(bytes, to: ".sluice/state.db")
    let lines = try bench.lines()
    for arguments in [["run"], ["state", "show"], ["run", "--restart"]] {
      let run = try await bench.run(arguments)
      #expect(run.exitCode == 1, "\(arguments)")
      #expect(run.errorText.contains(".sluice/state.db"), "\(run.errorText)")
      #expect(run.errorText.contains("left as it is"), "\(run.errorText)")
      #expect(run.errorText.contains("invalid_state"), "\(run.errorText)")
    }
    #expect(try bench.folder.read(".sluice/state.db") == bytes)
    #expect(try bench.lines() == lines)
    #expect(bench.listTokens.count == 5, "nothing was asked of the source again")
  }

  @Test("is for its owner only")
  func rights() async throws {
    let bench = try await finished()
    #expect(try bench.folder.rights(".sluice") == 0o700)
    #expect(try bench.folder.rights(".sluice/state.db") == 0o600)
  }

  @Test("is shown, also of a job that never ran")
  func shown() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    let none = try await bench.sluice("state", "show")
    #expect(none.exitCode == 0)
    #expect(none.outputText.contains("no job has saved state"))
    #expect(try await bench.sluice("run").exitCode == 0)
    let shown = try await bench.sluice("state", "show", "users")
    #expect(shown.outputText.contains("users: finished"))
    #expect(shown.outputText.contains("100 documents published"))
  }

  @Test("a place that cannot be written is an error that names it", arguments: [true, false])
  func unwritable(state: Bool) async throws {
    let bench = try Bench()
    // A file in the place of a folder: even the superuser cannot make a folder there.
    try bench.folder.write("", to: "file")
    try bench.configure(state ? Job.file : Job.file.replacing("out/users", with: "file/users"))
    if state {
      let text = try bench.folder.text("config.yaml")
      try bench.folder.write(text + "state: { sqlite: { path: file/state.db } }\n", to: "config.yaml")
    }
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 1)
    #expect(run.errorText.contains("Not a directory"), "\(run.errorText)")
    #expect(run.errorText.contains("file/"), "\(run.errorText)")
    #expect(bench.listTokens.isEmpty, "found before anything is asked")
  }

  @Test("a folder without the right to write", .enabled(if: geteuid() != 0, "not as root"))
  func readOnly() async throws {
    let bench = try Bench()
    try bench.configure(Job.file)
    #expect(chmod(bench.folder.path, 0o500) == 0)
    defer { chmod(bench.folder.path, 0o700) }
    let run = try await bench.sluice("run")
    #expect(run.exitCode == 1)
    #expect(run.errorText.contains(".sluice"))
    #expect(run.errorText.contains("hint"))
  }
}
