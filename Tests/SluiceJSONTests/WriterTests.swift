import SluiceCore
import SluiceJSON
import Testing

@Suite struct WriterTests {
  @Test func plainFormOfEveryKind() throws {
    let fields: [Field] = [
      Field("n", .null), Field("b", .bool(false)), Field("i", .int(.min)), Field("d", .double(1.5)),
      Field("w", .double(3)),
      Field("z", .double(-0.0)), Field("nan", .double(.nan)), Field("inf", .double(-.infinity)),
      Field("dec", .decimal("18446744073709551615")), Field("t", .timestamp(Timestamp(seconds: 0, nanoseconds: 1000))),
      Field("s", .string("a\"\\\n\u{1}é/")), Field("x", .bytes([0, 1, 255])),
      Field("r", .reference("projects/p/databases/(default)/documents/t/1")), Field("r2", .reference("elsewhere/1")),
      Field("g", .geoPoint(latitude: 1.5, longitude: -2)), Field("v", .vector([1, .infinity])),
      Field("a", .array([.int(1), .array([]), .map([])])),
      Field("m", .map([Field("x", .int(1)), Field("y", .int(2))])),
      Field("u", .unknown(kind: "new", raw: Array("{ \"a\" : [1,\n2] }".utf8))),
    ]
    #expect(
      plainLines(try batch(fields)) == """
        {"_key":"k","n":null,"b":false,"i":-9223372036854775808,"d":1.5,"w":3.0,"z":-0.0,"nan":"NaN","inf":"-Infinity",\
        "dec":18446744073709551615,"t":"1970-01-01T00:00:00.000001Z","s":"a\\"\\\\\\n\\u0001é/","x":"AAH/","r":"t/1",\
        "r2":"elsewhere/1","g":{"latitude":1.5,"longitude":-2.0},"v":[1.0,"Infinity"],"a":[1,[],{}],"m":{"x":1,"y":2},\
        "u":{"a":[1,2]}}

        """)
  }

  @Test func spellingOfTheSourceIsCopied() throws {
    let page = try FirestoreDecoder(root: root).listPage(
      page(
        fields:
          "{\"a\":{\"doubleValue\":1.50},\"b\":{\"doubleValue\":15E-1},\"g\":{\"geoPointValue\":{\"latitude\":2.50}}}"))
    #expect(
      plainLines(page.batch) == "{\"_key\":\"a\",\"a\":1.50,\"b\":15E-1,\"g\":{\"latitude\":2.50,\"longitude\":0.0}}\n")
  }

  @Test func aClashRejectsTheDocumentAndLeavesTheOthers() throws {
    var builder = BatchBuilder()
    builder.add(key: "a", ["x": .int(1)])
    builder.add(key: Key(segments: ["b", "/"]), [Field("y", .int(1)), Field("_key", .int(2))])
    builder.add(key: "c", ["m": .map([Field("_key", .int(3))])])
    builder.delete(key: Key("d"))
    builder.add(key: Key("e"), header: DocumentHeader(isMissing: true), [])
    let batch = try builder.finish()
    var writer = PlainJSONLinesWriter()
    writer.write(batch)
    #expect(
      String(decoding: writer.output.bytes, as: UTF8.self)
        == "{\"_key\":\"a\",\"x\":1}\n{\"_key\":\"c\",\"m\":{\"_key\":3}}\n")
    let rejections = writer.takeRejections()
    #expect(rejections.count == 1)
    #expect(rejections.first?.key == Array("b/%2F".utf8))
    #expect(rejections.first?.error.place.key == "b/%2F")
    #expect(rejections.first?.error.code == .rejected)
    #expect(writer.takeRejections().isEmpty)

    var renamed = PlainJSONLinesWriter(keyField: "\"id\"", deletes: .write)
    renamed.write(batch)
    #expect(
      String(decoding: renamed.output.bytes, as: UTF8.self) == """
        {"\\"id\\"":"a","x":1}
        {"\\"id\\"":"b/%2F","y":1,"_key":2}
        {"\\"id\\"":"c","m":{"_key":3}}
        {"\\"id\\"":"d","_deleted":true}

        """)
  }

  @Test func typedLinesCarryHeadersAndDeletes() throws {
    let time = try #require(Timestamp("2024-01-01T00:00:00.000001Z"))
    var builder = BatchBuilder()
    builder.add(
      key: Key("a"),
      header: DocumentHeader(version: .time(time), createTime: Timestamp("2023-01-01T00:00:00Z"), updateTime: time), [])
    builder.add(key: Key("b"), header: DocumentHeader(version: .sequence(.max)), [Field("x", .double(-0.0))])
    builder.add(key: Key("c"), header: DocumentHeader(isMissing: true), [])
    builder.add(key: Key("d"), header: DocumentHeader(version: .none, updateTime: time), [])
    builder.delete(key: Key("e\u{301}/"), version: .time(time))
    builder.delete(key: Key("f"))
    let batch = try builder.finish()
    var writer = TypedJSONLinesWriter(deletes: .write)
    writer.write(batch)
    let text = String(decoding: writer.output.bytes, as: UTF8.self)
    let back = try TypedDecoder().lines(Array(text.utf8))
    #expect(back.count == 6)
    for index in [0, 1, 2, 4, 5] { #expect(back[index] == batch[index], "\(index)") }
    #expect(
      text.hasPrefix(
        "{\"key\":\"a\",\"fields\":{},\"createTime\":\"2023-01-01T00:00:00Z\",\"updateTime\":\"2024-01-01T00:00:00.000001Z\"}\n"
      ))
    #expect(
      text.contains(
        "{\"key\":\"e\u{301}%2F\",\"deleted\":true,\"version\":{\"time\":\"2024-01-01T00:00:00.000001Z\"}}\n"))
    #expect(!typedLines(batch).contains("deleted"))
  }

  @Test func documentsAsFirestoreAnswersThem() throws {
    let page = try FirestoreDecoder(root: root).listPage(StrictnessTests.awkwardPage)
    var writer = FirestoreDocumentWriter(root: root)
    writer.output.append("{\"documents\":[")
    page.batch.visit(&writer)
    writer.output.append("],\"nextPageToken\":\"t\"}")
    let again = try FirestoreDecoder(root: root).listPage(writer.output.bytes)
    #expect(again.nextPageToken == "t")
    #expect(again.batch.map { $0 } == page.batch.map { $0 })
  }

  @Test func theBufferGrowsAndIsUsedAgain() {
    var buffer = OutputBuffer(capacity: 1)
    for number in 0..<1000 { buffer.append(number: Int64(number)) }
    #expect(buffer.bytes == Array((0..<1000).map(String.init).joined().utf8))
    buffer.truncate(to: 3)
    #expect(buffer.bytes == Array("012".utf8))
    buffer.removeAll()
    #expect(buffer.count == 0)
    buffer.append(number: Int64.min)
    buffer.append(number: Int64.max)
    buffer.append(number: 0.1)
    #expect(String(decoding: buffer.bytes, as: UTF8.self) == "-922337203685477580892233720368547758070.1")
  }
}
