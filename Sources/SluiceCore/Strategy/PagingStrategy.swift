/// How a listing goes from one page to the next: a pure function, so that the checkpoint *is* the next request.
///
/// A strategy reads the signals of a page and never a wire format; it keeps no state, asks nothing of a network, and
/// works with every adapter that accepts its positions.
public protocol PagingStrategy: Component {
  /// The kind of positions it makes after the first page. `check` refuses an adapter that does not accept it.
  static var position: PagePosition.Kind { get }
  /// A strategy with these settings.
  init(_ config: Config) throws

  /// What it asks of the source, beside accepting its positions.
  var needs: PagingNeeds { get }

  /// Whether a source that changes is accepted although the strategy `needs` stillness. What is listed then proves
  /// absence only together with a second look.
  var allowsGaps: Bool { get }

  /// Whether a page whose keys all came before in this listing is the end, and no error. The engine knows the keys, and
  /// ends the listing by `noNewKeys`, which proves nothing.
  var stopsWithoutNewKeys: Bool { get }

  /// The number of documents to ask for in a page.
  var pageSize: Int { get }

  /// The position of page 1.
  var first: PagePosition { get }

  /// What follows a page. Throws a `SluiceError` where the page says nothing that the strategy could go by.
  ///
  /// - Parameters:
  ///   - signals: what the page said.
  ///   - request: the request that the page answers.
  func step(after signals: PageSignals, of request: PageRequest) throws -> PagingStep
}

extension PagingStrategy {
  /// Nothing more.
  public var needs: PagingNeeds { [] }
  /// Not accepted.
  public var allowsGaps: Bool { false }
  /// It is an error.
  public var stopsWithoutNewKeys: Bool { false }
  /// From the start.
  public var first: PagePosition { .start }
}

/// What a paging strategy asks of a source.
public struct PagingNeeds: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int
  /// Needs from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Pages come in the order of their keys.
  public static let orderedKeys = PagingNeeds(rawValue: 1)
  /// The source does not change while it is listed; else documents are missed or come twice. `check` refuses a changing
  /// source, unless the strategy `allowsGaps`.
  public static let stillness = PagingNeeds(rawValue: 2)
}
