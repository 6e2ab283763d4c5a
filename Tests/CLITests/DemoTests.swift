import Foundation
import SluiceTesting
import Testing

@testable import SluiceCLI

@Suite("sluice demo") struct DemoTests {
  @Test("its configuration is the one at the repository's root, but for the line that names the schema to editors")
  func sameConfiguration() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config.yaml")
    let schema = "# yaml-language-server: $schema=docs/sluice.schema.json\n"
    #expect(schema + DemoData.configuration == (try String(contentsOf: root, encoding: .utf8)))
  }

  @Test("tells its story to the end, in an empty folder and again in the same one")
  func twice() async throws {
    let folder = try TemporaryFolder()
    for _ in 0..<2 {
      let demo = await InProcess.sluice("demo", "--directory", folder.file("demo"))
      #expect(demo.exitCode == 0, "\(demo.errors)")
      #expect(demo.output.isEmpty)
      for text in [
        "exit code 0, 3 list requests", "exit code 3, 2 list requests", "loop_detected", "reads an hour",
        "file: 0 writes, 0 deletes, 60 unchanged, left as it was", "sqlite: 0 writes, 0 deletes, 60 unchanged",
        "60 lines",
      ] { #expect(demo.errors.contains(text), "\(text)") }
      #expect(!demo.errors.contains("secret-"), "the password is dropped")
    }
    #expect(try folder.text("demo/out/users.jsonl").split(separator: "\n").count == 60)
    #expect(!(try folder.text("demo/out/users.jsonl")).contains("password"))
    #expect(try folder.text("demo/config.yaml") == DemoData.configuration)
  }

  @Test("the score is computed as the job says: from three numbers, -1 where all are nothing")
  func scores() async throws {
    let folder = try TemporaryFolder()
    #expect(await InProcess.sluice("demo", "--directory", folder.path).exitCode == 0)
    for line in try folder.text("out/users.jsonl").split(separator: "\n") {
      let user = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let score = user["mannerScore"] as? Int
      guard let reviews = user["reviews"] as? [Double], reviews.count == 3 else {
        #expect(score == nil, "\(line)")
        continue
      }
      let sum = reviews[0] * 3 + reviews[1] * 2 + reviews[2]
      #expect(score == (reviews == [0, 0, 0] ? -1 : Int(reviews[0] * 3 / sum * 100)), "\(line)")
    }
  }

  @Test("a folder that cannot be made is an error")
  func noFolder() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    let demo = await InProcess.sluice("demo", "--directory", folder.file("file/demo"))
    #expect(demo.exitCode == 1)
    #expect(demo.errors.contains(folder.file("file/demo")))
  }
}
