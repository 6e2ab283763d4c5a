import SluiceCore
import Testing

@Suite struct FingerprintTests {
  @Test func orderOfMembersDoesNotCountOrderOfItemsDoes() throws {
    let a = Fingerprint(of: .map([Field("x", .int(1)), Field("y", .map([Field("p", .null), Field("q", .null)]))]))
    let b = Fingerprint(of: .map([Field("y", .map([Field("q", .null), Field("p", .null)])), Field("x", .int(1))]))
    #expect(a == b)
    #expect(Fingerprint(of: .array([.int(1), .int(2)])) != Fingerprint(of: .array([.int(2), .int(1)])))
  }

  @Test func everythingElseCounts() {
    let values: [Value] = [
      .null, .bool(false), .bool(true), .int(0), .int(1), .double(0), .double(-0.0), .double(1), .double(.nan),
      .double(.infinity), .double(-.infinity), .decimal("1"), .string(""), .string("1"), .string("\u{e9}"),
      .string("e\u{301}"), .bytes([]), .bytes([0x31]), .bytes([0]), .bytes([0, 0]), .reference("1"), .array([]),
      .array([.null]), .array([.array([])]), .array([.null, .null]), .map([]), .map([Field("", .null)]),
      .map([Field("a", .null)]), .map([Field("a", .string("b"))]), .map([Field("b", .string("a"))]),
      .map([Field("a", .int(1)), Field("b", .int(2))]), .map([Field("a", .int(2)), Field("b", .int(1))]), .vector([]),
      .vector([0]), .vector([0, 0]), .array([.double(0), .double(0)]), .geoPoint(latitude: 0, longitude: 0),
      .timestamp(Timestamp(seconds: 0, nanoseconds: 0)), .timestamp(Timestamp(seconds: 0, nanoseconds: 1)),
      .unknown(kind: "a", raw: [0x31]), .unknown(kind: "b", raw: [0x31]), .unknown(kind: "a1", raw: []),
    ]
    let fingerprints = values.map(Fingerprint.init(of:))
    #expect(Set(fingerprints).count == values.count)
    #expect(Set(fingerprints.map(\.high)).count == values.count)
    #expect(Set(fingerprints.map(\.low)).count == values.count)
  }

  @Test func allNaNsAreOne() {
    #expect(Fingerprint(of: .double(.nan)) == Fingerprint(of: .double(-.signalingNaN)))
  }

  @Test func manyNearValuesDiffer() {
    var seen: Set<Fingerprint> = []
    for i in 0..<50_000 as Range<Int64> {
      seen.insert(Fingerprint(of: .int(i)))
      seen.insert(Fingerprint(of: .string("u\(i)")))
      seen.insert(Fingerprint(of: .map([Field("a", .int(i)), Field("b", .int(-i))])))
    }
    #expect(seen.count == 150_000)
  }

  @Test func aDocumentIsTheMapOfItsFields() throws {
    let batch = try batch(everyKind)
    let fields = batch.fields(at: 0)
    #expect(Fingerprint(of: .map(fields.materialized)) == batch.fingerprint(at: 0))
    #expect(Fields().fingerprint == Fingerprint(of: .map([])))
    #expect(Fingerprint.ofNoFields == Fields().fingerprint)
    var visitor = FingerprintVisitor()
    visitor.begin(.map)
    fields.visit(&visitor)
    visitor.end(.map)
    let fingerprint = visitor.finish()
    #expect(fingerprint == fields.fingerprint)
  }

  /// Texts of all lengths go through other branches than their neighbours.
  @Test func textsOfAllLengthsDiffer() {
    var seen: Set<Fingerprint> = []
    for length in 0..<70 {
      for changed in 0...length {
        var bytes = [UInt8](repeating: 0x61, count: length)
        if changed < length { bytes[changed] = 0x62 }
        seen.insert(Fingerprint(of: bytes.span))
      }
    }
    #expect(seen.count == (0..<70).reduce(0) { $0 + $1 + 1 })
  }

  /// Ledgers keep fingerprints: a change here is a change of their format.
  @Test func staysTheSameForEver() throws {
    let text = try batch(everyKind).fingerprint(at: 0).description
    #expect(text == "d1b8b374bf8cfa3cd38cb5974a00f97e")
  }

  @Test func sixteenBytesThereAndBack() throws {
    let fingerprint = Fingerprint(of: .string("x"))
    #expect(fingerprint.bytes.count == 16)
    #expect(Fingerprint(bytes: fingerprint.bytes) == fingerprint)
    #expect(Fingerprint(bytes: [1, 2]) == nil)
    #expect(fingerprint.description.count == 32)
  }

  @Test func runningDigestDoesNotSeeHowBytesWereCut() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var whole = RunningDigest()
    whole.append(bytes.span)
    for size in [1, 3, 15, 16, 17, 63, 64, 65, 200, 999] {
      var parts = RunningDigest()
      var start = 0
      while start < bytes.count {
        let piece = Array(bytes[start..<min(bytes.count, start + size)])
        parts.append(piece.span)
        start += size
      }
      #expect(parts == whole)
      #expect(parts.value == whole.value)
    }
    #expect(whole.byteCount == 1000)
    var longer = whole
    longer.append([0].span)
    #expect(longer.value != whole.value)
    var swapped = RunningDigest()
    swapped.append(Array(bytes[500...] + bytes[..<500]).span)
    #expect(swapped.value != whole.value)
    // Each place of a block counts, in full blocks and in the last one.
    for place in [0, 15, 16, 31, 32, 47, 48, 63, 64, 960, 999] {
      var changed = bytes
      changed[place] ^= 1
      var other = RunningDigest()
      other.append(changed.span)
      #expect(other.value != whole.value)
    }
  }
}
