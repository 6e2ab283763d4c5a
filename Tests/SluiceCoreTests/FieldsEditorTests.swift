import SluiceCore
import Testing

@Suite struct FieldsEditorTests {
  private let start: KeyValuePairs<String, Value> = [
    "a": .int(1), "m": .map([Field("x", .int(1)), Field("y", .map([Field("z", .string("deep"))]))]), "s": .string("t"),
  ]

  private func edited(_ body: (inout FieldsEditor) throws -> Void) throws -> String {
    var batch = try batch(start)
    try batch.edit {
      try body(&$0)
      return true
    }
    #expect(batch.compacted().text == batch.text)
    return batch.text
  }

  @Test func addedFieldsKeepTheOrderOfAdding() throws {
    #expect(
      try edited {
        $0["n1"] = .int(1)
        $0["a"] = .array([.int(9)])
        $0["n2"] = .map([Field("k", .int(2))])
        $0["n3"] = .int(3)
      } == "k(a:array[9] m:map[x:1 y:map[z:'deep']] s:'t' n1:1 n2:map[k:2] n3:3)")
  }

  @Test func twoTransformsInTurnKeepTheOrderToo() throws {
    var batch = try batch(start)
    for name in ["one", "two", "three"] {
      try batch.edit {
        $0[FieldName(name)] = .string(name)
        return true
      }
    }
    #expect(batch.text.hasSuffix("s:'t' one:'one' two:'two' three:'three')"))
  }

  @Test func replacesRemovesAndAddsAgain() throws {
    #expect(try edited { $0["a"] = .string("now text") } == "k(a:'now text' m:map[x:1 y:map[z:'deep']] s:'t')")
    #expect(try edited { $0["m"] = .int(2) } == "k(a:1 m:2 s:'t')")
    #expect(
      try edited {
        $0["m"] = .int(2)
        $0["m"] = .vector([1])
        $0["m"] = .bool(true)
        $0["a"] = nil
        $0["a"] = .null
        $0["missing"] = nil
      } == "k(m:true s:'t' a:null)")
  }

  @Test func renamesInPlace() throws {
    #expect(try edited { $0.rename("a", to: "b") } == "k(b:1 m:map[x:1 y:map[z:'deep']] s:'t')")
    #expect(try edited { $0.rename("a", to: "s") } == "k(s:1 m:map[x:1 y:map[z:'deep']])")
    let unchanged = try edited {
      let isRenamed = $0.rename("none", to: "s")
      #expect(!isRenamed)
    }
    #expect(unchanged == "k(a:1 m:map[x:1 y:map[z:'deep']] s:'t')")
    #expect(try edited { $0.rename(path("m.y.z"), to: "q") }.contains("y:map[q:'deep']"))
  }

  @Test func keepsOnlyWhatIsNamed() throws {
    #expect(try edited { $0.keep(only: ["s", "none", "a"] as [FieldName]) } == "k(a:1 s:'t')")
    #expect(
      try edited { $0.keep(only: [path("m.y.z"), FieldPath("s")]) }
        == "k(m:map[y:map[z:'deep']] s:'t')")
    #expect(try edited { $0.keep(only: [path("a.b")]) } == "k()")
    #expect(try edited { $0.keep(only: [] as [FieldName]) } == "k()")
  }

  @Test func readsAndSetsAlongPaths() throws {
    _ = try edited {
      let values = (deep: $0[path("m.y.z")], below: $0[path("m.y.z.w")], beside: $0[path("m.x.z")])
      #expect(values.deep == .string("deep"))
      #expect(values.below == nil)
      #expect(values.beside == nil)
      let isThere = $0.contains(path("m.x"))
      #expect(isThere)
    }
    #expect(try edited { try $0.set(path("m.y.z"), to: .int(7)) }.contains("y:map[z:7]"))
    #expect(try edited { try $0.set(path("m.p.q"), to: .int(7)) }.contains("p:map[q:7]] s:"))
    #expect(try edited { try $0.set(path("p.q.r"), to: .int(7)) }.hasSuffix("s:'t' p:map[q:map[r:7]])"))
    #expect(try edited { $0.remove(path("m.y")) } == "k(a:1 m:map[x:1] s:'t')")
    let error = try #require(throws: SluiceError.self) {
      try edited { try $0.set(path("a.b"), to: .null) }
    }
    #expect(error.code == .rejected)
    #expect(error.place.key == "k")
  }

  @Test func lendsOneFieldToAVisitor() throws {
    var batch = try batch(start)
    try batch.edit {
      var visitor = TextOf()
      let isThere = $0.visit("m", &visitor)
      #expect(isThere)
      #expect(visitor.text == "map[x:1 y:map[z:'deep']]")
      let isOther = $0.visit("none", &visitor)
      #expect(!isOther)
      let key = $0.key
      #expect(key == Key("k"))
      return true
    }
  }

  @Test func aValueNoTapeCanHoldIsAnErrorThatNamesDocumentAndField() throws {
    var batch = try batch(start)
    let error = try #require(throws: SluiceError.self) {
      try batch.edit {
        $0["d"] = .decimal("1.2.3")
        return true
      }
    }
    #expect(error.place.key == "k")
    #expect(error.place.field == "d")
    #expect(batch.text == "k(a:1 m:map[x:1 y:map[z:'deep']] s:'t')")
  }

  @Test func anErrorInTheMiddleLeavesTheBatchWhole() throws {
    var builder = BatchBuilder()
    for key in ["a", "b", "c"] { builder.add(key: key, ["x": .int(1)]) }
    var batch = try builder.finish()
    #expect(throws: Unexpected.self) {
      try batch.edit {
        $0["x"] = .int(2)
        if $0.key == Key("b") { throw Unexpected() }
        return true
      }
    }
    #expect(batch.text == "a(x:2) b(x:2) c(x:1)")
  }
}

/// A path that is written right.
private func path(_ text: String) -> FieldPath {
  do { return try FieldPath(parsing: text) } catch {
    Issue.record(error)
    return FieldPath("")
  }
}

@Suite struct FieldPathTests {
  @Test(arguments: [
    ("a", ["a"]), ("a.b_1", ["a", "b_1"]), ("`a.b`.c", ["a.b", "c"]), ("`a\\`\\\\b`", ["a`\\b"]),
    ("größe.x y", ["größe", "x y"]),
  ])
  func readsAndWrites(text: String, names: [String]) throws {
    let path = try FieldPath(parsing: text)
    #expect(path.segments.map(\.description) == names)
    #expect(try FieldPath(parsing: path.description) == path)
  }

  @Test(arguments: ["", ".", "a.", ".a", "a..b", "`a", "a`b`", "`a`b", "``", "`a\\x`"])
  func refuses(text: String) { #expect(throws: SluiceError.self) { try FieldPath(parsing: text) } }
}
