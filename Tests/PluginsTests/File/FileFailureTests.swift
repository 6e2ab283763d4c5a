import Foundation
import SluiceCore
import SluiceFile
import SluiceJSON
import SluiceTesting
import Testing

@Suite("File as a sink: failures of the machine")
struct FileFailureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("what cannot be replaced is refused when the job begins")
  func notReplaceable() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("sub"), withIntermediateDirectories: true)
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    symlink("/dev/null", folder.file("device"))
    symlink("loop", folder.file("loop"))
    try folder.write("", to: "plain")
    for (name, words) in [
      ("sub", "is a folder"), ("sub/", "names no file"), ("pipe", "not a regular file"),
      ("device", "not a regular file"), ("/dev/null", "not a regular file"), ("loop", "symbolic links"), ("..", "file"),
      ("plain/a.jsonl", "Not a directory"), (String(repeating: "n", count: 256), "too long"),
    ] {
      let error = await thrown { _ = try folder.sink(name) }
      #expect(error?.code == .io, "\(name)")
      #expect(error?.message.contains(words) == true, "\(name): \(error?.message ?? "no error")")
    }
    #expect(try folder.names() == ["device", "loop", "pipe", "plain", "sub"])
  }

  @Test("a folder that cannot be written is named, and nothing is begun")
  func readOnlyFolder() async throws {
    // For root no mode is an obstacle, but nobody makes files in sysfs.
    let place = geteuid() == 0 ? "/sys" : folder.path
    if geteuid() != 0 { chmod(folder.path, 0o555) }
    defer { chmod(folder.path, 0o755) }
    for name in ["a.jsonl", "deep/a.jsonl"] {
      let sink = try folder.sink(place + "/" + name)
      let error = await thrown { _ = try await sink.openStage(generation: 1, resuming: nil) }
      #expect(error?.code == .io)
      #expect(error?.message.contains(place) == true)
      #expect(error?.hint != nil)
    }
  }

  #if os(Linux)
    @Test(
      "a full disk is said with its path, the file stays, and the stage goes on once there is room",
      .enabled(if: SmallDisk.isAvailable, "not allowed to mount a file system"))
    func fullDisk() async throws {
      let disk = folder.file("disk")
      let small = try SmallDisk(at: disk, kilobytes: 256)
      defer { small.unmount() }
      try folder.write("old\n", to: "disk/a.jsonl")
      try small.fill(leaving: 120)
      let sink = try folder.sink("disk/a.jsonl")
      var driver = SinkDriver(sink, generation: 5)
      try await driver.openStage()
      var sent = 0
      var error: SluiceError?
      while error == nil, sent < 100 {
        let batch = try numbered(sent * 10..<sent * 10 + 10, text: String(repeating: "y", count: 1_000))
        do {
          try await driver.send(batch)
          sent += 1
        } catch let failure as SluiceError {
          error = failure
        }
      }
      #expect(sent > 5)
      #expect(error?.message.contains("No space left") == true)
      #expect(error?.place.file == disk + "/.a.jsonl.sluice-5")
      #expect(error?.hint != nil)
      #expect(try folder.text("disk/a.jsonl") == "old\n")
      await sink.close()

      small.makeRoom()
      let mark = try #require(driver.mark)
      var later = SinkDriver(try folder.sink("disk/a.jsonl"), generation: 5)
      #expect(try await later.openStage(resuming: mark) == mark)
      let batch = try numbered(sent * 10..<sent * 10 + 10, text: "last")
      try await later.send(batch)
      try await later.publish()
      let text = try folder.text("disk/a.jsonl")
      #expect(text.split(separator: "\n").count == sent * 10 + 10)
      #expect(text.hasSuffix("\"text\":\"last\"}\n"))
    }
  #endif
}
