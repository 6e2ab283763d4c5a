import SluiceCore

/// Reads what Firestore's REST interface answers with documents into batches.
///
/// A document's key is its name without `root`; its version is its `updateTime`. A name without a document comes as a
/// document whose header says `isMissing`. Members that are not known are checked and stepped over.
public struct FirestoreDecoder: Sendable {
  /// What every document's name begins with and its key leaves out, with the slash at the end.
  public let root: String
  /// What to do with values of unknown kinds.
  public var unknownValues = UnknownValues.keep
  private let rootBytes: [UInt8]

  /// A decoder for documents below a path, such as `projects/p/databases/(default)/documents/users`.
  public init(root: String) {
    self.root = root.isEmpty || root.hasSuffix("/") ? root : root + "/"
    rootBytes = Array(self.root.utf8)
  }

  /// Reads the answer to a list request. The page's memory becomes the batch's.
  ///
  /// Throws `malformed_data` with byte, line and column, and the key and field where they are known; `remote` when the
  /// answer is an error in place of a page.
  public func listPage(_ bytes: consuming [UInt8]) throws(SluiceError) -> FirestoreListPage {
    let (answer, batch) = try Parser.run(bytes) { parser throws(Parser.Fault) in
      prepare(&parser)
      return try parser.listPage(root: rootBytes)
    }
    if let status = answer.status { throw status.error }
    return FirestoreListPage(batch: batch, nextPageToken: answer.nextPageToken)
  }

  /// Reads the answer to a request for one document: a batch of one.
  public func document(_ bytes: consuming [UInt8]) throws(SluiceError) -> Batch {
    try Parser.run(bytes) { parser throws(Parser.Fault) in
      prepare(&parser)
      parser.skipSpace()
      try parser.document(root: rootBytes)
      try parser.end()
    }.batch
  }

  /// Reads the answer to `batchGet` or `runQuery`: an array of elements. A name that was asked for and has no document
  /// comes as a delete, as of the time it was read.
  ///
  /// Throws `remote` when an element is an error, even behind documents.
  public func queryResults(_ bytes: consuming [UInt8]) throws(SluiceError) -> FirestoreQueryResults {
    let (answer, batch) = try Parser.run(bytes) { parser throws(Parser.Fault) in
      prepare(&parser)
      return try parser.queryResults(root: rootBytes)
    }
    if let status = answer.status { throw status.error }
    return FirestoreQueryResults(
      batch: batch, readTime: answer.readTime, transaction: answer.transaction, skippedResults: answer.skippedResults)
  }

  private func prepare(_ parser: inout Parser) {
    parser.unknownValues = unknownValues
    parser.entries.reserveCapacity(256)
  }
}

/// One page of a listing.
public struct FirestoreListPage: Sendable {
  /// The documents, in the order of the page.
  public var batch: Batch
  /// What to ask the next page with; nil where this is the last one.
  public var nextPageToken: String?
}

/// The elements of a `batchGet` or `runQuery` answer, put together.
public struct FirestoreQueryResults: Sendable {
  /// The documents, and deletes for names without one.
  public var batch: Batch
  /// The time of the last element that has one.
  public var readTime: Timestamp?
  /// The transaction the request began, as base64.
  public var transaction: String?
  /// How many documents an offset skipped; they are billed.
  public var skippedResults: Int
}
