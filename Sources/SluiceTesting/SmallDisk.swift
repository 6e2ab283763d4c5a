#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif
  import SluiceCore

  /// A file system in memory of a few hundred kilobytes, to be filled by a test: the errors of a full disk are then the
  /// system's own. It stays until `unmount()`.
  ///
  /// Mounting needs root. A test that uses one says
  /// `.enabled(if: SmallDisk.isAvailable, "not allowed to mount a file system")`.
  public struct SmallDisk: Sendable {
    /// Where it is mounted.
    public let path: String
    private static let ballast = ".ballast"

    /// Whether this process may mount a file system.
    public static let isAvailable: Bool = {
      do {
        let folder = try TemporaryFolder()
        try SmallDisk(at: folder.path, kilobytes: 64).unmount()
        return true
      } catch {
        return false
      }
    }()

    /// Mounts an empty file system at a folder, which is made where it is not there. Throws `io`.
    public init(at path: String, kilobytes: Int) throws {
      self.path = path
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.failure("make", path) }
      guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=0755") == 0 else {
        throw Self.failure("mount a file system at", path)
      }
    }

    /// Takes it away with all it holds, also where somebody still has a file of it open.
    public func unmount() { _ = umount2(path, Int32(MNT_DETACH)) }

    /// Fills the file system until only so much is free.
    public func fill(leaving kilobytes: Int) throws {
      var information = statvfs()
      guard statvfs(path, &information) == 0 else { throw Self.failure("look at", path) }
      let free = Int(information.f_bavail) * Int(information.f_frsize)
      let file = open("\(path)/\(Self.ballast)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw Self.failure("fill", path) }
      defer { close(file) }
      guard posix_fallocate(file, 0, off_t(max(4096, free - kilobytes * 1024))) == 0 else {
        throw Self.failure("fill", path)
      }
    }

    /// Takes away what `fill` put there.
    public func makeRoom() { unlink("\(path)/\(Self.ballast)") }

    private static func failure(_ action: String, _ path: String) -> SluiceError {
      SluiceError(.io, "cannot \(action) it: \(String(cString: strerror(errno)))", at: Place(file: path))
    }
  }
#endif
