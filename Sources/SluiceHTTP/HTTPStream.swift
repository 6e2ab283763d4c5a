import SluiceCore

/// An answer whose body is read piece by piece.
public struct HTTPStream: Sendable {
  /// Status and headers.
  public let head: HTTPHead
  /// The body.
  public let body: HTTPBody
}

/// The body of a streamed answer, decoded. Pulled by one reader: when it stops asking, the transport stops reading from
/// the connection, and at most some hundred KiB are held. Dropping the body, or cancelling the reading task, ends the
/// transfer.
public final class HTTPBody: Sendable {
  private let channel: BodyChannel
  private let exchange: Exchange
  private let loop: TransferLoop
  /// Keeps the loop running for as long as somebody may read.
  private let transport: HTTPTransport

  init(_ channel: BodyChannel, _ exchange: Exchange, _ loop: TransferLoop, _ transport: HTTPTransport) {
    self.channel = channel
    self.exchange = exchange
    self.loop = loop
    self.transport = transport
  }

  deinit { cancel() }

  /// Everything that has come since the last call, waiting for at least one byte; nil once the body is complete. Throws
  /// the `SluiceError` that ended it early, or `CancellationError`. One call at a time.
  public func next() async throws -> [UInt8]? {
    var read = channel.takeNow()
    if case .wait = read {
      read = await withTaskCancellationHandler {
        await channel.take()
      } onCancel: {
        cancel()
      }
    }
    switch read {
    case .chunk(let bytes, let resume):
      if resume { loop.post(.resume(exchange)) }
      return bytes
    case .failed(let error): throw error
    case .end, .wait: return nil
    }
  }

  /// Ends the transfer; a waiting `next()` throws `CancellationError`. Harmless when repeated or when the body is
  /// complete.
  public func cancel() {
    channel.finish(.failure(CancellationError()))
    loop.cancel(exchange)
  }
}
