import CLibFuzzer
import Glibc

/// What can be fuzzed. Each target checks properties, not only that nothing crashes.
enum Target: String, CaseIterable {
  case json, typed, firestore, config, rfc3339

  /// The variable that tells the target to the processes libFuzzer starts with its own arguments only.
  private static let variable = "SLUICE_FUZZ_TARGET"

  /// Runs libFuzzer with the target that the first argument names, or the variable.
  static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ count: CInt) -> CInt {
    var arguments = arguments
    var count = count
    if count > 1, let name = arguments[1], let target = Target(rawValue: String(cString: name)) {
      setenv(variable, target.rawValue, 1)
      arguments[1] = arguments[0]
      arguments += 1
      count -= 1
    }
    guard let target = getenv(variable).flatMap({ Target(rawValue: String(cString: $0)) }) else {
      print("usage: fuzz \(allCases.map(\.rawValue).joined(separator: "|")) [arguments of libFuzzer]")
      return 2
    }
    var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    return LLVMFuzzerRunDriver(&count, &vector, target.callback)
  }

  private var callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt {
    switch self {
    case .json: { Target.test($0, $1, JSONTarget.check) }
    case .typed: { Target.test($0, $1, TypedTarget.check) }
    case .firestore: { Target.test($0, $1, FirestoreTarget.check) }
    case .config: { Target.test($0, $1, ConfigTarget.check) }
    case .rfc3339: { Target.test($0, $1, RFC3339Target.check) }
    }
  }

  private static func test(_ data: UnsafePointer<UInt8>?, _ count: Int, _ check: ([UInt8]) -> Void) -> CInt {
    check(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
  }
}
