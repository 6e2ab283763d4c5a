/// Fenced blocks of Markdown.
enum Samples {
  /// The blocks of a language, without their fences.
  static func blocks(of language: String, in text: String) -> [String] {
    var result: [String] = []
    var block: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = block {
        if line == "```" {
          result.append(lines.joined(separator: "\n") + "\n")
          block = nil
        } else {
          block = lines + [line]
        }
      } else if line == "```\(language)" {
        block = []
      }
    }
    return result
  }
}
