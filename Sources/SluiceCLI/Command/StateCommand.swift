import SluiceCore
import SluiceJSON

/// `sluice state show [JOB…]`: where each job stands.
struct StateCommand: Sendable {
  private let invocation: Invocation
  private let catalog: Catalog
  private let console: Console

  init(_ invocation: Invocation, _ catalog: Catalog, _ console: Console) {
    self.invocation = invocation
    self.catalog = catalog
    self.console = console
  }

  func run() async -> Int32 {
    await exitCode(telling: console.error) {
      guard invocation.names.first == "show" else {
        throw SluiceError(.usage, "sluice state needs a sub-command", hint: "sluice state show [JOB…]")
      }
      let reading = Project.read(invocation.configPath, catalog: catalog)
      console.hide(reading.redactor)
      DiagnosticText(reading, console).print()
      guard let project = reading.project else { return Int32(SluiceError.Category.usage.rawValue) }
      let store = try await project.state.open(StateContext(baseDirectory: project.directory))
      let names = invocation.names.dropFirst()
      let all = try await store.checkpoints()
      await store.close()
      let known = project.jobs.map(\.name) + all.map(\.job)
      for name in names where !known.contains(name) { throw Project.noJob(name, among: known) }
      let saved = all.filter { names.isEmpty || names.contains($0.job) }
      if invocation.output == .json {
        console.out(String(decoding: JSON.encode(.array(saved.map(\.savedForm))), as: UTF8.self) + "\n")
      } else {
        show(saved, names: Array(names))
      }
      return 0
    }
  }

  private func show(_ checkpoints: [Checkpoint], names: [String]) {
    if checkpoints.isEmpty {
      console.out(names.isEmpty ? "no job has saved state\n" : "no saved state of these jobs\n")
    }
    for checkpoint in checkpoints {
      let counters = checkpoint.counters
      console.out(
        """
        \(checkpoint.job): \(phase(checkpoint)), listing \(checkpoint.listing.generation), \
        saved \(checkpoint.savedAt.map { "\($0)" } ?? "at an unknown time")
          \(counters.pages) pages, \(counters.documents) documents, \(counters.reads) reads, \
        \(counters.writes) writes, \(counters.deletes) deletes, \(counters.rejects) rejects

        """)
      if let taint = checkpoint.listing.taint { console.out("  without proof: \(taint.detail)\n") }
      for (name, cursor) in checkpoint.sinks.sorted(by: { $0.key < $1.key }) {
        var facts = ["\(cursor.sequence) deliveries confirmed"]
        let waiting = checkpoint.pagesWaiting(for: name)
        if waiting > 0 { facts.append("\(waiting) pages wait for it") }
        if let publication = cursor.publication {
          facts.append("\(publication.content.documents) documents published in listing \(publication.generation)")
        }
        console.out("  \(name): \(facts.joined(separator: ", "))\n")
      }
    }
  }

  private func phase(_ checkpoint: Checkpoint) -> String {
    switch checkpoint.phase {
    case .finished: "finished"
    case .watching: "watching"
    case .snapshot: checkpoint.listing.hasEnded ? "listed, not completed yet" : "in the middle of a listing"
    }
  }
}
