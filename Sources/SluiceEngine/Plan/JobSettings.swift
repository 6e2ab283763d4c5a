import SluiceCore

/// The keys of a job in a configuration file.
struct JobSettings: Configurable {
  var source: ComponentChoice?
  var paging: ComponentChoice?
  var transforms: [ComponentChoice] = []
  var mode: Mode?
  var deletes: DeleteStyle?
  var sink: ComponentChoice?
  var sinks: [ComponentChoice] = []
  var onReject = OnReject.stop
  var deadLetters = DeadLetterSettings()
  var onPositionLost = OnPositionLost.resnapshot
  var limits = LimitSettings()
  var http = HTTPSettings()
  var retry = RetrySettings()
  var isEnabled = true

  static let spec = ConfigSpec<JobSettings>(
    "A job: one source, how it is paged, what happens to its documents, and where they go.",
    [
      Setting("source", \.source, "Where documents come from: an adapter with its settings.", required: true),
      Setting("paging", \.paging, "How the source is listed: a paging strategy. Default: the source's natural one."),
      Setting("transforms", \.transforms, "What happens to each document, in order."),
      Setting("mode", \.mode, "`copy` writes what is there; `mirror` also deletes what is gone. Default: copy."),
      Setting(
        "deletes", \.deletes,
        "What becomes of documents that are gone from the source of a mirror: `hard` deletes them, `soft` marks them with "
          + "the time (`deleted_at`), `ignore` keeps them as they are. Default: hard."),
      Setting("sink", \.sink, "Where documents go: an adapter with its settings."),
      Setting("sinks", \.sinks, "Several sinks. The source is read once; the slowest holds the others back."),
      Setting("on_reject", \.onReject, "What happens to a document that cannot be taken because of its content."),
      Setting("dead_letters", \.deadLetters, "The file that `on_reject: dead_letter` writes."),
      Setting("on_position_lost", \.onPositionLost, "What happens when the other side refuses the saved position."),
      Setting("limits", \.limits, "Guards and budgets."),
      Setting("http", \.http, "Limits and trust of HTTP connections."),
      Setting("retry", \.retry, "How failed steps are tried again."),
      Setting("enabled", \.isEnabled, "Whether `sluice run` without names runs the job."),
    ])
}

/// Whether a job only adds and changes, or also deletes.
public enum Mode: String, Sendable, CaseIterable, ConfigValue {
  /// Documents are written; nothing is deleted.
  case copy
  /// Documents that are gone from the source are deleted from the sink too.
  case mirror
}

/// What happens to a document that cannot be taken because of its content.
public enum OnReject: String, Sendable, CaseIterable, ConfigValue {
  /// The run stops with the document's error.
  case stop
  /// The document is left out and counted; the run ends with the exit code for rejects.
  case skip
  /// As `skip`, and its key and error are kept in a file.
  case deadLetter = "dead_letter"
}

/// What happens when the other side refuses the saved position.
public enum OnPositionLost: String, Sendable, CaseIterable, ConfigValue {
  /// The listing starts whole once more, at most once in a run.
  case resnapshot
  /// The run fails; the next one starts a new listing.
  case fail
}
