import SluiceCore
import SluiceTesting
import Testing

@Suite struct MannerScoreTests {
  private static func numbers(_ values: Int64...) -> Value { .array(values.map { .int($0) }) }

  @Test(
    "C146 anything but three numbers leaves the field as it is",
    arguments: [
      (nil, nil), (.array([]), nil), (.null, nil), (.string("none yet"), nil), (.string("abc"), nil), (.int(3), nil),
      (.array([.string("5"), .null, .double(.nan)]), nil), (.array([.int(5), .int(3), .null]), nil),
      (.array([.int(1), .int(2), .bool(true)]), nil), (numbers(5, 3), nil), (numbers(1, 2, 3, 4), nil),
      (.array([.int(1), .int(2), .double(.nan)]), nil), (.array([.double(.infinity), .int(2), .int(3)]), nil),
      (.map([Field("1", .int(1))]), nil), (.bytes([1, 2, 3]), nil), (.reference("abc"), nil),
      (.timestamp(Timestamp(seconds: 1, nanoseconds: 2)), nil), (numbers(1, -1, -1), nil), (numbers(0, 0, 0), .int(-1)),
      (.array([.double(0), .double(-0.0), .int(0)]), .int(-1)), (numbers(5, 3, 0), .int(71)),
      (numbers(1, 0, 0), .int(100)),
      (numbers(0, 1, 0), .int(0)), (numbers(1, -3, 0), .int(-100)), (numbers(1, -5, 0), .int(-42)),
      (.array([.double(1.5), .int(1), .int(1)]), .int(60)), (.vector([5, 3, 0]), .int(71)),
      (numbers(.max, 1, 1), .int(100)),
    ] as [(Value?, Value?)])
  func edges(reviews: Value?, score: Value?) throws {
    let transform = try BuiltinTransform("compute", ["field": "mannerScore", "lua": .quoted(mannerScore)])
    for before in [nil, Value.string("before")] {
      var document: [(String, Value)] = []
      if let reviews { document.append(("reviews", reviews)) }
      if let before { document.append(("mannerScore", before)) }
      var builder = BatchBuilder()
      builder.add(key: "k", document.map { (key: $0.0, value: $0.1) })
      let outcome = try transform(builder.finish())
      #expect(outcome.rejections.isEmpty)
      #expect(outcome["mannerScore"] == score ?? before)
      #expect(outcome["reviews"] == reviews)
    }
  }

  @Test func agreesWithSwiftOnAHundredThousandTriples() throws {
    var random = SeededGenerator(seed: 20_261_130)
    var builder = BatchBuilder()
    var expected: [Value] = []
    for index in 0..<100_000 {
      let bound: Int64 = [3, 50, 1000, 1_000_000_000_000][index % 4]
      let r = (0..<3).map { _ in Int64.random(in: 0...bound, using: &random) }
      builder.add(key: "\(index)", ["reviews": .array(r.map { .int($0) })])
      let d = r.map(Double.init)
      let isZero = r.allSatisfy { $0 == 0 }
      let sum: Double = d[0] * 3 + d[1] * 2 + d[2]
      expected.append(.int(isZero ? -1 : Int64(d[0] * 3 / sum * 100)))
    }
    var batch = try builder.finish()
    var rejections: [Rejection] = []
    let compute = try #require(
      try BuiltinTransform("compute", ["field": "mannerScore", "lua": .quoted(mannerScore)]).transform)
    try compute.apply(to: &batch, rejections: &rejections)
    #expect(rejections.isEmpty)
    let differences = batch.indices.count { batch.fields(at: $0)["mannerScore"] != expected[$0] }
    #expect(differences == 0)
  }
}
