import SluiceCore

/// Finds a listing that goes in circles: at the first repeat of a request, not after a quota.
///
/// It keeps 16 bytes for each request of the listing.
struct LoopGuard {
  private var seen: Set<Fingerprint>

  /// A guard that knows the requests confirmed so far.
  init(confirmed: [Fingerprint] = []) { seen = Set(confirmed) }

  /// Notes that a page is going to be asked for. False when it was asked for before in this listing. Retries of one
  /// request are not noted again.
  mutating func admit(_ request: Fingerprint) -> Bool { seen.insert(request).inserted }

  /// Identifies a request within its listing. The page size is left out: it may change.
  static func fingerprint(of position: PagePosition, range: KeyRange) -> Fingerprint {
    var digest = RunningDigest()
    digest.fold(position.kind.rawValue)
    switch position {
    case .start: break
    case .token(let text), .url(let text): digest.fold(text)
    case .offset(let number), .number(let number): digest.fold(String(number))
    case .after(let cursor):
      digest.append(cursor.key.bytes.span)
      digest.fold("\(cursor.values.count)")
      for value in cursor.values { digest.append(Fingerprint(of: value)) }
    }
    for bound in [range.lower, range.upper] { digest.fold(bound.map(\.description) ?? "") }
    return digest.value
  }
}
