import SluiceCore
import SluicePaging
import SluiceTransforms

extension Catalog {
  /// The components that come with Sluice: one line each.
  public static let builtin = Catalog()
    .adding(PageToken.self)
    .adding(Keyset.self)
    .adding(Offset.self)
    .adding(Where.self)
    .adding(Keep.self)
    .adding(Drop.self)
    .adding(Rename.self)
    .adding(SetFields.self)
    .adding(CopyField.self)
    .adding(Compute.self)
}
