import SluiceCore

/// The text of a configuration file, by lines, for places and for showing them.
public struct SourceText: Sendable {
  /// The file's path as the user gave it.
  public let file: String
  let bytes: [UInt8]
  private let lineStarts: [Int]

  /// A text. A byte order mark of UTF-8 is dropped.
  public init(file: String, bytes: [UInt8]) {
    self.file = file
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    lineStarts = Self.findLines(self.bytes)
  }

  /// A line without its break, counted from 1; nil beyond the end. What is not UTF-8 appears as `U+FFFD`.
  public func line(_ number: Int) -> String? {
    guard lineStarts.indices.contains(number - 1) else { return nil }
    let end = number < lineStarts.count ? lineStarts[number] : bytes.count
    var line = String(decoding: bytes[lineStarts[number - 1]..<end], as: UTF8.self).unicodeScalars
    while let last = line.last, Self.breaks.contains(last) { line.removeLast() }
    return String(line)
  }

  /// The place of a byte, counted from 0.
  func mark(ofByte offset: Int) -> Mark {
    let line = (lineStarts.lastIndex { $0 <= offset } ?? 0)
    let before = String(decoding: bytes[lineStarts[line]..<min(offset, bytes.count)], as: UTF8.self)
    return Mark(file: file, line: line + 1, column: before.unicodeScalars.count + 1)
  }

  /// The first byte that is no UTF-8, nil where all is.
  func firstInvalidByte() -> Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar): offset += scalar.count
      case .error: return offset
      case .emptyInput: return nil
      }
    }
  }

  private static let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

  /// Lines as libyaml counts them, so that its places fit: also after NEL, LS and PS.
  private static func findLines(_ bytes: [UInt8]) -> [Int] {
    var starts = [0]
    var index = 0
    while index < bytes.count {
      let length =
        switch bytes[index] {
        case 0x0A: 1
        case 0x0D: index + 1 < bytes.count && bytes[index + 1] == 0x0A ? 2 : 1
        case 0xC2: bytes[index...].starts(with: [0xC2, 0x85]) ? 2 : 0
        case 0xE2:
          bytes[index...].starts(with: [0xE2, 0x80, 0xA8]) || bytes[index...].starts(with: [0xE2, 0x80, 0xA9]) ? 3 : 0
        default: 0
        }
      index += max(length, 1)
      if length > 0 { starts.append(index) }
    }
    return starts
  }
}
