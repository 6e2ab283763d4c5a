import SluiceCore
import SluiceMemory
import SluicePaging

extension Catalog {
  /// The components that come with Sluice: one line each.
  public static let builtin = Catalog()
    .adding(MemoryAdapter.self)
    .adding(PageToken.self)
    .adding(Keyset.self)
    .adding(Offset.self)
}
