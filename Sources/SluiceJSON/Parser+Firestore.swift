import SluiceCore

/// Firestore's answers around the documents.
extension Parser {
  struct ListAnswer {
    var nextPageToken: String?
    var status: FirestoreStatus?
  }

  struct QueryAnswer {
    var readTime: Timestamp?
    var transaction: String?
    var skippedResults = 0
    var status: FirestoreStatus?
  }

  /// Takes a whole list answer.
  mutating func listPage(root: [UInt8]) throws(Fault) -> ListAnswer {
    var answer = ListAnswer()
    var seen = (documents: false, token: false, other: false)
    skipSpace()
    try members { parser throws(Fault) in
      let start = parser.i
      if parser.take("documents\"") {
        if seen.documents { throw parser.fault("\"documents\" stands twice", at: start) }
        seen.documents = true
        try parser.colon()
        if parser.take("null") { return }
        try parser.items { parser throws(Fault) in try parser.document(root: root) }
      } else if parser.take("nextPageToken\"") {
        if seen.token { throw parser.fault("\"nextPageToken\" stands twice", at: start) }
        seen.token = true
        try parser.colon()
        answer.nextPageToken = try parser.optionalString()
      } else if parser.take("error\"") {
        try parser.colon()
        answer.status = try parser.status()
      } else {
        seen.other = true
        _ = try parser.string()
        try parser.colon()
        try parser.skip(depth: 0)
      }
    }
    try end()
    if !seen.documents, !seen.token, seen.other, answer.status == nil {
      // Somebody else's answer: read as a page it would be the end of the listing.
      throw fault("an answer without \"documents\" that is no empty page", at: 0)
    }
    // In proto3 an empty text is one that is not there.
    if answer.nextPageToken == "" { answer.nextPageToken = nil }
    return answer
  }

  /// Takes a whole `batchGet` or `runQuery` answer.
  mutating func queryResults(root: [UInt8]) throws(Fault) -> QueryAnswer {
    var answer = QueryAnswer()
    skipSpace()
    if base[i] == 0x7B {
      // An emulator's error before the first element comes without the array.
      try queryElement(&answer, root: root)
      if answer.status == nil { throw fault("expected an array", at: 0) }
    } else {
      try items { parser throws(Fault) in try parser.queryElement(&answer, root: root) }
    }
    try end()
    return answer
  }

  private mutating func queryElement(_ answer: inout QueryAnswer, root: [UInt8]) throws(Fault) {
    var missing: (start: UInt32, length: UInt32)?
    var readTime: Timestamp?
    try members { parser throws(Fault) in
      if parser.take("document\"") || parser.take("found\"") {
        try parser.colon()
        try parser.document(root: root)
      } else if parser.take("missing\"") {
        try parser.colon()
        missing = try parser.key(root: root)
      } else if parser.take("readTime\"") {
        try parser.colon()
        readTime = try parser.time()
      } else if parser.take("transaction\"") {
        try parser.colon()
        answer.transaction = try parser.optionalString()
      } else if parser.take("skippedResults\"") {
        try parser.colon()
        let start = parser.i
        let number = try parser.number()
        // Counted together, so bounded: a count in 32 bits is what the protocol has.
        guard let count = parser.withBytes(number.text, NumberText.int).flatMap({ Int32(exactly: $0) }), count >= 0
        else {
          throw parser.fault("skippedResults is no count", at: start)
        }
        answer.skippedResults += Int(count)
      } else if parser.take("error\"") {
        try parser.colon()
        answer.status = try parser.status()
      } else {
        _ = try parser.string()
        try parser.colon()
        try parser.skip(depth: 0)
      }
    }
    answer.readTime = readTime ?? answer.readTime
    if let missing {
      let header = DocumentHeader(version: readTime.map { .time($0) } ?? .none)
      entries.append(
        Batch.Entry(.delete, header: header, keyStart: missing.start, keyLength: missing.length, root: 0))
    }
  }

  /// Takes a string, or null.
  mutating func optionalString() throws(Fault) -> String? {
    if take("null") { return nil }
    if !take(0x22) { throw fault("expected a string") }
    let text = try string()
    return string(text.start, text.length)
  }

  /// Takes `{"code": …, "message": …, "status": …}`.
  mutating func status() throws(Fault) -> FirestoreStatus {
    var status = FirestoreStatus(code: 0, status: "", message: "")
    try members { parser throws(Fault) in
      if parser.take("message\"") {
        try parser.colon()
        status.message = try parser.optionalString() ?? ""
      } else if parser.take("status\"") {
        try parser.colon()
        status.status = try parser.optionalString() ?? ""
      } else if parser.take("code\"") {
        try parser.colon()
        let number = try parser.number()
        status.code = Int(parser.withBytes(number.text, NumberText.int) ?? 0)
      } else {
        _ = try parser.string()
        try parser.colon()
        try parser.skip(depth: 0)
      }
    }
    return status
  }
}
