import SluiceConfig
import SluiceCore
import Testing

@Suite struct ConfigFileTests {
  @Test func readsJobsInOrder() throws {
    let loaded = Loaded("version: 1\nstate: {sqlite: {path: s.db}}\njobs:\n  b: {mode: copy}\n  a-1_x: {}\n")
    #expect(loaded.problems == [])
    let file = try #require(loaded.load.file)
    #expect(file.jobs.map(\.name) == ["b", "a-1_x"])
    #expect(file.jobs[1].mark.description == "job.yaml:5:3")
    #expect(file.state?.sketch == "{sqlite: {path: s.db}}" && file.stateMark?.line == 2)
  }

  @Test(arguments: [
    ("", ["1:1: wrong_type: the file is empty"]), ("# only a comment\n", ["1:1: wrong_type: the file is empty"]),
    ("- a\n", ["1:1: wrong_type: expected a mapping, found a list"]),
    ("version: 1\n", ["1:1: missing_key: there are no jobs"]),
    ("version: 1\njobs:\n", ["2:1: missing_key: there are no jobs"]),
    ("version: 1\njobs: {}\n", ["2:1: missing_key: there are no jobs"]),
    ("jobs: {a: {}}\n", ["1:1: missing_key: version is required"]),
    ("version: 2\njobs: {a: {}}\n", ["1:10: unknown_version: version \"2\" is not known"]),
    ("version: one\njobs: {a: {}}\n", ["1:10: wrong_type: version: expected a whole number, found \"one\""]),
    ("version: 1\njobs: [{a: 1}]\n", ["2:7: wrong_type: jobs: expected a mapping of names to jobs, found a list"]),
    (
      "version: 1\ndefaults: x\njobs: {a: {}}\n",
      ["2:11: wrong_type: defaults: expected a mapping of a job's settings, found \"x\""]
    ),
    (
      "verison: 1\njbos: {}\nsource: {}\nfoo: 1\n",
      [
        "1:1: missing_key: version is required", "1:1: missing_key: there are no jobs",
        "1:1: unknown_key: unknown key \"verison\" in the file (version)",
        "2:1: unknown_key: unknown key \"jbos\" in the file (jobs)",
        "3:1: unknown_key: unknown key \"source\" in the file", "4:1: unknown_key: unknown key \"foo\" in the file",
      ]
    ),
    (
      "version: 1\ndefaults: {limist: {}, other: 1}\njobs:\n  My Job: {}\n  é: {}\n  '': {}\n",
      [
        "2:12: unknown_key: unknown key \"limist\" in defaults (limits)",
        "2:24: unknown_key: unknown key \"other\" in defaults",
        "4:3: job_name: \"My Job\" cannot be the name of a job (my_job)",
        "5:3: job_name: \"é\" cannot be the name of a job",
        "6:3: job_name: \"\" cannot be the name of a job",
      ]
    ),
  ])
  func mistakesOfTheShape(text: String, problems: [String]) {
    #expect(Set(Loaded(text).problems) == Set(problems), "\(Loaded(text).problems)")
  }

  @Test func aFileOfEveryDayHasNoProblem() throws {
    let loaded = Loaded(
      #"""
      # yaml-language-server: $schema=sluice.schema.json
      version: 1
      state: { sqlite: { path: .sluice/state.db } }
      defaults: { limits: { max_delete: 10% } }
      jobs:
        users:
          source: { firestore: { project: demo, collection: users, endpoint: "${env:EMULATOR:-}" } }
          paging: { page_token: { size: 20 } }
          transforms:
            - where: { field: active, eq: true }
            - compute: { field: score, lua: "local r = doc.reviews; if type(r) ~= 'table' or #r ~= 3 then return end" }
          sink: { file: { path: out/users.jsonl, encoding: plain, publish: replace } }
        live-users:
          source: { firestore: { project: demo, collection: users, consistent: true } }
          watch: listen
          mode: mirror
          sinks: [ { sqlite: { path: users.db, table: users } }, { memory: { name: users } } ]
      """#)
    #expect(loaded.problems == [])
    let jobs = try #require(loaded.load.file?.jobs)
    #expect(jobs.map(\.name) == ["users", "live-users"])
    #expect(jobs[0].node["source"]?["firestore"]?["endpoint"]?.isAbsent == true)
    #expect(jobs[1].node["limits"]?["max_delete"]?.sketch == "10%")
  }

  @Test("C77 defaults are inherited, keep their places, and give way to a job's own")
  func defaults() throws {
    let loaded = Loaded(
      """
      version: 1
      defaults:
        paging: {page_token: {size: 20}}
        limits: {max_delete: 10%, reads: 5}
        sink: {file: {path: x}}
      jobs:
        plain:
        own: {paging: offset, limits: {reads: 7}, sinks: [memory]}
        nulls: {paging: ~, mode: copy}
      """)
    #expect(loaded.problems == [])
    let jobs = try #require(loaded.load.file?.jobs)
    #expect(
      jobs[0].node.sketch
        == "{^paging: {page_token: {size: 20}}, ^limits: {max_delete: 10%, reads: 5}, ^sink: {file: {path: x}}}")
    #expect(jobs[1].node.sketch == "{paging: offset, limits: {reads: 7, ^max_delete: 10%}, sinks: [memory]}")
    #expect(jobs[2].node.sketch.hasPrefix("{mode: copy, ^paging: {page_token: {size: 20}}"))
    guard case .mapping(let entries) = jobs[0].node.content else { return }
    #expect(entries[0].keyMark.line == 3 && entries[0].value.mark.line == 3)
  }

  @Test func aMistakeInDefaultsIsReportedOnce() {
    let loaded = Loaded("version: 1\ndefaults: {mode: mirrow}\njobs: {a: {}, b: {}}\n")
    var diagnostics = loaded.load.diagnostics
    for job in loaded.load.file?.jobs ?? [] {
      #expect(Job.decode(job.node, in: ConfigContext("job", at: job.mark), into: &diagnostics) == nil)
    }
    #expect(
      Loaded.describe(diagnostics) == [
        "2:18: wrong_type: mode: expected one of copy, mirror, found \"mirrow\" (mirror)"
      ])
  }
}
