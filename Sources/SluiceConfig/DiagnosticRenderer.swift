import SluiceCore

/// Writes problems for people: place, code and message, the line with a caret, and what to do.
///
/// ```
/// job.yaml:7:9: unknown_key: unknown key "page_szie" in page_token
///   7 |         page_szie: …
///     |         ^ did you mean page_size?
/// ```
/// Values behind a key in question are not shown, because a mistyped `password` is not known to be one. Secrets
/// elsewhere on a line are for the redactor.
public struct DiagnosticRenderer: Sendable {
  private let source: SourceText
  private let usesColor: Bool

  /// A writer for the problems of one file, with ANSI colours or plain.
  public init(_ source: SourceText, color: Bool = false) {
    self.source = source
    usesColor = color
  }

  /// All problems in reading order, each ending in a line break.
  public func render(_ diagnostics: Diagnostics) -> String {
    diagnostics.sorted.map(render).joined()
  }

  /// One problem, ending in a line break.
  public func render(_ diagnostic: Diagnostic) -> String {
    let isWarning = diagnostic.severity == .warning
    let place = diagnostic.mark?.description ?? source.file
    let code = styled((isWarning ? "warning: " : "") + diagnostic.code, isWarning ? .yellow : .red)
    var lines = ["\(styled(clean(place), .bold)): \(code): \(clean(diagnostic.message))"]
    let meant = diagnostic.suggestion.map { "did you mean \(clean($0))?" }
    let excerpt = diagnostic.hidesSource ? nil : diagnostic.mark.flatMap(excerpt)
    if let excerpt {
      let gutter = String(repeating: " ", count: excerpt.number.count)
      lines.append("  \(excerpt.number) | \(excerpt.line)")
      lines.append(
        "  \(gutter) | \(excerpt.padding)\(styled((["^"] + [meant].compactMap { $0 }).joined(separator: " "), .green))")
    } else if let meant {
      lines.append("  \(styled(meant, .green))")
    }
    if let hint = diagnostic.hint { lines.append("  hint: \(clean(hint))") }
    for note in diagnostic.notes { lines.append("  note: \(clean(note.mark.description)): \(clean(note.message))") }
    return lines.joined(separator: "\n") + "\n"
  }

  private enum Style: String {
    case bold = "1"
    case red = "1;31"
    case yellow = "1;33"
    case green = "32"
  }

  private func styled(_ text: String, _ style: Style) -> String {
    usesColor ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
  }

  /// Without control characters, which could write over what the terminal shows.
  private func clean(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format {
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}

// MARK: The line with the caret

extension DiagnosticRenderer {
  private static let width = 100

  private struct Excerpt {
    var number: String
    var line: String
    /// What stands under the line before the caret.
    var padding: String
  }

  private func excerpt(_ mark: Mark) -> Excerpt? {
    guard mark.file == source.file, let line = source.line(mark.line) else { return nil }
    let scalars = Array(line.unicodeScalars)
    let caret = mark.column - 1
    // Nothing is shown of a place behind the end of an empty line.
    guard caret <= scalars.count, !scalars.allSatisfy({ $0 == " " }) else { return nil }
    let end = Self.endOfKey(scalars, from: caret) ?? scalars.count
    let start = caret > Self.width - 20 ? caret - 40 : 0
    let stop = min(end, start + Self.width)
    let before = (start > 0 ? "…" : "") + shown(scalars[start..<min(caret, stop)])
    let after = shown(scalars[min(caret, stop)..<stop])
    let isCut = stop < scalars.count
    return Excerpt(
      number: String(mark.line), line: before + after + (isCut ? (end == stop ? " …" : "…") : ""),
      padding: Self.blank(before))
  }

  /// Where the key that begins at the caret ends, its colon included; nil where no key begins there.
  private static func endOfKey(_ scalars: [Unicode.Scalar], from caret: Int) -> Int? {
    guard caret < scalars.count else { return nil }
    var index = caret
    if scalars[caret] == "\"" || scalars[caret] == "'" {
      guard let close = scalars[(caret + 1)...].firstIndex(of: scalars[caret]) else { return nil }
      index = close + 1
    } else {
      while index < scalars.count, !":,[]{}#\"'".unicodeScalars.contains(scalars[index]) { index += 1 }
    }
    guard index > caret, index < scalars.count, scalars[index] == ":" else { return nil }
    return index + 1 == scalars.count || scalars[index + 1] == " " ? index + 1 : nil
  }

  private func shown(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var result = String.UnicodeScalarView()
    for scalar in scalars {
      let isHarmful = scalar != "\t" && [.control, .format].contains(scalar.properties.generalCategory)
      result.append(isHarmful ? "\u{fffd}" : scalar)
    }
    return String(result)
  }

  /// As wide as the text: a tab for a tab, two columns for a wide character, none for an accent.
  private static func blank(_ text: String) -> String {
    var result = ""
    for character in text {
      guard let scalar = character.unicodeScalars.first else { continue }
      let isWide =
        scalar.properties.isEmojiPresentation || (0x1100...0x115F ~= scalar.value) || (0x2E80...0xA4CF ~= scalar.value)
        || (0xAC00...0xD7A3 ~= scalar.value) || (0xF900...0xFAFF ~= scalar.value) || (0xFF00...0xFF60 ~= scalar.value)
      result += scalar == "\t" ? "\t" : isWide ? "  " : " "
    }
    return result
  }
}
