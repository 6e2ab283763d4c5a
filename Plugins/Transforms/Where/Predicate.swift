import SluiceCore

/// A condition, compiled: paths are parsed and literals prepared.
indirect enum Predicate: Sendable {
  case field(FieldTest)
  case all([Predicate])
  case any([Predicate])
  case not(Predicate)

  /// Compiles a condition. Throws `invalid_configuration` for one without content.
  init(_ condition: Condition) throws {
    var parts: [Predicate] = []
    let tests = condition.operators.map(\.test)
    if let problem = tests.lazy.compactMap(\.problem).first {
      throw SluiceError(.invalidConfiguration, "a condition \(problem.message)", hint: problem.hint)
    }
    if let path = condition.field, !tests.isEmpty { parts.append(.field(FieldTest(path, tests))) }
    if let all = condition.all { parts.append(.all(try all.map { try Predicate($0) })) }
    if let any = condition.any { parts.append(.any(try any.map { try Predicate($0) })) }
    if let not = condition.not { parts.append(.not(try Predicate(not.condition))) }
    if parts.isEmpty { throw SluiceError(.invalidConfiguration, "a condition needs a field with an operator") }
    self = parts.count == 1 ? parts[0] : .all(parts)
  }

  /// Whether the condition holds for a document.
  func holds(for document: borrowing FieldsEditor) -> Bool {
    switch self {
    case .field(let test): return test.holds(for: document)
    case .all(let parts):
      for part in parts where !part.holds(for: document) { return false }
      return true
    case .any(let parts):
      for part in parts where part.holds(for: document) { return true }
      return false
    case .not(let part): return !part.holds(for: document)
    }
  }
}

/// Tests of one field, all of which must hold.
struct FieldTest: Sendable {
  private let path: FieldPath
  private let name: FieldName?
  private let tests: [Test]
  /// Whether a test looks into a list or map: only then a value is made.
  private let needsContent: Bool

  init(_ path: FieldPath, _ tests: [Test]) {
    self.path = path
    name = path.segments.count == 1 ? path.segments[0] : nil
    self.tests = tests
    needsContent = tests.contains(where: \.needsContent)
  }

  func holds(for document: borrowing FieldsEditor) -> Bool {
    var visitor = TestVisitor(tests)
    let isThere = name.map { document.visit($0, &visitor) } ?? document.visit(path, &visitor)
    if !isThere { return tests.allSatisfy(\.holdsWhereMissing) }
    if needsContent, visitor.isContainer, let value = document[path] {
      return tests.allSatisfy { $0.holds(for: value) }
    }
    return visitor.holds
  }
}

/// Tests one value on its way past.
struct TestVisitor: ValueVisitor, ~Copyable {
  private let tests: [Test]
  private var depth = 0
  /// Whether every test holds.
  private(set) var holds = true
  /// Whether the value holds others.
  private(set) var isContainer = false

  init(_ tests: [Test]) { self.tests = tests }

  mutating func name(_ utf8: Span<UInt8>, plain: Bool) {}

  mutating func value(_ scalar: Scalar) {
    guard depth == 0 else { return }
    for test in tests where !test.holds(for: scalar) { holds = false }
  }

  mutating func begin(_ container: Container) {
    if depth == 0 {
      isContainer = true
      for test in tests where !test.holds(forAnyOf: container.kind) { holds = false }
    }
    depth += 1
  }

  mutating func end(_ container: Container) { depth -= 1 }
}
