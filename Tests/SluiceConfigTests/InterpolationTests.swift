import Foundation
import SluiceConfig
import SluiceCore
import Testing

@Suite struct InterpolationTests {
  private func text(_ scalar: String, _ environment: [String: String] = [:], _ files: [String: String] = [:]) -> String?
  {
    guard
      case .scalar(let scalar) = Loaded(jobFile("path: \(scalar)"), environment: environment, files: files).job?[
        "source"]?["store"]?["path"]?.content
    else { return nil }
    return scalar.text
  }

  @Test("C115 a value arrives byte for byte, and is not looked at again")
  func byteForByte() throws {
    let value = "p$w#x: y\n- z ${env:OTHER} $${ '\"\u{e9}"
    for scalar in ["${env:PASS}", "\"${env:PASS}\"", "'${env:PASS}'"] {
      #expect(text(scalar, ["PASS": value]) == value)
    }
    #expect(text("<${env:PASS}>", ["PASS": "e\u{301}"]).map { Array($0.utf8) } == Array("<e\u{301}>".utf8))
    let loaded = Loaded(jobFile("path: a\npassword: ${env:PASS}"), environment: ["PASS": value])
    #expect(loaded.problems == [])
    let store = try #require(loaded.decode("source", as: Store.self).value)
    #expect(store.password?.reveal() == value)
    #expect("\(store.password!)" == "${env:PASS}")
  }

  @Test(
    "C115 any other dollar is a dollar",
    arguments: [
      ("cost $5", "cost $5"), ("$${X}", "${X}"), ("$$5", "$$5"), ("$$$${env:X}", "$$${env:X}"), ("a$", "a$"),
      ("$", "$"),
      ("'$X and {X}'", "$X and {X}"), ("$${env:A}${env:A}$", "${env:A}v$"), ("${env:A}-${env:B:-d}", "v-d"),
      ("${env:B:-}", ""), ("${env:E:-d}", "d"), ("${env:B:-a:-b}", "a:-b"), ("${env:B:-$5}", "$5"),
    ])
  func dollars(scalar: String, expected: String) { #expect(text(scalar, ["A": "v", "E": ""]) == expected) }

  @Test func filesAreRelativeAndLoseOneNewline() {
    #expect(text("${file:key}", [:], ["key": "a\n\n"]) == "a\n")
    #expect(text("${file:key}", [:], ["key": "a\r\n"]) == "a")
    #expect(text("${file:/run/key}", [:], ["/run/key": "a"]) == "a")
    let loaded = Loaded(jobFile("path: ${file:../key}"), files: ["conf/../key": "k"], path: "conf/job.yaml")
    #expect(loaded.problems == [])
    #expect(loaded.job?["source"]?["store"]?.sketch == "{path: k}")
  }

  @Test(arguments: [
    ("${env:MISSING}", "6:15: interpolation: environment variable MISSING is not set"),
    ("${file:gone}", "6:15: interpolation: cannot read gone: No such file or directory"),
    ("${env:A", "6:15: interpolation: \"${\" without \"}\""),
    ("${A}", "6:15: interpolation: ${A} is not understood (${env:A})"),
    ("${vault:x}", "6:15: interpolation: ${vault:x} is not understood"),
    ("${env:a b}", "6:15: interpolation: ${env:a b} is not understood"),
    ("${env:A-x}", "6:15: interpolation: ${env:A-x} is not understood"),
    ("${env:}", "6:15: interpolation: ${env:} is not understood"),
    ("${file:}", "6:15: interpolation: ${file:} names no file"),
    ("${}", "6:15: interpolation: ${} is not understood"),
  ])
  func whatCannotBePutInIsToldOnce(scalar: String, problem: String) {
    for line in ["path: \(scalar)", "page_size: \(scalar)"] {
      let settings = line.hasPrefix("path") ? line : "\(line)\npath: a"
      let shifted = line.hasPrefix("path") ? problem : problem.replacing("6:15", with: "6:20")
      #expect(
        Loaded(jobFile(settings), environment: ["A": "hush"]).decode("source", as: Store.self).problems == [shifted])
    }
  }

  @Test func wrongValuesAreShownAsTheirExpression() {
    let read = Loaded(jobFile("path: a\npage_size: ${env:N}\nnames: x${env:N}"), environment: ["N": "hush"])
      .decode("source", as: Store.self)
    #expect(
      read.problems == [
        "7:20: wrong_type: page_size: expected a whole number, found \"${env:N}\"",
        "8:16: wrong_type: names: expected a list, found \"x${env:N}\"",
      ])
  }

  @Test func anEmptyValueIsNoValue() {
    let read = Loaded(jobFile("path: \"${env:P:-}\"\npage_size: '${env:N}'"), environment: ["N": ""])
      .decode("source", as: Store.self)
    #expect(read.problems == ["6:9: missing_key: path is required by store"])
  }

  @Test func theRedactorKnowsWhatCameFromOutside() {
    let loaded = Loaded(
      jobFile("path: x-${env:A}\npassword: ${file:k}\nnames: ['${env:B:-default}']"), environment: ["A": "alpha"],
      files: ["k": "kilo-secret\n"])
    #expect(loaded.load.redactor.redact("alpha, kilo-secret, default") == "${env:A}, ${file:k}, default")
  }

  @Test func readsTheProcess() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-config-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("s3cret\n".utf8).write(to: folder.appending(path: "key"))
    let path = folder.appending(path: "job.yaml").path
    try Data(jobFile("path: ${file:key}\nnames: ['${env:PATH}']").utf8).write(to: URL(filePath: path))
    let load = ConfigFile.load(path: path, job: Job.spec.schema)
    #expect(!load.diagnostics.hasErrors)
    let store = load.file?.jobs.first?.node["source"]?["store"]
    #expect(store?["path"]?.sketch == "s3cret")
    guard case .sequence(let names) = store?["names"]?.content else { throw CocoaError(.coderInvalidValue) }
    #expect(names.first?.sketch == "'\(ProcessInfo.processInfo.environment["PATH"] ?? "?")'")

    let missing = ConfigFile.load(path: path + "x", job: Job.spec.schema)
    #expect(Loaded.describe(missing.diagnostics) == ["-: unreadable: cannot read \(path)x: No such file or directory"])
    let directory = ConfigFile.load(path: folder.path, job: Job.spec.schema)
    #expect(
      Loaded.describe(directory.diagnostics) == ["-: unreadable: cannot read \(folder.path): it is not a regular file"])
  }
}
