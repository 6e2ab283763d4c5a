#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

import SluiceCore

extension OpenFile {
  /// A file that is replaced hands on its owner, group and mode, as far as this process may. A new one gets what any
  /// new file of this process gets.
  func takeOverPermissions(of path: String) throws {
    var mode = 0o666 & ~Self.mask
    if let old = try FileStatus.of(path, following: false), old.kind == .regular {
      let isOwner = fchown(descriptor, old.owner, old.group) == 0
      if !isOwner, fchown(descriptor, .max, old.group) != 0 {
        // The group's rights must not go to another group.
        mode = old.permissions & 0o707
      } else {
        mode = old.permissions & 0o777
      }
    }
    if fchmod(descriptor, mode) != 0 { throw SluiceError.file("set the mode of", self.path, errno: errno) }
  }

  /// The file mode creation mask, as it was when it was first needed. There is no call that only reads it: for a
  /// moment, once, new files of this process are their owner's only.
  private static let mask: mode_t = {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }()
}
