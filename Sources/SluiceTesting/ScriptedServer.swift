#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import Synchronization

/// A TCP server on loopback whose every byte a test decides: for answers that are cut, late, dripped, wrong or endless.
///
/// The script runs once for each connection, on a thread of its own, with plain blocking calls:
///
///     let server = try ScriptedServer { connection in
///       while let request = try connection.readRequest() {
///         try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
///         try connection.reset()
///       }
///     }
///
/// When the script returns or throws, the connection is closed. `stop()` (or the end of the server's life) ends every
/// script: its calls throw `ScriptedServer.Stopped`.
public final class ScriptedServer: Sendable {
  /// What a connection does.
  public typealias Script = @Sendable (ScriptedConnection) throws -> Void

  /// The server is being stopped.
  public struct Stopped: Error {}
  /// A call of the operating system failed, or the client went away.
  public struct ConnectionLost: Error {
    /// The call that failed.
    public let call: String
    /// Its `errno`; 0 for an end of the stream.
    public let number: Int32
  }

  /// The port it listens on, on 127.0.0.1.
  public let port: Int
  /// `http://127.0.0.1:PORT`.
  public var url: String { "http://127.0.0.1:\(port)" }

  private let listener: Int32
  private let stopping = Gate()
  private let record = ServerRecord()
  private let threads = Mutex<[ServerThread]>([])

  /// Listens on a free port and starts accepting.
  public init(_ script: @escaping Script) throws {
    (listener, port) = try Self.listen()
    let (listener, stopping, record) = (listener, stopping, record)
    let thread = try ServerThread { Self.accept(listener, stopping, record, script) }
    threads.withLock { $0.append(thread) }
  }

  deinit { stop() }

  /// Ends every script and closes every connection; returns when all threads are gone. Harmless when repeated.
  public func stop() {
    stopping.open()
    let threads = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    guard !threads.isEmpty else { return }
    for thread in threads { thread.join() }
    closeDescriptor(listener)
  }

  // MARK: What it has seen

  /// The requests that `readRequest()` has read so far, in order.
  public var requests: [RecordedRequest] { record.counts.requests }
  /// Connections accepted so far.
  public var connectionCount: Int { record.counts.opened }
  /// Connections that are open now.
  public var openConnectionCount: Int { record.counts.opened - record.counts.closed }

  /// Waits until so many requests have been read.
  public func waitForRequests(_ count: Int) async { await record.wait { $0.requests.count >= count } }
  /// Waits until no connection is open.
  public func waitUntilAllConnectionsAreClosed() async { await record.wait { $0.closed == $0.opened } }
  /// Waits until so many connections have been closed, by either side.
  public func waitForClosedConnections(_ count: Int) async { await record.wait { $0.closed >= count } }

  // MARK: Its threads

  private static func listen() throws -> (Int32, Int) {
    let descriptor = socket(AF_INET, streamSocket, 0)
    guard descriptor >= 0 else { throw ConnectionLost(call: "socket", number: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && systemListen(descriptor) && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard bound else {
      let number = errno
      closeDescriptor(descriptor)
      throw ConnectionLost(call: "bind", number: number)
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func accept(_ listener: Int32, _ stopping: Gate, _ record: ServerRecord, _ script: @escaping Script) {
    var threads: [ServerThread] = []
    defer { for thread in threads { thread.join() } }
    while waitUntilReadable(listener, or: stopping) {
      let descriptor = systemAccept(listener)
      guard descriptor >= 0 else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let number = record.counts.opened
      record.update { $0.opened += 1 }
      let connection = ScriptedConnection(descriptor, number: number, stopping: stopping, record: record)
      threads.removeAll { $0.joinIfDone() }
      do {
        threads.append(
          try ServerThread {
            // However a script ends, its connection ends with it: an error is an end like any other.
            do { try script(connection) } catch {}
            connection.close()
          })
      } catch { connection.close() }
    }
  }
}
