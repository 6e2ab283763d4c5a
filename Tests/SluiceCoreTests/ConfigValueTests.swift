import SluiceCore
import Testing

@Suite struct ConfigValueTests {
  @Test(
    "C106, C107 text is the text of the file",
    arguments: [
      "no", "on", "y", "off", "0510", "08", "12:30", "1_000", "1.0", "null ", "0x10", "2024-01-01", "=", "1e3",
    ])
  func textIsNeverGuessed(text: String) {
    #expect(Reading<String>(.plain(text)).value == text)
    #expect(Reading<[String]>(.list([.plain(text)])).value == [text])
  }

  @Test(
    arguments: [
      ("true", true, nil), ("False", false, nil), ("yes", nil, "true"), ("off", nil, "false"), ("1", nil, "true"),
      ("N", nil, "false"), ("maybe", nil, nil),
    ] as [(String, Bool?, String?)])
  func booleans(text: String, value: Bool?, suggestion: String?) {
    expect(Reading<Bool>(.plain(text)), value, suggestion)
  }

  @Test(
    arguments: [
      ("0", 0, nil), ("-12", -12, nil), ("+5", 5, nil), ("9223372036854775807", Int.max, nil),
      ("-9223372036854775808", Int.min, nil), ("9223372036854775808", nil, nil), ("1_000", nil, "1000"),
      ("0510", nil, "510"), ("-007", nil, "-7"), ("00", nil, "0"), ("0x10", nil, "16"), ("0o17", nil, "15"),
      ("1.0", nil, nil), ("1e3", nil, nil), ("ten", nil, nil), ("-", nil, nil), ("1,000", nil, nil), ("٣", nil, nil),
    ] as [(String, Int?, String?)])
  func integers(text: String, value: Int?, suggestion: String?) {
    expect(Reading<Int>(.plain(text)), value, suggestion)
    expect(Reading<Int>(.quoted(text)), value, suggestion)
  }

  @Test(
    arguments: [
      ("0", 0, nil), ("1.5", 1.5, nil), ("-.5", -0.5, nil), ("1.", 1, nil), ("1e3", 1000, nil), ("2E-2", 0.02, nil),
      ("1e999", nil, nil), (".inf", nil, nil), ("nan", nil, nil), ("0x1p3", nil, nil), ("0510", nil, "510"),
      ("1_000", nil, "1000"), (".", nil, nil), ("1e", nil, nil), ("", nil, nil),
    ] as [(String, Double?, String?)])
  func numbers(text: String, value: Double?, suggestion: String?) {
    expect(Reading<Double>(.plain(text)), value, suggestion)
  }

  @Test(
    arguments: [
      ("10s", .seconds(10), nil), ("500ms", .milliseconds(500), nil), ("2m", .seconds(120), nil),
      ("1h", .seconds(3600), nil), ("1d", .seconds(86400), nil), ("1.5s", .milliseconds(1500), nil),
      ("1h30m", .seconds(5400), nil), ("0s", .zero, nil), ("7us", .microseconds(7), nil), ("3ns", .nanoseconds(3), nil),
      ("0.1ms", .microseconds(100), nil), ("10", nil, "10s"), ("0", nil, "0s"), ("10 s", nil, "10s"),
      ("5sec", nil, "5s"), ("5 minutes", nil, "5m"), ("30m1h", nil, nil), ("1m1m", nil, nil), ("-1s", nil, nil),
      ("s", nil, nil), ("1..5s", nil, nil), ("0.5ns", nil, nil), ("999999999999d", nil, nil), ("1h 30m", nil, nil),
    ] as [(String, Duration?, String?)])
  func durations(text: String, value: Duration?, suggestion: String?) {
    expect(Reading<Duration>(.plain(text)), value, suggestion)
  }

  @Test(
    arguments: [
      (.seconds(90), "90s"), (.seconds(300), "5m"), (.seconds(86400), "1d"), (.milliseconds(1500), "1500ms"),
      (.nanoseconds(1), "1ns"), (.zero, "0s"), (.seconds(7200), "2h"),
    ] as [(Duration, String)])
  func durationsAreWrittenAsTheyAreRead(duration: Duration, text: String) {
    #expect(duration.configText == text)
    #expect(Reading<Duration>(.plain(text)).value == duration)
  }

  @Test(
    arguments: [
      ("64MB", ByteCount(64_000_000), nil), ("1KiB", ByteCount(1024), nil), ("512", ByteCount(512), nil),
      ("1.5GB", ByteCount(1_500_000_000), nil), ("10B", ByteCount(10), nil), ("3kB", ByteCount(3000), nil),
      ("64mb", nil, "64MB"), ("64M", nil, "64MB"), ("1 GiB", nil, "1GiB"), ("-1", nil, nil), ("0.5B", nil, nil),
      ("99999999999TB", nil, nil), ("MB", nil, nil), ("ten", nil, nil), ("1_000", nil, nil),
    ] as [(String, ByteCount?, String?)])
  func sizes(text: String, value: ByteCount?, suggestion: String?) {
    expect(Reading<ByteCount>(.plain(text)), value, suggestion)
  }

  @Test(
    arguments: [
      ("500", .count(500), nil), ("10%", .percentage(Percentage(10)), nil), ("0.5%", .percentage(Percentage(0.5)), nil),
      ("100%", .percentage(Percentage(100)), nil), ("101%", nil, nil), ("-1%", nil, nil), ("-1", nil, nil),
      ("%", nil, nil), ("1_0", nil, "10"), ("10 %", nil, nil),
    ] as [(String, CountOrPercentage?, String?)])
  func limits(text: String, value: CountOrPercentage?, suggestion: String?) {
    expect(Reading<CountOrPercentage>(.plain(text)), value, suggestion)
  }

  @Test func shares() {
    #expect(CountOrPercentage.percentage(Percentage(10)).limit(of: 99) == 9)
    #expect(Percentage(0.5).configText == "0.5%" && ByteCount(65536).configText == "64KiB")
  }

  @Test(
    arguments: [
      ("null", .null), ("~", .null), ("", .null), ("true", .bool(true)), ("FALSE", .bool(false)),
      ("tRue", .string("tRue")),
      ("12", .int(12)), ("-0", .int(0)), ("0x1F", .int(31)), ("0o17", .int(15)), ("1.0", .double(1)),
      ("1e3", .double(1000)),
      (".inf", .double(.infinity)), ("-.INF", .double(-.infinity)), (".NaN", .double(.nan)), ("nan", .string("nan")),
      ("18446744073709551615", .decimal("18446744073709551615")), ("12:30", .string("12:30")), ("1e", .string("1e")),
    ] as [(String, Value)])
  func literals(text: String, value: Value) {
    let reading = Reading<Value>(.plain(text))
    #expect(reading.value == value)
    #expect(reading.problems == [])
    #expect(Reading<Value>(.quoted(text)).value == .string(text))
    #expect(Reading<Value>(.interpolated(text, "${env:X}")).value == .string(text))
  }

  @Test func ambiguousLiteralsAreToldOf() {
    #expect(Reading<Value>("0510").problems == ["1: ambiguous_value: x: \"0510\" may be text or a number"])
    #expect(Reading<Value>("0510").value == nil)
    for text in ["no", "Off", "1_000"] {
      #expect(Reading<Value>(.plain(text)).value == .string(text))
      #expect(Reading<Value>(.plain(text)).problems == ["1: ambiguous_value: x: \"\(text)\" is text here"])
    }
  }

  @Test func literalsNest() {
    let reading = Reading<Value>(.map([("b", .list(["1", "null"])), ("a", "x")]))
    #expect(reading.value == .map([Field("b", .array([.int(1), .null])), Field("a", .string("x"))]))
  }

  @Test func aMapKeepsItsOrderAndTheBytesOfItsNames() throws {
    let reading = Reading<ConfigMap<Int>>(.map([("z", "1"), ("\u{e9}", "2"), ("e\u{301}", "3")]))
    let map = try #require(reading.value)
    #expect(map.entries.map(\.value) == [1, 2, 3])
    #expect(map["e\u{301}"] == 3 && map["\u{e9}"] == 2 && map["y"] == nil)
    #expect(Reading<ConfigMap<Int>>(.map([("a", "b")])).problems.count == 1)
    #expect(Reading<[String: Int]>(.map([("a", "1")])).value == ["a": 1])
  }

  @Test func listsReportEveryBadItem() {
    let reading = Reading<[Int]>(.list(["1", "b", "c", "null"]))
    #expect(
      reading.problems == [
        "1: wrong_type: an item of x: expected a whole number, found \"b\"",
        "1: wrong_type: an item of x: expected a whole number, found \"c\"",
        "1: wrong_type: an item of x: expected a whole number, found nothing",
      ])
    #expect(Reading<[Int?]>(.list(["1", "null"])).value == [1, nil])
  }

  @Test func aComponentIsANameOrANameWithSettings() throws {
    #expect(Reading<ComponentChoice>("listen").value?.name == "listen")
    #expect(Reading<ComponentChoice>("listen").value?.settings.isAbsent == true)
    let choice = try #require(Reading<ComponentChoice>(.map([("page_token", .map([("size", "20")]))])).value)
    #expect(choice.name == "page_token" && choice.mark.line == 2 && choice.settings["size"] != nil)
    let two = Reading<ComponentChoice>(.map([("page_token", ""), ("size", "20")]))
    #expect(two.problems == ["3: many_components: x: expected one component, found page_token, size"])
    #expect(Reading<ComponentChoice>(.list([])).problems.count == 1)
    #expect(Reading<ComponentChoice>("").problems.count == 1)
  }

  @Test func aSecretIsNotPrinted() {
    let secret = Secret("hush")
    var dumped = ""
    dump(secret, to: &dumped)
    let wrapped = "\(secret) \(String(reflecting: secret)) \([secret]) \(Optional(secret) as Any) \(dumped)"
    #expect(!wrapped.contains("hush"))
    #expect(secret.reveal() == "hush" && "\(Secret("x", expression: "${env:X}"))" == "${env:X}")
  }

  private func expect<V: ConfigValue & Equatable>(
    _ reading: Reading<V>, _ value: V?, _ suggestion: String?, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(reading.value == value, sourceLocation: location)
    #expect(reading.problems.count == (value == nil ? 1 : 0), sourceLocation: location)
    if let problem = reading.problems.first {
      #expect(problem.hasSuffix(suggestion.map { "(\($0))" } ?? problem), sourceLocation: location)
      #expect(suggestion != nil || !problem.hasSuffix(")"), sourceLocation: location)
    }
  }
}
