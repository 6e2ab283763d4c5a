import SluiceCore

/// The signs that end a listing beside a strategy's own: the words of `stop_when`.
///
/// Which signs there are depends on what the strategy can know of a page, so each family of strategies names its own.
public struct StopRules<Family: StopFamily>: Sendable, Hashable {
  /// The signs.
  public var signs: Set<EndSign>

  /// Rules of these signs.
  public init(_ signs: Set<EndSign>) { self.signs = signs }

  /// The rules of a job that sets none.
  public static var standard: StopRules { StopRules(Family.standard) }

  /// Whether a page without a new key is the end.
  var stopsWithoutNewKeys: Bool { signs.contains(.noNewKeys) }

  /// What the other side says of more documents, where the listing goes by it.
  func hasMore(_ signals: PageSignals) -> Bool? { signs.contains(.noMore) ? signals.hasMore : nil }

  /// How many documents the other side says there are, where the listing goes by it.
  func total(_ signals: PageSignals) -> Int? { signs.contains(.totalReached) ? signals.total : nil }

  /// The sign by which this page ends the listing. None where the page says itself that more follows.
  func sign(in signals: PageSignals, of request: PageRequest) -> EndSign? {
    switch hasMore(signals) {
    case true?: return nil
    case false?: return .noMore
    case nil: break
    }
    if signs.contains(.emptyPage), signals.count == 0 { return .emptyPage }
    if signs.contains(.shortPage), signals.count < request.size { return .shortPage }
    return nil
  }
}

/// The strategies that share the words of `stop_when`.
public protocol StopFamily: Sendable, Hashable {
  /// The words there are, in the order of the documentation.
  static var signs: [EndSign] { get }
  /// The signs where a job sets none.
  static var standard: Set<EndSign> { get }
}

/// Strategies that go on by what a page names: their own end is that it names nothing.
public enum NamedPages: StopFamily {
  /// All but a total, which cannot be compared with the pages before.
  public static let signs: [EndSign] = [.noMore, .emptyPage, .shortPage, .noNewKeys]
  /// What the other side says.
  public static let standard: Set<EndSign> = [.noMore]
}

/// Strategies that go on from the last key: their own end is an empty page.
public enum PagesAfterKeys: StopFamily {
  /// All but a total, which cannot be compared with the pages before.
  public static let signs: [EndSign] = [.noMore, .shortPage, .noNewKeys]
  /// What the other side says.
  public static let standard: Set<EndSign> = [.noMore]
}

/// Strategies that count documents or pages: their own end is an empty page.
public enum CountedPages: StopFamily {
  /// All.
  public static let signs: [EndSign] = [.noMore, .totalReached, .shortPage, .noNewKeys]
  /// What the other side says.
  public static let standard: Set<EndSign> = [.noMore, .totalReached]
}

extension StopRules: ConfigValue {
  /// One word, or a list of them.
  public static var configType: ConfigType {
    let words = ConfigType.oneOf(Family.signs.map(\.rawValue))
    return .either([words, .list(words)])
  }

  /// Reads one word or a list of words.
  public static func decode(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> StopRules? {
    guard case .sequence(let items) = node.content else {
      return word(node, in: context, into: &diagnostics).map { StopRules([$0]) }
    }
    let signs = items.map { word($0, in: context, into: &diagnostics) }
    return signs.contains(nil) ? nil : StopRules(Set(signs.compactMap { $0 }))
  }

  private static func word(
    _ node: ConfigNode, in context: ConfigContext, into diagnostics: inout Diagnostics
  ) -> EndSign? {
    let words = Family.signs.map(\.rawValue)
    let expected = "one of \(words.joined(separator: ", "))"
    guard let text = context.text(of: node, expected: expected, into: &diagnostics) else { return nil }
    if let sign = Family.signs.first(where: { $0.rawValue == text }) { return sign }
    context.wrongType(
      node, expected: expected, suggestion: NearestName.find(text, among: words), into: &diagnostics)
    return nil
  }

  /// The words in brackets.
  public var configText: String? {
    "[\(Family.signs.filter(signs.contains).map(\.rawValue).joined(separator: ", "))]"
  }
}

extension StopRules: ExpressibleByArrayLiteral {
  /// Rules of these signs.
  public init(arrayLiteral signs: EndSign...) { self.init(Set(signs)) }
}
