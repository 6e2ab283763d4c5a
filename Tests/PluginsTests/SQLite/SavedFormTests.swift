import SluiceCore
import SluiceJSON
import Testing

@testable import SluiceSQLite

@Suite("The saved form of checkpoints") struct SavedFormTests {
  /// A checkpoint in which nothing is at its default.
  static func full(_ phase: Checkpoint.Phase, _ order: Capabilities.Order) -> Checkpoint {
    let mark = StageMark(length: .max, digest: Fingerprint(high: 0, low: 7), documents: 3)
    let values: [Value] = [
      .null, .bool(true), .int(.min), .double(.nan), .double(-0.0), .double(1.5), .double(-.infinity),
      .decimal("18446744073709551615"), .timestamp(Timestamp(seconds: -62_135_596_801, nanoseconds: 999_999_999)),
      .string("é\u{0}\"\\"), .bytes([0, 255]), .reference("projects/p"), .geoPoint(latitude: -0.0, longitude: 180),
      .array([.int(1), .array([])]),
      .map([Field("b", .int(1)), Field("a", .null), Field("é", .null), Field("e\u{301}", .null)]),
      .vector([1, .nan]), .unknown(kind: "newValue", raw: Array(#"{"x":1}"#.utf8)),
    ]
    let positions: [PagePosition] = [
      .start, .token("t\n"), .offset(5), .number(6), .url("https://x/?a=b"),
      .after(.init(Key(segments: ["a/b", "c%"]), values: values)),
    ]
    var partitions = positions.map {
      Listing.Partition(range: KeyRange(from: Key("l"), upTo: Key("u")), progress: .at($0), pages: 1, highest: Key("h"))
    }
    partitions.append(.init(range: .all, progress: .notStarted, emptyPages: 9))
    partitions += EndSign.allCases.map { .init(range: KeyRange(from: Key("")), progress: .ended($0), pages: 2) }
    var counters = Checkpoint.Counters()
    for (index, path) in counterPaths.enumerated() { counters[keyPath: path] = index + 1 }
    let cursor = Checkpoint.SinkCursor(
      identity: SinkIdentity("id"), sequence: 12, stage: mark,
      publication: Publication(generation: 6, content: mark, witness: "w"), shape: Fingerprint(high: 1, low: 2),
      listingShape: Fingerprint(high: .max, low: .max), heldBefore: 44)
    return Checkpoint(
      job: "j\"ö", revision: 1 << 63, source: FrozenRequest([.init("collection", "users"), .init("q", "")]),
      paging: Fingerprint(high: 5, low: 6), phase: phase,
      listing: Listing(
        generation: 7, frozen: FrozenRequest([.init("readTime", "2024")]), order: order, partitions: partitions,
        taint: .init("cap_reached", "detail")),
      sinks: ["file": cursor, "a-2": .init()], counters: counters,
      savedAt: Timestamp(seconds: 1_700_000_000, nanoseconds: 5))
  }

  static let counterPaths: [WritableKeyPath<Checkpoint.Counters, Int> & Sendable] = [
    \.pages, \.documents, \.dropped, \.reads, \.bytes, \.writes, \.deletes, \.unchanged, \.rejects, \.retries,
    \.repeats,
  ]

  @Test("every field comes back, through JSON too")
  func returns() throws {
    let phases: [(Checkpoint.Phase, Capabilities.Order)] = [
      (.snapshot(watchFrom: nil), .pinned), (.snapshot(watchFrom: WatchPosition("w")), .byKey), (.finished, .unstable),
      (.watching(after: WatchPosition("")), .pinned),
    ]
    for (phase, order) in phases {
      let checkpoint = Self.full(phase, order)
      #expect(try Checkpoint(savedForm: checkpoint.savedForm) == checkpoint)
      #expect(try SavedCheckpoint.read(SavedCheckpoint.text(of: checkpoint), path: "p") == checkpoint)
    }
    let least = Samples.checkpoint(1)
    #expect(try SavedCheckpoint.read(SavedCheckpoint.text(of: least), path: "p") == least)
    // Left out where it is 0, as in states of before.
    var unread = least
    unread.listing.noteUnreadable(3)
    let again = try SavedCheckpoint.read(SavedCheckpoint.text(of: unread), path: "p")
    #expect(again == unread && again.listing.unreadable == 3)
    var waiting = least
    waiting.sinks["slow"] = Checkpoint.SinkCursor(sequence: 4, waiting: 3)
    #expect(try SavedCheckpoint.read(SavedCheckpoint.text(of: waiting), path: "p") == waiting)
    // A field that is added and not saved must be noticed here.
    #expect(Mirror(reflecting: Checkpoint.Counters()).children.count == Self.counterPaths.count)
    #expect(Mirror(reflecting: least).children.count == 9)
    #expect(Mirror(reflecting: least.listing).children.count == 6)
    #expect(Mirror(reflecting: Checkpoint.SinkCursor()).children.count == 8)
  }

  @Test("whatever field is missing, or is of another kind, is damage that is named")
  func findsDamage() throws {
    let form = Self.full(.watching(after: WatchPosition("w")), .byKey).savedForm
    var paths = 0
    for damaged in form.damages() {
      let result = Result { try Checkpoint(savedForm: damaged) }
      switch result {
      case .success(let checkpoint):
        // Only what may be absent can go.
        #expect((checkpoint.savedForm == form) == false)
      case .failure(let error):
        #expect((error as? SluiceError)?.code == .invalidState)
        #expect((error as? SluiceError)?.hint != nil || "\(error)".contains("format"))
      }
      paths += 1
    }
    #expect(paths > 200)
  }

  @Test("a newer format is refused with a hint")
  func refusesNewer() throws {
    guard case .map(var fields) = Samples.checkpoint(1).savedForm else { return }
    fields[0] = Field("format", .int(2))
    let error = #expect(throws: SluiceError.self) { try Checkpoint(savedForm: .map(fields)) }
    #expect(error?.code == .invalidState && error?.hint?.contains("newer") == true)
  }
}

extension Value {
  /// The value with one field left out or replaced, in every place.
  fileprivate func damages() -> [Value] {
    switch self {
    case .map(let fields):
      fields.indices.flatMap { index -> [Value] in
        func with(_ value: Value) -> Value {
          var changed = fields
          changed[index].value = value
          return .map(changed)
        }
        var less = fields
        less.remove(at: index)
        return [.map(less), with(.vector([]))] + fields[index].value.damages().map(with)
      }
    case .array(let items):
      items.indices.flatMap { index in
        items[index].damages().map { damaged in
          var changed = items
          changed[index] = damaged
          return .array(changed)
        }
      }
    default: []
    }
  }
}
