import SluiceCore

/// `sluice init [FILE]`: a configuration to begin with.
struct InitCommand {
  let invocation: Invocation
  let catalog: Catalog
  let console: Console

  func run() throws(SluiceError) -> Int32 {
    let path = invocation.names.first ?? "config.yaml"
    let text = try invocation.draft.text(catalog)
    // Nothing is written that would not do: the examples of a component of one's own may be wrong.
    let reading = Project.read(text: text, path: path, catalog: catalog)
    guard reading.project != nil else {
      DiagnosticText(reading, console).print()
      throw SluiceError(
        .usage, "these parts do not make a job: nothing was written", hint: "sluice components NAME describes a part")
    }
    try TextFile.create(path, text)
    let file = path == "config.yaml" ? "" : " \(path)"
    console.line("\(path): written; put your own values in, then:  sluice check\(file)")
    return 0
  }
}
