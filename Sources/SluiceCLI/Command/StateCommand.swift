import SluiceCore
import SluiceEngine
import SluiceJSON

/// `sluice state show|runs|adopt|rename|reset`: where jobs stand, and what is done to that by hand.
struct StateCommand: Sendable {
  /// What can be done.
  enum Verb: String, CaseIterable {
    case show
    case runs
    case adopt
    case rename
    case reset
  }

  let jobs: JobsAtWork
  private var invocation: Invocation { jobs.invocation }
  private var console: Console { jobs.console }
  /// What follows the sub-command.
  private var names: [String] { Array(jobs.invocation.names.dropFirst()) }

  init(jobs: JobsAtWork) { self.jobs = jobs }

  func run() async -> Int32 {
    guard let verb = invocation.names.first.flatMap(Verb.init(rawValue:)) else {
      let word = invocation.names.first
      let nearest = word.flatMap { NearestName.find($0, among: Verb.allCases.map(\.rawValue)) }
      jobs.observer.error(
        Invocation.usage(
          word.map { "there is no sluice state \($0)" } ?? "sluice state needs a sub-command",
          nearest.map { "did you mean sluice state \($0)?" } ?? "sluice state show, runs, adopt, rename or reset"))
      return Int32(SluiceError.Category.usage.rawValue)
    }
    return await jobs.withProject { project in
      switch verb {
      case .show: try await show(project)
      case .runs: try await showRuns(project)
      case .adopt: try await adopt(project)
      case .rename: try await rename(project)
      case .reset: try await reset(project)
      }
    }
  }

  /// Opens the state without making it, and closes it after the work.
  private func withStore<R: Sendable>(
    _ project: Project, creating: Bool = false, _ work: (any StateStore) async throws -> R
  ) async throws -> R {
    let store = try await project.state.open(StateContext(baseDirectory: project.directory, creates: creating))
    do {
      let result = try await work(store)
      await store.close()
      return result
    } catch {
      await store.close()
      throw error
    }
  }

  private func requireKnown(_ project: Project, _ saved: [String]) throws {
    let known = project.jobs.map(\.name) + saved
    for name in names where !known.contains(name) { throw Project.noJob(name, among: known) }
  }
}

/// Looking.
extension StateCommand {
  private func show(_ project: Project) async throws -> Int32 {
    let all = try await withStore(project) { try await $0.checkpoints() }
    try requireKnown(project, all.map(\.job))
    let saved = all.filter { names.isEmpty || names.contains($0.job) }
    if invocation.output == .json {
      console.out(String(decoding: JSON.encode(.array(saved.map(\.savedForm))), as: UTF8.self) + "\n")
    } else {
      console.out(StateText.text(saved, isAll: names.isEmpty))
    }
    return 0
  }

  private func showRuns(_ project: Project) async throws -> Int32 {
    let all = try await withStore(project) { try await $0.runs(limit: invocation.count ?? 10) }
    try requireKnown(project, all.map(\.job))
    let runs = all.filter { names.isEmpty || names.contains($0.job) }
    if invocation.output == .json {
      console.out(String(decoding: JSON.encode(.array(runs.map(\.savedForm))), as: UTF8.self) + "\n")
    } else {
      console.out(StateText.text(runs))
    }
    return 0
  }
}

/// Changing.
extension StateCommand {
  private func adopt(_ project: Project) async throws -> Int32 {
    guard names.count == 1 else {
      throw Invocation.usage("sluice state adopt takes one job", "sluice state adopt JOB")
    }
    let plan = try project.jobs(named: names)[0]
    return try await withStore(project, creating: true) { store in
      let report = await Engine(store: store, environment: jobs.environment(of: project)).adopt(plan)
      jobs.observer.observe(.ended(report))
      return report.exitCode
    }
  }

  private func rename(_ project: Project) async throws -> Int32 {
    guard names.count == 2, names[0] != names[1] else {
      throw Invocation.usage("sluice state rename takes two names", "sluice state rename OLD NEW")
    }
    let (old, new) = (names[0], names[1])
    guard let plan = project.jobs.first(where: { $0.name == new }) ?? project.jobs.first(where: { $0.name == old })
    else { throw Project.noJob(new, among: project.jobs.map(\.name)) }
    return try await withStore(project) { store in
      try await store.rename(job: old, to: new)
      try await Engine(store: store, environment: jobs.environment(of: project)).moveProgress(
        in: plan, of: old, to: new)
      console.out("\(old) is now \(new)\n")
      if !project.jobs.contains(where: { $0.name == new }) {
        console.line("the configuration has no job \(new) yet: rename \(old) there too")
      }
      return 0
    }
  }

  private func reset(_ project: Project) async throws -> Int32 {
    guard names.count == 1 else {
      throw Invocation.usage("sluice state reset takes one job", "sluice state reset JOB --yes")
    }
    let name = names[0]
    return try await withStore(project) { store in
      let saved = try await store.checkpoints()
      try requireKnown(project, saved.map(\.job))
      guard let checkpoint = saved.first(where: { $0.job == name }) else {
        console.out("\(name) has no saved state\n")
        return 0
      }
      guard invocation.isConfirmed else {
        throw Invocation.usage(
          "this forgets where the job \(name) stands (listing \(checkpoint.listing.generation), "
            + "\(counted(checkpoint.counters.pages, "page"))) and what it wrote: the next run lists anew and writes "
            + "everything, and a mirror never deletes what was written before; sinks keep their documents",
          "sluice state reset \(name) --yes")
      }
      try await store.reset(job: name)
      if let plan = project.jobs.first(where: { $0.name == name }) {
        try await Engine(store: store, environment: jobs.environment(of: project)).moveProgress(
          in: plan, of: name, to: nil)
      } else {
        console.line("the configuration has no job \(name): what its sinks keep of it stays")
      }
      console.out("\(name): forgotten\n")
      return 0
    }
  }
}
