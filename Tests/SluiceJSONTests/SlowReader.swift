import Foundation
import SluiceCore

/// A second JSON reader, as simple as can be: code points, recursion, no speed. What it shares with the real one is
/// only the types of its results.
struct SlowReader {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  static func parse(_ text: String) -> Value? {
    var reader = SlowReader(text)
    guard let value = reader.value() else { return nil }
    reader.space()
    return reader.position == reader.scalars.count ? value : nil
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func space() { while let scalar = next, " \t\r\n".unicodeScalars.contains(scalar) { position += 1 } }

  private mutating func take(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard position + wanted.count <= scalars.count, Array(scalars[position..<position + wanted.count]) == wanted else {
      return false
    }
    position += wanted.count
    return true
  }

  private mutating func value() -> Value? {
    space()
    if take("null") { return .null }
    if take("true") { return .bool(true) }
    if take("false") { return .bool(false) }
    if next == "\"" { return string().map { .string($0) } }
    if take("[") { return array() }
    if take("{") { return object() }
    return number()
  }

  private mutating func array() -> Value? {
    var items: [Value] = []
    space()
    if take("]") { return .array([]) }
    while true {
      guard let item = value() else { return nil }
      items.append(item)
      space()
      if take("]") { return .array(items) }
      if !take(",") { return nil }
    }
  }

  private mutating func object() -> Value? {
    var fields: [Field] = []
    space()
    if take("}") { return .map([]) }
    while true {
      space()
      guard let name = string() else { return nil }
      space()
      guard take(":"), let item = value() else { return nil }
      if fields.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) { return nil }
      fields.append(Field(name, item))
      space()
      if take("}") { return .map(fields) }
      if !take(",") { return nil }
    }
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var units: [UInt16] = []
    while let scalar = next {
      position += 1
      if scalar == "\"" {
        let text = String(decoding: units, as: UTF16.self)
        return Array(text.utf16) == units ? text : nil
      }
      if scalar.value < 0x20 { return nil }
      if scalar != "\\" {
        units.append(contentsOf: String(scalar).utf16)
        continue
      }
      guard let escape = next else { return nil }
      position += 1
      switch escape {
      case "\"", "\\", "/": units.append(UInt16(escape.value))
      case "b": units.append(8)
      case "f": units.append(12)
      case "n": units.append(10)
      case "r": units.append(13)
      case "t": units.append(9)
      case "u":
        guard position + 4 <= scalars.count else { return nil }
        let digits = String(String.UnicodeScalarView(scalars[position..<position + 4]))
        guard digits.utf8.allSatisfy({ isxdigit(Int32($0)) != 0 }), let unit = UInt16(digits, radix: 16) else {
          return nil
        }
        units.append(unit)
        position += 4
      default: return nil
      }
    }
    return nil
  }

  private mutating func number() -> Value? {
    let start = position
    while let scalar = next, "+-.eE0123456789".unicodeScalars.contains(scalar) { position += 1 }
    let text = String(String.UnicodeScalarView(scalars[start..<position]))
    guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil else { return nil }
    if text.allSatisfy({ $0.isNumber || $0 == "-" }), text != "-0" {
      return Int64(text).map { .int($0) } ?? .decimal(text)
    }
    let double = strtod(text, nil)
    let vanishes = double == 0 && text.prefix { $0 != "e" && $0 != "E" }.contains { ("1"..."9").contains($0) }
    return double.isFinite && !vanishes ? .double(double) : .decimal(text)
  }
}
