import SluiceCore

/// A condition on a document. Whatever one mapping says must all hold.
///
/// A field is named by its path, and compared with values as YAML writes them:
/// - Values compare within a kind. A value of another kind is not equal, and neither less nor greater.
/// - Whole numbers, doubles and decimals are one kind and compare by their exact value: 2^53 + 1 is greater than 2^53.
///   0.0 equals −0.0. NaN is equal to nothing, and neither less nor greater than anything.
/// - Text compares byte by byte in UTF-8: composed and decomposed letters differ, and upper case comes before lower.
/// - Text also stands for the kinds that YAML has no values for. A timestamp compares with an RFC 3339 text, or with a
///   date alone, which means its midnight in UTC. Bytes compare with base64 text. A reference compares with the path
///   after `/documents/`, or, where the text begins with `projects/`, with its full name. Where the text is none of
///   these, the values are of different kinds.
/// - Lists are equal item by item, maps name by name in any order. A vector equals a list of its numbers, a geo point
///   a map of `latitude` and `longitude`.
/// - `null` equals only null.
/// - Order (`lt`, `le`, `gt`, `ge`) is known for numbers, text, timestamps, bytes and references.
///
/// `ne` holds exactly where `eq` does not, also for a value of another kind and for a field that is not there. For the
/// latter, `exists: false` holds too, and nothing else.
public struct Condition: Configurable {
  /// The field that the operators are about.
  public var field: FieldPath?
  /// The value it equals.
  public var eq: Value?
  /// The value it does not equal.
  public var ne: Value?
  /// The value it is less than.
  public var lt: Value?
  /// The value it is less than or equal to.
  public var le: Value?
  /// The value it is greater than.
  public var gt: Value?
  /// The value it is greater than or equal to.
  public var ge: Value?
  /// Values of which it equals one.
  public var isOneOf: [Value]?
  /// Whether it is there, null or not.
  public var exists: Bool?
  /// The kinds it may have.
  public var type: KindSet?
  /// Conditions that all hold.
  public var all: [Condition]?
  /// Conditions of which one holds at least.
  public var any: [Condition]?
  /// A condition that does not hold.
  public var not: Negated?

  /// No condition yet.
  public init() {}

  /// The settings.
  public static let spec = ConfigSpec<Condition>(
    "Keeps the documents for which the condition holds. Of a mapping with several parts, all must hold.",
    [
      Setting("field", \.field, "Path of the field that the operators are about.", examples: ["address.city"]),
      Setting("eq", \.eq, "Holds where the field equals this value.", examples: ["true"]),
      Setting("ne", \.ne, "Holds where the field does not equal this value, or is not there."),
      Setting("lt", \.lt, "Holds where the field is less than this number, text or time."),
      Setting("le", \.le, "Holds where the field is less than or equal to this number, text or time."),
      Setting("gt", \.gt, "Holds where the field is greater than this number, text or time."),
      Setting(
        "ge", \.ge, "Holds where the field is greater than or equal to this number, text or time.",
        examples: ["2024-01-01"]),
      Setting("in", \.isOneOf, "Holds where the field equals one of these values.", examples: ["[red, green]"]),
      Setting("exists", \.exists, "Holds where the field is there (null or not), or with false where it is not."),
      Setting("type", \.type, "Holds where the field is of this kind, or of one of these.", examples: ["string"]),
      Setting("all", \.all, "Holds where all of these conditions hold."),
      Setting("any", \.any, "Holds where at least one of these conditions holds."),
      Setting("not", \.not, "Holds where this condition does not.", examples: ["{field: tag, eq: test}"]),
    ], check: { $0.check($1, &$2) })

  /// A condition inside another.
  public struct Negated: ConfigValue {
    /// The one condition. A list, because a value cannot hold one of its own type.
    private let conditions: [Condition]

    /// The negation of a condition.
    public init(_ condition: Condition) { conditions = [condition] }

    /// The condition that does not hold.
    public var condition: Condition { conditions[0] }

    /// A condition.
    public static var configType: ConfigType { Condition.configType }

    /// Reads a condition.
    public static func decode(
      _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
    ) -> Negated? {
      Condition.decode(node, in: context, into: &diagnostics).map { Negated($0) }
    }

    /// Nothing.
    public var configText: String? { nil }
  }
}

extension Condition {
  /// The operators that were given, with their keys.
  var operators: [(key: String, test: Test)] {
    func comparison(_ key: String, _ value: Value?, _ make: (Operand) -> Test) -> (key: String, test: Test)? {
      value.map { (key, make(Operand($0))) }
    }
    let all: [(key: String, test: Test)?] = [
      comparison("eq", eq, Test.equal), comparison("ne", ne, Test.notEqual), comparison("lt", lt, Test.less),
      comparison("le", le, Test.lessOrEqual), comparison("gt", gt, Test.greater),
      comparison("ge", ge, Test.greaterOrEqual), isOneOf.map { ("in", .oneOf($0.map { Operand($0) })) },
      exists.map { ("exists", .exists($0)) }, type.map { ("type", .kind($0)) },
    ]
    return all.compactMap { $0 }
  }

  private func check(_ marks: ConfigMarks, _ diagnostics: inout Diagnostics) {
    let operators = operators
    if let field { diagnostics.warn(ofPath: field, at: marks.place(of: "field")) }
    if field != nil, operators.isEmpty {
      diagnostics.error(
        "missing_key", "a condition on a field needs an operator", at: marks.place(of: "field"),
        hint: "operators are eq, ne, lt, le, gt, ge, in, exists and type; a written null is eq: null")
    } else if field == nil, let first = operators.first {
      diagnostics.error(
        "missing_key", "\(first.key) needs the field it is about", at: marks.place(of: first.key),
        hint: "add field: NAME beside it")
    } else if field == nil, all == nil, any == nil, not == nil {
      diagnostics.error(
        "missing_key", "the condition is empty", at: marks.component,
        hint: "write field with an operator, or all, any or not")
    }
    for (key, count) in [("in", isOneOf?.count), ("all", all?.count), ("any", any?.count)] where count == 0 {
      diagnostics.error("empty_list", "\(key) is empty", at: marks.place(of: key), hint: "write at least one item")
    }
    for (key, test) in operators {
      guard let problem = test.problem else { continue }
      diagnostics.error("wrong_type", "\(key) \(problem.message)", at: marks.place(of: key), hint: problem.hint)
    }
  }
}
