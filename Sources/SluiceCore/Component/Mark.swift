/// A place in a configuration file.
public struct Mark: Sendable, Hashable, Comparable {
  /// The file's path as the user gave it.
  public var file: String
  /// The line, counted from 1.
  public var line: Int
  /// The column, in characters counted from 1.
  public var column: Int

  /// A place in a file.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// Places of one file in reading order.
  public static func < (a: Mark, b: Mark) -> Bool { (a.file, a.line, a.column) < (b.file, b.line, b.column) }
}

extension Mark: CustomStringConvertible {
  /// `file:line:column`.
  public var description: String { "\(file):\(line):\(column)" }
}
