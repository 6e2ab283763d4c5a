import SluiceBuiltin
import SluiceCore

/// Settings as a file would hold them, written as a Swift literal: `["field": "age", "ge": 18]`. Plain scalars, but for
/// `.quoted`. Each key stands on a line of its own, counted from 2.
indirect enum SettingsLiteral: Sendable {
  case plain(String)
  case quoted(String)
  case list([SettingsLiteral])
  case map([(String, SettingsLiteral)])

  func node(line: Int = 1) -> ConfigNode {
    let mark = Mark(file: "job.yaml", line: line, column: 10)
    return switch self {
    case .plain(let text): ConfigNode(.scalar(.init(text)), at: mark)
    case .quoted(let text): ConfigNode(.scalar(.init(text, isPlain: false)), at: mark)
    case .list(let items): ConfigNode(.sequence(items.map { $0.node(line: line) }), at: mark)
    case .map(let entries):
      ConfigNode(
        .mapping(
          entries.enumerated().map { index, entry in
            let line = line + index + 1
            return .init(entry.0, at: Mark(file: "job.yaml", line: line, column: 3), entry.1.node(line: line))
          }), at: mark)
    }
  }
}

extension SettingsLiteral: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .plain(text) }
  init(integerLiteral number: Int) { self = .plain(String(number)) }
  init(floatLiteral number: Double) { self = .plain("\(number)") }
  init(booleanLiteral value: Bool) { self = .plain(value ? "true" : "false") }
  init(nilLiteral: ()) { self = .plain("null") }
  init(arrayLiteral items: SettingsLiteral...) { self = .list(items) }
  init(dictionaryLiteral entries: (String, SettingsLiteral)...) { self = .map(entries) }
}

/// A transform of the built-in catalog, as a job names it.
struct BuiltinTransform {
  /// Each problem as `line: code: message (suggestion) [hint]`.
  var problems: [String] = []
  var transform: (any Transform)?

  init(_ name: String, _ settings: SettingsLiteral) throws {
    var diagnostics = Diagnostics()
    let choice = ComponentChoice(name, at: Mark(file: "job.yaml", line: 1, column: 5), settings: settings.node())
    if let entry = Catalog.builtin.transforms.first(where: { $0.name == name }) {
      transform = try entry.plan(choice, into: &diagnostics)?.make()
    } else {
      problems = ["there is no transform \(name)"]
    }
    problems += diagnostics.all.map { problem in
      let suggestion = problem.suggestion.map { " (\($0))" } ?? ""
      let hint = problem.hint.map { " [\($0)]" } ?? ""
      return "\(problem.mark?.line ?? 0): \(problem.code): \(problem.message)\(suggestion)\(hint)"
    }
  }

  /// What becomes of one document with the key `k`: nil where it is left out.
  func callAsFunction(_ fields: KeyValuePairs<String, Value>) throws -> Outcome {
    var builder = BatchBuilder()
    builder.add(key: "k", fields)
    return try self(builder.finish())
  }

  /// What becomes of the first document of a batch.
  func callAsFunction(_ batch: Batch) throws -> Outcome {
    guard let transform else { throw SluiceError(.internal, problems.joined(separator: "; ")) }
    var batch = batch
    var rejections: [Rejection] = []
    try transform.apply(to: &batch, rejections: &rejections)
    return Outcome(
      fields: batch.kind(at: 0) == .upsert ? batch.fields(at: 0).materialized : nil, rejections: rejections)
  }

  struct Outcome {
    var fields: [Field]?
    var rejections: [Rejection]
    /// The value of one field.
    subscript(name: String) -> Value? { fields?.first { $0.name == name }?.value }
  }
}

/// Fields in order.
func fields(_ pairs: KeyValuePairs<String, Value>) -> [Field] { pairs.map { Field($0.key, $0.value) } }
