import SluiceCore
import Testing

@Suite struct BatchBuilderTests {
  @Test func theLastOfEqualNamesStays() throws {
    #expect(try batch(["a": .int(1), "b": .int(2), "a": .int(3)]).text == "k(b:2 a:3)")
    let nested = Value.map([Field("x", .int(1)), Field("x", .map([Field("y", .int(1)), Field("y", .null)]))])
    #expect(try batch(["m": nested]).text == "k(m:map[x:map[y:null]])")
  }

  @Test func composedAndDecomposedNamesAreTwo() throws {
    #expect(try batch(["\u{e9}": .int(1), "e\u{301}": .int(2)]).text == "k(\u{e9}:1 e\u{301}:2)")
  }

  @Test func manyNamesWithRepeats() throws {
    let names = (0..<5000).map { "field\($0 % 4999)" }
    var builder = BatchBuilder()
    builder.add(key: "k", names.enumerated().map { (key: $1, value: Value.int(Int64($0))) })
    let fields = try #require(builder.finish().fields(at: 0) as Fields?)
    #expect(fields.count == 4999)
    #expect(fields["field0"] == .int(4999))
  }

  @Test func faultsAreThrownAtTheEndAndNameTheDocument() throws {
    let invalid: [UInt8] = [0x61, 0xFF]
    var builder = BatchBuilder()
    builder.add(key: "good", ["a": .int(1)])
    builder.begin(document: Key("bad").bytes.span, header: DocumentHeader())
    builder.name(FieldName("n").utf8.span, plain: true)
    builder.value(.string(invalid.span))
    builder.endDocument()
    builder.add(key: "later", ["a": .int(1)])
    let error = failure(of: builder)
    #expect(error?.code == .malformedData)
    #expect(error?.place.key == "bad")
  }

  @Test func callsThatAreNotWellNestedAreFaults() {
    var nameless = BatchBuilder()
    nameless.begin(document: Key("k").bytes.span, header: DocumentHeader())
    nameless.value(.null)
    nameless.endDocument()
    #expect(failure(of: nameless) != nil)

    var mismatched = BatchBuilder()
    mismatched.begin(document: Key("k").bytes.span, header: DocumentHeader())
    mismatched.name(FieldName("n").utf8.span, plain: true)
    mismatched.begin(.array)
    mismatched.end(.map)
    mismatched.endDocument()
    #expect(failure(of: mismatched) != nil)

    var open = BatchBuilder()
    open.begin(document: Key("k").bytes.span, header: DocumentHeader())
    #expect(failure(of: open) != nil)

    var outside = BatchBuilder()
    outside.value(.null)
    #expect(failure(of: outside) != nil)

    var extra = BatchBuilder()
    extra.begin(document: Key("k").bytes.span, header: DocumentHeader())
    extra.end(.map)
    extra.endDocument()
    #expect(failure(of: extra) != nil)
  }

  @Test(arguments: [
    ("1.5x", Spelling.decimal), ("007", .int), ("1.", .double), ("2024-01-01", .timestamp), ("A", .base64),
  ])
  func textThatIsNotCanonicalIsAFault(text: String, spelling: Spelling) {
    var builder = BatchBuilder()
    builder.begin(document: Key("k").bytes.span, header: DocumentHeader())
    builder.name(FieldName("n").utf8.span, plain: true)
    builder.text(Array(text.utf8).span, as: spelling)
    builder.endDocument()
    #expect(failure(of: builder)?.code == .malformedData)
  }

  @Test func depthIsLimited() throws {
    func nested(_ depth: Int) -> Value { (0..<depth).reduce(.null) { value, _ in .array([value]) } }
    _ = try batch(["a": nested(199)])
    #expect(throws: SluiceError.self) { try batch(["a": nested(200)]) }
  }

  private func failure(of builder: consuming BatchBuilder) -> SluiceError? {
    do throws(SluiceError) {
      _ = try builder.finish()
      return nil
    } catch {
      return error
    }
  }
}
