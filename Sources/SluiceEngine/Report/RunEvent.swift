import SluiceCore

/// What happens while jobs run. Bar, log and report are subscribers of this one stream.
public enum RunEvent: Sendable {
  /// A job begins. `resumedPages` counts the pages an earlier run had confirmed.
  case started(job: String, generation: UInt64, resumedPages: Int)
  /// Where an adapter talks to, and what decided that.
  case endpoint(job: String, component: String, String, from: String)
  /// A page is confirmed by every sink and saved. `known` is the number of documents to expect, where it is known.
  case progress(job: String, counters: Checkpoint.Counters, known: Int?)
  /// A failed step is tried again.
  case retry(job: String, attempt: Int, delay: Duration, error: SluiceError)
  /// Something worth a line in the log.
  case notice(job: String, String)
  /// A document was left out because of its content.
  case rejected(job: String, Rejection)
  /// A part of a page was left out because it is no document; its key is not known.
  case unreadable(job: String, SluiceError)
  /// A sink shows the new set, or showed it already.
  case published(job: String, sink: String, documents: Int, wasCurrent: Bool)
  /// A job ended.
  case ended(RunReport)
}
