import SluiceCore
import SluiceEngine
import SluiceJSON
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file of documents that a job could not take: one line of JSON each, readable by its owner only.
///
/// It speaks of one listing. The page in hand is worked on again after a crash, and its lines may then stand there
/// twice.
final class DeadLetterFile: DeadLetterBox {
  private struct State: ~Copyable {
    var isResumed = false
    var file: LetterDescriptor?
  }

  let path: String
  private let job: String
  private let redact: @Sendable (String) -> String
  private let state = Mutex(State())

  /// A file of a job. Nothing is made before the first letter. `redact` replaces secrets.
  init(job: JobPlan, directory: String, redact: @escaping @Sendable (String) -> String) {
    let path = job.deadLetters.path ?? ".sluice/\(job.name).rejects.jsonl"
    self.path = path.utf8.first == UInt8(ascii: "/") || directory == "." ? path : "\(directory)/\(path)"
    self.job = job.name
    self.redact = redact
  }

  func begin(isResumed: Bool) async throws {
    // What cannot be used is said before a page is asked for.
    if access(path, F_OK) == 0 { _ = try LetterDescriptor.opening(path, of: job, goingOn: true) }
    state.withLock { state in
      state.isResumed = isResumed
      state.file = nil
    }
  }

  func add(_ letter: DeadLetter) async throws {
    let line = LetterText.line(letter, redact: redact)
    try state.withLock { state in
      if state.file == nil { state.file = try LetterDescriptor.opening(path, of: job, goingOn: state.isResumed) }
      try state.file?.append(line)
    }
  }

  func finish() async throws {
    try state.withLock { state in
      // A listing without letters leaves none of an earlier one.
      if state.file == nil, !state.isResumed, access(path, F_OK) == 0 {
        state.file = try LetterDescriptor.opening(path, of: job, goingOn: false)
        if unlink(path) != 0 { throw LetterDescriptor.failure("remove", path) }
      }
      state.file = nil
    }
  }
}

/// The open file, closed when it goes.
private struct LetterDescriptor: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// Opens the file, making it and its folder. A link, what is no regular file, and what holds anything but letters of
  /// the job is refused, and left as it is.
  static func opening(_ path: String, of job: String, goingOn: Bool) throws -> LetterDescriptor {
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex {
      let folder = String(path[..<slash])
      if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure("make the folder of", path) }
    }
    let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let descriptor = open(path, flags, 0o600)
    if descriptor < 0 { throw failure("open", path) }
    let file = LetterDescriptor(descriptor: descriptor, path: path)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      throw SluiceError(
        .io, "the file of dead letters is not a regular file of its own", at: Place(file: path),
        hint: "name another dead_letters.path")
    }
    if status.st_size > 0, try !file.begins(withLetterOf: job) {
      throw SluiceError(
        .io, "the file is there, and holds no dead letters of this job", at: Place(file: path),
        hint: "it was left as it is; name another dead_letters.path, or move the file away")
    }
    if fchmod(descriptor, 0o600) != 0 { throw failure("set the mode of", path) }
    let length = goingOn ? try file.wholeLines(Int(status.st_size)) : 0
    if ftruncate(descriptor, off_t(length)) != 0 { throw failure("cut", path) }
    return file
  }

  private init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { _ = close(descriptor) }

  func append(_ line: String) throws {
    var bytes = Array(line.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { throw Self.failure("write to", path) }
    }
  }

  private func begins(withLetterOf job: String) throws -> Bool {
    var head = [UInt8](repeating: 0, count: 400)
    let count = pread(descriptor, &head, head.count, 0)
    if count < 0 { throw Self.failure("read", path) }
    let text = String(decoding: head[..<count], as: UTF8.self)
    return text.hasPrefix("{\"time\":\"") && text.contains(",\"job\":\"\(job)\",\"generation\":")
  }

  /// The length up to the last line end: a killed run may have left half a line.
  private func wholeLines(_ size: Int) throws -> Int {
    var end = size
    while end > 0 {
      let start = max(0, end - 4096)
      var block = [UInt8](repeating: 0, count: end - start)
      let count = pread(descriptor, &block, block.count, off_t(start))
      if count != block.count { throw Self.failure("read", path) }
      if let feed = block.lastIndex(of: 0x0A) { return start + feed + 1 }
      end = start
    }
    return 0
  }

  static func failure(_ doing: String, _ path: String) -> SluiceError {
    let number = errno
    let isFull = number == ENOSPC || number == EDQUOT
    return SluiceError(
      .io, "cannot \(doing) the file of dead letters: \(String(cString: strerror(number)))", at: Place(file: path),
      hint: isFull
        ? "make room and run again: it goes on where it stopped"
        : "name another dead_letters.path, or set on_reject: skip")
  }
}

/// The text of a dead letter.
private enum LetterText {
  static func line(_ letter: DeadLetter, redact: (String) -> String) -> String {
    let place = letter.error.place
    var fields = [
      Field("time", .timestamp(letter.time)), Field("job", .string(letter.job)),
      Field("generation", .int(Int64(clamping: letter.generation))),
    ]
    func add(_ name: String, _ text: String?) {
      if let text { fields.append(Field(name, .string(redact(text)))) }
    }
    func add(_ name: String, _ number: Int?) {
      if let number { fields.append(Field(name, .int(Int64(number)))) }
    }
    add("component", place.component)
    add("page", place.page)
    add("key", letter.key?.description)
    add("code", letter.error.code.name)
    add("message", letter.error.message)
    add("field", place.field)
    add("file", place.file)
    add("line", place.line)
    add("column", place.column)
    add("byte", place.byteOffset)
    var text = String(decoding: JSON.encode(.map(fields)), as: UTF8.self)
    if let document = letter.document {
      text.removeLast()
      text += ",\"document\":\(redact(typed(document)))}"
    }
    return text + "\n"
  }

  private static func typed(_ document: Document) -> String {
    String(decoding: JSON.encodeTyped(document.fields.materialized), as: UTF8.self)
  }
}
