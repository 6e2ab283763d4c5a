import SluiceCore

/// A command line, read.
struct Invocation: Sendable {
  /// What is to be done.
  enum Command: String, CaseIterable, Sendable {
    case run
    case plan
    case verify
    case preview
    case check
    case components
    case explain
    case `init`
    case schema
    case docs
    case completion
    case state
    case demo
    case help
    case version
  }

  /// An option of the command line.
  struct Option: Sendable {
    var name: String
    /// What its value is called, nil for a switch.
    var value: String?
    var doc: String
    var commands: Set<Command>
  }

  /// How events are written.
  enum LogStyle: Sendable {
    case text
    case json
  }

  var command: Command
  /// Jobs, components, a sub-command: what is named beside options.
  var names: [String] = []
  /// The configuration; nil where none is named.
  var configFile: String?
  var configPath: String { configFile ?? "config.yaml" }
  var isRestart = false
  var maxDelete: CountOrPercentage?
  var isFull = false
  var limit: Int?
  var only: [Key] = []
  var isDryRun = false
  var isEstimate = false
  var isRepairing = false
  /// How many keys of each kind are named; nil where nothing is said.
  var keys: Int?
  /// How many documents or runs are shown.
  var count: Int?
  var isTyped = false
  var isConfirmed = false
  var log = LogStyle.text
  var output = LogStyle.text
  var isMatrix = false
  var isServing = false
  var port: UInt16 = 0
  var directory: String?
  /// Whether `docs` only looks.
  var isChecking = false
  /// What `init` is asked to write.
  var draft = Draft()

  static let options: [Option] = [
    Option(
      name: "--config", value: "FILE", doc: "The configuration. Default: config.yaml.",
      commands: [.run, .plan, .verify, .preview, .check, .explain, .state, .completion]),
    Option(
      name: "--restart", value: nil, doc: "Begin a new listing, also of another source.", commands: [.run, .plan]),
    Option(
      name: "--full", value: nil, doc: "Trust nothing that is known of the sinks: write everything again.",
      commands: [.run, .plan]),
    Option(
      name: "--limit", value: "N", doc: "Stop after N documents. Nothing is deleted or replaced then.",
      commands: [.run, .plan]),
    Option(
      name: "--only", value: "KEY", doc: "Bring only this key, by looking it up; may be given several times.",
      commands: [.run, .plan]),
    Option(
      name: "--dry-run", value: nil, doc: "Only say what would be done: the same as sluice plan.", commands: [.run]),
    Option(
      name: "--estimate", value: nil, doc: "Do not list: only say how large the job is, as far as is known.",
      commands: [.plan]),
    Option(name: "--repair", value: nil, doc: "Write what differs, and delete what is too much.", commands: [.verify]),
    Option(
      name: "--keys", value: "N", doc: "Name so many keys of each kind; -v names 10.",
      commands: [.run, .plan, .verify]),
    Option(
      name: "--count", value: "N", doc: "How many documents, or runs of a job, to show; -n for short.",
      commands: [.preview, .state]),
    Option(
      name: "--typed", value: nil, doc: "Show documents in the encoding that keeps every type.", commands: [.preview]),
    Option(name: "--yes", value: nil, doc: "Yes, forget the state of the job.", commands: [.state]),
    Option(
      name: "--max-delete", value: "N", doc: "The most deletes by absence, for this run: a number or a percentage.",
      commands: [.run, .plan, .verify]),
    Option(
      name: "--log", value: "json", doc: "Write events as JSON Lines to stderr.",
      commands: [.run, .plan, .verify, .preview, .state]),
    Option(
      name: "--output", value: "json", doc: "Write the result as JSON to stdout.",
      commands: [.run, .plan, .verify, .check, .components, .explain, .state]),
    Option(name: "--source", value: "NAME", doc: "The adapter to read. Default: firestore.", commands: [.`init`]),
    Option(
      name: "--paging", value: "NAME", doc: "The paging strategy. Default: the source's natural one.",
      commands: [.`init`]),
    Option(name: "--transform", value: "NAME", doc: "A transform; may be given several times.", commands: [.`init`]),
    Option(
      name: "--sink", value: "NAME", doc: "An adapter to write; may be given several times. Default: file.",
      commands: [.`init`]),
    Option(name: "--job", value: "JOB", doc: "The name of the job. Default: that of the source.", commands: [.`init`]),
    Option(name: "--check", value: nil, doc: "Write nothing; fail where a file is out of date.", commands: [.docs]),
    Option(
      name: "--matrix", value: nil, doc: "Show which paging strategies can page which adapters.",
      commands: [.components]),
    Option(
      name: "--directory", value: "DIR", doc: "Where the demo puts its files. Default: sluice-demo.",
      commands: [.demo]),
    Option(
      name: "--serve", value: nil, doc: "Only serve the demo's data, until interrupted, for your own tries.",
      commands: [.demo]),
    Option(name: "--port", value: "N", doc: "The port to serve on. Default: any.", commands: [.demo]),
  ]

  /// Reads the arguments after the program's name. Throws `usage`.
  init(_ arguments: [String]) throws(SluiceError) {
    var rest = arguments[...]
    guard let first = rest.first else {
      command = .help
      return
    }
    switch first {
    case "--help", "-h": command = .help
    case "--version", "-V": command = .version
    default:
      guard let known = Command(rawValue: first) else {
        let suggestion = NearestName.find(first, among: Command.allCases.map(\.rawValue))
        throw Self.usage(
          "there is no command \"\(first)\"", suggestion.map { "did you mean \($0)?" } ?? "sluice help lists them")
      }
      command = known
    }
    rest = rest.dropFirst()
    var onlyNames = false
    while let argument = rest.popFirst() {
      if onlyNames || !argument.hasPrefix("-") || argument == "-" {
        names.append(argument)
      } else if argument == "--" {
        onlyNames = true
      } else if argument == "--help" || argument == "-h" {
        names = [command.rawValue]
        command = .help
        return
      } else {
        try read(argument, &rest)
      }
    }
    try checkNames()
  }

  /// Refuses names that the command would not look at.
  private func checkNames() throws(SluiceError) {
    let (most, what): (Int, String) =
      switch command {
      case .run, .plan, .verify, .state, .explain: (.max, "")
      case .preview: (1, "shows one job")
      case .check: (1, "takes one file")
      case .components: (1, "describes one component")
      case .help: (1, "takes one command")
      case .`init`: (1, "writes one file")
      case .docs: (1, "takes one folder")
      case .completion: (1, "takes one shell")
      case .demo, .version, .schema: (0, "takes no names")
      }
    if command == .check, let configFile, let name = names.first {
      throw Self.usage("sluice check takes one file: there are \(configFile) and \(name)", "sluice help check")
    }
    if isMatrix, let name = names.first {
      throw Self.usage("--matrix shows every adapter: \"\(name)\" is too many", "sluice components --matrix")
    }
    if !only.isEmpty, let other = onlyExcludes {
      throw Self.usage("--only brings single keys: \(other) does not go with it", "sluice help run")
    }
    if command == .run, keys != nil, !isDryRun {
      throw Self.usage(
        "--keys names what a plan found: a run has nothing to name", "sluice run --dry-run, or sluice plan")
    }
    guard names.count > most else { return }
    throw Self.usage(
      "sluice \(command.rawValue) \(what): \"\(names[most])\" is too many", "sluice help \(command.rawValue)")
  }

  private mutating func read(_ argument: String, _ rest: inout ArraySlice<String>) throws(SluiceError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if argument == "-v" {
      try read("--keys=10", &rest)
      return
    }
    let name = Self.short[parts[0]] ?? parts[0]
    guard let option = Self.options.first(where: { $0.name == name }) else {
      let suggestion = NearestName.find(name, among: Self.options.map(\.name))
      throw Self.usage(
        "there is no option \"\(name)\"",
        suggestion.map { "did you mean \($0)?" } ?? "sluice help \(command.rawValue) lists them")
    }
    guard option.commands.contains(command) else {
      throw Self.usage("\(name) is no option of sluice \(command.rawValue)", "sluice help \(command.rawValue)")
    }
    var value = parts.count > 1 ? parts[1] : nil
    if option.value == nil {
      guard value == nil else { throw Self.usage("\(name) takes no value", nil) }
    } else if value == nil {
      guard let next = rest.popFirst() else { throw Self.usage("\(name) needs a value", nil) }
      value = next
    }
    try apply(name, value ?? "")
  }

  private mutating func apply(_ name: String, _ value: String) throws(SluiceError) {
    switch name {
    case "--config": configFile = value
    case "--restart": isRestart = true
    case "--max-delete": maxDelete = try Self.countOrPercentage(value, name)
    case "--full": isFull = true
    case "--limit": limit = try Self.number(value, name, from: 1)
    case "--only": only.append(try Self.key(value, name))
    case "--dry-run": isDryRun = true
    case "--estimate": isEstimate = true
    case "--repair": isRepairing = true
    case "--keys": keys = try Self.number(value, name, from: 0)
    case "--count": count = try Self.number(value, name, from: 1)
    case "--typed": isTyped = true
    case "--yes": isConfirmed = true
    case "--log": log = try Self.style(value, name)
    case "--output": output = try Self.style(value, name)
    case "--matrix": isMatrix = true
    case "--serve": isServing = true
    case "--directory": directory = value
    case "--check": isChecking = true
    case "--source": draft.source = value
    case "--paging": draft.paging = value
    case "--transform": draft.transforms.append(value)
    case "--sink": draft.sinks.append(value)
    case "--job": draft.job = value
    case "--port":
      guard let number = UInt16(value) else { throw Self.usage("--port: \"\(value)\" is no port", nil) }
      port = number
    default: throw Self.usage("there is no option \"\(name)\"", nil)
    }
  }

  /// Short spellings of options that take a value.
  static let short = ["-c": "--config", "-n": "--count"]

  /// An option that does not go with `--only`.
  private var onlyExcludes: String? {
    if limit != nil { return "--limit" }
    if isFull { return "--full" }
    if isRestart { return "--restart" }
    return nil
  }

  private static func number(_ value: String, _ name: String, from least: Int) throws(SluiceError) -> Int {
    if let number = Int(value), number >= least { return number }
    throw usage("\(name): expected a number from \(least), found \"\(value)\"", nil)
  }

  private static func key(_ value: String, _ name: String) throws(SluiceError) -> Key {
    if !value.isEmpty, let key = Key(canonical: Array(value.utf8)) { return key }
    throw usage(
      "\(name): \"\(value)\" is no key", "keys are written as in _key: segments joined with /, with %2F and %25 in them"
    )
  }

  private static func style(_ value: String, _ name: String) throws(SluiceError) -> LogStyle {
    switch value {
    case "json": return .json
    case "text": return .text
    default: throw usage("\(name): expected text or json, found \"\(value)\"", nil)
    }
  }

  private static func countOrPercentage(_ value: String, _ name: String) throws(SluiceError) -> CountOrPercentage {
    var diagnostics = Diagnostics()
    let mark = Mark(file: "command line", line: 1, column: 1)
    let node = ConfigNode(.scalar(.init(value)), at: mark)
    if let result = CountOrPercentage.decode(node, in: ConfigContext(name, at: mark), into: &diagnostics) {
      return result
    }
    throw usage(diagnostics.all.first?.message ?? "\(name): \"\(value)\" is neither a number nor a percentage", nil)
  }

  static func usage(_ message: String, _ hint: String?) -> SluiceError { SluiceError(.usage, message, hint: hint) }
}
