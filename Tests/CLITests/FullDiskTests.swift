import Foundation
import SluiceJSON
import SluiceTesting
import Testing

#if os(Linux)
  /// Runs that a full disk ends, by the real program on a real file system: whatever is written where, the error names
  /// the file and says what to do, nothing is published by half, and with room made the next run goes on.
  @Suite("a full disk", .enabled(if: SmallDisk.isAvailable, "not allowed to mount a file system"))
  struct FullDiskTests {
    /// What fills the disk.
    struct Case: CustomTestStringConvertible, Sendable {
      var testDescription: String
      /// Below the job's source.
      var job: String
      /// The configuration's state, where it lies on the disk.
      var state = ""
      /// The published file, if the job publishes one.
      var published: String?
      /// The kilobytes left on the disk.
      var room = 260
      /// What a message must name.
      var path: String
      /// What the next run must not ask for again.
      var resumes = true
    }

    static let cases = [
      Case(
        testDescription: "a stage of lines", job: "sink: { file: { path: disk/out.jsonl } }",
        published: "disk/out.jsonl", path: "disk/.out.jsonl.sluice-"),
      Case(
        testDescription: "a stage of a compressed file", job: "sink: { file: { path: disk/out.jsonl.gz } }",
        published: "disk/out.jsonl.gz", room: 120, path: "disk/.out.jsonl.gz.sluice-"),
      Case(
        testDescription: "a stage of an array", job: "sink: { file: { path: disk/out.json } }",
        published: "disk/out.json", path: "disk/.out.json.sluice-"),
      Case(
        testDescription: "a stage of files by collection", job: "sink: { file: { path: \"disk/{collection}.jsonl\" } }",
        published: "disk/_.jsonl", path: "disk/"),
      Case(
        testDescription: "a log of changes", job: "sink: { file: { path: disk/log.jsonl, publish: append } }",
        path: "disk/log.jsonl"),
      Case(
        testDescription: "a table in place", job: "sink: { sqlite: { path: disk/users.db, table: users } }",
        path: "disk/users.db"),
      Case(
        testDescription: "a table to be replaced",
        job: "sink: { sqlite: { path: disk/users.db, table: users, publish: replace } }", path: "disk/users.db"),
      Case(
        testDescription: "the state", job: "sink: { file: { path: out.jsonl } }",
        state: "state: { sqlite: { path: disk/state.db } }\n", published: "out.jsonl", room: 420,
        path: "disk/state.db"),
      Case(
        testDescription: "a state that cannot be begun", job: "sink: { file: { path: out.jsonl } }",
        state: "state: { sqlite: { path: disk/state.db } }\n", published: "out.jsonl", room: 16,
        path: "disk/state.db", resumes: false),
    ]

    @Test("is said with path and hint, loses nothing, and the next run goes on", arguments: cases)
    func fills(_ example: Case) async throws {
      let bench = try Bench(users: 0)
      let disk = try SmallDisk(at: bench.folder.file("disk"), kilobytes: 16_384)
      defer { disk.unmount() }
      try seed(bench, 400)
      try configure(bench, example)
      if let published = example.published, !published.hasSuffix(".gz") {
        try bench.folder.write("old\n", to: published)
      }
      try disk.fill(leaving: example.room)

      let full = try await bench.sluice("run")
      #expect(full.exitCode == 1, "\(full.errorText)")
      let words = full.errorText.lowercased()
      #expect(words.contains("no space left"), "\(full.errorText)")
      #expect(words.contains("make room"), "\(full.errorText)")
      #expect(full.errorText.contains(example.path), "\(full.errorText)")
      if let published = example.published {
        let shown = bench.folder.exists(published) ? try bench.folder.text(published) : nil
        #expect(shown == (published.hasSuffix(".gz") ? nil : "old\n"))
      }
      let before = bench.listTokens

      // Still full: the same, and nothing worse.
      let again = try await bench.sluice("run")
      #expect(again.exitCode == 1, "\(again.errorText)")
      let between = bench.listTokens

      disk.makeRoom()
      let done = try await bench.sluice("run")
      #expect(done.exitCode == 0, "\(done.errorText)")
      if example.resumes {
        #expect(before.count > 2, "some pages came before the disk was full: \(before.count)")
        let after = Set(bench.listTokens[between.count...])
        #expect(after.isDisjoint(with: before.dropLast(2)), "no confirmed page is asked for again")
      }
      #expect(try await content(bench, example) == 400)
      let quiet = try await bench.sluice("run")
      #expect(quiet.exitCode == 0, "\(quiet.errorText)")
    }

    @Test("of dead letters stops the run: none is left out silently")
    func deadLetters() async throws {
      let bench = try Bench(users: 0)
      let disk = try SmallDisk(at: bench.folder.file("disk"), kilobytes: 1024)
      defer { disk.unmount() }
      try seed(bench, 100)
      try bench.configure(
        """
        paging: { page_token: { size: 5 } }
        transforms: [compute: { field: x, lua: "return 1 + doc.text.y" }]
        sink: { file: { path: out.jsonl } }
        on_reject: dead_letter
        dead_letters: { path: disk/letters.jsonl, documents: true }
        """)
      try disk.fill(leaving: 12)
      let full = try await bench.sluice("run")
      #expect(full.exitCode == 1, "\(full.errorText)")
      #expect(full.errorText.contains("No space left"), "\(full.errorText)")
      #expect(full.errorText.contains("disk/letters.jsonl"), "\(full.errorText)")
      #expect(full.errorText.contains("make room"), "\(full.errorText)")
      #expect(!bench.folder.exists("out.jsonl"))
      disk.makeRoom()
      let done = try await bench.sluice("run", "--max-delete", "100%")
      #expect(done.exitCode == 6, "\(done.errorText)")
      let keys = try bench.folder.text("disk/letters.jsonl").split(separator: "\n").compactMap {
        try JSON.parse(String($0))["key"]?.string
      }
      #expect(Set(keys).count == 100, "each document has its letter")
    }

    /// Documents of two kilobytes that do not compress well.
    private func seed(_ bench: Bench, _ count: Int) throws {
      var generator = SeededGenerator(seed: 7)
      let lines = (0..<count).map { number in
        let text = (0..<128).map { _ in String(UInt64.random(in: .min ... .max, using: &generator), radix: 36) }
        return "{\"_key\":\"\(String(format: "u%04d", number))\",\"text\":\"\(text.joined())\"}"
      }
      try bench.server.store.seed(lines.joined(separator: "\n"), into: "users")
    }

    private func configure(_ bench: Bench, _ example: Case) throws {
      try bench.configure("paging: { page_token: { size: 5 } }\n" + example.job)
      try bench.folder.write(example.state + bench.folder.text("config.yaml"), to: "config.yaml")
    }

    /// How many documents the sink shows.
    private func content(_ bench: Bench, _ example: Case) async throws -> Int {
      let file = example.published ?? example.path
      if file.hasSuffix(".db") {
        let script =
          "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('select count(*) from users').fetchone())"
        let found = try await bench.shell("python3 -c \"\(script)\" \(file)")
        return Int(found.outputText.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
      }
      let found = try await bench.shell("(zcat -f \(file)) | grep -o '\"_key\"' | wc -l")
      return Int(found.outputText.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    }
  }
#endif
