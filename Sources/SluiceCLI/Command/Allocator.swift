import CLinux

/// The C library's allocator, as it suits a program whose memory comes and goes in pages.
enum Allocator {
  /// The largest block that stays with the process when it is freed, in bytes: the buffers of usual pages are smaller.
  private static let largestKept: Int32 = 4 << 20

  /// Keeps the memory of a page for the next one. Call it before other threads begin.
  ///
  /// Left alone, glibc hands a page's buffers back to the kernel as soon as they are freed, and each page faults them in
  /// anew: 16,000 faults and a tenth of the CPU time in 334 pages. What is kept has a bound: twice `largestKept` at the
  /// end of each heap, and larger blocks still go back at once.
  static func keepPages() { sluice_keep_freed_memory(largestKept) }
}
