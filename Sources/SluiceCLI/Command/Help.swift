import SluiceCore

/// `sluice help [COMMAND]`.
enum Help {
  private static let commands: [(Invocation.Command, usage: String, doc: String)] = [
    (.run, "run [JOB…]", "Bring each job's source to its sinks, whole, published at once."),
    (.plan, "plan [JOB…]", "Say what a run would add, update and delete, and what it costs; write nothing."),
    (.verify, "verify [JOB…]", "Compare sinks with their source, document by document; --repair mends them."),
    (.preview, "preview JOB", "Show the first documents as the sinks would get them; write nothing."),
    (.check, "check [FILE]", "Report every problem of a configuration, without a connection."),
    (.components, "components [NAME]", "List what jobs can be made of; describe one; --matrix: what goes with what."),
    (.explain, "explain [JOB…]", "Show each setting that counts, and where it came from."),
    (.`init`, "init [FILE]", "Write a configuration to begin with, with every setting explained in it."),
    (.schema, "schema", "Print the JSON Schema of configurations, for editors."),
    (.docs, "docs DIR", "Write the reference of all components and the schema into a folder."),
    (.completion, "completion bash", "Print what bash needs to complete command lines."),
    (.state, "state show [JOB…]", "Show where each job stands."),
    (.state, "state runs [JOB…]", "Show the last runs of each job."),
    (.state, "state adopt JOB", "Take over what the sinks hold already, so that the first run need not write it."),
    (.state, "state rename OLD NEW", "Give the state of a job to its new name."),
    (.state, "state reset JOB", "Forget where a job stands."),
    (.demo, "demo", "Run the whole thing on an embedded server: no account, no network."),
    (.help, "help [COMMAND]", "Say what a command does."),
    (.version, "version", "Print the version."),
  ]

  private static let exitCodes: [(String, String)] = [
    ("0", "done"), ("1", "failed"), ("2", "usage or configuration"), ("3", "a guard refused"),
    ("4", "a budget is reached; run again to go on"), ("5", "verify found a difference"),
    ("6", "done, but some documents were left out"), ("7", "another process runs the job"),
    ("130, 143", "interrupted, with everything confirmed saved"),
  ]

  /// Prints help to stdout; for a topic that does not exist, to stderr with exit code 2.
  static func print(topic: String?, to console: Console) -> Int32 {
    guard let topic else {
      overview(console)
      return 0
    }
    let found = commands.filter { $0.0.rawValue == topic }
    guard let command = found.first else {
      console.error(Invocation.usage("there is no command \"\(topic)\"", "sluice help lists them"))
      return Int32(SluiceError.Category.usage.rawValue)
    }
    if found.count == 1 {
      console.out("sluice \(command.usage)\n\n\(command.doc)\n")
    } else {
      for command in found { console.out("sluice \(command.usage)\n    \(command.doc)\n") }
    }
    let options = Invocation.options.filter { $0.commands.contains(command.0) }
    guard !options.isEmpty else { return 0 }
    console.out("\n")
    for option in options { console.out(row(left(option), option.doc, 20)) }
    return 0
  }

  private static func overview(_ console: Console) {
    console.out("Sluice \(Sluice.version): mirrors collections between stores from one YAML file.\n\n")
    for command in commands { console.out(row("sluice \(command.usage)", command.doc, 30)) }
    console.out("\nOptions (each command's own: sluice help COMMAND)\n")
    for option in Invocation.options { console.out(row(left(option), option.doc, 20)) }
    console.out("\nExit codes\n")
    for (code, meaning) in exitCodes { console.out(row(code, meaning, 20)) }
  }

  private static func left(_ option: Invocation.Option) -> String {
    option.name + (option.value.map { " \($0)" } ?? "")
  }

  private static func row(_ left: String, _ right: String, _ width: Int) -> String {
    "  \(left)\(String(repeating: " ", count: max(1, width - left.count)))\(right)\n"
  }
}
