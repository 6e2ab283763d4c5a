/// A part that a configuration can name: an adapter, a paging or watch strategy, a transform, a state store.
///
/// Its settings are declared once, in `Config.spec`; from that come decoding, all errors with their places, the
/// documentation and the JSON Schema.
public protocol Component: Sendable {
  /// The settings.
  associatedtype Config: Configurable
  /// The name in a configuration, in `snake_case`, stable between releases.
  static var name: String { get }
  /// One sentence for `sluice components`.
  static var summary: String { get }
}

/// Settings of a component that has none.
public struct NoSettings: Configurable {
  /// No settings.
  public init() {}
  /// Nothing to set.
  public static let spec = ConfigSpec<NoSettings>("No settings.", [])
}
