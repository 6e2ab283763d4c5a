import FirestoreServer
import SluiceCore

/// The demo's story, step by step. Each step says what must come of it, and the demo fails where it does not.
struct DemoSteps: Sendable {
  let folder: DemoFolder
  let server: FirestoreServer
  let console: Console
  let runJob: @Sendable () async -> Int32

  func run() async throws -> Int32 {
    title("1. The job of \(folder.path(of: "config.yaml")): 60 users, pages of 20, into a file and a table")
    try await expect(exit: 0, listRequests: 3)
    try showFile()

    title("2. The same, against a server that hands out one token for ever")
    server.script(try .named("sameTokenForever"))
    try await expect(exit: 3, listRequests: 2)
    server.script(FaultScript())
    console.line("   the file and the table are what they were")

    title("3. Again, with nothing changed: nothing is written")
    try await expect(exit: 0, listRequests: 3)

    title("4. Again, after \(folder.path(of: "out/users.jsonl")) was deleted behind its back: written again")
    try folder.remove("out/users.jsonl")
    try await expect(exit: 0, listRequests: 3)
    try showFile()

    title("That is all")
    console.line(
      "   the files are in \(folder.root)/; try:  sqlite3 \(folder.path(of: "out/users.db")) 'select * from users limit 3'"
    )
    console.line("   your own tries:  sluice demo --serve --port 8080")
    return 0
  }

  private func title(_ text: String) {
    console.line()
    console.line(console.paint(text, .bold))
  }

  private func expect(exit code: Int32, listRequests: Int) async throws {
    let before = server.log.counters.requests
    let exit = await runJob()
    let requests = server.log.counters.requests - before
    console.line("   exit code \(exit), \(requests) list requests")
    guard exit == code, requests == listRequests else {
      throw SluiceError(
        .internal, "the demo expected exit code \(code) and \(listRequests) list requests",
        hint: "this is a defect of Sluice: please report it with the lines above")
    }
  }

  private func showFile() throws {
    let lines = try folder.lines(of: "out/users.jsonl")
    console.line("   \(folder.path(of: "out/users.jsonl")): \(lines.count) lines, for example")
    for line in lines.prefix(2) { console.line("   \(line)") }
    guard lines.count == 60 else { throw SluiceError(.internal, "the demo expected 60 lines") }
  }
}
