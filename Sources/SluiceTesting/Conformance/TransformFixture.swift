import SluiceCore

/// A transform with settings, and what it makes of a document.
public struct TransformFixture: Sendable {
  /// What these settings are, for the names of the tests. Empty where there is one fixture only.
  public let variant: String
  /// The transform.
  public let plan: TransformPlan
  /// Documents by their fields, each with the fields that come out; nil: it is left out.
  public let examples: [(input: [Field], output: [Field]?)]
  /// A document that the transform must reject because of its content, with the field it must name; nil where it takes
  /// all there are.
  public var refused: (input: [Field], field: String)?

  /// A fixture, with at least one example.
  public init(
    _ plan: TransformPlan, _ variant: String = "", examples: [(input: [Field], output: [Field]?)],
    refused: (input: [Field], field: String)? = nil
  ) {
    self.plan = plan
    self.variant = variant
    self.examples = examples
    self.refused = refused
  }
}

/// What a transform promises: see `Transform`.
extension TransformFixture {
  /// `transform where`.
  var subject: String { "transform \(plan.name)\(variant.isEmpty ? "" : " (\(variant))")" }

  func behaviours() -> [Behaviour] {
    var list = BehaviourList(subject)
    addResults(to: &list)
    addBatches(to: &list)
    addRejections(to: &list)
    return list.behaviours
  }

  private func addResults(to list: inout BehaviourList) {
    list.add("makes of its examples what its fixture says") {
      try expect(!examples.isEmpty, "the fixture has no example")
      let (batch, rejections) = try apply(to: try inputs)
      try expect(rejections.isEmpty, "it rejects \(rejections)")
      for (index, example) in examples.enumerated() {
        let found: Value? = batch.kind(at: index) == .upsert ? .map(batch.fields(at: index).materialized) : nil
        let wanted = example.output.map { Value.map($0) }
        try expect(
          found == wanted, "example \(index) became \(String(describing: found)), not \(String(describing: wanted))")
      }
    }
    list.add("makes the same of the same, in this instance and in another") {
      let transform = try plan.make()
      let batches = try (0..<3).map { _ in try apply(to: try inputs, transform).batch } + [apply(to: try inputs).batch]
      for batch in batches[1...] { try expect(Array(batch) == Array(batches[0]), "it made something else") }
    }
  }

  private func addBatches(to list: inout BehaviourList) {
    list.add("leaves keys, order, versions and times as they are") {
      let before = try inputs
      let (batch, _) = try apply(to: before)
      try expect(batch.count == before.count, "\(before.count) entries became \(batch.count)")
      for index in before.indices {
        try expect(
          batch.key(at: index) == before.key(at: index), "\(before.key(at: index)) became \(batch.key(at: index))")
        try expect(
          batch.header(at: index) == before.header(at: index), "the header of \(before.key(at: index)) changed")
      }
    }
    list.add("a document that it leaves out stays known by its key") {
      let (batch, _) = try apply(to: try inputs)
      for (index, example) in examples.enumerated() where example.output == nil {
        try expect(batch.kind(at: index) == .dropped, "\(batch.key(at: index)) is \(batch.kind(at: index))")
      }
    }
    list.add("lets deletes and what was left out before pass untouched") {
      let version = Version.sequence(7)
      let changes: [Change] = [
        .delete(key: Key("gone"), version: version), .upsert(document(0, examples[0].input)),
        .delete(key: Key("k0"), version: .none), .dropped(key: Key("left"), version: version),
      ]
      let (batch, rejections) = try apply(to: try .of(changes))
      try expect(rejections.isEmpty, "it rejects \(rejections)")
      for index in [0, 2, 3] { try expect(batch[index] == changes[index], "\(changes[index]) became \(batch[index])") }
    }
    list.add("takes a batch without entries") {
      let (batch, rejections) = try apply(to: Batch())
      try expect(batch.isEmpty && rejections.isEmpty, "something came of nothing")
    }
    list.add("edits the batch it was given, and no copy of it") {
      let before = try inputs
      let copy = Array(before)
      _ = try apply(to: before)
      try expect(Array(before) == copy, "a copy of the batch changed, too")
    }
  }

  private func addRejections(to list: inout BehaviourList) {
    list.add(
      "a document that it cannot transform is a rejection with key and field; the others are transformed",
      skip: refused == nil ? "it takes every document" : nil
    ) {
      let refused = try require(refused, "no such document")
      let documents = [document(0, examples[0].input), document(1, refused.input), document(2, examples[0].input)]
      let (batch, rejections) = try apply(to: try .of(documents))
      try expect(rejections.map(\.key) == [Key("k1")], "rejected: \(rejections.map(\.key))")
      let place = rejections[0].error.place
      try expect(place.field == refused.field, "the rejection names the field \(place.field ?? "none")")
      try expect(place.key == nil || place.key == "k1", "the error names the key \(place.key ?? "")")
      try expect(batch.kind(at: 1) == .dropped, "the document is still in the batch")
      for index in [0, 2] {
        let found: Value? = batch.kind(at: index) == .upsert ? .map(batch.fields(at: index).materialized) : nil
        try expect(
          found == examples[0].output.map { .map($0) }, "document \(index) became \(String(describing: found))")
      }
    }
  }

  private var inputs: Batch {
    get throws { try .of(examples.enumerated().map { document($0, $1.input) }) }
  }

  private func document(_ index: Int, _ fields: [Field]) -> Document {
    let time = Timestamp(seconds: 1_700_000_000, nanoseconds: UInt32(index))
    let header = DocumentHeader(version: .sequence(UInt64(index)), createTime: time, updateTime: time)
    return Document(key: Key("k\(index)"), header: header, fields)
  }

  private func apply(
    to batch: Batch, _ transform: (any Transform)? = nil
  ) throws -> (batch: Batch, rejections: [Rejection]) {
    var batch = batch
    var rejections: [Rejection] = []
    try (transform ?? plan.make()).apply(to: &batch, rejections: &rejections)
    return (batch, rejections)
  }
}
