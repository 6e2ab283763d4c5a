/// What may be shown of the text of a secret setting: its expressions, without what the file itself says in them.
///
/// `http://me:pass@${env:HOST}` is `***${env:HOST}`, and `${env:TOKEN:-abc}` is `${env:TOKEN:-***}`: the words of the file
/// are as secret as the value.
package enum MaskedExpression {
  /// The text with everything but expressions masked.
  package static func text(_ expression: String) -> String {
    var result = ""
    var isMasked = false
    var rest = expression[...]
    while !rest.isEmpty {
      if rest.utf8.starts(with: "${".utf8), let end = rest.utf8.firstIndex(of: UInt8(ascii: "}")) {
        result += withoutDefault(rest[...end])
        isMasked = false
        rest = rest[rest.utf8.index(after: end)...]
      } else {
        if !isMasked { result += "***" }
        isMasked = true
        rest = rest.utf8.starts(with: "$${".utf8) ? rest.dropFirst(3) : rest.dropFirst()
      }
    }
    return result
  }

  /// One `${…}` without its default.
  static func withoutDefault(_ piece: Substring) -> String {
    guard let colon = piece.utf8.indices.first(where: { piece.utf8[$0...].starts(with: ":-".utf8) }) else {
      return String(piece)
    }
    return piece[..<colon] + ":-***}"
  }
}
