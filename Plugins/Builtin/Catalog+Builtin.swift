import SluiceCore
import SluiceFile
import SluiceFirestore
import SluiceMemory
import SluicePaging
import SluiceSQLite
import SluiceStdout
import SluiceTransforms

extension Catalog {
  /// The components that come with Sluice: one line each.
  public static let builtin = Catalog()
    .adding(FileAdapter.self)
    .adding(Firestore.self)
    .adding(MemoryAdapter.self)
    .adding(SQLiteAdapter.self)
    .adding(StdoutAdapter.self)
    .adding(PageToken.self)
    .adding(Keyset.self)
    .adding(NextURL.self)
    .adding(LinkHeader.self)
    .adding(PageNumber.self)
    .adding(Offset.self)
    .adding(Single.self)
    .adding(Where.self)
    .adding(Keep.self)
    .adding(Drop.self)
    .adding(Rename.self)
    .adding(SetFields.self)
    .adding(CopyField.self)
    .adding(Compute.self)
    .adding(SQLiteStateStore.self)
}
