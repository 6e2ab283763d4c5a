import SluiceCore
import SluiceJSON
import Testing

/// Page → typed file → the same values, to the letter of the file.
@Suite struct GoldenRoundTripTests {
  private static let page = """
    {
      "documents": [
        {
          "name": "\(root)\u{e9}",
          "fields": {
            "max": {"integerValue": "9223372036854775807"}, "min": {"integerValue": "-9223372036854775808"},
            "odd": {"integerValue": "9007199254740993"}, "nan": {"doubleValue": "NaN"}, "inf": {"doubleValue": "Infinity"},
            "ninf": {"doubleValue": "-Infinity"}, "nzero": {"doubleValue": -0.0}, "zero": {"doubleValue": 0},
            "nanos": {"timestampValue": "2024-06-30T15:03:17.890201123Z"}, "early": {"timestampValue": "0001-01-01T00:00:00Z"},
            "emap": {"mapValue": {}}, "earr": {"arrayValue": {}}, "geo": {"geoPointValue": {}},
            "vec": {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"},
              "value": {"arrayValue": {"values": [{"doubleValue": 1}, {"doubleValue": -0.5}]}}}}},
            "new": {"quaternionValue": {"w": 1, "xyz": [0, 0, 1]}}, "text": {"stringValue": "\\u0000\\ud83e\\udd8a\\u2028é"},
            "e\u{301}": {"booleanValue": true}, "\u{e9}": {"booleanValue": false}
          },
          "createTime": "2024-01-01T00:00:00.000001Z",
          "updateTime": "2024-01-02T00:00:00Z"
        },
        { "name": "\(root)e\u{301}", "fields": {}, "createTime": "2024-01-01T00:00:00Z", "updateTime": "2024-01-01T00:00:00Z" },
        { "name": "\(root)missing" }
      ]
    }
    """

  private static let file = """
    {"key":"\u{e9}","fields":{"max":{"integerValue":"9223372036854775807"},"min":{"integerValue":"-9223372036854775808"},\
    "odd":{"integerValue":"9007199254740993"},"nan":{"doubleValue":"NaN"},"inf":{"doubleValue":"Infinity"},\
    "ninf":{"doubleValue":"-Infinity"},"nzero":{"doubleValue":-0.0},"zero":{"doubleValue":0},\
    "nanos":{"timestampValue":"2024-06-30T15:03:17.890201123Z"},"early":{"timestampValue":"0001-01-01T00:00:00Z"},\
    "emap":{"mapValue":{"fields":{}}},"earr":{"arrayValue":{"values":[]}},"geo":{"geoPointValue":{"latitude":0.0,"longitude":0.0}},\
    "vec":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1},\
    {"doubleValue":-0.5}]}}}}},"new":{"quaternionValue":{"w":1,"xyz":[0,0,1]}},"text":{"stringValue":"\\u0000🦊\u{2028}é"},\
    "e\u{301}":{"booleanValue":true},"\u{e9}":{"booleanValue":false}},"createTime":"2024-01-01T00:00:00.000001Z",\
    "updateTime":"2024-01-02T00:00:00Z"}
    {"key":"e\u{301}","fields":{},"createTime":"2024-01-01T00:00:00Z","updateTime":"2024-01-01T00:00:00Z"}
    {"key":"missing","fields":{},"missing":true}

    """

  private static let values: [Field] = [
    Field("max", .int(.max)), Field("min", .int(.min)), Field("odd", .int(9_007_199_254_740_993)),
    Field("nan", .double(.nan)),
    Field("inf", .double(.infinity)), Field("ninf", .double(-.infinity)), Field("nzero", .double(-0.0)),
    Field("zero", .double(0)),
    Field("nanos", .timestamp(Timestamp(seconds: 1_719_759_797, nanoseconds: 890_201_123))),
    Field("early", .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0))), Field("emap", .map([])),
    Field("earr", .array([])), Field("geo", .geoPoint(latitude: 0, longitude: 0)), Field("vec", .vector([1, -0.5])),
    Field("new", .unknown(kind: "quaternionValue", raw: Array("{\"w\":1,\"xyz\":[0,0,1]}".utf8))),
    Field("text", .string("\u{0}🦊\u{2028}é")), Field("e\u{301}", .bool(true)), Field("\u{e9}", .bool(false)),
  ]

  @Test func pageToTypedFileToTheSameValues() throws {
    let batch = try FirestoreDecoder(root: root).listPage(Array(Self.page.utf8)).batch
    #expect(batch.fields(at: 0).materialized == Self.values)
    #expect(Set(batch.map(\.key)).count == 3)

    let text = typedLines(batch)
    #expect(text.utf8.elementsEqual(Self.file.utf8))

    let back = try TypedDecoder().lines(Array(text.utf8))
    #expect(back.map { $0 } == batch.map { $0 })
    #expect(back.fields(at: 0).materialized == Self.values)
    #expect(back.key(at: 0) == Key("\u{e9}"))
    #expect(back.key(at: 1) == Key("e\u{301}"))
    #expect(back.header(at: 2).isMissing)
    for index in batch.indices { #expect(back.fingerprint(at: index) == batch.fingerprint(at: index)) }
    #expect(typedLines(back) == text)
    #expect(typedLines(batch.compacted()) == text)
  }

  @Test func theSameThroughEditedCopies() throws {
    var batch = try FirestoreDecoder(root: root).listPage(Array(Self.page.utf8)).batch
    try batch.edit {
      for field in $0.materialized { $0[FieldName(field.name)] = field.value }
      return true
    }
    #expect(batch.fields(at: 0).materialized == Self.values)
    #expect(try TypedDecoder().lines(Array(typedLines(batch).utf8)).map { $0 } == batch.map { $0 })
  }
}
