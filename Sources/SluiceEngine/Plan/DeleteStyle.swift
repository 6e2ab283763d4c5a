import SluiceCore

/// What becomes of documents that are gone from the source of a mirror.
public enum DeleteStyle: String, Sendable, CaseIterable, ConfigValue {
  /// They are deleted from the sink.
  case hard
  /// They stay in the sink, marked with the time of their delete; one that comes back is unmarked.
  case soft
  /// They stay as they are.
  case ignore
}
