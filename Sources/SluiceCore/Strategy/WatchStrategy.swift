/// How changes of a source become known after its snapshot.
///
/// The engine calls `mark` before page 1 of the snapshot, saves it, and follows from it afterwards: overlap is harmless,
/// a gap is not.
public protocol WatchStrategy: Component {
  /// Whether it learns of deletes.
  static func seesDeletes(_ config: Config, source: Capabilities) -> Bool

  /// A strategy with these settings.
  init(_ config: Config) throws

  /// The position of now.
  func mark(_ source: any Pageable) async throws -> WatchPosition

  /// Follows the changes after a position. `ledger` is what the job knows of the sink, for strategies that compare.
  /// An unknown or expired position throws `position_lost`.
  func changes(of source: any Pageable, after position: WatchPosition, ledger: (any Ledger)?) async throws
    -> BatchStream
}
