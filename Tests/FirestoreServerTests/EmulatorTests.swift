import FirestoreServer
import Foundation
import SluiceCore
import SluiceJSON
import Testing

/// The port of the emulator that runs on this machine, where the tests were given one.
private let emulatorPort: UInt16? = ProcessInfo.processInfo.environment["SLUICE_EMULATOR"].flatMap {
  $0.split(separator: ":").last.flatMap { UInt16($0) }
}

/// The same requests to Google's emulator and to this server.
///
/// Known differences, in which this server follows production, and which are therefore not asked here: unknown query
/// parameters and `__name__` in a mask of a write are refused; an empty composite filter is refused; an update time as
/// precondition on a missing document fails; `readTime` works in GET; lists go on behind `orderBy` with a token;
/// names can be read in descending order; a page that is full with the last document has no token; an id that is too
/// long is refused in reads too; skipped results are told once and not with every document. Taken out before comparing: times, tokens, messages, and the array around
/// the errors of streams.
@Suite(
  "Against Google's emulator",
  .enabled(if: emulatorPort != nil, "needs Google's Firestore emulator (SLUICE_EMULATOR)"))
struct EmulatorTests {
  /// What a client could tell apart: the status, and the answer without what is different by nature.
  static func essence(_ reply: TinyReply) -> String {
    if reply.status >= 400 {
      return "\(reply.status) \(reply.errorStatus ?? reply.text.trimmingCharacters(in: .newlines))"
    }
    return "\(reply.status) " + JSON.text(strip(reply.json))
  }

  private static func strip(_ value: Value) -> Value {
    switch value {
    case .array(let items): return .array(items.map(strip))
    case .map(let fields):
      let kept = fields.filter {
        !["createTime", "updateTime", "readTime", "commitTime", "message", "skippedResults"].contains($0.name)
      }
      return .map(
        kept.map { field in
          if field.name == "nextPageToken" { return Field(field.name, .string("token")) }
          // An empty list or map of values may be written out or left out.
          if ["arrayValue", "mapValue"].contains(field.name), JSON.text(field.value).count < 14 {
            return Field(field.name, .map([]))
          }
          if field.name == "timestampValue", field.value.string?.hasPrefix("20") == true {
            return Field(field.name, .string("time"))
          }
          return Field(field.name, strip(field.value))
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    default: return value
    }
  }

  @Test("gives the same answers to the same requests")
  func same() throws {
    let port = try #require(emulatorPort)
    // A project of its own, so that other tests may use the emulator at the same time.
    let project = "sluice-test-\(UInt64.random(in: 0...UInt64.max))"
    let server = try FirestoreServer.started {
      $0.defaultPageSize = 30
      $0.maximumPageSize = 150
    }
    defer { server.stop() }
    var clients = (ours: TinyClient(server), theirs: TinyClient(port: port))
    clients.theirs.headers = [("Authorization", "Bearer owner")]
    clients.ours.headers = clients.theirs.headers
    defer {
      let root = "/emulator/v1/projects/\(project)/databases/(default)/documents"
      #expect((try? clients.theirs.send("DELETE", root))?.status == 200)
    }
    func own(_ text: String) -> String { text.replacingOccurrences(of: "projects/demo/", with: "projects/\(project)/") }
    for step in Self.steps {
      let ours = Self.essence(try clients.ours.send(step.verb, own(TinyClient.target(step.path)), step.body.map(own)))
      guard let answer = try? clients.theirs.send(step.verb, own(TinyClient.target(step.path)), step.body.map(own))
      else {
        Issue.record("the emulator does not answer to \(step.verb) \(step.path) \(step.body ?? "")")
        continue
      }
      let theirs = Self.essence(answer)
      #expect(ours == theirs, "\(step.verb) \(step.path) \(step.body ?? "")")
    }
  }

  static let steps: [WriteStep] = setUp + lists + values + queries + writes

  private static func patch(_ path: String, _ fields: String) -> WriteStep {
    WriteStep("PATCH", path, "{\"fields\":{\(fields)}}", 200)
  }

  private static let setUp: [WriteStep] =
    [
      "c/d1", "c/d9/sub/x", "c/d2/sub/y", "c/__id5__", "c/__id-7__", "c/__id10__", "e/e1", "c/B", "c/a", "c/%C3%A9",
      "c/a%20b%3A%23%3F%25",
    ].map {
      patch(
        $0, #""n":{"integerValue":"1"},"m":{"mapValue":{"fields":{"a":{"integerValue":"1"},"b":{"integerValue":"2"}}}}"#
      )
    }
    + zip(
      0...,
      [
        #"{"nullValue":null}"#, #"{"booleanValue":true}"#, #"{"integerValue":"5"}"#, #"{"doubleValue":"NaN"}"#,
        #"{"doubleValue":5.5}"#, #"{"stringValue":"a"}"#, #"{"arrayValue":{"values":[{"integerValue":"1"}]}}"#,
      ]
    )
    .map { patch("q/d\($0)", #""n":\#($1),"i":{"integerValue":"\#($0)"}"#) }
    + [patch("q/z", #""i":{"integerValue":"1"}"#)]
    + (100..<140).map { patch("many/d\($0)", "") }

  private static let lists: [WriteStep] = [
    "c", "c?pageSize=3", "c?pageSize=-1", "c?pageToken=garbage", "c?showMissing=true", "c?showMissing=true&pageSize=6",
    "c?showMissing=true&orderBy=n", "c?orderBy=n%20desc", "c?orderBy=n%20bad", "c?mask.fieldPaths=a..b",
    "c?mask.fieldPaths=__name__",
    "c?mask.fieldPaths=m.a", "c/d1?mask.fieldPaths=zz", "c/none", "c/d1/sub", "c/d2/sub", "c/..", "many",
    "many?pageSize=39", "q?orderBy=n", "q?orderBy=i,n%20desc",
    "c/__x__", "/v1/projects/p", "/v1/projects/demo/databases/(default)/nonsense",
  ].map { WriteStep("GET", $0, nil, 200) }

  private static let values: [WriteStep] = ValueTests.values.map { patch("v/d", "\"f\":\($0.0)") }

  private static let queries: [WriteStep] =
    (QueryTests.filterCases + QueryTests.shapeCases).compactMap { one in
      if one.query.contains(#""filters":[]"#) || one.query.contains(#""__name__"},"direction":"DESC"#) { return nil }
      let query = one.query.replacingOccurrences(of: "/c/", with: "/q/")
      return WriteStep(
        "POST", ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"q"}]\#(query.isEmpty ? "" : ",")\#(query)}}"#, 200)
    }
    + [
      #"{"collectionId":"sub","allDescendants":true}"#, #"{"allDescendants":true}"#, "", "{}",
      #"{"collectionId":"a/b"}"#,
    ].map {
      WriteStep("POST", ":runQuery", #"{"structuredQuery":{"from":[\#($0)]}}"#, 200)
    }
    + [
      WriteStep("POST", ":listCollectionIds", "{}", 200),
      WriteStep("POST", ":listCollectionIds", #"{"pageSize":2}"#, 200),
      WriteStep("POST", "c/d9:listCollectionIds", "{}", 200),
      WriteStep("POST", ":listCollectionIds", #"{"pageToken":"xx"}"#, 400),
      WriteStep(
        "POST", ":batchGet",
        #"{"documents":["N/c/d1","N/c/none","N/c/d1"],"mask":{"fieldPaths":["n"]}}"#.replacingOccurrences(
          of: "N/", with: WriteTests.root + "/"), 200),
      WriteStep("POST", ":batchGet", "{}", 200), WriteStep("POST", ":batchGet", #"{"documents":["c/d1"]}"#, 400),
      WriteStep(
        "POST", ":runAggregationQuery",
        #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"q"}]},"aggregations":[{"alias":"n","count":{}},{"count":{"upTo":"2"}},{"alias":"s","sum":{"field":{"fieldPath":"i"}}},{"alias":"av","avg":{"field":{"fieldPath":"n"}}}]}}"#,
        200),
    ]

  private static let writes: [WriteStep] =
    [
      patch(
        "c/d",
        #""a":{"integerValue":"1"},"m":{"mapValue":{"fields":{"x":{"integerValue":"1"},"y":{"integerValue":"2"}}}}"#)
    ]
    + WriteTests.singleWrites.filter { step in
      // Ids of the server's choice, and the known differences.
      step.path != "c"
        && !["__name__", "none?currentDocument.updateTime", "0000001Z", "2023-11-14", ":beginTransaction"].contains {
          step.path.contains($0)
        }
    }
    + WriteTests.batches.filter { step in !["projects/other", "verify"].contains { step.body?.contains($0) == true } }
    + [WriteStep("GET", "c", nil, 200), WriteStep("GET", "t", nil, 200)]
}
