import SluiceCore
import Testing

@Suite struct RedactorTests {
  private struct Login: Configurable {
    var user = ""
    var password: Secret?
    var keys: [Login] = []
    static let spec = ConfigSpec<Login>(
      "Login.",
      [
        Setting("user", \.user, "User."), Setting("password", \.password, "Password."),
        Setting("keys", \.keys, "More."),
      ])
  }

  @Test func replacesTheLongestFirst() {
    var redactor = Redactor()
    redactor.add("token", as: "${env:A}")
    redactor.add("token-long", as: "${env:B}")
    #expect(redactor.redact("a token, a token-long, a toke") == "a ${env:A}, a ${env:B}, a toke")
    #expect(redactor.redact("token") == "${env:A}")
    #expect(redactor.redact("") == "")
  }

  @Test func shortValuesOnlyIfSecret() {
    var redactor = Redactor()
    redactor.add("abc", as: "${env:A}")
    redactor.add("", as: "${env:B}", isSecret: true)
    #expect(redactor.isEmpty)
    redactor.add("abc", as: "***", isSecret: true)
    #expect(redactor.redact("xabcx") == "x***x")
  }

  @Test func findsEscapedFormsAndLines() {
    var redactor = Redactor()
    redactor.add("p$w#x: \"y\"\nBEGIN-PRIVATE-KEY-0123456789\n", as: "${env:PASS}")
    #expect(redactor.redact("?p=p%24w%23x%3A%20%22y%22%0ABEGIN-PRIVATE-KEY-0123456789%0A&") == "?p=${env:PASS}&")
    #expect(redactor.redact(#""p$w#x: \"y\"\nBEGIN-PRIVATE-KEY-0123456789\n""#) == "\"${env:PASS}\"")
    #expect(redactor.redact("at BEGIN-PRIVATE-KEY-0123456789!") == "at ${env:PASS}!")
  }

  @Test(
    "whatever bytes are percent-encoded, and in which letters",
    arguments: [
      "a/b %é\\0", "a%2Fb%20%25%C3%A9%5C0", "a%2fb%20%25%c3%a9%5c0", "a%2Fb+%25%C3%a9%5C0", "%61/b %25é%5C%30",
    ])
  func findsPercentEncoded(text: String) {
    var redactor = Redactor()
    redactor.add("a/b %é\\0", as: "***", isSecret: true)
    #expect(redactor.redact("?key=\(text)&x=%") == "?key=***&x=%")
  }

  @Test(
    "the password of a URL, alone, with its user, and as Basic credentials; the rest of the URL stays",
    arguments: [
      ("http://me:hunter2@h:81/p", "http://***@h:81/p, *** and ***"),
      ("http://me:hunter%32@h:81/p", "http://***@h:81/p, *** and ***"),
      ("http://me@h:81/p", "http://me@h:81/p, hunter2 and bWU6aHVudGVyMg=="),
      ("http://h:81/p?a:b@c", "http://h:81/p?a:b@c, hunter2 and bWU6aHVudGVyMg=="),
      ("me:hunter2@h", "me:hunter2@h, hunter2 and bWU6aHVudGVyMg=="),
    ])
  func findsPasswordsOfURLs(url: String, shown: String) {
    var redactor = Redactor()
    redactor.add(passwordOfURL: url)
    #expect(redactor.redact("\(url), hunter2 and bWU6aHVudGVyMg==") == shown)
  }

  @Test func findsTheSecretsOfASpec() {
    let piece = Piece.map([
      ("user", "ann"), ("password", .quoted("pw1")),
      ("keys", .list([.map([("user", "bob"), ("password", .interpolated("pw2", "${file:k}"))])])),
    ])
    var redactor = Redactor()
    redactor.add(secretsOf: piece.node(), by: Login.spec.schema)
    #expect(redactor.redact("ann pw1 bob pw2") == "ann *** bob ${file:k}")
  }
}
