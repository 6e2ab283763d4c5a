import SluiceConfig
import SluiceCore

/// `sluice check`: reads a configuration and reports every problem, without a connection.
struct CheckCommand {
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

  func run() -> Int32 {
    let reading = Project.read(invocation.names.first ?? invocation.configPath, catalog: catalog, inputs: inputs)
    console.hide(reading.redactor)
    let text = DiagnosticText(reading, console)
    if invocation.output == .json { console.out(text.json) } else { text.print() }
    guard let project = reading.project else { return Int32(SluiceError.Category.usage.rawValue) }
    if invocation.output == .text {
      console.line(
        "\(reading.source.file): \(project.jobs.count) \(project.jobs.count == 1 ? "job" : "jobs"), no errors")
      for job in project.jobs {
        let sinks = job.sinks.map { sink in
          let capabilities = sink.adapter.capabilities
          let words = [capabilities.publishMode?.rawValue, capabilities.isVerifiable ? nil : "cannot be read back"]
          return "\(sink.name) (\(words.compactMap { $0 }.joined(separator: ", ")))"
        }
        let steps = [job.source.name, job.paging.name] + job.transforms.map(\.name) + [sinks.joined(separator: ", ")]
        console.line("  \(job.name): \(steps.joined(separator: " → "))\(job.isEnabled ? "" : "   not enabled")")
      }
    }
    return 0
  }
}
