import SluiceCore
import SluiceTesting

/// A sink of which only the contents are read, sorted once and not for each part.
final class CachedContents: Verifiable {
  typealias Config = NoSettings
  static let name = "cached"
  static let summary = "Contents."
  private let all: [(key: Key, fields: [Field])]

  init(_ config: NoSettings, context: AdapterContext) async throws { all = [] }

  init(_ sink: RecordingSink) async throws {
    let contents = try await sink.contents(after: nil, limit: .max).batch
    all = contents.indices.map { (contents.key(at: $0), contents.fields(at: $0).materialized) }
  }

  func contents(after place: String?, limit: Int) async throws -> Contents {
    let start = place.flatMap(Int.init) ?? 0
    let end = min(all.count, start + limit)
    var builder = BatchBuilder()
    for (key, fields) in all[start..<end] { builder.add(key: key, fields) }
    return Contents(try builder.finish(), next: end < all.count ? String(end) : nil)
  }

  func apply(_ delivery: consuming Delivery) async throws -> Receipt { delivery.confirm() }
  func identity(creating: Bool) async throws -> SinkIdentity? { nil }
  func isEmpty() async throws -> Bool { all.isEmpty }
}
