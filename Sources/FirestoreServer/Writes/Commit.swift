import SluiceCore

/// Writes that take effect together, or not at all.
struct Commit {
  private let database: Database
  /// The time of the commit.
  let time: Int64
  /// What the commit has made so far of the documents it touches.
  private var touched: [ResourcePath: State] = [:]

  private struct State {
    var fields: Fields?
    var created: Int64
    var updated: Int64
    var isChanged = false
  }

  private init(_ database: Database, now: Int64) {
    self.database = database
    time = database.beginCommit(now: now)
  }

  /// Applies writes in order. Throws the first one's refusal, and then nothing is changed.
  static func apply(_ writes: [Write], to database: Database, now: Int64) throws(StatusError) -> (
    results: [WriteResult], time: Int64
  ) {
    var commit = Commit(database, now: now)
    var results: [WriteResult] = []
    for write in writes { results.append(try commit.apply(write)) }
    commit.finish()
    return (results, commit.time)
  }

  private mutating func apply(_ write: Write) throws(StatusError) -> WriteResult {
    var state = touched[write.path] ?? stored(write.path)
    try check(write.precondition, state, write.path)
    switch write.operation {
    case .verify: return WriteResult(updateTime: state.fields == nil ? nil : state.updated)
    case .delete:
      state.isChanged = state.isChanged || state.fields != nil
      state.fields = nil
      touched[write.path] = state
      return WriteResult()
    case .update(let fields, let mask): return try update(&state, write, fields, mask)
    }
  }

  private mutating func update(_ state: inout State, _ write: Write, _ fields: [Field], _ mask: [FieldPath]?)
    throws(StatusError) -> WriteResult
  {
    var result = WriteResult()
    var edited = mask.map { FieldTree.merge(fields, into: state.fields?.materialized ?? [], at: $0) } ?? fields
    for transform in write.transforms {
      let old = FieldTree.value(at: transform.path, in: edited)
      let (value, told) = transform.apply(to: old, requestTime: time)
      FieldTree.set(value, at: transform.path, in: &edited)
      result.transformResults.append(told)
    }
    try DocumentSize.check(write.path, edited)
    let new = Fields(edited).compacted()
    // A write that changes nothing leaves the update time as it was.
    if state.fields == nil || state.fields != new {
      if state.fields == nil { state.created = time }
      state.fields = new
      state.updated = time
      state.isChanged = true
    }
    touched[write.path] = state
    result.updateTime = state.updated
    return result
  }

  private func stored(_ path: ResourcePath) -> State {
    let revision = database.document(path)?.revision
    return State(fields: revision?.fields, created: revision?.created ?? time, updated: revision?.updated ?? time)
  }

  private func check(_ precondition: Write.Precondition, _ state: State, _ path: ResourcePath) throws(StatusError) {
    switch precondition {
    case .none: return
    case .exists(true) where state.fields == nil: throw StatusError(.notFound, "No document to update: \(path.text)")
    case .exists(false) where state.fields != nil:
      throw StatusError(.alreadyExists, "Document already exists: \(path.text)")
    case .exists: return
    case .updateTime(let time):
      guard state.fields != nil else {
        throw StatusError(.failedPrecondition, "No document with the required update time: \(path.text)")
      }
      if state.updated != time {
        throw StatusError(
          .failedPrecondition,
          "the stored version (\(state.updated)) does not match the required base version (\(time))")
      }
    }
  }

  private func finish() {
    for (path, state) in touched where state.isChanged {
      database.put(path, state.fields, created: state.fields == nil ? nil : state.created, at: time)
    }
  }
}
