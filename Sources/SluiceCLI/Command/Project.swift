import SluiceConfig
import SluiceCore
import SluiceEngine

/// A configuration file with its jobs, read and checked.
struct Project: Sendable {
  var directory: String
  var jobs: [JobPlan]
  var state: StatePlan

  /// What reading a file gave: the project, if it can be used, and everything there is to say.
  struct Reading: Sendable {
    var project: Project?
    var diagnostics: Diagnostics
    var source: SourceText
    var redactor: Redactor
    /// The file, where it has the shape of one.
    var file: ConfigFile?
    /// Names of the jobs in the file, also of those with errors.
    var jobNames: [String] { file?.jobs.map(\.name) ?? [] }
  }

  /// Reads `path`. All problems of the file are found in one go.
  static func read(_ path: String, catalog: Catalog, inputs: ConfigInputs = .process) -> Reading {
    read(ConfigFile.load(path: path, job: JobPlan.schema, inputs: inputs), path: path, catalog: catalog)
  }

  /// Reads a text as the file `path`.
  static func read(text: String, path: String, catalog: Catalog) -> Reading {
    read(ConfigFile.read(Array(text.utf8), path: path, job: JobPlan.schema), path: path, catalog: catalog)
  }

  private static func read(_ load: ConfigLoad, path: String, catalog: Catalog) -> Reading {
    var diagnostics = load.diagnostics
    var redactor = load.redactor
    var plans: [JobPlan] = []
    for job in load.file?.jobs ?? [] {
      JobPlan.addSecrets(of: job.node, catalog: catalog, to: &redactor)
      var own = Diagnostics()
      if let plan = JobPlan(name: job.name, at: job.mark, job.node, catalog: catalog, into: &own) { plans.append(plan) }
      diagnostics.add(contentsOf: own)
    }
    checkDeadLetters(plans, load.file?.jobs ?? [], into: &diagnostics)
    let state = load.file.flatMap { statePlan($0, catalog: catalog, into: &diagnostics) }
    var reading = Reading(
      diagnostics: diagnostics, source: load.source, redactor: redactor, file: load.file)
    if !diagnostics.hasErrors, let state {
      reading.project = Project(directory: Self.directory(of: path), jobs: plans, state: state)
    }
    return reading
  }

  /// Each job begins its file anew: two jobs in one file would lose each other's letters.
  private static func checkDeadLetters(
    _ plans: [JobPlan], _ jobs: [ConfigFile.Job], into diagnostics: inout Diagnostics
  ) {
    var known: [String: String] = [:]
    for plan in plans where plan.onReject == .deadLetter {
      guard let path = plan.deadLetters.path else { continue }
      if let other = known[path] {
        diagnostics.error(
          "same_store", "the jobs \(other) and \(plan.name) have one file for dead letters",
          at: jobs.first { $0.name == plan.name }?.mark, hint: "set dead_letters.path in one of them, or leave it out")
      }
      known[path] = plan.name
    }
  }

  private static func statePlan(
    _ file: ConfigFile, catalog: Catalog, into diagnostics: inout Diagnostics
  ) -> StatePlan? {
    let mark = file.stateMark ?? Mark(file: file.path, line: 1, column: 1)
    let choice: ComponentChoice?
    if let node = file.state, !node.isAbsent {
      choice = ComponentChoice.decode(node, in: ConfigContext("state", at: mark), into: &diagnostics)
    } else {
      choice = catalog.stateStores.first.map {
        ComponentChoice($0.name, at: mark, settings: ConfigNode(.mapping([]), at: mark))
      }
    }
    guard let choice else { return nil }
    guard let entry = catalog.stateStores.first(where: { $0.name == choice.name }) else {
      let names = catalog.stateStores.map(\.name)
      let suggestion = NearestName.find(choice.name, among: names)
      diagnostics.error(
        "unknown_component", "there is no state store \"\(choice.name)\"", at: choice.mark, suggestion: suggestion,
        hint: suggestion == nil ? "there are \(names.joined(separator: ", "))" : nil)
      return nil
    }
    return entry.plan(choice, into: &diagnostics)
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The jobs of these names, in that order; without names the enabled ones, in the order of the file.
  func jobs(named names: [String]) throws(SluiceError) -> [JobPlan] {
    guard !names.isEmpty else { return jobs.filter(\.isEnabled) }
    var result: [JobPlan] = []
    for name in names {
      guard let job = jobs.first(where: { $0.name == name }) else {
        throw Self.noJob(name, among: jobs.map(\.name))
      }
      result.append(job)
    }
    return result
  }

  /// The error of a name that no job has.
  static func noJob(_ name: String, among known: [String]) -> SluiceError {
    let hint = NearestName.find(name, among: known).map { "did you mean \($0)?" }
    return SluiceError(
      .usage, "there is no job \"\(name)\"", hint: hint ?? "there are \(known.joined(separator: ", "))")
  }
}
