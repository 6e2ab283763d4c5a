import SluiceCore
import SluiceJSON
import Testing

@Suite struct StrictnessTests {
  @Test(arguments: [
    "", " ", "nul", "nulll", "tru", "True", "NaN", "Infinity", "undefined", "'a'", "\"", "\"a", "\"\\", "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12G4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"", "\"\u{1}\"", "\"a\nb\"",
    "\"\t\"",
    "01", "-", "-01", "+1", "1.", ".5", "1.e5", "1e", "1e+", "1e5.5", "0x10", "1_000", "--1", "00", "-a", "1 2", "[",
    "[1", "[1,",
    "[1,]", "[,1]", "[1 2]", "]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}",
    "{\"a\" 1}",
    "{\"a\":1 \"b\":2}", "{1:2}", "}", "[1]]", "{\"a\":1}}", "null,", "[\"a\":1]", "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"\\u0061\":2}",
    "{\"\\u0061\":1,\"\\u0061\":2}", "// c\n1", "[1,/**/2]", "\u{FEFF}1", "\u{A0}1", "\"\\ud83e\\u\"", "\"\\u00e\"",
    "[1}", "{\"a\":1]",
  ])
  func refuses(json: String) {
    #expect(error { () throws(SluiceError) in _ = try JSON.parse(json) } != nil)
    // Behind a kind that is not known the same text is only stepped over: as strictly, but for repeated names.
    if !json.contains("\"a\":1,\"a\"") && !json.contains("u0061") {
      let typed = Array("{\"new\":\(json)}".utf8)
      #expect(error { () throws(SluiceError) in _ = try JSON.parseTyped(typed) } != nil)
    }
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xE2, 0x82, 0x22], [0x22, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0x22, 0xC3, 0x5C, 0x6E, 0x22],
      [0x22, 0x00, 0x22],
      [0x31, 0x00], [0x00], [0x5B, 0x31, 0x00, 0x5D],
      [0x22, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0xF0, 0x9F, 0xA6, 0x22],
    ] as [[UInt8]])
  func refusesWhatIsNotUTF8(bytes: [UInt8]) {
    #expect(error { () throws(SluiceError) in _ = try JSON.parse(bytes) } != nil)
  }

  /// Strings are looked at in blocks, so each place within and behind one is tried with each thing that ends a block.
  @Test func stringsOfEveryLengthWithEverySpecialByteAtEveryPlace() throws {
    for length in 0...40 {
      let plain = String(repeating: "x", count: length)
      #expect(try JSON.parse("\"\(plain)\"") == .string(plain))
      for place in 0..<length {
        let (before, after) = (plain.prefix(place), plain.dropFirst(place + 1))
        #expect(try JSON.parse("\"\(before)é\(after)\"") == .string("\(before)é\(after)"))
        #expect(try JSON.parse("\"\(before)\u{7F}\(after)\"") == .string("\(before)\u{7F}\(after)"))
        #expect(try JSON.parse("\"\(before)\\n\(after)\"") == .string("\(before)\n\(after)"))
        #expect(try JSON.parse("\"é\(before)\\\"\(after)é\"") == .string("é\(before)\"\(after)é"))
        for broken in [[0x1F], [0x00], [0xFF], [0xC3], [0x22]] as [[UInt8]] {
          let bytes = [0x22] + Array(before.utf8) + broken + Array(after.utf8) + [0x22]
          #expect(error { () throws(SluiceError) in _ = try JSON.parse(bytes) } != nil)
        }
      }
    }
  }

  @Test func depthIsLimited() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try JSON.parse(nested(128))
    #expect(error { () throws(SluiceError) in _ = try JSON.parse(nested(129)) }?.code == .limitExceeded)
    #expect(error { () throws(SluiceError) in _ = try JSON.parse(String(repeating: "[", count: 1_000_000)) } != nil)
    #expect(
      error { () throws(SluiceError) in _ = try JSON.parse(String(repeating: "{\"a\":", count: 1_000_000)) } != nil)
    let typedArrays = String(repeating: "{\"arrayValue\":{\"values\":[", count: 100_000)
    #expect(error { () throws(SluiceError) in _ = try JSON.parseTyped(Array(typedArrays.utf8)) } != nil)
    let typedMaps = String(repeating: "{\"mapValue\":{\"fields\":{\"a\":", count: 100_000)
    #expect(error { () throws(SluiceError) in _ = try JSON.parseTyped(Array(typedMaps.utf8)) } != nil)
    let raw = "{\"new\":" + String(repeating: "[", count: 100_000)
    #expect(error { () throws(SluiceError) in _ = try JSON.parseTyped(Array(raw.utf8)) } != nil)
  }

  @Test func errorsNameByteLineAndColumn() throws {
    let error = try #require(error { () throws(SluiceError) in _ = try JSON.parse("{\n  \"é\": 1,\n  \"ü\": tru\n}") })
    #expect(error.place.line == 3)
    #expect(error.place.column == 8)
    #expect(error.place.byteOffset == 21)
    #expect(error.place.field == "`ü`")
  }

  @Test func duplicatesByPolicy() throws {
    #expect(
      try JSON.parse(Array("{\"a\":1,\"b\":2,\"a\":3}".utf8), duplicates: .last)
        == .map([Field("b", .int(2)), Field("a", .int(3))]))
    // Many names that differ, and one that comes again.
    let names = (0..<2000).map { "\"field\($0)\":\($0)" }.joined(separator: ",")
    guard case .map(let fields) = try JSON.parse("{\(names)}") else { throw Unexpected() }
    #expect(fields.count == 2000)
    let twice = "{\(names),\"field1234\":null}"
    #expect(error { () throws(SluiceError) in _ = try JSON.parse(twice) }?.place.field == "field1234")
    guard case .map(let last) = try JSON.parse(Array(twice.utf8), duplicates: .last) else { throw Unexpected() }
    #expect(last.count == 2000)
    #expect(last.last == Field("field1234", .null))
    // Names that share length, ends and beginning.
    #expect(try JSON.parse("{\"abcdefghX12345678\":1,\"abcdefghY12345678\":2}") != .null)
  }

  @Test func pagesDenseWithValuesNeedMoreNodesThanExpected() throws {
    let ones = "[" + Array(repeating: "1", count: 20_000).joined(separator: ",") + "]"
    guard case .array(let items) = try JSON.parse(ones) else { throw Unexpected() }
    #expect(items.count == 20_000)
    let nulls =
      "{\"arrayValue\":{\"values\":["
      + Array(repeating: "{\"\":1}", count: 5000).joined(separator: ",") + "]}}"
    guard case .array(let unknown) = try JSON.parseTyped(Array(nulls.utf8)) else { throw Unexpected() }
    #expect(unknown.allSatisfy { $0 == .unknown(kind: "", raw: [0x31]) })
  }

  static let awkwardPage = Array(
    """
    {"documents":[{"name":"\(root)a%\\u00e9","fields":\(FirestoreDecoderTests.everyKind),"createTime":"2024-01-01T00:00:00Z",
    "updateTime":"2024-01-02T03:04:05.678901Z"},{"name":"\(root)b","fields":{"v":{"mapValue":{"fields":{"__type__":
    {"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1e5},{"doubleValue":-0.0}]}}}}},
    "bad":{"mapValue":{"fields":{"x":{"stringValue":"\\n"}},"more":[1, 2]}},"d":{"decimalValue":"1.5"}}}],"nextPageToken":"t","x":[{}]}
    """.utf8)

  @Test func everyTruncationThrowsAndNeverCrashes() throws {
    let decoder = FirestoreDecoder(root: root)
    _ = try decoder.listPage(Self.awkwardPage)
    for length in 0..<Self.awkwardPage.count {
      let cut = Array(Self.awkwardPage[..<length])
      #expect(error { () throws(SluiceError) in _ = try decoder.listPage(cut) } != nil, "\(length)")
    }
  }

  @Test func everyChangedByteIsReadOrRefused() {
    let decoder = FirestoreDecoder(root: root)
    for offset in Self.awkwardPage.indices {
      for byte in [0, 0x20, 0x22, 0x2C, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x31, 0x80, 0xFF] as [UInt8] {
        var page = Self.awkwardPage
        page[offset] = byte
        guard let batch = try? decoder.listPage(page).batch else { continue }
        // Whatever was accepted can be written and read again.
        let lines = typedLines(batch)
        #expect((try? TypedDecoder().lines(Array(lines.utf8)).map { $0 }) == batch.map { $0 }, "\(offset) \(byte)")
      }
    }
  }
}

struct Unexpected: Error {}
