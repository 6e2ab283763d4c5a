import Synchronization

/// A streamed body between the loop's thread (writer) and one reader. Holds at most `highWater` bytes and one piece:
/// beyond that the writer is told to pause, and the reader wakes it.
final class BodyChannel: Sendable {
  /// What the reader is to do.
  enum Read {
    case chunk([UInt8], resume: Bool)
    case end
    case failed(any Error)
    case wait
  }

  private struct State {
    var bytes: [UInt8] = []
    var isPaused = false
    var end: Result<Void, any Error>?
    var reader: CheckedContinuation<Read, Never>?
  }

  private let state = Mutex(State())
  private let highWater: Int

  init(highWater: Int) { self.highWater = highWater }

  /// By the writer: false means "pause, I have enough; I shall ask for this piece again".
  func write(_ piece: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      if state.bytes.count >= highWater {
        state.isPaused = true
        return false
      }
      state.bytes.append(contentsOf: piece)
      return true
    }
  }

  /// By the writer: nothing follows. The first end counts.
  func finish(_ end: Result<Void, any Error>) {
    state.withLock { if $0.end == nil { $0.end = end } }
    wakeReader()
  }

  /// By the writer, once for many pieces.
  func wakeReader() {
    let wake = state.withLock { state -> (CheckedContinuation<Read, Never>, Read)? in
      guard let reader = state.reader else { return nil }
      let read = Self.take(&state)
      if case .wait = read { return nil }
      state.reader = nil
      return (reader, read)
    }
    if let (reader, read) = wake { reader.resume(returning: read) }
  }

  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// By the reader: what is there, or `.wait`.
  func takeNow() -> Read { state.withLock { Self.take(&$0) } }

  /// By the reader: suspends until something is there.
  func take() async -> Read {
    await withCheckedContinuation { continuation in
      let read = state.withLock { state -> Read in
        let read = Self.take(&state)
        if case .wait = read { state.reader = continuation }
        return read
      }
      if case .wait = read { return }
      continuation.resume(returning: read)
    }
  }

  private static func take(_ state: inout State) -> Read {
    if !state.bytes.isEmpty {
      let resume = state.isPaused
      state.isPaused = false
      var bytes: [UInt8] = []
      swap(&bytes, &state.bytes)
      return .chunk(bytes, resume: resume)
    }
    switch state.end {
    case .success: return .end
    case .failure(let error): return .failed(error)
    case nil: return .wait
    }
  }
}
