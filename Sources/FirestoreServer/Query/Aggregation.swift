import SluiceCore

/// A number over the documents of a query.
struct Aggregation: Sendable {
  var alias: String
  var kind: Kind

  enum Kind: Sendable {
    case count(upTo: Int?)
    case sum(FieldPath)
    case average(FieldPath)

    var field: FieldPath? {
      switch self {
      case .count: nil
      case .sum(let path), .average(let path): path
      }
    }
  }

  static func read(_ message: Message) throws(StatusError) -> [Aggregation] {
    var result: [Aggregation] = []
    for (index, item) in try message.array("aggregations").enumerated() {
      let json = try Message(item, at: message.place("aggregations"), allowing: ["alias", "count", "sum", "avg"])
      let alias = try json.string("alias") ?? "field_\(index)"
      if result.contains(where: { $0.alias == alias }) { throw .invalid("aliases must be unique: \(alias)") }
      result.append(Aggregation(alias: alias, kind: try kind(json)))
    }
    if result.isEmpty { throw .invalid("Aggregations can not be empty.") }
    return result
  }

  private static func kind(_ json: Message) throws(StatusError) -> Kind {
    switch try json.only(of: ["count", "sum", "avg"]) {
    case "count":
      let upTo = try json.message("count", allowing: ["upTo"])?.int("upTo")
      if let upTo, upTo <= 0 { throw .invalid("up_to must be positive") }
      return .count(upTo: upTo.map { Int($0) })
    case "sum": return .sum(try field(json, "sum"))
    case "avg": return .average(try field(json, "avg"))
    default: throw .invalid("an aggregation needs a count, a sum or an average")
    }
  }

  private static func field(_ json: Message, _ name: String) throws(StatusError) -> FieldPath {
    let field = try json.message(name, allowing: ["field"])?.message("field", allowing: ["fieldPath"])
    return try FieldPath(firestore: try field?.string("fieldPath") ?? "")
  }

  /// The results by their aliases. Only documents that have every field that is summed up count.
  static func results(_ aggregations: [Aggregation], over documents: [Snapshot]) -> [Field] {
    let needed = aggregations.compactMap(\.kind.field)
    let complete = documents.filter { document in needed.allSatisfy { document.fields?[$0] != nil } }
    return aggregations.map { Field($0.alias, $0.result(complete)) }
  }

  private func result(_ documents: [Snapshot]) -> Value {
    switch kind {
    case .count(let upTo): return .int(Int64(min(documents.count, upTo ?? .max)))
    case .sum(let path): return Self.sum(Self.numbers(documents, path))
    case .average(let path):
      let numbers = Self.numbers(documents, path)
      guard !numbers.isEmpty else { return .null }
      return .double(numbers.reduce(0) { $0 + Self.double($1) } / Double(numbers.count))
    }
  }

  private static func numbers(_ documents: [Snapshot], _ path: FieldPath) -> [Value] {
    documents.compactMap { $0.fields?[path] }.filter { ValueOrder.rank($0) == 2 }
  }

  /// A whole number as long as all are and the sum fits.
  private static func sum(_ numbers: [Value]) -> Value {
    var whole: Int64 = 0
    for number in numbers {
      guard case .int(let next) = number else { return .double(numbers.reduce(0) { $0 + double($1) }) }
      let (sum, overflow) = whole.addingReportingOverflow(next)
      if overflow { return .double(numbers.reduce(0) { $0 + double($1) }) }
      whole = sum
    }
    return .int(whole)
  }

  private static func double(_ value: Value) -> Double {
    switch value {
    case .int(let number): Double(number)
    case .double(let number): number
    default: 0
    }
  }
}
