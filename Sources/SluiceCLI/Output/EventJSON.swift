import SluiceCore
import SluiceEngine
import SluiceJSON

/// Run events as JSON, one object a line. The names are stable.
enum EventJSON {
  /// One event.
  static func line(_ event: RunEvent, at time: Timestamp) -> String {
    var fields = [Field("time", .timestamp(time))]
    switch event {
    case .started(let job, let generation, let resumed):
      fields += [
        Field("event", .string("started")), Field("job", .string(job)), Field("generation", .int(Int64(generation))),
        Field("resumed_pages", .int(Int64(resumed))),
      ]
    case .endpoint(let job, let component, let endpoint, let origin):
      fields += [
        Field("event", .string("endpoint")), Field("job", .string(job)), Field("component", .string(component)),
        Field("endpoint", .string(endpoint)), Field("from", .string(origin)),
      ]
    case .progress(let job, let counters, let known):
      fields += [Field("event", .string("progress")), Field("job", .string(job))] + ReportJSON.fields(counters)
      if let known { fields.append(Field("known", .int(Int64(known)))) }
    case .retry(let job, let attempt, let delay, let error):
      fields += [
        Field("event", .string("retry")), Field("job", .string(job)), Field("attempt", .int(Int64(attempt))),
        Field("delay_ms", .int(ReportJSON.milliseconds(delay))), Field("error", ReportJSON.value(error)),
      ]
    case .notice(let job, let text):
      fields += [Field("event", .string("notice")), Field("job", .string(job)), Field("text", .string(text))]
    case .rejected(let job, let rejection):
      fields += [
        Field("event", .string("rejected")), Field("job", .string(job)),
        Field("key", .string(rejection.key.description)), Field("error", ReportJSON.value(rejection.error)),
      ]
    case .unreadable(let job, let error):
      fields += [
        Field("event", .string("unreadable")), Field("job", .string(job)), Field("error", ReportJSON.value(error)),
      ]
    case .published(let job, let sink, let documents, let wasCurrent):
      fields += [
        Field("event", .string("published")), Field("job", .string(job)), Field("sink", .string(sink)),
        Field("documents", .int(Int64(documents))), Field("was_current", .bool(wasCurrent)),
      ]
    case .ended(let report):
      fields += [Field("event", .string("ended"))] + ReportJSON.fields(report)
    }
    return text(fields)
  }

  /// What is said beside the events of runs.
  static func line(_ event: String, _ fields: [Field], at time: Timestamp) -> String {
    text([Field("time", .timestamp(time)), Field("event", .string(event))] + fields)
  }

  private static func text(_ fields: [Field]) -> String {
    String(decoding: JSON.encode(.map(fields)), as: UTF8.self)
  }
}
