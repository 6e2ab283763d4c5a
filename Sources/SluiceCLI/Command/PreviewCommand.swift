import SluiceCore
import SluiceEngine
import SluiceJSON

/// `sluice preview JOB -n 5`: the first documents of a job, as its sinks would get them, as JSON Lines on stdout.
struct PreviewCommand: Sendable {
  let jobs: JobsAtWork
  /// How many documents are shown where nothing is said.
  static let usualCount = 5

  func run() async -> Int32 {
    await jobs.withProject { project in
      let job = try job(in: project)
      let preview = try await Preview.of(
        job, count: jobs.invocation.count ?? Self.usualCount, in: jobs.environment(of: project))
      var writer = JSONLinesWriter(jobs.invocation.isTyped ? .typed : .plain)
      var clashes: [Rejection] = []
      for batch in preview.batches {
        let (text, rejections) = try writer.write(batch) { lines, _, rejections in
          (String(decoding: lines, as: UTF8.self), rejections)
        }
        jobs.console.out(text)
        clashes += rejections
      }
      for error in preview.unreadable { jobs.observer.observe(.unreadable(job: job.name, error)) }
      for rejection in preview.rejections + clashes { jobs.observer.observe(.rejected(job: job.name, rejection)) }
      jobs.observer.notice(Self.sentence(job.name, preview))
      return 0
    }
  }

  /// The job that is named, or the only one there is.
  private func job(in project: Project) throws -> JobPlan {
    if jobs.invocation.names.isEmpty, project.jobs.count != 1 {
      throw Invocation.usage(
        "sluice preview needs the name of a job",
        "there are \(project.jobs.map(\.name).joined(separator: ", "))")
    }
    let found = jobs.invocation.names.isEmpty ? project.jobs : try project.jobs(named: jobs.invocation.names)
    guard let job = found.first else { throw Invocation.usage("there is no job", nil) }
    return job
  }

  private static func sentence(_ job: String, _ preview: Preview) -> String {
    var parts = ["\(counted(preview.read, "document")) read", counted(preview.requests, "request")]
    if preview.billedReads > 0 { parts.append(counted(preview.billedReads, "billed read")) }
    if preview.dropped > 0 { parts.append("\(preview.dropped) dropped by transforms") }
    parts.append(preview.hasMore ? "there are more" : "there are no more")
    return "\(job): \(counted(preview.count, "document")) shown, nothing written; \(parts.joined(separator: ", "))"
  }
}

/// A number with its unit.
func counted(_ number: Int, _ unit: String) -> String { "\(number) \(unit)\(number == 1 ? "" : "s")" }
