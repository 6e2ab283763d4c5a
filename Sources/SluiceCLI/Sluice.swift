import SluiceCore
import SluiceEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command line as a library: a program of three lines with a catalog of its own is a whole `sluice`.
///
///     import SluiceBuiltin
///     import SluiceCLI
///     await Sluice.main(catalog: .builtin.adding(MyStore.self))
public enum Sluice {
  /// The version, as `--version` prints it.
  public static let version = "0.1.0-dev"

  /// Runs the command line of this process and ends the process with the command's exit code.
  ///
  /// Begins on the caller's thread, the process's first, so that signals are blocked before any other thread begins.
  nonisolated(nonsending) public static func main(catalog: Catalog) async -> Never {
    Interruption.block()
    Allocator.keepPages()
    // A reader of stdout that goes away is an error of the write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // And so is a file that may not grow any more.
    signal(SIGXFSZ, SIG_IGN)
    let console = Console()
    exit(
      await run(
        Array(CommandLine.arguments.dropFirst()), catalog: catalog, console: console, interruption: interruption))
  }

  /// Runs one command line and answers its exit code. `interruption` gives what ends it early, where it can be.
  @concurrent static func run(
    _ arguments: [String], catalog: Catalog, console: Console,
    interruption: @Sendable (_ tell: @escaping @Sendable (Int32) -> Void) -> StopSignal = { _ in StopSignal() }
  ) async -> Int32 {
    do {
      let invocation = try Invocation(arguments)
      switch invocation.command {
      case .help: return Help.print(topic: invocation.names.first, to: console)
      case .version:
        console.out("sluice \(version)\n")
        return 0
      case .run, .plan, .verify, .preview, .state:
        let observer = RunObserver(console, style: invocation.log)
        let stop = interruption { observer.stopping($0) }
        let jobs = JobsAtWork(
          invocation: invocation, catalog: catalog, console: console, observer: observer, stop: stop)
        return await work(on: jobs)
      case .check: return CheckCommand(invocation, catalog, console).run()
      case .components: return ComponentsCommand(invocation, catalog, console).run()
      case .explain: return try ExplainCommand(invocation, catalog, console).run()
      case .`init`: return try InitCommand(invocation: invocation, catalog: catalog, console: console).run()
      case .schema: return SchemaCommand(catalog: catalog, console: console).run()
      case .docs: return try DocsCommand(invocation: invocation, catalog: catalog, console: console).run()
      case .completion: return try CompletionCommand(invocation: invocation, catalog: catalog, console: console).run()
      case .demo:
        let observer = RunObserver(console, style: .text)
        let stop = interruption { observer.stopping($0) }
        return await DemoCommand(invocation, catalog, console, stop: stop).run()
      }
    } catch {
      console.error(error)
      return error.exitCode
    }
  }

  private static func work(on jobs: JobsAtWork) async -> Int32 {
    switch jobs.invocation.command {
    case .plan: await PlanCommand(jobs: jobs).run()
    case .verify: await VerifyCommand(jobs: jobs).run()
    case .preview: await PreviewCommand(jobs: jobs).run()
    case .state: await StateCommand(jobs: jobs).run()
    default: jobs.invocation.isDryRun ? await PlanCommand(jobs: jobs).run() : await RunCommand(jobs: jobs).run()
    }
  }

  /// Begins to listen for signals, and tells when one comes.
  private static func interruption(_ tell: @escaping @Sendable (Int32) -> Void) -> StopSignal {
    let stop = StopSignal()
    Interruption.listen(stopping: stop, told: tell)
    return stop
  }
}
