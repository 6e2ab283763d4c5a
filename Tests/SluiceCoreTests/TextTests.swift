import Foundation
import SluiceCore
import Testing

@Suite struct RFC3339Tests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0, 0), ("1969-12-31T23:59:59.999999999Z", -1, 999_999_999),
      ("0001-01-01T00:00:00Z", -62_135_596_800, 0), ("9999-12-31T23:59:59.999Z", 253_402_300_799, 999_000_000),
      ("2000-02-29T12:00:00.001Z", 951_825_600, 1_000_000), ("2024-02-29T00:00:00.000000001Z", 1_709_164_800, 1),
      ("2024-06-30T15:03:17.890201Z", 1_719_759_797, 890_201_000),
    ] as [(String, Int64, UInt32)])
  func readsAndWritesTheSameText(text: String, seconds: Int64, nanoseconds: UInt32) {
    #expect(Timestamp(text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    #expect(Timestamp(seconds: seconds, nanoseconds: nanoseconds).description == text)
  }

  @Test(arguments: [
    ("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.500Z"),
    ("2024-01-01T00:00:00.1234Z", "2024-01-01T00:00:00.123400Z"),
    ("2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00Z"), ("2024-01-01T00:00:00.582000Z", "2024-01-01T00:00:00.582Z"),
    ("2024-01-01T01:30:00+01:30", "2024-01-01T00:00:00Z"), ("2023-12-31T19:00:00.25-05:00", "2024-01-01T00:00:00.250Z"),
    ("2024-01-01t00:00:00z", "2024-01-01T00:00:00Z"), ("2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"),
  ])
  func normalises(text: String, canonical: String) { #expect(Timestamp(text)?.description == canonical) }

  @Test(arguments: [
    "", "2024-01-01", "2024-01-01T00:00:00", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z",
    "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00.1234567890Z", "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00+1:30", "2024-01-01T00:00:00+01:60",
    "2024-01-01 00:00:00Z", "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    "２０２４-01-01T00:00:00Z", "2024-1-01T00:00:00ZZ", "2024-04-31T00:00:00Z",
  ])
  func refuses(text: String) { #expect(Timestamp(text) == nil) }

  @Test func agreesWithFoundationOnEveryDayOfFourCenturies() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .gmt
    for day in stride(from: -80_000, to: 80_000, by: 7) {
      let date = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      let text = String(format: "%04d-%02d-%02dT00:00:00Z", date.year ?? 0, date.month ?? 0, date.day ?? 0)
      let timestamp = Timestamp(seconds: Int64(day) * 86_400, nanoseconds: 0)
      #expect(timestamp.description == text)
      #expect(Timestamp(text) == timestamp)
    }
  }

  @Test func yearsBeyondRFC3339DoNotTrap() {
    #expect(Timestamp(seconds: 253_402_300_800, nanoseconds: 0).description == "+10000-01-01T00:00:00Z")
    #expect(Timestamp(seconds: -62_167_219_201, nanoseconds: 0).description == "-0001-12-31T23:59:59Z")
    for seconds in [Int64.min, .max] { #expect(Timestamp(seconds: seconds, nanoseconds: 1).description.count <= 40) }
  }
}

@Suite struct Base64Tests {
  @Test func agreesWithFoundation() {
    for count in 0..<100 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count &* 11) }
      let text = Data(bytes).base64EncodedString()
      #expect(Base64.encode(bytes) == text)
      #expect(Base64.decode(text) == bytes)
      let urlSafe = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      #expect(Base64.decode(urlSafe) == bytes)
      #expect(Base64.decode(urlSafe.replacingOccurrences(of: "=", with: "")) == bytes)
    }
  }

  @Test(arguments: [
    "A", "A===", "AB=", "A=A=", "AAAA=", "AA=A", "AB==", "AAB=", "A A=", "AA\n=", "====", "Ä===", "=", "AAAAA",
  ])
  func refuses(text: String) { #expect(Base64.decode(text) == nil) }
}

@Suite struct NumberTextTests {
  /// The double that a builder reads back from a number's text.
  private func read(_ text: String) throws -> Value? {
    var builder = BatchBuilder()
    builder.begin(document: Key("k").bytes.span, header: DocumentHeader())
    builder.name(FieldName("n").utf8.span, plain: true)
    builder.text(Array(text.utf8).span, as: .double)
    builder.endDocument()
    return try builder.finish().fields(at: 0)["n"]
  }

  @Test(arguments: [
    "0", "-0", "0.0", "-0.0", "1", "1.5", "15e-1", "1E5", "1e+5", "5e-324", "2.2250738585072014e-308",
    "1.7976931348623157e308", "9007199254740993", "9007199254740992.5", "9007199254740993.0000000000000001",
    "0.1", "0.30000000000000004", "123456789012345678", "1234567890123456789", "12345678901234567890",
    "18446744073709551615",
    "9999999999999999999", "9999999999999999999e-19", "9999999999999999999e19", "1e-19", "1e-20", "1e19", "1e22",
    "1e23",
    "8.41e21", "9.5367431640625e-7", "0.000000000000000000000000000001", "100000000000000000000000000000000",
    "-1.0e-400",
    "1e400", "4503599627370496.5", "4503599627370497.5", "9223372036854775807", "9223372036854775808.5",
  ])
  func roundsAsTheStandardLibraryDoes(text: String) throws {
    #expect(try read(text) == .double(try #require(Double(text))))
  }

  @Test func roundsRandomNumbersRight() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let digits = String(UInt64.random(in: 0...UInt64.max >> UInt64.random(in: 0..<64), using: &random))
      let point = Int.random(in: 0...digits.count, using: &random)
      var text = "\(digits.prefix(point).isEmpty ? "0" : digits.prefix(point))"
      if point < digits.count { text += "." + digits.dropFirst(point) }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -25...25, using: &random))" }
      if Bool.random(using: &random) { text = "-" + text }
      guard text.first != "0" || text.dropFirst().first == "." || text.count == 1 else { continue }
      if text.hasPrefix("-0"), text.dropFirst(2).first?.isNumber == true { continue }
      let expected = strtod(text, nil)
      #expect(try read(text) == .double(expected), "\(text)")
    }
  }
}
