import SluiceCore

/// Why a paging strategy cannot page a source.
package struct PagingObjection: Sendable {
  /// What stands in the way.
  package var reason: String
  /// What to do about it, where there is something.
  package var hint: String?

  /// Looks at what the strategy asks for and what the source can do with its settings; nil where they fit.
  package init?(to paging: PagingPlan, of source: Capabilities) {
    guard source.positions.contains(paging.position) else {
      let accepted = source.positions.map(\.rawValue).sorted().joined(separator: ", ")
      reason = "it needs positions by \(paging.position.rawValue), the source has \(accepted)"
      hint = "sluice components --matrix shows what goes with what"
      return
    }
    if paging.needs.contains(.orderedKeys), source.order == .unstable {
      reason = "it needs documents in the order of their keys"
      return
    }
    if paging.needs.contains(.stillness), !paging.strategy.allowsGaps, source.order != .pinned {
      reason = "the source may change while it is listed, and documents are then missed or come twice"
      hint = "use keyset or page_token, pin the source where it can be, or set allow_gaps: true"
      return
    }
    return nil
  }
}

extension PagingPlan {
  /// How a listing of a source by this strategy is ordered. A changing source that is counted through has no order that
  /// proves anything.
  func order(of source: Capabilities) -> Capabilities.Order {
    needs.contains(.stillness) && source.order != .pinned ? .unstable : source.order
  }
}
