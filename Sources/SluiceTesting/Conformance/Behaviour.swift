/// One promise of the contract about one component, as a named test.
///
///     @Test(arguments: conformance.behaviours(of: catalog).filter { $0.skipReason == nil })
///     func conforms(_ behaviour: Behaviour) async throws { try await behaviour.run() }
///
/// Behaviours do not depend on each other: each makes a store of its own, so they may run at once and in any order.
public struct Behaviour: Sendable {
  /// What is tested: `adapter memory (publish: in_place)`.
  public let subject: String
  /// What it promises, in a sentence.
  public let name: String
  /// Why it does not apply to this component; nil where it is to be run.
  public let skipReason: String?
  private let body: @Sendable () async throws -> Void

  /// A promise. `body` throws where it is not kept.
  public init(
    _ subject: String, _ name: String, skipReason: String? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) {
    self.subject = subject
    self.name = name
    self.skipReason = skipReason
    self.body = body
  }

  /// Tests it. Throws a `ConformanceFailure` where the promise is not kept, and whatever else the component throws. Does
  /// nothing where there is a reason to skip it.
  public func run() async throws { if skipReason == nil { try await body() } }
}

extension Behaviour: CustomStringConvertible {
  /// Subject and name.
  public var description: String { "\(subject): \(name)" }
}

/// A promise that was not kept.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// What was found, and what was promised.
  public var message: String

  /// A promise that was not kept.
  public init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}

/// The promises about one subject, as they are gathered.
struct BehaviourList {
  let subject: String
  private(set) var behaviours: [Behaviour] = []

  init(_ subject: String) { self.subject = subject }

  mutating func add(
    _ name: String, skip skipReason: String? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) {
    behaviours.append(Behaviour(subject, name, skipReason: skipReason, body))
  }
}
