import Foundation
import SluiceCore
import SluiceTesting

/// The most memory a process has held, as the kernel counts it.
enum PeakMemory {
  /// In bytes; nil once the process has ended, and where the kernel does not tell.
  static func of(_ child: ChildProcess) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/\(child.identifier)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 }
  }

  /// The last that could be seen before the process ended.
  static func atEnd(of child: ChildProcess) async -> Int? {
    var last: Int?
    while !child.hasEnded {
      last = of(child) ?? last
      // Not to wait for anything: only so that the program under test has the machine too.
      do { try await Task.sleep(for: .milliseconds(2)) } catch { return last }
    }
    return last
  }
}

extension Value {
  /// The items of a list.
  var items: [Value]? { if case .array(let items) = self { items } else { nil } }
  /// A whole number.
  var int: Int? { if case .int(let number) = self { Int(number) } else { nil } }
  /// A field of a map.
  subscript(name: String) -> Value? {
    guard case .map(let fields) = self else { return nil }
    return fields.first { $0.name == name }?.value
  }
}
