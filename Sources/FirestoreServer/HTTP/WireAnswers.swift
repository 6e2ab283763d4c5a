import CMicroHTTPD
import Dispatch
import SluiceCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Answers that are sent step by step over the connection's own socket, while libmicrohttpd has it suspended. The
/// connection is closed at the end of each.
final class WireAnswers: Sendable {
  /// `@unchecked Sendable`: libmicrohttpd allows to resume a suspended connection from any thread, and does not free it
  /// before it was resumed.
  private struct Answer: @unchecked Sendable {
    var connection: OpaquePointer
    /// A duplicate of the connection's descriptor.
    var descriptor: Int32
    var steps: ArraySlice<WireStep>
    /// Bytes of the first step that are sent already.
    var sent = 0
    /// When the pause at the front ends, in nanoseconds of uptime.
    var pauseEnd: UInt64?
  }

  private struct State {
    var isStopped = false
    var nextID = 0
    var answers: [Int: Answer] = [:]
  }

  /// What comes after a step.
  private enum Next { case step, wait(milliseconds: Int), end }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "sluice.scripted-answers")

  /// Takes a connection over. False where the server is stopping, or has no descriptor left.
  func begin(_ connection: OpaquePointer, _ steps: [WireStep]) -> Bool {
    let descriptor = dup(sluice_mhd_descriptor(connection))
    guard descriptor >= 0 else { return false }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let answer = Answer(connection: connection, descriptor: descriptor, steps: steps[...])
    let id: Int? = state.withLock { state in
      if state.isStopped { return nil }
      MHD_suspend_connection(answer.connection)
      state.nextID += 1
      state.answers[state.nextID] = answer
      return state.nextID
    }
    guard let id else {
      close(descriptor)
      return false
    }
    queue.async { [self] in advance(id) }
    return true
  }

  /// Ends every answer where it is, and takes no other.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      for answer in state.answers.values { Self.end(answer) }
      state.answers = [:]
    }
  }

  /// Does all steps that can be done now. Never blocks but for the lock.
  private func advance(_ id: Int) {
    let wait: Int? = state.withLock { state in
      guard var answer = state.answers[id] else { return nil }
      while true {
        switch Self.step(&answer) {
        case .step: continue
        case .wait(let milliseconds):
          state.answers[id] = answer
          return milliseconds
        case .end:
          state.answers[id] = nil
          // Under the lock, so that `stop` does not return, and the server not end, in between.
          Self.end(answer)
          return nil
        }
      }
    }
    if let wait { queue.asyncAfter(deadline: .now() + .milliseconds(wait)) { [self] in advance(id) } }
  }

  private static func step(_ answer: inout Answer) -> Next {
    switch answer.steps.first {
    case nil: return .end
    case .send(let bytes):
      let count = bytes.withUnsafeBytes {
        sluice_mhd_send(answer.descriptor, $0.baseAddress.map { $0 + answer.sent }, bytes.count - answer.sent)
      }
      if count < 0 { return errno == EAGAIN || errno == EINTR ? .wait(milliseconds: 2) : .end }
      answer.sent += count
      if answer.sent == bytes.count { finishStep(&answer) }
    case .pause(let duration):
      let now = DispatchTime.now().uptimeNanoseconds
      let parts = duration.components
      let end =
        answer.pauseEnd ?? now + UInt64(parts.seconds) * 1_000_000_000 + UInt64(parts.attoseconds / 1_000_000_000)
      answer.pauseEnd = end
      if now >= end { finishStep(&answer) } else { return wait(answer, upTo: Int((end - now) / 1_000_000) + 1) }
    case .stall: return wait(answer, upTo: 20)
    case .reset:
      sluice_mhd_reset(answer.descriptor)
      answer.steps = []
    }
    return .step
  }

  private static func finishStep(_ answer: inout Answer) {
    answer.steps.removeFirst()
    answer.sent = 0
    answer.pauseEnd = nil
  }

  /// A look at the client every 20 ms, so that its leaving ends the answer.
  private static func wait(_ answer: Answer, upTo milliseconds: Int) -> Next {
    sluice_mhd_peer_has_left(answer.descriptor) ? .end : .wait(milliseconds: min(milliseconds, 20))
  }

  /// Gives the connection back to libmicrohttpd, whose next call of the handler closes it.
  private static func end(_ answer: Answer) {
    close(answer.descriptor)
    MHD_resume_connection(answer.connection)
  }
}
