import SluiceCore
import Testing

@Suite struct KeyTests {
  @Test func composedAndDecomposedIdsDiffer() {
    #expect(Key("\u{e9}") != Key("e\u{301}"))
    #expect(Set([Key("\u{e9}"), Key("e\u{301}")]).count == 2)
  }

  @Test(arguments: ["a", "a|b", "50%", "c#", "t:15:03", "ø æ", "a b", "🦊", ".x", "%2F", "x/y", ""])
  func canonicalTextRoundTrips(id: String) throws {
    let key = Key(id)
    #expect(key.id.utf8.elementsEqual(id.utf8))
    #expect(try #require(Key(canonical: key.bytes)) == key)
    #expect(key.segments.count == 1)
  }

  @Test func segmentsAreEscapedApart() {
    let key = Key(segments: ["rooms", "r/1", "messages", "50%"])
    #expect(key.description == "rooms/r%2F1/messages/50%25")
    #expect(key.segments == ["rooms", "r/1", "messages", "50%"])
  }

  @Test(arguments: ["%", "%2", "%2f", "%41", "a%zz"])
  func otherEscapesAreNoKeys(text: String) { #expect(Key(canonical: Array(text.utf8)) == nil) }

  @Test func ordersSegmentBySegment() {
    let sorted = [Key(segments: ["a"]), Key(segments: ["a", "b"]), Key(segments: ["a!", "b"]), Key(segments: ["b"])]
    #expect(sorted.shuffled().sorted() == sorted)
  }
}
