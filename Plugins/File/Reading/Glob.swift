import SluiceCore

/// A pattern of names: `*` is any number of characters, `?` one, `[a-z]` and `[!a-z]` one of a set. None of them is a
/// `/`, or a dot at the beginning of a name.
struct Glob: Sendable {
  private enum Part {
    case scalar(Unicode.Scalar)
    case any
    case anyNumber
    case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
  }

  private let parts: [Part]

  /// Whether a name is a pattern.
  static func isPattern(_ name: some StringProtocol) -> Bool {
    name.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[") }
  }

  init(_ pattern: some StringProtocol) {
    var parts: [Part] = []
    var rest = Array(pattern.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": parts.append(.anyNumber)
      case "?": parts.append(.any)
      case "[": parts.append(Self.set(&rest) ?? .scalar(scalar))
      default: parts.append(.scalar(scalar))
      }
    }
    self.parts = parts
  }

  /// Takes a set behind its opening bracket; nil, with nothing taken, where it is not closed.
  private static func set(_ rest: inout ArraySlice<Unicode.Scalar>) -> Part? {
    var members = rest
    let isNegated = members.first == "!" || members.first == "^"
    if isNegated { members.removeFirst() }
    // A bracket in the first place is a member.
    guard let first = members.first, let close = members.dropFirst().firstIndex(of: "]") else { return nil }
    _ = first
    rest = members[(close + 1)...]
    members = members[..<close]
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    while let low = members.popFirst() {
      if members.count >= 2, members.first == "-" {
        members.removeFirst()
        if let high = members.popFirst(), low <= high { ranges.append(low...high) }
      } else {
        ranges.append(low...low)
      }
    }
    return .set(ranges, isNegated: isNegated)
  }

  /// Whether a name is one of the pattern's.
  func matches(_ name: String) -> Bool {
    let scalars = Array(name.unicodeScalars)
    if scalars.first == ".", !startsWithDot { return false }
    // Only the last `*` is ever taken back: the work is at most the product of both lengths.
    var part = 0
    var index = 0
    var star: (part: Int, index: Int)?
    while index < scalars.count {
      if part < parts.count, case .anyNumber = parts[part] {
        star = (part, index)
        part += 1
      } else if part < parts.count, Self.matches(parts[part], scalars[index]) {
        part += 1
        index += 1
      } else if let last = star {
        star = (last.part, last.index + 1)
        part = last.part + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { if case .anyNumber = $0 { true } else { false } }
  }

  private var startsWithDot: Bool { if case .scalar(".")? = parts.first { true } else { false } }

  private static func matches(_ part: Part, _ scalar: Unicode.Scalar) -> Bool {
    switch part {
    case .scalar(let other): other == scalar
    case .any: true
    case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
    case .anyNumber: false
    }
  }
}
