import SluiceCore

/// What a cancelled task may take to leave: far more than it needs, so that a busy machine is no failure, and far less
/// than an adapter that waits for an answer.
let soon = Duration.seconds(30)

/// Throws a `ConformanceFailure` where a promise is not kept.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw ConformanceFailure(message()) }
}

/// The value, or a `ConformanceFailure` where there is none.
func require<T>(_ value: T?, _ message: @autoclosure () -> String) throws -> T {
  guard let value else { throw ConformanceFailure(message()) }
  return value
}

/// The `SluiceError` that a step must throw.
func failure<R>(of what: String, _ body: () async throws -> R) async throws -> SluiceError {
  do {
    _ = try await body()
  } catch let error as SluiceError {
    return error
  } catch {
    throw ConformanceFailure("\(what) threw \(error), which is no SluiceError")
  }
  throw ConformanceFailure("\(what) threw nothing")
}

/// Throws unless a step throws an error of this code.
func expect<R>(_ code: SluiceError.Code, from what: String, _ body: () async throws -> R) async throws {
  let error = try await failure(of: what, body)
  try expect(error.code == code, "\(what) threw \(error.code) (\(error.message)), not \(code)")
}

/// Throws unless both lists hold the same keys with the same fields, each key once, in whatever order.
func expectSame(_ found: [Document], _ wanted: [Document], _ what: String) throws {
  let keys = found.map(\.key).sorted()
  let wantedKeys = wanted.map(\.key).sorted()
  try expect(keys == wantedKeys, "\(what): found the keys \(keys), not \(wantedKeys)")
  let byKey = Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
  for document in wanted {
    let fields = byKey[document.key]?.fields ?? Fields()
    if fields == document.fields { continue }
    for field in document.fields.materialized where fields[FieldName(field.name)] != field.value {
      let value = fields[FieldName(field.name)].map { "\($0)" } ?? "nothing"
      throw ConformanceFailure("\(what): \(document.key).\(field.name) is \(value), not \(field.value)")
    }
    throw ConformanceFailure("\(what): \(document.key) has more fields than \(document.fields.materialized)")
  }
}

/// Runs `body` and ends what it used, whatever comes of it.
func ending<R>(_ end: () async -> Void, after body: () async throws -> R) async throws -> R {
  do {
    let result = try await body()
    await end()
    return result
  } catch {
    await end()
    throw error
  }
}
