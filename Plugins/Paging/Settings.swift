import SluiceCore

/// The setting that every strategy has.
func pageSizeSetting<Root>(_ path: WritableKeyPath<Root, Int> & Sendable) -> Setting<Root> {
  Setting(
    "size", path, "Documents to ask for in a page. Always sent; the other side may send fewer.", range: 1...100_000)
}

/// The setting of the strategies that have more than one page.
func stopSetting<Root, Family>(_ path: WritableKeyPath<Root, StopRules<Family>> & Sendable) -> Setting<Root> {
  let ends = [
    EndSign.noMore: "`no_more`: the source says that nothing follows",
    .totalReached: "`total_reached`: as many documents were read as the source says there are",
    .emptyPage: "`empty_page`: a page without documents",
    .shortPage: "`short_page`: a page with fewer documents than asked for",
    .noNewKeys: "`no_new_keys`: a page whose documents all came before (this proves nothing: no deletes then, and "
      + "nothing is replaced)",
  ]
  return Setting(
    "stop_when", path,
    "What ends the listing, beside the strategy's own end. \(Family.signs.compactMap { ends[$0] }.joined(separator: "; ")).",
    examples: ["no_new_keys", "[\(Family.signs.prefix(2).map(\.rawValue).joined(separator: ", "))]"])
}

/// The setting of the strategies that count through a source.
func gapsSetting<Root>(_ path: WritableKeyPath<Root, Bool> & Sendable) -> Setting<Root> {
  Setting(
    "allow_gaps", path,
    "Accept a source that changes while it is listed: documents may then be missed or come twice.")
}

extension SluiceError {
  /// What a page says of its successor does not fit together: to call it the end could lose documents.
  static func contradiction(_ message: String, hint: String) -> SluiceError {
    SluiceError(.malformedData, message, hint: hint)
  }

  /// A page says that more follows, but nothing to go on by.
  static func nothingToGoOnBy(_ what: String) -> SluiceError {
    contradiction(
      "the page says that more follows, but \(what)",
      hint: "the listing may be cut short; if the source always says so, set stop_when without no_more")
  }
}
