import SluiceCore
import SluiceEngine
import SluiceFile
import SluiceMemory
import SluicePaging
import SluiceTesting
import Synchronization
import Testing

@Suite("File as a source: what cannot be read, under each on_reject")
struct FileRejectionTests {
  private let folder: TemporaryFolder
  private let state = MemoryStateStore()
  private let letters = Letters()

  init() throws { folder = try TemporaryFolder() }

  private static let text = """
    {"_key":"a"}
    {"_key":
    {"_key":"c","_key":"c"}

    {"_key":"d","t":"\(String(repeating: "x", count: 300))"}
    [1]
    {"_key":"e"}

    """

  private func run(
    _ onReject: OnReject, into sink: AdapterPlan, mode: Mode = .copy, size: Int = 2, format: FileFormat? = nil
  ) async -> RunReport {
    var paging = PageToken.Config()
    paging.size = size
    let settings = fileSettings("a.jsonl") {
      $0.maxLine = ByteCount(200)
      $0.format = format
    }
    let plan = JobPlan(
      name: "job", source: AdapterPlan(FileAdapter.self, settings), paging: PagingPlan(PageToken(paging)),
      sinks: [JobPlan.SinkPlan(name: sink.name, adapter: sink)], mode: mode, onReject: onReject)
    let letters = letters
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) },
      deadLetters: { _ in letters })
    return await Engine(store: state, environment: environment).run(plan)
  }

  private var file: AdapterPlan { AdapterPlan(FileAdapter.self, fileSettings("out.jsonl")) }

  @Test("stop: the first of them ends the run, and nothing is published")
  func stops() async throws {
    try folder.write(Self.text, to: "a.jsonl")
    let report = await run(.stop, into: file)
    guard case .failed(let error) = report.outcome else { return #expect(Bool(false), "\(report.outcome)") }
    #expect(error.code == .malformedData)
    #expect(error.place.file == folder.file("a.jsonl") && error.place.line == 2)
    #expect(error.hint?.contains("on_reject") == true)
    #expect(!folder.exists("out.jsonl"))
  }

  @Test(
    "C129 C130 skip and dead_letter: the others come through, at any page size; exit code 6", arguments: [1, 2, 3, 10])
  func leavesOut(size: Int) async throws {
    try folder.write(Self.text, to: "a.jsonl")
    for onReject in [OnReject.skip, .deadLetter] {
      let report = await run(onReject, into: file, size: size)
      #expect(report.exitCode == 6, "\(report.outcome)")
      #expect(try folder.text("out.jsonl") == "{\"_key\":\"a\"}\n{\"_key\":\"e\"}\n")
      #expect(report.counters.rejects == 4)
      #expect(report.counters.documents == 6)
    }
    #expect(letters.all.map(\.error.place.line) == [2, 3, 5, 6])
    #expect(
      letters.all.allSatisfy { $0.error.place.file == folder.file("a.jsonl") && $0.error.place.byteOffset != nil })
    #expect(letters.all.map(\.error.code) == [.malformedData, .malformedData, .limitExceeded, .malformedData])
    #expect(letters.all.allSatisfy { $0.key == nil && $0.document == nil && $0.generation == 2 })
    #expect(letters.log == ["begin anew", "add", "add", "add", "add", "finish"])
  }

  @Test("C130 a cut last line is never left out: the file may lack more than it")
  func cutTail() async throws {
    try folder.write("{\"_key\":\"a\"}\n{\"_key\":\"b\"", to: "a.jsonl")
    for onReject in OnReject.allCases {
      let report = await run(onReject, into: file)
      #expect(report.exitCode == 1, "\(onReject)")
    }
    #expect(!folder.exists("out.jsonl"))
  }

  @Test("mirror: as long as a line cannot be read, no key is taken for absent")
  func mirror() async throws {
    let store = MemoryStore.named(folder.path)
    defer { MemoryStore.forget(named: folder.path) }
    var config = MemoryAdapter.Config()
    config.name = folder.path
    config.publish = .inPlace
    let sink = AdapterPlan(MemoryAdapter.self, config)
    let lines = (0..<20).map { "{\"_key\":\"\(numberedKey($0))\"}\n" }
    try folder.write(lines.joined(), to: "a.jsonl")
    #expect(await run(.skip, into: sink, mode: .mirror).exitCode == 0)
    #expect(store.count == 20)
    try folder.write(lines.dropLast(2).joined() + "broken\n", to: "a.jsonl")
    let report = await run(.skip, into: sink, mode: .mirror)
    #expect(report.exitCode == 6)
    #expect(store.count == 20)
    #expect(
      report.notes.contains { $0.contains("absent documents were kept") && $0.contains("1 that could not be read") })
    try folder.write(lines.dropLast(2).joined(), to: "a.jsonl")
    #expect(await run(.skip, into: sink, mode: .mirror).exitCode == 0)
    #expect(store.count == 18)
  }

  @Test("dead letters without a place for them are refused before anything is begun")
  func noPlace() async throws {
    try folder.write(Self.text, to: "a.jsonl")
    let plan = JobPlan(
      name: "job", source: AdapterPlan(FileAdapter.self, fileSettings("a.jsonl")),
      paging: PagingPlan(PageToken(.init())),
      sinks: [JobPlan.SinkPlan(name: "file", adapter: file)], onReject: .deadLetter)
    let environment = RunEnvironment(
      baseDirectory: folder.path, now: { Timestamp(seconds: 1_800_000_000, nanoseconds: 0) })
    let report = await Engine(store: state, environment: environment).run(plan)
    #expect(report.exitCode == 2)
  }
}

/// A place for dead letters in memory.
private final class Letters: DeadLetterBox {
  let path = "letters"
  private let kept = Mutex<[DeadLetter]>([])
  private let steps = Mutex<[String]>([])

  var all: [DeadLetter] { kept.withLock { $0 } }
  var log: [String] { steps.withLock { $0 } }

  func begin(isResumed: Bool) async throws {
    kept.withLock { if !isResumed { $0 = [] } }
    steps.withLock { $0 = [isResumed ? "begin resumed" : "begin anew"] }
  }

  func add(_ letter: DeadLetter) async throws {
    kept.withLock { $0.append(letter) }
    steps.withLock { $0.append("add") }
  }

  func finish() async throws { steps.withLock { $0.append("finish") } }
}
