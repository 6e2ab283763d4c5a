import SluiceCore
import SluiceJSON

/// A page as it lies in the spool: typed lines, which lose nothing, and a mark for each entry that a line cannot tell.
struct SpooledBatch: Sendable {
  /// One line of typed JSON for each entry, in order. That of a left-out one is a delete's.
  var lines: [UInt8]
  /// One mark for each entry; empty where all would be 0.
  var marks: [UInt8]

  /// How many bytes it takes.
  var size: Int { lines.count + marks.count }

  private enum Mark {
    /// The entry was left out,
    static let dropped: UInt8 = 1
    /// because a transform could not take it.
    static let rejected: UInt8 = 2
    /// It has no version, although it has the time that would stand for one.
    static let unversioned: UInt8 = 4
  }

  init(lines: [UInt8], marks: [UInt8]) {
    self.lines = lines
    self.marks = marks
  }

  init(_ page: SpooledPage) {
    let batch = page.batch
    var writer = TypedJSONLinesWriter(deletes: .write, capacity: batch.byteCount)
    var marks = [UInt8](repeating: 0, count: batch.count)
    for index in batch.indices {
      let header = batch.header(at: index)
      if batch.kind(at: index) == .dropped {
        marks[index] = page.rejected.contains(index) ? Mark.dropped | Mark.rejected : Mark.dropped
        batch.withKeyBytes(at: index) { writer.delete(key: $0, version: header.version) }
      } else {
        if header.version == .none, header.updateTime != nil, batch.kind(at: index) == .upsert {
          marks[index] = Mark.unversioned
        }
        batch.visit(index..<index + 1, &writer)
      }
    }
    self.init(lines: writer.output.bytes, marks: marks.allSatisfy { $0 == 0 } ? [] : marks)
  }

  /// The page again. Throws `invalid_state` where it is damaged.
  consuming func page(generation: UInt64, sequence: UInt64, path: String) throws -> SpooledPage {
    let marks = marks
    var batch: Batch
    do {
      batch = try TypedDecoder().lines(lines)
    } catch {
      throw Self.damaged(error.message, path)
    }
    guard !marks.isEmpty else { return SpooledPage(generation: generation, sequence: sequence, batch: batch) }
    guard marks.count == batch.count else { throw Self.damaged("another number of entries", path) }
    batch = batch.resolving { marks[$0] & Mark.dropped == 0 ? $1 : .dropped }
    for index in batch.indices where marks[index] & Mark.unversioned != 0 {
      batch.entries[index].header.version = .none
    }
    let rejected = batch.indices.filter { marks[$0] & Mark.rejected != 0 }
    return SpooledPage(generation: generation, sequence: sequence, batch: batch, rejected: Set(rejected))
  }

  private static func damaged(_ what: String, _ path: String) -> SluiceError {
    SluiceError(
      .invalidState, "a page that waits for a sink is damaged: \(what)", at: Place(file: path),
      hint: "--restart begins a new listing")
  }
}
