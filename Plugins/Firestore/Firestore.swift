import SluiceCore
import SluiceHTTP
import SluiceJSON

/// Reads a collection of Google Cloud Firestore over its REST API (discovery document firestore v1).
///
/// A listing is in the order of `__name__`, unless another is asked for, and each page begins after a document, so that
/// documents added or deleted meanwhile do not disturb it. The page size is always sent, because the server's own is 20.
public final class Firestore: Pageable, Lookup {
  /// `firestore`.
  public static let name = "firestore"
  /// For `sluice components`.
  public static let summary = "A collection of Google Cloud Firestore, over its REST API."

  /// Pages by token, in the order of names; documents carry their update time as version.
  public static func capabilities(of config: FirestoreConfig) -> Capabilities {
    var capabilities = Capabilities(conformancesOf: Firestore.self)
    capabilities.positions = [.start, .token]
    // In another order, a document that changes while it is listed may move past the reader.
    capabilities.order = config.orderBy == nil ? .byKey : .unstable
    capabilities.hasVersions = true
    return capabilities
  }

  /// The settings.
  public typealias Config = FirestoreConfig

  private let config: FirestoreConfig
  private let transport: HTTPTransport
  private let retrying: Retrying
  private let collectionURL: HTTPURL
  private let batchGetURL: HTTPURL
  private let decoder: FirestoreDecoder
  private let secrets: Redactor
  /// What is read.
  public let sourceIdentity: SourceIdentity

  /// Makes the connection pool; the first request is the first page.
  public init(_ config: FirestoreConfig, context: AdapterContext) async throws {
    let endpoint = try FirestoreEndpoint(config, environment: context.environment)
    context.report(.endpoint(endpoint.url.origin.description + endpoint.url.pathPrefix, from: endpoint.origin))
    self.config = config
    var secrets = Redactor()
    // The proxy's, too: it may answer in the server's place.
    for secret in [config.apiKey, config.token, context.http.proxy].compactMap(\.self) {
      secrets.add(secret.reveal(), as: "\(secret)", isSecret: true)
      secrets.add(passwordOfURL: secret.reveal())
    }
    self.secrets = secrets
    transport = try HTTPTransport(HTTPConfiguration(context.http, baseDirectory: context.baseDirectory))
    retrying = Retrying(
      RetryPolicy(context.retry),
      onRetry: { context.report(.retry(attempt: $0.attempt, delay: $0.delay, error: $0.error)) })
    let segments = config.collection.split(separator: "/").map(String.init)
    let database = ["v1", "projects", config.project, "databases", config.database, "documents"]
    collectionURL = endpoint.url.appending(segments: database + segments)
    batchGetURL = endpoint.url.appending(segments: database).appending(rawPath: ":batchGet")
      .appending(query: "prettyPrint", "false")
    decoder = FirestoreDecoder(
      root: "projects/\(config.project)/databases/\(config.database)/documents/\(config.collection)/")
    var identity: [SourceIdentity.Parameter] = [
      .init("project", config.project), .init("database", config.database), .init("collection", config.collection),
      .init("origin", endpoint.url.origin.isLoopback ? "loopback" : endpoint.url.origin.description),
      .init("fields", config.fields.joined(separator: ",")),
      .init("show_missing", config.showMissing ? "true" : "false"),
    ]
    // Only where it is set, so that states saved without it stay good.
    if let order = config.orderBy { identity.append(.init("order_by", order)) }
    sourceIdentity = SourceIdentity(identity)
  }

  /// Each database has a bill of its own.
  public var billingAccount: String? { "firestore:projects/\(config.project)/databases/\(config.database)" }

  /// The free quota of a project's database (Firestore's price list, "Free quota per day").
  public var freeReadsPerDay: Int? { 50_000 }

  /// The connection pool's thread: pages are decoded where they arrive.
  public var readingExecutor: (any TaskExecutor)? { transport.executor }

  /// Ends the connection pool.
  public func close() async { transport.close() }

  /// Lists one page. A 400 for a page that was asked for by token is a token that is no longer accepted: everything
  /// else of the request was accepted with page 1.
  public func page(_ request: PageRequest) async throws -> Page {
    // Without it Google indents its answers, which makes them a good third larger. A standard parameter of its APIs.
    var url = collectionURL.appending(query: "pageSize", String(request.size)).appending(query: "prettyPrint", "false")
    var isByToken = false
    switch request.position {
    case .start: break
    case .token(let token):
      url = url.appending(query: "pageToken", token)
      isByToken = true
    default: throw SluiceError(.internal, "Firestore lists by token only")
    }
    for field in config.fields { url = url.appending(query: "mask.fieldPaths", field) }
    if let order = config.orderBy { url = url.appending(query: "orderBy", order) }
    if config.showMissing { url = url.appending(query: "showMissing", "true") }
    do {
      return try await send(HTTPRequest(.get, authorized(url))) { body in
        let bytes = body.count
        let list = try decoder.listPage(body)
        let signals = PageSignals(
          count: list.batch.count, nextToken: list.nextPageToken, billedReads: max(1, list.batch.count),
          receivedBytes: bytes)
        return Page(list.batch, signals: signals)
      }
    } catch let error as SluiceError {
      throw (isByToken ? error.asLostPosition : error).at(place)
    }
  }

  /// Reads single documents, up to a hundred with one request. Names stand in its body: in a URL the longest ones do not
  /// fit, and Google's emulator trims white space off their ends and answers with another document.
  public func documents(for keys: [Key]) async throws -> Batch {
    var builder = BatchBuilder()
    for start in stride(from: 0, to: keys.count, by: 100) {
      let request = batchGet(keys[start..<min(start + 100, keys.count)])
      do {
        for change in try await send(request, read: { try decoder.queryResults($0).batch }) { builder.add(change) }
      } catch let error as SluiceError {
        throw error.at(place)
      }
    }
    return try builder.finish()
  }

  private func batchGet(_ keys: some Sequence<Key>) -> HTTPRequest {
    var body = [Field("documents", .array(keys.map { .string(decoder.root + $0.id) }))]
    if !config.fields.isEmpty {
      body.append(Field("mask", .map([Field("fieldPaths", .array(config.fields.map { .string($0) }))])))
    }
    let headers: HTTPHeaders = ["Content-Type": "application/json"]
    return HTTPRequest(
      .post, authorized(batchGetURL), headers: headers, body: JSON.encode(.map(body)), isIdempotent: true)
  }

  private var place: Place { Place(component: Self.name, collection: config.collection) }

  private func authorized(_ url: HTTPURL) -> HTTPURL {
    config.apiKey.map { url.appending(query: "key", $0.reveal()) } ?? url
  }

  /// Sends until the answer is a success and can be read: a page cut or broken on its way is asked for again.
  private func send<T>(_ request: HTTPRequest, read: (consuming [UInt8]) throws -> T) async throws -> T {
    var request = request
    if let token = config.token { request.headers["Authorization"] = "Bearer \(token.reveal())" }
    return try await retrying.run { _ in
      var response = try await transport.send(request)
      if let error = FirestoreAnswer.error(of: response, to: request, hiding: secrets) { throw error }
      do {
        try FirestoreAnswer.refuseOtherContent(response, hiding: secrets)
        // Moved, not copied: the page's memory becomes the batch's.
        var body: [UInt8] = []
        swap(&body, &response.body)
        return try read(body)
      } catch var error as SluiceError where error.code == .malformedData {
        error.retry = .transient
        // libcurl does not say where gzip ends too early, as long as the framing is right.
        if error.hint == nil, response.headers["Content-Encoding"] != nil {
          error.hint = "the answer came compressed: it may have been cut on its way, by a proxy for example"
        }
        throw error.at(Place(origin: request.url.origin.description))
      }
    }
  }
}

extension HTTPURL {
  /// The path where it is more than the root, for the endpoint's line.
  fileprivate var pathPrefix: String { path == "/" ? "" : path }
}

extension SluiceError {
  /// The error of a page that was asked for by a token the server no longer takes.
  fileprivate var asLostPosition: SluiceError {
    guard code == .invalidArgument else { return self }
    return SluiceError(
      .positionLost, "the page token is no longer accepted (\(message))", at: place,
      hint: "the token is dropped; the next listing begins at page 1", causes: [self])
  }
}
