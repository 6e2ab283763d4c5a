import Foundation
import SluiceCore
import Testing

@testable import SluiceFile
@testable import SluiceSQLite

@Suite("Errors of the system") struct FailureHintTests {
  @Test(
    "of a disk say what to do, whoever meets them",
    arguments: [
      (ENOSPC, "make room"), (EDQUOT, "make room"), (EFBIG, "ulimit -f"), (EIO, "system's log"),
    ])
  func hints(number: Int32, words: String) {
    let errors = [
      SluiceError.file("write to", "/d/f", errno: number),
      SluiceError.sqlite(SQLITE_IOERR_WRITE, "disk I/O error", system: number, path: "/d/f"),
      {
        errno = number
        return FileSystem.failure("the folder cannot be made", "/d/f")
      }(),
    ]
    for error in errors {
      #expect(error.code == .io && error.retry == .never, "\(error)")
      #expect(error.place.file == "/d/f", "\(error)")
      #expect(error.hint?.contains(words) == true, "\(error)")
      #expect(
        error.message.contains(String(cString: strerror(number))) || error.message.contains("no space left"), "\(error)"
      )
    }
    #expect(SluiceError.sqlite(SQLITE_FULL, "full", path: "/d/f").hint?.contains("make room") == true)
  }

  // Of SQLite's C interface; the tests do not link it themselves.
  private let SQLITE_IOERR_WRITE: Int32 = 10 | 3 << 8
  private let SQLITE_FULL: Int32 = 13
}
