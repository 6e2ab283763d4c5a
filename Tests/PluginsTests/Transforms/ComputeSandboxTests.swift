import SluiceCore
import Testing

@Suite struct ComputeSandboxTests {
  @Test(
    arguments: [
      "_G", "_VERSION", "assert", "collectgarbage", "coroutine", "debug", "dofile", "error", "getmetatable", "io",
      "ipairs",
      "load", "loadfile", "loadstring", "next", "os", "package", "pairs", "pcall", "print", "rawequal", "rawget",
      "rawlen",
      "rawset", "require", "select", "setmetatable", "table", "tonumber", "tostring", "utf8", "warn", "xpcall",
      "anything",
    ])
  func thereIsNo(name: String) throws {
    #expect(try computing("return \(name)")([:]).failure?.contains("there is no \(name) here") == true)
  }

  @Test func theLibrariesAreReduced() throws {
    let removed =
      ["find", "match", "gmatch", "gsub", "dump", "rep"].map { "string.\($0)" } + ["math.random", "math.randomseed"]
    let script = "return {\(removed.map { "\($0) == nil" }.joined(separator: ", ")), (''):rep == nil}"
    #expect(
      try computing(script.replacing(":rep", with: ".rep"))([:])["out"]
        == .array(Array(repeating: .bool(true), count: 9)))
    for call in ["(''):rep(9)", "('x'):find('x')", "('').gsub('a', 'b', 'c')"] {
      #expect(try computing("return \(call)")([:]).failure?.contains("attempt to call a nil value") == true)
    }
  }

  @Test(
    arguments: [
      "kept = doc", "math.kept = doc", "math.floor = nil", "string.upper = nil", "string.kept = doc", "doc.x = 1",
      "doc[1] = 1", "(''):upper().x = 1", "_ENV.kept = doc", "local s = ''; s.x = doc", "null.x = 1",
      "local t = _ENV; t.type = 1", "_ENV[1] = doc", "local function f() kept = doc end f()",
    ])
  func nothingCanBeKeptOrChanged(statement: String) throws {
    let transform = try computing("\(statement) return 1")
    #expect(transform.problems == [])
    for _ in 0..<2 { #expect(try transform([:]).failure != nil) }
  }

  @Test(arguments: ["doc", "null", "absent", "type", "math", "string", "_ENV"])
  func whatAScriptSeesIsConstant(name: String) throws {
    for statement in [
      "\(name) = 1", "function \(name)() end", "do local y; y, \(name) = 1, 2 end",
      "local function f() \(name) = 1 end",
    ] {
      let problem = try computing("local x\n\(statement)").problems.first
      #expect(problem?.contains("lua:2: attempt to assign to const variable '\(name)'") == true, "\(problem ?? "none")")
    }
    #expect(try computing("local \(name) = 1; return \(name)")([:])["out"] == .int(1))
  }

  @Test func anEnvironmentOfTheScriptsOwnIsGoneWithTheDocument() throws {
    let transform = try computing("local _ENV = {doc = doc}; local before = kept; kept = doc.n; return before")
    for _ in 0..<2 { #expect(try transform(["n": .int(1)])["out"] == nil) }
  }

  @Test func aNewDocumentFindsNothingOfTheOneBefore() throws {
    let transform = try computing(
      """
      local t = doc.list; t[#t + 1] = 9
      local m = doc.map; m.seen = true
      local function f() return doc.n end
      return {#doc.list, f(), doc.map.seen == nil}
      """)
    for number in 0..<3 as Range<Int64> {
      let outcome = try transform(["list": .array([.int(1)]), "map": .map([]), "n": .int(number)])
      #expect(outcome["out"] == .array([.int(1), .int(number), .bool(true)]))
    }
  }

  private static let long = 1_000_000_000

  @Test(
    arguments: [
      ("while true do end", nil, "lua:1: more than 100000 instructions (max_instructions)"),
      ("::again:: goto again", nil, "more than 100000 instructions"),
      ("for i = 1, math.maxinteger do end", nil, "more than 100000 instructions"),
      ("local function f() return f() end return f()", nil, "more than 100000 instructions"),
      ("local function f() return 1 + f() end return f()", long, "more than 16MiB of memory"),
      ("local s = 'x'; while true do s = s .. s end", nil, "more than 16MiB of memory (max_memory)"),
      ("local t = {}; for i = 1, 10000000 do t[i] = {} end", long, "more than 16MiB of memory"),
      ("local t = {}; for i = 1, 10000000 do t['n' .. i] = i end", long, "more than 16MiB of memory"),
      ("local f = null; for i = 1, 10000000 do local g = f; f = function() return g end end", long, "of memory"),
      ("local t = 1; for i = 1, 60 do t = {t, t} end return t", nil, "the result is larger than max_memory"),
      (
        "local s = 'x'; for i = 1, 20 do s = s .. s end local t = {}; for i = 1, 100 do t[i] = s end return t", nil,
        "the result is larger than max_memory"
      ),
      ("local t = {}; t.x = t; return t", nil, "100 levels"),
      ("return string.format('%99999d', 1)", nil, "invalid"),
      ("return string.char(300)", nil, "value out of range"),
      ("local s = 'x'; for i = 1, 22 do s = s .. s end return #{s:byte(1, -1)}", nil, "stack overflow"),
      ("return string.unpack('s8', ('\\xff'):pack())", nil, "invalid format option"),
      ("return string.unpack('s8', '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff')", nil, "data string too short"),
      ("local a = doc.t; a.seconds = a; return a < a", nil, "stack overflow"),
      ("local x <close> = doc.t", nil, "non-closable value"),
    ] as [(String, Int?, String)])
  func hostileScriptsEndInARejection(script: String, instructions: Int?, message: String) throws {
    let transform = try computing(
      script, instructions.map { [("max_instructions", .plain(String($0)))] } ?? [])
    #expect(transform.problems.isEmpty)
    let time = Value.timestamp(Timestamp(seconds: 0, nanoseconds: 0))
    // Twice: a failure leaves a state that works.
    for _ in 0..<2 {
      let outcome = try transform(["t": time])
      #expect(outcome.failure?.contains(message) == true, "\(outcome.rejections)")
    }
  }

  @Test func theStateWorksOnAfterEveryKindOfFailure() throws {
    let transform = try computing(
      """
      if doc.n == 1 then while true do end end
      if doc.n == 2 then local s = 'x'; while true do s = s .. s end end
      if doc.n == 3 then local function f() return 1 + f() end return f() end
      return doc.n * 2
      """)
    for _ in 0..<20 {
      for number in 0..<5 as Range<Int64> {
        let outcome = try transform(["n": .int(number)])
        #expect(outcome["out"] == ((1...3).contains(number) ? nil : .int(number * 2)))
      }
    }
  }

  @Test func theInstructionLimitIsForEachDocument() throws {
    let transform = try computing("for i = 1, 900 do end return 1", [("max_instructions", 2000)])
    for _ in 0..<50 { #expect(try transform([:])["out"] == .int(1)) }
    for script in ["for i = 1, 900 do end return 1", String(repeating: "do local x = doc.x end ", count: 900)] {
      let tighter = try computing(script, [("max_instructions", 100)])
      #expect(try tighter([:]).failure?.contains("more than 100 instructions") == true)
    }
  }

  @Test func theMemoryLimitHoldsForFieldsThatAreRead() throws {
    let transform = try computing("return #doc.x", [("max_memory", "200KiB")])
    #expect(try transform(["x": .string(String(repeating: "x", count: 300_000))]).failure?.contains("200KiB") == true)
    #expect(try transform(["x": .string(String(repeating: "x", count: 30_000))])["out"] == .int(30_000))
  }

  @Test func deepAndWideValuesAreRead() throws {
    var deep = Value.int(1)
    for _ in 0..<90 { deep = .array([deep]) }
    let wide = Value.map((0..<5000).map { Field("name \($0)", .array([.int(Int64($0))])) })
    let transform = try computing("return doc.x")
    #expect(try transform(["x": deep])["out"] == deep)
    #expect(try transform(["x": wide])["out"] == wide)
    for _ in 0..<100 { deep = .array([deep]) }
    #expect(try computing("return type(doc.x)")(["x": deep])["out"] == .string("table"))
  }

  @Test func manyMadeUpNamesAreNotKept() throws {
    let transform = try computing("local n = 0; for i = 1, 5000 do if doc['f' .. i] then n = n + 1 end end return n")
    #expect(try transform(["f1": .int(1), "f4999": .int(1), "f5001": .int(1)])["out"] == .int(2))
  }
}
