import SluiceCore
import SluiceJSON
import Testing

/// The parser against a second reader, over generated documents.
@Suite struct OracleTests {
  @Test func agreesWithASecondReaderOnGeneratedValues() throws {
    var generator = Generator(seed: 1)
    for _ in 0..<3000 {
      let text = generator.json(depth: 0)
      let expected = SlowReader.parse(text)
      #expect((try? JSON.parse(text)) == expected, "\(text)")
    }
  }

  @Test func agreesOnDamagedText() throws {
    var generator = Generator(seed: 2)
    var accepted = 0
    for _ in 0..<6000 {
      var scalars = Array(generator.json(depth: 0).unicodeScalars)
      for _ in 0..<generator.next(3) + 1 where !scalars.isEmpty {
        let place = generator.next(scalars.count)
        switch generator.next(3) {
        case 0: scalars.remove(at: place)
        case 1: scalars.insert(generator.pick(Array("{}[]:,\"\\ \n0-1e.eéntu\u{1F98A}\u{0}".unicodeScalars)), at: place)
        default: scalars[place] = generator.pick(Array("{}[]:,\"\\ x0-".unicodeScalars))
        }
      }
      let text = String(String.UnicodeScalarView(scalars))
      let expected = SlowReader.parse(text)
      if expected != nil { accepted += 1 }
      #expect((try? JSON.parse(text)) == expected, "\(text)")
    }
    #expect(accepted > 500)
  }

  @Test func valuesSurviveBothEncodings() throws {
    var generator = Generator(seed: 3)
    for _ in 0..<2000 {
      let value = generator.value(depth: 0)
      #expect(try JSON.parseTyped(JSON.encodeTyped(value)) == value)
      let fields = [Field("a", value), Field("b", .null)]
      let line = typedLines(try batch(fields))
      let back = try TypedDecoder().lines(Array(line.utf8))
      #expect(back.fields(at: 0).materialized == fields)
      #expect(back.fingerprint(at: 0) == (try batch(fields).fingerprint(at: 0)))
      #expect(typedLines(back) == line)
      // Plain JSON loses kinds, but it must be JSON, and stay the same when it is read and written again.
      let plain = JSON.text(value)
      let again = try #require(SlowReader.parse(plain), "\(plain)")
      #expect(try JSON.parse(plain) == again)
      #expect(JSON.text(again) == plain)
    }
  }
}

/// Makes values and JSON text that are as awkward as they may be, the same for the same seed.
struct Generator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<T>(_ items: [T]) -> T { items[next(items.count)] }

  private mutating func space() -> String { pick(["", "", "", " ", "\n", "\t \r\n"]) }

  mutating func json(depth: Int) -> String {
    let body: String =
      switch next(depth > 4 ? 6 : 9) {
      case 0: pick(["null", "true", "false"])
      case 1:
        pick([
          "0", "-0", "1", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
          "12345678901234567890123",
        ])
      case 2: "\(Int64(bitPattern: next()))"
      case 3:
        pick([
          "0.5", "1e5", "1E-7", "-2.5e+10", "1e400", "1e-400", "0e99", "123456789.123456789123456789", "0.1", "-0.0",
        ])
      case 4, 5: string()
      case 6: list("[", (0..<next(4)).map { _ in json(depth: depth + 1) }, "]")
      default: list("{", (0..<next(5)).map { "\(string($0))\(space()):\(json(depth: depth + 1))" }, "}")
      }
    return space() + body + space()
  }

  private mutating func list(_ open: String, _ items: [String], _ close: String) -> String {
    open + (items.isEmpty ? space() : items.joined(separator: ",")) + close
  }

  private mutating func string(_ number: Int? = nil) -> String {
    let pieces = [
      "a", "plain text of some length", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83e\\udd8a", "\u{1F98A}", "é",
      "e\u{301}",
      "\u{2028}", "\u{7F}", " ", "0", "12345678", "\\u0000", "\\u001f", "日本語",
    ]
    return "\"\(number.map { "n\($0)" } ?? "")" + (0..<next(5)).map { _ in pick(pieces) }.joined() + "\""
  }

  private mutating func text() -> String {
    let pieces = [
      "a", "\u{0}", "\n", "\"", "\\", "/", "é", "e\u{301}", "\u{1F98A}", "plain text of some length", "\u{1f}",
      "__type__",
    ]
    return (0..<next(5)).map { _ in pick(pieces) }.joined()
  }

  mutating func value(depth: Int) -> Value {
    switch next(depth > 3 ? 11 : 15) {
    case 0: .null
    case 1: .bool(next(2) == 0)
    case 2: .int(pick([0, 1, -1, .min, .max, 9_007_199_254_740_993, Int64(bitPattern: next())]))
    case 3:
      .double(
        pick([
          0, -0.0, 1, 1.5, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e308, 0.1,
          Double(bitPattern: next()).orZero,
        ]))
    case 4: .decimal(pick(["18446744073709551615", "-123456789012345678901234567890", "1e999"]))
    case 5:
      .timestamp(
        Timestamp(
          seconds: Int64(next(315_537_897_600)) - 62_135_596_800,
          nanoseconds: pick([0, 1, 500_000_000, 582_000, UInt32(next(1_000_000_000))])))
    case 6, 7: .string(text())
    case 8: .bytes((0..<next(20)).map { _ in UInt8(truncatingIfNeeded: next()) })
    case 9: .reference("projects/p/databases/d/documents/" + text())
    case 10: .geoPoint(latitude: pick([0, -0.0, 90, -12.25]), longitude: pick([0, 180, 0.1]))
    case 11: .vector((0..<next(4)).map { _ in pick([0, 1.5, .nan]) })
    case 12: .array((0..<next(4)).map { _ in value(depth: depth + 1) })
    case 13: .unknown(kind: "newValue", raw: Array(pick(["1", "[]", "{\"a\":[1,\" \"]}", "\"\\n\""]).utf8))
    default: .map((0..<next(5)).map { Field("\($0)" + text(), value(depth: depth + 1)) })
    }
  }
}

extension Double {
  /// The number itself, or 0 in place of a NaN: their bits do not survive text.
  fileprivate var orZero: Double { isNaN ? 0 : self }
}
