import SluiceCore
import Testing

private enum Encoding: String, CaseIterable, ConfigValue { case plain, typed }

private struct Limits: Configurable {
  var deletes = CountOrPercentage.percentage(Percentage(10))
  var pause: Duration = .seconds(90)
  static let spec = ConfigSpec<Limits>(
    "Limits.",
    [
      Setting("max_delete", \.deletes, "Deletes."),
      Setting("pause", \.pause, "Pause.", range: .seconds(1)...(.seconds(600))),
    ])
}

private struct Fixture: Configurable {
  var path = ""
  var encoding = Encoding.plain
  var size = 300
  var cap: Int?
  var fields: [String] = []
  var token: Secret?
  var user = "me"
  var replaces = false
  var limits = Limits()
  var children: [Fixture] = []
  static let spec = ConfigSpec<Fixture>(
    "A fixture.",
    [
      Setting("path", \.path, "Path.", required: true, examples: ["out.jsonl"]),
      Setting("encoding", \.encoding, "Spelling."),
      Setting("page_size", \.size, "Size.", range: 1...1000, renamedFrom: ["batch"]),
      Setting("cap", \.cap, "Cap.", range: 1...),
      Setting("fields", \.fields, "Fields."),
      Setting("token", \.token, "Token."),
      Setting("user", \.user, "User.", secret: true),
      Setting("replaces", \.replaces, "Replaces.", role: .sink),
      Setting("limits", \.limits, "Limits."),
      Setting("children", \.children, "More of the same."),
    ],
    check: { config, marks, diagnostics in
      if config.size > 500, marks["cap"] != nil {
        diagnostics.error("conflict", "cap and page_size do not go together", at: marks.place(of: "cap"))
      }
    })
}

@Suite struct ConfigSpecTests {
  @Test func defaultsAreThePropertyInitialisers() throws {
    let config = try #require(Reading<Fixture>(.map([("path", "a")])).value)
    #expect(config.path == "a" && config.size == 300 && config.cap == nil && config.limits.pause == .seconds(90))
  }

  @Test func readsEverySetting() throws {
    let reading = Reading<Fixture>(
      .map([
        ("path", "a"), ("encoding", "typed"), ("page_size", "20"), ("cap", "7"), ("fields", .list(["no", "0510"])),
        ("token", .interpolated("s3cret", "${env:T}")), ("limits", .map([("max_delete", "500"), ("pause", "2m")])),
        ("children", .list([.map([("path", "b")])])), ("replaces", "true"),
      ]))
    #expect(reading.problems == [])
    let config = try #require(reading.value)
    #expect(config.encoding == .typed && config.size == 20 && config.cap == 7 && config.fields == ["no", "0510"])
    #expect(config.token?.reveal() == "s3cret" && "\(config.token!)" == "${env:T}")
    #expect(config.limits.deletes == .count(500) && config.limits.pause == .seconds(120))
    #expect(config.children.map(\.path) == ["b"])
  }

  @Test("C114 every mistake is reported at once, at its key, with what was probably meant")
  func everyMistakeAtOnce() {
    let reading = Reading<Fixture>(
      .map([
        ("page_szie", "50"), ("encoding", "plane"), ("limits", .map([("max_delet", "10"), ("pause", "5")])),
        ("batch", "1"), ("max_delete", "1"), ("cap", "0"), ("fields", "a"), ("pageSize", "1"),
      ]), role: .source)
    #expect(
      reading.problems == [
        "2: unknown_key: unknown key \"page_szie\" in x (page_size)",
        "3: wrong_type: encoding: expected one of plain, typed, found \"plane\" (plain)",
        "2: unknown_key: unknown key \"max_delet\" in limits (max_delete)",
        "3: wrong_type: pause: expected a duration such as 10s, 500ms, 2m, 1h or 1d, found \"5\" (5s)",
        "5: unknown_key: batch was renamed to page_size",
        "6: unknown_key: unknown key \"max_delete\" in x",
        "7: out_of_range: cap: 0 is out of range, expected at least 1",
        "8: wrong_type: fields: expected a list, found \"a\" ([a])",
        "9: unknown_key: unknown key \"pageSize\" in x (page_size)",
        "1: missing_key: path is required by x",
      ])
    #expect(reading.value == nil)
  }

  @Test func aSettingOfTheOtherRoleIsRefused() {
    let piece = Piece.map([("path", "a"), ("replaces", "true")])
    #expect(
      Reading<Fixture>(piece, role: .source).problems == [
        "3: wrong_role: replaces is a setting of a sink, and this is a source"
      ])
    #expect(Reading<Fixture>(piece, role: .sink).value?.replaces == true)
  }

  @Test("C109 plain null, ~ and nothing are no value; quoted they are text", arguments: ["null", "~", "", "Null"])
  func nullIsAbsent(text: String) {
    #expect(Reading<Fixture>(.map([("path", .plain(text))])).problems == ["2: missing_key: path is required by x"])
    #expect(Reading<Fixture>(.map([("path", .quoted(text))])).value?.path == text)
    #expect(Reading<Fixture>(.map([("path", "a"), ("page_size", .plain(text))])).value?.size == 300)
  }

  @Test func anInterpolationThatEndsEmptyIsAbsent() {
    let reading = Reading<Fixture>(.map([("path", .interpolated("", "${env:X:-}"))]))
    #expect(reading.problems == ["2: missing_key: path is required by x"])
    // The word that the environment gave is no null.
    #expect(Reading<Fixture>(.map([("path", .interpolated("null", "${env:X}"))])).value?.path == "null")
  }

  @Test func checksSeeTheMarksAndRunOnlyOnWhatWasRead() {
    let bad: [(String, Piece)] = [("path", "a"), ("page_size", "900"), ("cap", "5")]
    #expect(Reading<Fixture>(.map(bad)).problems == ["4: conflict: cap and page_size do not go together"])
    #expect(Reading<Fixture>(.map(bad)).value == nil)
    #expect(Reading<Fixture>(.map(Array(bad.dropFirst()))).problems == ["1: missing_key: path is required by x"])
  }

  @Test func messagesHideSecretsAndInterpolatedValues() {
    let problems = Reading<Fixture>(
      .map([
        ("path", "a"), ("page_size", .interpolated("hush", "${env:N}")), ("cap", .interpolated("-5", "${env:C}")),
        ("replaces", .interpolated("yes", "${env:Y}")), ("user", .list(["hush"])), ("token", .list(["hush"])),
        ("limits", .map([("pause", .interpolated("77", "${env:P}"))])),
      ])
    ).problems
    #expect(problems.count == 6)
    for secret in ["hush", "-5", "yes", "77"] { #expect(!problems.joined(separator: "\n").contains(secret)) }
  }

  @Test func schemaTellsWhatThereIs() throws {
    let schema = Fixture.spec.schema
    #expect(schema.settings.map(\.key).prefix(4) == ["path", "encoding", "page_size", "cap"])
    let texts = schema.settings.map { "\($0.key): \($0.type) = \($0.defaultText ?? "-") \($0.range ?? "")" }
    #expect(texts[0] == "path: text = - ")
    #expect(texts[1] == "encoding: one of plain, typed = plain ")
    #expect(texts[2] == "page_size: whole number = 300 1 to 1000")
    #expect(texts[3] == "cap: whole number = - at least 1")
    #expect(schema.settings.filter(\.isSecret).map(\.key) == ["token", "user"])
    #expect(schema.settings.first { $0.key == "user" }?.defaultText == nil)
    guard case .object(let limits) = schema.settings[8].type else { throw Unexpected() }
    #expect(limits.schema.settings.map(\.defaultText) == ["10%", "90s"])
    // A group may contain itself.
    guard case .list(.object(let child)) = schema.settings[9].type else { throw Unexpected() }
    #expect(child.schema.settings.count == schema.settings.count)
  }

  private struct Unexpected: Error {}
}
