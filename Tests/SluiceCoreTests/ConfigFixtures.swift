import SluiceCore

/// Config nodes without a file: `"a": 1` is plain, `.quoted`, `.list`, `.map` say the rest. All stand at line 1.
indirect enum Piece: ExpressibleByStringLiteral {
  case plain(String)
  case quoted(String)
  case interpolated(String, String)
  case list([Piece])
  case map([(String, Piece)])

  init(stringLiteral text: String) { self = .plain(text) }

  func node(line: Int = 1) -> ConfigNode {
    let mark = Mark(file: "job.yaml", line: line, column: 10)
    return switch self {
    case .plain(let text): ConfigNode(.scalar(.init(text)), at: mark)
    case .quoted(let text): ConfigNode(.scalar(.init(text, isPlain: false)), at: mark)
    case .interpolated(let text, let source): ConfigNode(.scalar(.init(text, expression: source)), at: mark)
    case .list(let items): ConfigNode(.sequence(items.map { $0.node(line: line) }), at: mark)
    case .map(let entries):
      ConfigNode(
        .mapping(
          entries.enumerated().map { index, entry in
            .init(entry.0, at: Mark(file: "job.yaml", line: index + 2, column: 3), entry.1.node(line: index + 2))
          }), at: mark)
    }
  }
}

/// What one reading gave: the value, and each problem as `line: code: message (suggestion)`.
struct Reading<V: ConfigValue> {
  var value: V?
  var problems: [String]

  init(_ piece: Piece, as type: V.Type = V.self, role: ConfigRole? = nil) {
    var diagnostics = Diagnostics()
    let mark = Mark(file: "job.yaml", line: 1, column: 1)
    value = V.decode(piece.node(), in: ConfigContext("x", at: mark, role: role), into: &diagnostics)
    problems = diagnostics.all.map { problem in
      let suggestion = problem.suggestion.map { " (\($0))" } ?? ""
      return "\(problem.mark?.line ?? 0): \(problem.code): \(problem.message)\(suggestion)"
    }
  }
}
