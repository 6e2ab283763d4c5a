import SluiceCore
import SluiceJSON
import Testing

@Suite struct FirestoreDecoderTests {
  @Test("C25 empty maps and arrays keep their kind, also nested")
  func emptyContainers() throws {
    let fields = try decoded(
      """
      {"m":{"mapValue":{}},"a":{"arrayValue":{}},"n":{"arrayValue":{"values":[{"mapValue":{}}]}},
       "e":{"mapValue":{"fields":{}}},"v":{"arrayValue":{"values":[]}},"z":{"mapValue":{"fields":null}}}
      """)
    #expect(
      fields == [
        Field("m", .map([])), Field("a", .array([])), Field("n", .array([.map([])])), Field("e", .map([])),
        Field("v", .array([])), Field("z", .map([])),
      ])
  }

  static let everyKind = """
    {"null":{"nullValue":null},"bool":{"booleanValue":true},"int":{"integerValue":"-5"},"double":{"doubleValue":1.50},
     "time":{"timestampValue":"2024-06-30T15:03:17.890201Z"},"string":{"stringValue":"Zo\\u00eb \\ud83e\\udd8a"},
     "bytes":{"bytesValue":"AAH/"},"ref":{"referenceValue":"projects/p/databases/(default)/documents/t/1"},
     "geo":{"geoPointValue":{"latitude":1.5,"longitude":-2}},"array":{"arrayValue":{"values":[{"integerValue":"1"}]}},
     "map":{"mapValue":{"fields":{"x":{"stringValue":"y"}}}},"new":{"vectorValue":{"dims": [1, 2]}}}
    """

  @Test("C26 every kind decodes, and one that is not known is kept raw or refused, never null")
  func everyKindDecodes() throws {
    let fields = try decoded(Self.everyKind)
    #expect(
      fields == [
        Field("null", .null), Field("bool", .bool(true)), Field("int", .int(-5)), Field("double", .double(1.5)),
        Field("time", .timestamp(Timestamp(seconds: 1_719_759_797, nanoseconds: 890_201_000))),
        Field("string", .string("Zoë 🦊")), Field("bytes", .bytes([0, 1, 255])),
        Field("ref", .reference("projects/p/databases/(default)/documents/t/1")),
        Field("geo", .geoPoint(latitude: 1.5, longitude: -2)), Field("array", .array([.int(1)])),
        Field("map", .map([Field("x", .string("y"))])),
        Field("new", .unknown(kind: "vectorValue", raw: Array("{\"dims\":[1,2]}".utf8))),
      ])
    var strict = FirestoreDecoder(root: root)
    strict.unknownValues = .refuse
    let refused = try #require(
      error { () throws(SluiceError) in _ = try strict.listPage(page(fields: Self.everyKind)) })
    #expect(refused.code == .malformedData)
    #expect(refused.place.key == "a")
    #expect(refused.place.field == "new")
  }

  @Test("C27 whole numbers keep all 64 bits")
  func integers() throws {
    let texts = ["9007199254740993", "-9223372036854775808", "9223372036854775807", "0", "-1"]
    for text in texts {
      #expect(try typed("{\"integerValue\":\"\(text)\"}") == .int(try #require(Int64(text))))
      #expect(try typed("{\"integerValue\":\(text)}") == .int(try #require(Int64(text))))
    }
    let batch = try batch(texts.map { Field("f\($0)", .int(try #require(Int64($0)))) })
    for text in texts {
      #expect(plainLines(batch).contains("\"f\(text)\":\(text)"))
      #expect(typedLines(batch).contains("{\"integerValue\":\"\(text)\"}"))
    }
    #expect(try typed("{\"integerValue\":\"007\"}") == .int(7))
    #expect(try typed("{\"integerValue\":1e2}") == .int(100))
    #expect(try typed("{\"integerValue\":\"9223372036854775808\"}").isUnknown)
    #expect(try typed("{\"integerValue\":\"abc\"}").isUnknown)
    #expect(try typed("{\"integerValue\":1.5}").isUnknown)
    #expect(try typed("{\"integerValue\":\"\"}").isUnknown)
  }

  @Test("C29 both spellings of null are null")
  func nulls() throws {
    #expect(try typed("{\"nullValue\":null}") == .null)
    #expect(try typed("{\"nullValue\":\"NULL_VALUE\"}") == .null)
    #expect(try typed("{ \"nullValue\" : null }") == .null)
  }

  @Test(
    "C30 times keep every nanosecond and are written with the digits they need",
    arguments: [
      ("2024-01-01T00:00:17Z", 0, "17Z"), ("2024-01-01T00:00:17.879Z", 879_000_000, "17.879Z"),
      ("2024-01-01T00:00:17.890201Z", 890_201_000, "17.890201Z"),
      ("2024-01-01T00:00:17.890201123Z", 890_201_123, "17.890201123Z"),
      ("2024-01-01T00:00:17.5Z", 500_000_000, "17.500Z"), ("2024-01-01T00:00:17.582000Z", 582_000_000, "17.582Z"),
      ("2024-01-01T02:00:17+02:00", 0, "17Z"),
    ] as [(String, UInt32, String)])
  func times(text: String, nanoseconds: UInt32, written: String) throws {
    let value = try typed("{\"timestampValue\":\"\(text)\"}")
    #expect(value == .timestamp(Timestamp(seconds: 1_704_067_217, nanoseconds: nanoseconds)))
    let page = try FirestoreDecoder(root: root).listPage(page(fields: "{\"t\":{\"timestampValue\":\"\(text)\"}}"))
    #expect(plainLines(page.batch) == "{\"_key\":\"a\",\"t\":\"2024-01-01T00:00:\(written)\"}\n")
    #expect(typedLines(page.batch).contains("{\"timestampValue\":\"2024-01-01T00:00:\(written)\"}"))
  }

  @Test func doubles() throws {
    let numbers: [(String, Double)] = [
      ("1", 1), ("1.50", 1.5), ("15e-1", 1.5), ("-0.0", -0.0), ("-0", -0.0), ("\"NaN\"", .nan),
      ("\"Infinity\"", .infinity), ("\"-Infinity\"", -.infinity), ("\"2.5\"", 2.5), ("1e308", 1e308),
      ("5e-324", .leastNonzeroMagnitude),
    ]
    for (text, number) in numbers { #expect(try typed("{\"doubleValue\":\(text)}") == .double(number)) }
    for text in ["\"\"", "\"1.\"", "\"nan\"", "\"0x10\"", "1e999", "true", "\" 1\"", "1e-999"] {
      #expect(try typed("{\"doubleValue\":\(text)}").isUnknown, "\(text)")
    }
  }

  @Test func geoPoints() throws {
    #expect(try typed("{\"geoPointValue\":{}}") == .geoPoint(latitude: 0, longitude: 0))
    #expect(try typed("{\"geoPointValue\":{\"longitude\":3}}") == .geoPoint(latitude: 0, longitude: 3))
    #expect(
      try typed("{\"geoPointValue\":{\"longitude\":3.5,\"latitude\":null}}") == .geoPoint(latitude: 0, longitude: 3.5))
    #expect(try typed("{\"geoPointValue\":{\"latitude\":1,\"altitude\":3}}").isUnknown)
    #expect(try typed("{\"geoPointValue\":{\"latitude\":true}}").isUnknown)
    #expect(try typed("{\"geoPointValue\":5}").isUnknown)
  }

  @Test func bytesInEitherAlphabet() throws {
    #expect(try typed("{\"bytesValue\":\"+/8=\"}") == .bytes([0xFB, 0xFF]))
    #expect(try typed("{\"bytesValue\":\"-_8\"}") == .bytes([0xFB, 0xFF]))
    #expect(try typed("{\"bytesValue\":\"+\\/8=\"}") == .bytes([0xFB, 0xFF]))
    #expect(try typed("{\"bytesValue\":\"\"}") == .bytes([]))
    #expect(try typed("{\"bytesValue\":\"A\"}").isUnknown)
  }

  @Test func vectors() throws {
    func vector(_ inner: String) throws -> Value { try typed("{\"mapValue\":{\"fields\":{\(inner)}}}") }
    let type = "\"__type__\":{\"stringValue\":\"__vector__\"}"
    func value(_ items: String) -> String { "\"value\":{\"arrayValue\":{\"values\":[\(items)]}}" }
    let items = "{\"doubleValue\":1},{\"doubleValue\":\"NaN\"}"
    #expect(try vector("\(type),\(value(items))") == .vector([1, .nan]))
    #expect(try vector("\(value(items)),\(type)") == .vector([1, .nan]))
    #expect(try vector("\(type),\"value\":{\"arrayValue\":{}}") == .vector([]))
    for other in [
      "\(type)", "\(type),\(value("{\"integerValue\":\"1\"}"))", "\(type),\(value(items)),\"x\":{\"nullValue\":null}",
      "\"__type__\":{\"stringValue\":\"other\"},\(value(items))",
    ] {
      guard case .map = try vector(other) else {
        Issue.record("\(other)")
        continue
      }
    }
  }

  @Test func malformedContentIsKeptWithItsKind() throws {
    for json in [
      "{\"mapValue\":{\"fields\":{\"a\":{\"stringValue\":\"\\n\"}},\"extra\":1}}", "{\"mapValue\":[]}",
      "{\"arrayValue\":{\"values\":{}}}", "{\"arrayValue\":{\"values\":[],\"x\":1}}", "{\"stringValue\":5}",
      "{\"booleanValue\":\"true\"}", "{\"nullValue\":0}", "{\"timestampValue\":\"yesterday\"}",
      "{\"referenceValue\":null}",
    ] {
      let value = try typed(json)
      guard case .unknown(let kind, let raw) = value else {
        Issue.record("\(json)")
        continue
      }
      #expect("{\"\(kind)\":\(String(decoding: raw, as: UTF8.self))}" == json)
      #expect(JSON.encodeTyped(value) == Array(json.utf8))
    }
  }

  @Test(arguments: ["5", "\"x\"", "null", "[]", "{}", "{\"stringValue\":\"a\",\"integerValue\":\"1\"}"])
  func whatIsNoTypedValueStopsThePage(json: String) throws {
    let fields = "{\"good\":{\"nullValue\":null},\"m\":{\"mapValue\":{\"fields\":{\"x.y\":\(json)}}}}"
    let error = try #require(
      error { () throws(SluiceError) in _ = try FirestoreDecoder(root: root).listPage(page(fields: fields)) })
    #expect(error.code == .malformedData)
    #expect(error.place.key == "a")
    #expect(error.place.field == "m.`x.y`")
    #expect(
      error.place.byteOffset == String(decoding: page(fields: fields), as: UTF8.self).utf8Offset(of: json, after: "x.y")
    )
  }

  @Test func keysVersionsAndMissingDocuments() throws {
    let page = try FirestoreDecoder(root: "projects/p/databases/(default)/documents").listPage(
      Array(
        """
        { "documents" : [
          {"name":"projects/p/databases/(default)/documents/rooms/50%/m/\u{e9}","fields":{},"updateTime":"2024-01-01T00:00:00.000001Z"},
          {"updateTime":"2024-01-01T00:00:00Z","name":"projects/p/databases/(default)/documents/rooms/e\u{301}"},
          {"name":"projects\\/p/databases/(default)/documents/rooms/missing"}
        ], "nextPageToken" : "to\\u006ben" }
        """.utf8))
    #expect(page.nextPageToken == "token")
    #expect(page.batch.count == 3)
    #expect(page.batch.key(at: 0) == Key(segments: ["rooms", "50%", "m", "\u{e9}"]))
    #expect(page.batch.key(at: 0).description == "rooms/50%25/m/\u{e9}")
    #expect(page.batch.header(at: 0).version == .time(Timestamp(seconds: 1_704_067_200, nanoseconds: 1000)))
    #expect(page.batch.header(at: 0).createTime == nil)
    #expect(page.batch.key(at: 1) == Key(segments: ["rooms", "e\u{301}"]))
    #expect(!page.batch.header(at: 1).isMissing)
    #expect(page.batch.key(at: 2) == Key(segments: ["rooms", "missing"]))
    #expect(page.batch.header(at: 2).isMissing)
  }

  @Test(arguments: [
    ("{}", 0), ("{\"documents\":[]}", 0), ("{\"nextPageToken\":\"\"}", 0), (" {\"documents\":null}\n", 0),
  ])
  func emptyPages(json: String, count: Int) throws {
    let page = try FirestoreDecoder(root: root).listPage(Array(json.utf8))
    #expect(page.batch.count == count)
    #expect(page.nextPageToken == nil)
  }

  @Test func whatIsNoPageIsNeverAnEmptyOne() {
    for json in [
      "{\"error\":{\"code\":503,\"message\":\"later\",\"status\":\"UNAVAILABLE\"}}", "{\"message\":\"please log in\"}",
      "[]",
      "", "null", "{\"documents\":{}}", "{\"documents\":[]}{}", "{\"documents\":[],\"documents\":[]}",
      "{\"documents\":[{\"fields\":{}}]}", "{\"documents\":[{\"name\":\"projects/other/users/a\"}]}",
      "{\"documents\":[{\"name\":\"\(root)\"}]}", "{\"documents\":[{\"name\":\"\(root)a\",\"name\":\"\(root)b\"}]}",
    ] {
      #expect(
        error { () throws(SluiceError) in _ = try FirestoreDecoder(root: root).listPage(Array(json.utf8)) } != nil,
        "\(json)")
    }
    let refused = error { () throws(SluiceError) in
      _ = try FirestoreDecoder(root: root).listPage(
        Array("{\"error\":{\"code\":503,\"message\":\"later\",\"status\":\"UNAVAILABLE\"}}".utf8))
    }
    #expect(refused?.code == .remote)
    #expect(refused?.retry == .transient)
    #expect(refused?.message == "UNAVAILABLE: later")
  }

  @Test func answersOfQueriesAndBatchGets() throws {
    let decoder = FirestoreDecoder(root: root)
    let got = try decoder.queryResults(
      Array(
        """
        [{"transaction":"dHg=","readTime":"2024-01-01T00:00:00Z"},
         {"found":{"name":"\(root)a","fields":{"x":{"integerValue":"1"}},"updateTime":"2024-01-01T00:00:00Z"},"readTime":"2024-01-01T00:00:01Z"},
         {"missing":"\(root)b%","readTime":"2024-01-01T00:00:02Z"},
         {"skippedResults":3,"readTime":"2024-01-01T00:00:03Z","done":true}]
        """.utf8))
    #expect(got.transaction == "dHg=")
    #expect(got.skippedResults == 3)
    #expect(got.readTime == Timestamp("2024-01-01T00:00:03Z"))
    #expect(got.batch.count == 2)
    #expect(got.batch[1] == .delete(key: Key("b%"), version: .time(try #require(Timestamp("2024-01-01T00:00:02Z")))))
    #expect(try decoder.queryResults(Array("[]".utf8)).batch.isEmpty)
    for json in [
      "[{\"document\":{\"name\":\"\(root)a\"}},{\"error\":{\"code\":8,\"message\":\"m\",\"status\":\"ABORTED\"}}]",
      "{\"error\":{\"code\":400,\"message\":\"m\",\"status\":\"INVALID_ARGUMENT\"}}", "{}", "[{}",
    ] {
      #expect(error { () throws(SluiceError) in _ = try decoder.queryResults(Array(json.utf8)) } != nil, "\(json)")
    }
    let one = try decoder.document(
      Array(
        "{\"name\":\"\(root)a\",\"fields\":{\"x\":{\"nullValue\":null}},\"updateTime\":\"2024-01-01T00:00:00Z\"}".utf8))
    #expect(one.fields(at: 0).materialized == [Field("x", .null)])
  }

  @Test(
    "a name that is not below the collection is said where it stands, with and without escapes",
    arguments: [
      "projects/p/databases/x/documents/users/a", "projects\\/p/databases/x/documents/users/a", "", "\\u0061",
    ])
  func foreignNames(name: String) throws {
    let decoder = FirestoreDecoder(root: root)
    func check(_ text: String, _ read: ([UInt8]) throws(SluiceError) -> Void) throws {
      let bytes = Array(text.utf8)
      let failure = try #require(error { () throws(SluiceError) in try read(bytes) })
      #expect(failure.message.hasPrefix("a document whose name is not below"), "\(failure.message)")
      #expect(failure.place.byteOffset == text.utf8Offset(of: "\"\(name)\"", after: "\n"), "\(failure)")
      #expect(failure.place.line == 2, "\(failure)")
    }
    try check("{\"documents\":[{\"name\":\n\"\(name)\"}]}") { (bytes) throws(SluiceError) in
      _ = try decoder.listPage(bytes)
    }
    try check("[{\"missing\":\n\"\(name)\"}]") { (bytes) throws(SluiceError) in _ = try decoder.queryResults(bytes) }
  }

  @Test(
    "skipped results that cannot be counted are an error",
    arguments: ["9223372036854775807", "2147483648", "-1", "1.5", "1e3", "99999999999999999999"])
  func skippedResults(count: String) {
    let failure = error { () throws(SluiceError) in
      _ = try FirestoreDecoder(root: root).queryResults(
        Array("[{\"skippedResults\":1},{\"skippedResults\":\(count)}]".utf8))
    }
    #expect(failure?.message == "skippedResults is no count")
    #expect(failure?.place.byteOffset == 40)
  }

  @Test func statusOfErrorBodies() {
    let body = Array("{\"error\":{\"code\":404,\"message\":\"no\",\"status\":\"NOT_FOUND\",\"details\":[{}]}}".utf8)
    let status = FirestoreStatus(code: 404, status: "NOT_FOUND", message: "no")
    #expect(FirestoreStatus(body: body) == status)
    #expect(FirestoreStatus(body: [0x5B] + body + [0x5D]) == status)
    #expect(FirestoreStatus(body: Array("<html>".utf8)) == nil)
    #expect(FirestoreStatus(body: Array("{}".utf8)) == nil)
  }

  @Test func anErrorIsOneLineWhateverTheServerSends() {
    func message(_ status: String, _ text: String) -> String {
      FirestoreStatus(code: 0, status: status, message: text).error.message
    }
    let denied = message("PERMISSION_DENIED", "\nfalse for 'list' @ L1\r\n\u{1B}[2J")
    #expect(denied == "PERMISSION_DENIED: false for 'list' @ L1 [2J")
    #expect(message("UNKNOWN", "") == "UNKNOWN")
    #expect(message("", "no") == "no")
  }
}

extension Value {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension String {
  /// The offset in bytes of a piece behind another.
  func utf8Offset(of piece: String, after other: String) -> Int? {
    guard let start = firstRange(of: other)?.upperBound, let found = self[start...].firstRange(of: piece) else {
      return nil
    }
    return utf8.distance(from: startIndex, to: found.lowerBound)
  }
}
