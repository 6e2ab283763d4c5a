import SluiceCore
import SluiceHTTP

/// The settings of the `firestore` adapter.
public struct FirestoreConfig: Configurable {
  /// The Google Cloud project.
  public var project = ""
  /// The database's id.
  public var database = "(default)"
  /// The collection's path: `users`, or `users/u1/reviews`.
  public var collection = ""
  /// Where the REST API is, when not Google's own.
  public var endpoint: String?
  /// An API key.
  public var apiKey: Secret?
  /// A bearer token.
  public var token: Secret?
  /// The fields to ask for; all where empty.
  public var fields: [String] = []
  /// Whether names that have no document, only documents below them, are listed too.
  public var showMissing = false
  /// The order of the listing, in Firestore's words; by name where nil.
  public var orderBy: String?

  /// The defaults.
  public init() {}

  /// The settings.
  public static let spec = ConfigSpec<FirestoreConfig>(
    "A collection of Google Cloud Firestore, over its REST API.",
    [
      Setting("project", \.project, "The Google Cloud project.", required: true, examples: ["my-project"]),
      Setting("database", \.database, "The database's id."),
      Setting(
        "collection", \.collection, "The collection's path, collection and document names in turn.", required: true,
        examples: ["users", "users/u1/reviews"]),
      Setting(
        "endpoint", \.endpoint,
        "Where the REST API is: scheme, host, port and a path prefix. Without a scheme it is http on loopback, else "
          + "https. Default: FIRESTORE_EMULATOR_HOST where no credentials are set, else Google's.",
        examples: ["127.0.0.1:8080", "https://firestore.example/prefix"]),
      Setting("api_key", \.apiKey, "An API key.", examples: ["${env:FIRESTORE_API_KEY}"]),
      Setting("token", \.token, "A bearer token.", examples: ["${file:token.txt}"]),
      Setting("fields", \.fields, "The field paths to ask for. Each document is billed as one read all the same."),
      Setting(
        "show_missing", \.showMissing,
        "List names that have no document, only documents below them, too. They are billed and flagged."),
      Setting(
        "order_by", \.orderBy,
        "The order of the listing: field paths, each with \"desc\" behind it or not. Documents that lack one of the fields "
          + "are not listed. Default: by name.",
        examples: ["name", "createdAt desc"]),
    ],
    check: { config, marks, diagnostics in
      let segments = config.collection.split(separator: "/", omittingEmptySubsequences: false)
      if segments.count.isMultiple(of: 2) || segments.contains(where: \.isEmpty) {
        diagnostics.error(
          "invalid_collection", "collection: \"\(config.collection)\" is no path of a collection",
          at: marks.place(of: "collection"),
          hint: "collection and document names in turn, beginning and ending with a collection: users/u1/reviews")
      }
      if config.showMissing, config.orderBy != nil {
        diagnostics.error(
          "conflicting_settings", "show_missing and order_by cannot be set together",
          at: marks.place(of: "order_by"),
          hint: "a name without a document has no field to order by: leave one of the two out",
          notes: [.init("show_missing is set here", at: marks.place(of: "show_missing"))])
      }
      if let endpoint = config.endpoint {
        do throws(SluiceError) {
          let origin = try FirestoreEndpoint.url(endpoint).origin
          // The first request would be refused; better to hear of it here.
          if config.token != nil || config.apiKey != nil, origin.scheme == .http, !origin.isLoopback {
            diagnostics.error(
              "plain_http", "endpoint: credentials do not go over plain http", at: marks.place(of: "endpoint"),
              hint: "use https, or remove \(config.token != nil ? "token" : "api_key")")
          }
        } catch {
          diagnostics.error(
            "invalid_endpoint", "endpoint: \(error.message)", at: marks.place(of: "endpoint"), hint: error.hint)
        }
      }
    })
}

/// Where requests go, and what decided that.
struct FirestoreEndpoint: Sendable {
  var url: HTTPURL
  var origin: String

  /// The endpoint of a configuration. `FIRESTORE_EMULATOR_HOST` counts only where no credentials are configured, so that
  /// a forgotten variable never sends them to another host.
  init(_ config: FirestoreConfig, environment: (String) -> String?) throws(SluiceError) {
    if let endpoint = config.endpoint {
      self.url = try Self.url(endpoint)
      self.origin = "endpoint"
    } else if config.apiKey == nil, config.token == nil, let host = environment("FIRESTORE_EMULATOR_HOST"),
      !host.isEmpty
    {
      self.url = try Self.url(host)
      self.origin = "FIRESTORE_EMULATOR_HOST"
    } else {
      self.url = try HTTPURL("https://firestore.googleapis.com")
      self.origin = "default"
    }
  }

  /// Reads an endpoint as a user writes it: without a scheme it is http on loopback, else https.
  static func url(_ text: String) throws(SluiceError) -> HTTPURL {
    var text = text
    while text.hasSuffix("/") { text.removeLast() }
    if text.contains("://") { return try HTTPURL(text) }
    let plain = try HTTPURL("http://" + text)
    return plain.origin.isLoopback ? plain : try HTTPURL("https://" + text)
  }
}
