import SluiceCore
import SluiceJSON
import Testing

@Suite struct LinesTests {
  @Test func plainLinesWithBlankOnesAndCRLF() throws {
    let batch = try PlainDecoder().lines(
      Array("{\"_key\":\"a\",\"x\":1}\r\n\r\n   \n{\"x\":[2.0],\"_key\":\"r/b%2F\"}\n\n{\"_key\":\"c\"}".utf8))
    #expect(batch.map(\.key) == [Key("a"), Key(segments: ["r", "b/"]), Key("c")])
    #expect(batch.fields(at: 0).materialized == [Field("x", .int(1))])
    #expect(batch.fields(at: 1).materialized == [Field("x", .array([.double(2)]))])
    #expect(batch.fields(at: 2).isEmpty)
  }

  @Test func keysFromOtherFields() throws {
    let decoder = PlainDecoder(keyField: "id")
    let batch = try decoder.lines(
      Array("{\"id\":17,\"_key\":\"x\"}\n{\"id\":\"50%/\",\"n\":null}\n{\"i\\u0064\":\"z\"}".utf8))
    #expect(batch.map(\.key) == [Key("17"), Key("50%/"), Key("z")])
    #expect(batch.fields(at: 0).materialized == [Field("_key", .string("x"))])
  }

  @Test(arguments: [
    ("{\"_key\":\"a\"}\n{\"x\":1}\n", 2), ("{\"_key\":\"a\"}\n\n{\"_key\":\"b\"\n}\n", 3), ("[1]", 1),
    ("{\"_key\":true}", 1),
    ("{\"_key\":1.5}", 1), ("{\"_key\":\"a\"} {\"_key\":\"b\"}", 1), ("{\"_key\":\"50%\"}", 1),
    ("{\"_key\":\"a\",\"_key\":\"b\"}", 1),
    ("{\"_key\":\"a\"}\n{\"_key\":\"b\",\"x\":{\"y\":tru}}", 2), ("\n\n\"", 3),
  ])
  func errorsNameTheLine(text: String, line: Int) throws {
    let error = try #require(
      error { () throws(SluiceError) in _ = try PlainDecoder().lines(Array(text.utf8), firstLine: 101) })
    #expect(error.code == .malformedData)
    #expect(error.place.line == 100 + line)
  }

  @Test func plainErrorsNameKeyAndField() throws {
    let text = "{\"_key\":\"b\",\"x\":{\"y\":[1,tru]}}"
    let error = try #require(error { () throws(SluiceError) in _ = try PlainDecoder().lines(Array(text.utf8)) })
    #expect(error.place.key == "b")
    #expect(error.place.field == "x.y")
    #expect(error.place.column == 25)
  }

  @Test func oneDocumentMaySpanLines() throws {
    let batch = try PlainDecoder().document(Array("{\n  \"_key\": \"a\",\n  \"x\": 18446744073709551615\n}\n".utf8))
    #expect(batch.fields(at: 0).materialized == [Field("x", .decimal("18446744073709551615"))])
  }

  @Test func plainFilesRoundTrip() throws {
    let text = "{\"_key\":\"a\",\"x\":1,\"y\":[1.50,\"é\",{\"z\":null}],\"big\":18446744073709551615,\"neg\":-0}\n"
    #expect(plainLines(try PlainDecoder().lines(Array(text.utf8))) == text)
  }

  @Test(arguments: [
    "{\"fields\":{}}", "{\"key\":\"a\",\"field\":{}}", "{\"key\":\"a\",\"key\":\"b\"}",
    "{\"key\":\"a\",\"fields\":{\"x\":1}}",
    "{\"key\":\"a\",\"updateTime\":\"now\"}", "{\"key\":\"a\",\"version\":{}}",
    "{\"key\":\"a\",\"version\":{\"sequence\":\"-1\"}}",
    "{\"key\":\"a\",\"deleted\":1}", "{\"key\":\"%\"}", "{\"key\":\"a\",\"fields\":{}", "[]",
  ])
  func typedLinesAreStrict(text: String) throws {
    let error = try #require(
      error { () throws(SluiceError) in _ = try TypedDecoder().lines(Array(text.utf8), firstLine: 7) })
    #expect(error.place.line == 7)
  }
}
