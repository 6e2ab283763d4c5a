import CSQLite
import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension SluiceError {
  /// What a result code of SQLite means for whoever runs Sluice.
  static func sqlite(_ code: Int32, _ message: String, system: Int32 = 0, path: String) -> SluiceError {
    let place = Place(file: path)
    let reason = system == 0 ? message : "\(message): \(String(cString: strerror(system)))"
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return SluiceError(
        .io, "the database is locked by another connection", at: place, retry: .transient,
        hint: "end the other program, or wait until it has written")
    case SQLITE_FULL:
      return SluiceError(
        .io, "no space left for the database", at: place,
        hint: "nothing of this step was written; make room and run again")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return SluiceError(
        .invalidState, "the file is damaged or no SQLite database: \(message)", at: place,
        hint: "it was left as it is; move it away or restore it from a copy")
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN:
      return SluiceError(
        .io, "the database cannot be opened or written: \(reason)", at: place,
        hint: "the user needs to write the file and its folder, where SQLite keeps its log")
    case SQLITE_IOERR:
      let isFull = system == ENOSPC || system == EDQUOT
      return SluiceError(
        .io, isFull ? "no space left for the database" : "reading or writing the database failed: \(reason)", at: place,
        hint: "nothing of this step was written; "
          + (isFull
            ? "make room and run again"
            : system == EFBIG
              ? "raise the limit on the size of files (ulimit -f) and run again"
              : "see the system's log for what failed, then run again"))
    case SQLITE_TOOBIG, SQLITE_CONSTRAINT:
      return SluiceError(.rejected, "the database does not take it: \(message)", at: place)
    default:
      return SluiceError(.internal, "SQLite answered \(code): \(reason)", at: place)
    }
  }
}
