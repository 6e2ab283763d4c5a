import SluiceCore
import Testing

@testable import SluiceHTTP

@Suite("URLs, origins and percent-encoding", .timeLimit(.minutes(5)))
struct URLTests {
  @Test(
    "a path segment keeps only unreserved characters",
    arguments: [
      ("plain-._~09AZ", "plain-._~09AZ"), ("a b", "a%20b"), ("a:b", "a%3Ab"), ("100%", "100%25"), ("a+b", "a%2Bb"),
      ("a#b?c", "a%23b%3Fc"), ("a/b", "a%2Fb"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), ("日", "%E6%97%A5"),
      ("(default)", "%28default%29"), ("", ""), (".", "%2E"), ("..", "%2E%2E"), ("...", "..."), ("\u{0}\n", "%00%0A"),
    ])
  func segments(text: String, encoded: String) {
    #expect(PercentEncoding.pathSegment(text).utf8.elementsEqual(encoded.utf8))
  }

  @Test("query pairs are encoded on their own, and a space is never a plus")
  func query() throws {
    let url = try HTTPURL("http://h/p").appending(query: "a b", "1&2=3").appending(query: "t", "x+y/z==")
    #expect(url.text == "http://h/p?a%20b=1%262%3D3&t=x%2By%2Fz%3D%3D")
    #expect(url.path == "/p")
  }

  @Test(
    "URLs are taken apart",
    arguments: [
      ("https://Example.COM", "https://example.com", "/", nil),
      ("http://127.0.0.1:8080/a/b?x=1#frag", "http://127.0.0.1:8080", "/a/b", "x=1"),
      ("HTTPS://h:443/x", "https://h", "/x", nil), ("http://h:443", "http://h:443", "/", nil),
      ("http://[::1]:9/p%2Fq", "http://[::1]:9", "/p%2Fq", nil), ("http://h/a/../b/./c", "http://h", "/b/c", nil),
      ("http://h?q", "http://h", "/", "q"),
    ] as [(String, String, String, String?)])
  func parts(text: String, origin: String, path: String, query: String?) throws {
    let url = try HTTPURL(text)
    #expect(url.origin.description == origin)
    #expect(url.path == path)
    #expect(url.query == query)
    #expect(try HTTPURL(url.text) == url)
  }

  @Test(
    "what is no http URL is refused without repeating it",
    arguments: [
      "", "h", "/path", "ftp://secret/", "file:///secret", "http://", "http://user:secret@h/", "http://secret@h/",
      "http://h:0x/secret", "http://h:99999/secret", "http://h/a b\u{1}secret", "http://h/\nsecret",
      "javascript:secret",
    ])
  func refused(text: String) throws {
    let error = try #require(throws: SluiceError.self) { try HTTPURL(text) }
    #expect(error.code == .invalidConfiguration)
    #expect(!"\(error)".contains("secret"))
  }

  @Test(
    "loopback is 127/8, ::1 and localhost, and nothing that only looks like it",
    arguments: [
      ("http://localhost", true), ("http://LOCALHOST:1", true), ("http://127.0.0.1", true),
      ("http://127.255.3.4", true),
      ("http://[::1]", true), ("http://127.1", true), ("http://128.0.0.1", false),
      ("http://127.0.0.1.example.com", false),
      ("http://127.example.com", false), ("http://localhost.example.com", false), ("http://10.0.0.1", false),
      ("http://[::2]", false), ("http://0.0.0.0", false),
    ])
  func loopback(text: String, isLoopback: Bool) throws {
    #expect(try HTTPURL(text).origin.isLoopback == isLoopback)
  }

  @Test(
    "references resolve against the page they stand on",
    arguments: [
      ("?page=2", "https://h/a/b?page=2"), ("/x", "https://h/x"), ("c", "https://h/a/c"), ("../c", "https://h/c"),
      ("//other/y", "https://other/y"), ("http://other:1/", "http://other:1/"),
    ])
  func resolving(reference: String, result: String) throws {
    #expect(try HTTPURL("https://h/a/b?page=1").resolving(reference).text == result)
  }
}
