import SluiceConfig
import SluiceCore
import SluiceEngine

/// `sluice explain [JOB…]`: each setting that counts, and where it came from.
struct ExplainCommand {
  private let invocation: Invocation
  private let catalog: Catalog
  private let console: Console
  private let inputs: ConfigInputs

  init(_ invocation: Invocation, _ catalog: Catalog, _ console: Console, inputs: ConfigInputs = .process) {
    self.invocation = invocation
    self.catalog = catalog
    self.console = console
    self.inputs = inputs
  }

  func run() throws(SluiceError) -> Int32 {
    let reading = Project.read(invocation.configPath, catalog: catalog, inputs: inputs)
    console.hide(reading.redactor)
    DiagnosticText(reading, console).print()
    guard let project = reading.project, let file = reading.file else {
      return Int32(SluiceError.Category.usage.rawValue)
    }
    let names = invocation.names
    let plans = names.isEmpty ? project.jobs : try project.jobs(named: names)
    let explanation = Explanation(catalog: catalog)
    var parts: [(title: String, mark: Mark?, settings: [ExplainedSetting])] = []
    for plan in plans {
      guard let job = file.jobs.first(where: { $0.name == plan.name }) else { continue }
      parts.append((plan.name, job.mark, explanation.settings(of: job.node, plan)))
    }
    if invocation.output == .json {
      console.out(ExplanationText.json(parts))
    } else {
      if names.isEmpty { parts.append(("state", file.stateMark, explanation.state(file.state))) }
      for part in parts { console.out(ExplanationText.text(part)) }
    }
    return 0
  }
}
