/// Where an answer is held up.
public enum AnswerPhase: Sendable, CaseIterable {
  /// The connection was accepted; nothing of an answer comes.
  case accept
  /// Within the head.
  case head
  /// Within the body; the head is whole.
  case body
}

/// Answers that no HTTP library would send. The connection is closed behind each of them.
extension FaultAction {
  private static func wire(_ script: @escaping @Sendable (HTTPReply) -> [WireStep]) -> FaultAction {
    FaultAction(reply: { $0.wire = script })
  }

  /// The answer stops half-way through a phase and never goes on.
  public static func stall(in phase: AnswerPhase) -> FaultAction {
    wire { reply in [.send(split(reply, phase).before), .stall] }
  }

  /// From a phase on, the answer comes byte by byte.
  public static func drip(in phase: AnswerPhase, every pause: Duration) -> FaultAction {
    wire { reply in
      let (before, after) = split(reply, phase)
      return [.send(before)] + WireStep.drip(after, every: pause)
    }
  }

  private static func split(_ reply: HTTPReply, _ phase: AnswerPhase) -> (before: [UInt8], after: [UInt8]) {
    let bytes = reply.wireBytes
    let head = bytes.count - reply.body.count
    let place =
      switch phase {
      case .accept: 0
      case .head: head / 2
      case .body: head + reply.body.count / 2
      }
    return (Array(bytes[..<place]), Array(bytes[place...]))
  }

  /// The answer is whole, and says nothing of closing; a time later the connection is closed.
  public static func closeIdle(after time: Duration) -> FaultAction {
    wire { reply in [.send(reply.wireBytes), .pause(time)] }
  }

  /// Half of the body, then the connection breaks.
  public static let reset = wire { reply in
    [.send(reply.wireHead(length: reply.body.count) + reply.body.prefix(reply.body.count / 2)), .reset]
  }

  /// The promised length is this much more (the rest never comes) or less (the rest is sent all the same) than the
  /// body's.
  public static func lyingLength(by difference: Int) -> FaultAction {
    wire { reply in
      let head = reply.wireHead(length: max(0, reply.body.count + difference))
      return [.send(head + reply.body)] + (difference > 0 ? [.stall] : [])
    }
  }

  /// The head has fields of so many bytes more, in lines of at most `line` bytes.
  public static func largeHead(bytes: Int, line: Int = 1000) -> FaultAction {
    wire { reply in
      let fields = stride(from: 0, to: bytes, by: line).map {
        "X-Filler: " + String(repeating: "x", count: min(line, bytes - $0))
      }
      return [.send(reply.wireHead(length: reply.body.count, moreFields: fields) + reply.body)]
    }
  }
}

/// Answers that are packed, asked for or not.
extension FaultAction {
  /// The body as gzip. `keeping` is how much of it is sent, as if it were the whole: the framing is right, the gzip is cut.
  public static func gzip(keeping part: Double = 1) -> FaultAction {
    FaultAction(reply: { reply in
      let packed = Gzip.stored(reply.body)
      reply.headers.append(("Content-Encoding", "gzip"))
      reply.body = Array(packed.prefix(Int(Double(packed.count) * part)))
    })
  }

  /// A gzip of so many bytes that unpacks to 159 times as many.
  public static func bomb(packed count: Int) -> FaultAction {
    FaultAction(reply: { reply in
      reply.headers.append(("Content-Encoding", "gzip"))
      reply.body = Gzip.bomb(packed: count)
    })
  }
}
