import Testing

@testable import SluiceCore

@Suite("masked expressions") struct MaskedExpressionTests {
  @Test(
    "only expressions are shown, without their defaults",
    arguments: [
      ("${env:A}", "${env:A}"), ("${file:a b.txt}", "${file:a b.txt}"), ("${env:A:-pass}", "${env:A:-***}"),
      ("http://me:pass@${env:HOST}:1", "***${env:HOST}***"), ("${env:A}${env:B:-x:-y}", "${env:A}${env:B:-***}"),
      ("a$${b}${env:C}", "***${env:C}"), ("${env:A", "***"), ("", ""), ("é${env:A:-é}", "***${env:A:-***}"),
    ])
  func masked(text: String, shown: String) { #expect(MaskedExpression.text(text) == shown) }

  @Test("a redactor and a secret show no default")
  func shown() throws {
    var diagnostics = Diagnostics()
    let mark = Mark(file: "a", line: 1, column: 1)
    let node = ConfigNode(.scalar(.init("hunter22", expression: "${env:A:-hunter22}")), at: mark)
    let secret = try #require(Secret.decode(node, in: ConfigContext("token", at: mark), into: &diagnostics))
    #expect(secret.description == "${env:A:-***}")
    var redactor = Redactor()
    redactor.add("hunter22", as: "${env:A:-hunter22}")
    #expect(redactor.redact("the token hunter22 is wrong") == "the token ${env:A:-***} is wrong")
  }
}
