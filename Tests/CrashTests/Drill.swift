import FirestoreServer
import SluiceCore
import SluiceTesting
import Testing

/// One kind of job, run by the real program in two folders: in one it is killed again and again, in the other never.
struct Drill {
  /// What a job writes.
  enum Kind {
    /// A file and a table, each replaced as a whole.
    case replacing
    /// A table that mirrors its source in place.
    case inPlace
    /// A file that is replaced, beside such a table.
    case mixed

    var hasFile: Bool { self != .inPlace }
    var isTableInPlace: Bool { self != .replacing }
    /// Whether the table's own checkpoint counts: only where there is no other sink.
    var keepsCheckpoint: Bool { self == .inPlace }
  }

  let server: FirestoreServer
  let kind: Kind
  let crashed: Workshop
  private let undisturbed: Workshop
  private let requests = ListRequests()
  /// Runs that a kill ended.
  private(set) var kills = 0
  /// Kills after which only the completion of a listing was left.
  private(set) var killsAtEnd = 0
  /// Kills between the commit of a table and that of the state.
  private(set) var killsBetweenCommits = 0
  /// Kills while pages waited for the table.
  private(set) var killsWhileWaiting = 0
  private(set) var looks = 0
  /// What the round before has shown at its end.
  private var shown = Published()

  init(_ server: FirestoreServer, _ kind: Kind, pageSize: Int) throws {
    self.server = server
    self.kind = kind
    let paging = "paging: { page_token: { size: \(pageSize) } }\ntransforms: [drop: { fields: [password] }]\n"
    let job =
      switch kind {
      case .replacing:
        """
        sinks:
          - file: { path: out/users.jsonl }
          - sqlite: { path: out/users.db, table: users, publish: replace }
        """
      case .inPlace: "mode: mirror\nsink: { sqlite: { path: out/users.db, table: users } }"
      case .mixed:
        """
        mode: mirror
        sinks:
          - file: { path: out/users.jsonl }
          - sqlite: { path: out/users.db, table: users }
        """
      }
    crashed = try Workshop(server, job: paging + job)
    undisturbed = try Workshop(server, job: paging + job)
    server.script(requests.script)
  }

  /// Brings the server's documents to both folders; the run in one is killed at `points` and begun again until it ends.
  /// `lagging`: meanwhile another program locks the table in the middle of each listing.
  mutating func round(_ points: [KillPoint], observing: Bool = true, lagging: Bool = false) async throws {
    let old = shown
    server.log.reset()
    let clean = await (try undisturbed.start()).wait()
    try #require(clean.exitCode == 0, "\(clean.errorText)")
    let pages = server.listTokens
    let new = try undisturbed.shown()
    defer { shown = new }
    if lagging {
      var worked = self
      let contender = Contender(crashed.folder.file("out/users.db"), requests)
      try await contender.contending { try await worked.finish(points, pages, old, new) }
      self = worked
      return
    }
    guard observing else { return try await finish(points, pages, old, new) }
    let observer = observer(old, new)
    var worked = self
    try await observer.watching { try await worked.finish(points, pages, old, new) }
    self = worked
    looks += observer.table.old + observer.table.new
    #expect(observer.file.torn.isEmpty)
    #expect(observer.table.torn.isEmpty)
  }

  private mutating func finish(
    _ points: [KillPoint], _ pages: [String], _ old: Published, _ new: Published
  ) async throws {
    var left = points[...]
    var asked = 0
    var killed = 0
    let first = try await crashed.standing(table: kind.keepsCheckpoint)
    try #require(first.pages == 0, "the round before has ended")
    var standing = first
    while true {
      server.log.reset()
      let child = try crashed.start()
      let result =
        if let point = left.popFirst() { try await point.kill(child, in: crashed, requests) } else {
          await child.wait()
        }
      try server.settle()
      let tokens = server.listTokens
      asked += tokens.count
      let now = try await crashed.standing(table: kind.keepsCheckpoint)
      expect(tokens, of: pages, from: standing, to: now)
      standing = now
      if result.ending != .killed(9) {
        try #require(result.exitCode == 0, "\(result.errorText)")
        break
      }
      killed += 1
      if now.hasEnded { killsAtEnd += 1 }
      if now.isAhead { killsBetweenCommits += 1 }
      if now.waiting > 0 { killsWhileWaiting += 1 }
      try expectWhole(old, new)
      if now.isFinished, now.generation > first.generation { break }
    }
    kills += killed
    #expect(asked <= pages.count + 2 * killed)
    try await expectSame(new)
  }

  /// A run asks for the first page that is not confirmed, and for those after it, in order, and never for one that is.
  private func expect(_ asked: [String], of pages: [String], from before: Standing, to after: Standing) {
    let range = before.pages..<min(before.pages + asked.count, pages.count)
    #expect(asked == Array(pages[range]), "begun at \(before), ended at \(after)")
    if before.hasEnded { #expect(asked.isEmpty) }
    if !after.isFinished {
      #expect(after.pages >= before.pages)
      // At most the page in hand and the one fetched ahead are lost.
      #expect(before.pages + asked.count <= after.pages + 2)
    }
  }

  /// What a killed run leaves to be seen.
  private func expectWhole(_ old: Published, _ new: Published) throws {
    let shown = try crashed.shown()
    #expect(shown.file == old.file || shown.file == new.file)
    #expect(kind.isTableInPlace || shown.table == old.table || shown.table == new.table)
  }

  private func expectSame(_ new: Published) async throws {
    let count = try server.store.count(in: "users")
    #expect(
      try await IndependentReader.rows(
        ofBoth: crashed.folder.file("out/users.db"), undisturbed.folder.file("out/users.db")) == count)
    var names = ["users.db"]
    if kind.hasFile {
      names.append("users.jsonl")
      let shown = try crashed.shown()
      #expect(shown.file == new.file)
      #expect(kind.isTableInPlace || shown.table == new.table, "also in the same order")
      #expect(shown.file?.count { $0 == UInt8(ascii: "\n") } == count)
    }
    // The log of a database outlives a process that was killed.
    let left = try crashed.names(in: "out").filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    #expect(left == names, "nothing is left behind")
  }
}

/// What may be seen while a round goes on.
extension Drill {
  private func observer(_ old: Published, _ new: Published) -> Observer {
    let known = Known(old: old.table ?? [], new: new.table ?? [])
    let isInPlace = kind.isTableInPlace
    var file: (@Sendable ([UInt8]?) -> Observer.Sight)?
    if kind.hasFile { file = { Drill.judge($0, old.file, new.file, "file") } }
    let table: @Sendable ([TableRow]?) -> Observer.Sight = { rows in
      isInPlace ? known.judge(rows) : Drill.judge(rows, old.table, new.table, "table")
    }
    return Observer(crashed.folder, file: file, table: table)
  }

  /// What is replaced is the old or the new, whole.
  private static func judge<T: Equatable>(_ seen: [T]?, _ old: [T]?, _ new: [T]?, _ what: String) -> Observer.Sight {
    guard let seen else { return old == nil ? .absent : .torn("the \(what) was gone") }
    if seen == old { return .old }
    return seen == new ? .new : .torn("a \(what) of \(seen.count) bytes or rows")
  }

  /// A table in place is old and new at once: but each row is one of both, and none is missing that is in both.
  private struct Known: Sendable {
    private let old: [String: String]
    private let new: [String: String]
    private let lasting: Int

    init(old: [TableRow], new: [TableRow]) {
      self.old = Dictionary(uniqueKeysWithValues: old.map { ($0.key, $0.document) })
      self.new = Dictionary(uniqueKeysWithValues: new.map { ($0.key, $0.document) })
      lasting = Set(old.map(\.key)).intersection(new.map(\.key)).count
    }

    func judge(_ rows: [TableRow]?) -> Observer.Sight {
      guard let rows else { return old.isEmpty ? .absent : .torn("the table was gone") }
      var lasting = 0
      for row in rows {
        guard old[row.key] == row.document || new[row.key] == row.document else { return .torn("row \(row)") }
        if old[row.key] != nil, new[row.key] != nil { lasting += 1 }
      }
      return lasting == self.lasting ? .new : .torn("\(lasting) of \(self.lasting) rows")
    }
  }
}
