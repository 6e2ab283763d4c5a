import SluiceCore

/// Puts `${env:NAME}`, `${env:NAME:-default}` and `${file:path}` into a scalar's text, once: what they bring is not
/// looked at again. `$${` is `${`; any other `$` is a `$`.
struct Interpolation {
  /// The largest file that may be put in.
  static let maximumFileSize = 1_048_576

  /// A scalar's text with everything put in.
  struct Result {
    var text = ""
    /// Whether anything was put in.
    var isInterpolated = false
    /// Whether something could not be; it was reported.
    var isUnresolved = false
  }

  let inputs: ConfigInputs
  /// The folder that paths of files are relative to, empty for the current one.
  let folder: String

  /// Puts everything in. Values go to the redactor, problems to the diagnostics.
  func resolve(
    _ text: String, at mark: Mark, redactor: inout Redactor, into diagnostics: inout Diagnostics
  ) -> Result {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return Result(text: text) }
    var result = Result()
    var rest = text[...].utf8
    var literal = rest.startIndex
    while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
      let tail = rest[dollar...]
      if tail.starts(with: "$${".utf8) {
        result.text += text[literal..<dollar] + "${"
        rest = tail.dropFirst(3)
        literal = rest.startIndex
      } else if tail.starts(with: "${".utf8) {
        result.text += text[literal..<dollar]
        guard let end = tail.firstIndex(of: UInt8(ascii: "}")) else {
          diagnostics.error(
            "interpolation", "\"${\" without \"}\"", at: mark,
            hint: "close it, or write $${ for the characters themselves")
          return Result(text: text, isInterpolated: true, isUnresolved: true)
        }
        let piece = text[dollar...end]
        result.isInterpolated = true
        if let value = resolve(piece: piece, at: mark, redactor: &redactor, into: &diagnostics) {
          result.text += value
        } else {
          result.isUnresolved = true
          result.text += piece
        }
        rest = tail[tail.index(after: end)...]
        literal = rest.startIndex
      } else {
        rest = tail.dropFirst()
      }
    }
    result.text += text[literal...]
    return result
  }

  /// The value of one `${…}`, nil where there is none and that was reported.
  private func resolve(
    piece: Substring, at mark: Mark, redactor: inout Redactor, into diagnostics: inout Diagnostics
  ) -> String? {
    let body = piece.dropFirst(2).dropLast()
    if body.hasPrefix("env:") {
      return variable(body.dropFirst(4), piece, at: mark, redactor: &redactor, into: &diagnostics)
    }
    if body.hasPrefix("file:") {
      return file(String(body.dropFirst(5)), piece, at: mark, redactor: &redactor, into: &diagnostics)
    }
    diagnostics.error(
      "interpolation", "\(piece) is not understood", at: mark,
      suggestion: Self.isName(body) ? "${env:\(body)}" : nil,
      hint: "write ${env:NAME}, ${env:NAME:-default} or ${file:path}, or $${ for the characters themselves")
    return nil
  }

  private func variable(
    _ body: Substring, _ piece: Substring, at mark: Mark, redactor: inout Redactor, into diagnostics: inout Diagnostics
  ) -> String? {
    let name = body.prefix { $0 != ":" }
    let tail = body.dropFirst(name.count)
    guard Self.isName(name), tail.isEmpty || tail.hasPrefix(":-") else {
      diagnostics.error(
        "interpolation", "\(piece) is not understood", at: mark,
        hint: "a name has letters, digits and _, and a default stands behind \":-\"")
      return nil
    }
    do {
      if let value = try inputs.variable(String(name)), !value.isEmpty || tail.isEmpty {
        redactor.add(value, as: String(piece))
        return value
      }
    } catch {
      diagnostics.error("interpolation", error.message, at: mark)
      return nil
    }
    // The default stands in the file for all to read: no secret.
    if !tail.isEmpty { return String(tail.dropFirst(2)) }
    diagnostics.error(
      "interpolation", "environment variable \(name) is not set", at: mark,
      hint: "set it, or write ${env:\(name):-default}")
    return nil
  }

  private func file(
    _ path: String, _ piece: Substring, at mark: Mark, redactor: inout Redactor, into diagnostics: inout Diagnostics
  ) -> String? {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      diagnostics.error("interpolation", "\(piece) names no file", at: mark)
      return nil
    }
    let isRelative = !path.hasPrefix("/") && !folder.isEmpty
    do {
      var bytes = try inputs.file(isRelative ? folder + path : path, Self.maximumFileSize)
      if bytes.last == UInt8(ascii: "\n") {
        bytes.removeLast()
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      }
      guard let value = String(validating: bytes, as: UTF8.self) else {
        diagnostics.error("interpolation", "file \(path) is not UTF-8", at: mark)
        return nil
      }
      redactor.add(value, as: String(piece))
      return value
    } catch {
      diagnostics.error(
        "interpolation", error.message, at: mark,
        hint: isRelative ? "the path is relative to the configuration file" : nil)
      return nil
    }
  }

  private static func isName(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
  }
}
