import SluiceCore

/// `sluice completion bash`: what bash needs to complete command lines, made of the tables of commands and options.
struct CompletionCommand {
  let invocation: Invocation
  let catalog: Catalog
  let console: Console

  func run() throws(SluiceError) -> Int32 {
    switch invocation.names.first {
    case "bash": console.out(script)
    // Asked by the script, while a line is typed: it must say nothing where there is nothing to say.
    case "jobs":
      let reading = Project.read(invocation.configPath, catalog: catalog)
      for name in reading.jobNames { console.out("\(name)\n") }
    case let shell?: throw Invocation.usage("there is no completion for \(shell)", "sluice completion bash")
    case nil: throw Invocation.usage("sluice completion needs the name of a shell", "sluice completion bash")
    }
    return 0
  }

  private var script: String {
    let commands = Invocation.Command.allCases.map(\.rawValue)
    return """
      # Completion of sluice for bash. In ~/.bashrc:  source <(sluice completion bash)
      _sluice() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
        local command="${COMP_WORDS[1]}" config=config.yaml index words=""
        COMPREPLY=()
        for ((index = 2; index < COMP_CWORD; index++)); do
          case "${COMP_WORDS[index]}" in --config | -c) config="${COMP_WORDS[index + 1]}" ;; esac
        done
        if [ "$COMP_CWORD" -eq 1 ]; then
          mapfile -t COMPREPLY < <(compgen -W "\(commands.joined(separator: " "))" -- "$current")
          return
        fi
        case "$command $previous" in
      \(values)
        esac
        case "$command" in
      \(commands.map(words(of:)).joined(separator: "\n"))
        esac
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
      }
      complete -o filenames -F _sluice sluice

      """
  }

  /// What follows an option. A value that cannot be known completes to nothing.
  private var values: String {
    var lines: [String] = []
    for option in Invocation.options {
      guard let value = option.value else { continue }
      let spellings = [option.name] + Invocation.short.filter { $0.value == option.name }.map(\.key)
      let patterns = option.commands.map(\.rawValue).sorted().flatMap { command in
        spellings.map { "\"\(command) \($0)\"" }
      }
      lines.append("    \(patterns.joined(separator: " | ")))\n      \(answer(value, option.name)) return ;;")
    }
    return lines.joined(separator: "\n")
  }

  private func answer(_ value: String, _ option: String) -> String {
    func compgen(_ what: String) -> String { "mapfile -t COMPREPLY < <(compgen \(what) -- \"$current\");" }
    switch value {
    case "FILE": return compgen("-f")
    case "DIR": return compgen("-d")
    case "json": return compgen("-W \"text json\"")
    case "NAME":
      let slot = ComponentSlot(rawValue: String(option.dropFirst(2)))
      let names = slot.map { catalog.components(for: $0).map(\.name) } ?? []
      return compgen("-W \"\(names.joined(separator: " "))\"")
    default: return ""
    }
  }

  private func words(of name: String) -> String {
    guard let command = Invocation.Command(rawValue: name) else { return "" }
    let options = Invocation.options.filter { $0.commands.contains(command) }.map(\.name)
    let jobs = "$(\"${COMP_WORDS[0]}\" completion jobs --config \"$config\" 2>/dev/null)"
    let names: String =
      switch command {
      case .run, .plan, .verify, .preview, .explain: jobs
      case .state: (StateCommand.Verb.allCases.map(\.rawValue) + [jobs]).joined(separator: " ")
      case .components: Set(catalog.components.map(\.name)).sorted().joined(separator: " ")
      case .help: Invocation.Command.allCases.map(\.rawValue).joined(separator: " ")
      case .completion: "bash"
      case .check, .`init`: "$(compgen -f -- \"$current\")"
      case .docs: "$(compgen -d -- \"$current\")"
      case .demo, .version, .schema: ""
      }
    let words = (options + [names]).filter { !$0.isEmpty }
    return "    \(name)) words=\"\(words.joined(separator: " "))\" ;;"
  }
}
