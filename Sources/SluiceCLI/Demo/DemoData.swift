/// What the demo works on.
enum DemoData {
  /// `config.yaml` of the repository's root, word for word: a test compares them.
  static let configuration = #"""
    # The smallest real job: a Firestore collection, whole, into one file and one table that each appear at once.
    # Try it without an account:   sluice demo --serve --port 8080 &   FIRESTORE_EMULATOR_HOST=127.0.0.1:8080 sluice run
    version: 1
    jobs:
      users:
        source:
          firestore: { project: demo, collection: users, endpoint: "${env:FIRESTORE_EMULATOR_HOST:-}" }
        paging: { page_token: { size: 20 } }
        transforms:
          - compute:
              field: mannerScore # from three reviews: good, fair, poor
              lua: |
                local r = doc.reviews; if type(r) ~= 'table' or #r ~= 3 then return end
                local a, b, c = r[1], r[2], r[3]
                if not (math.type(a) and math.type(b) and math.type(c)) then return end
                if a == 0 and b == 0 and c == 0 then return -1 end
                local s = a * 3.0 / (a * 3.0 + b * 2.0 + c) * 100; return s < 0 and math.ceil(s) or math.floor(s)
          - drop: { fields: [password] }
        sinks:
          - file: { path: out/users.jsonl }
          - sqlite: { path: out/users.db, table: users, publish: replace }

    """#

  /// Sixty users as plain JSON Lines: with three reviews, with none, with odd ones, all zero.
  static var users: String {
    (1...60).map { number in
      let id = "u" + String(repeating: "0", count: 3 - String(number).count) + String(number)
      let name = names[number % names.count]
      let fields = [
        "\"_key\":\"\(id)\"", "\"name\":\"\(name) \(number)\"", "\"email\":\"\(id)@example.com\"",
        "\"active\":\(number % 3 != 0)", "\"big\":\(9_007_199_254_740_993 + number)",
        "\"password\":\"secret-\(number * 7919)\"", reviews(number),
      ]
      return "{\(fields.compactMap { $0 }.joined(separator: ","))}\n"
    }.joined()
  }

  private static let names = ["Zoë", "山田", "Łukasz", "Ольга", "Aylin", "José"]

  private static func reviews(_ number: Int) -> String? {
    switch number % 10 {
    case 7: nil
    case 8: "\"reviews\":[\(number % 9)]"
    case 9: "\"reviews\":[0,0,0]"
    default: "\"reviews\":[\(number % 50),\(number * 7 % 20),\(number * 3 % 10)]"
    }
  }
}
