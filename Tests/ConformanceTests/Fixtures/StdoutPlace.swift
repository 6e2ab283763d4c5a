import Foundation
import SluiceCore
import SluiceJSON
import SluiceStdout
import SluiceTesting

/// A file in the place of the standard output.
final class StdoutPlace: ConformanceStore {
  private let folder: TemporaryFolder
  private let output: FileHandle
  private let config: StdoutAdapter.Config

  static let fixtures = [fixture(.typed), fixture(.plain)]

  private static func fixture(_ encoding: JSONLinesEncoding) -> AdapterFixture {
    var config = StdoutAdapter.Config()
    config.encoding = encoding
    let settings = config
    var fixture = AdapterFixture(StdoutAdapter.self, "encoding: \(encoding.rawValue)", like: settings) {
      try StdoutPlace(settings)
    }
    if encoding == .plain {
      fixture.values = SampleContent.json
      fixture.refused = Document(key: Key("refused"), [Field("_key", .string("a name that is taken"))])
    }
    let reason = "what was printed cannot be looked at again"
    fixture.exceptions = [
      "says whether it is empty, whoever wrote to it": reason,
      "has an identity once it is asked for one, the same when it is opened again": reason,
      "has another identity, or none, when its data was lost": reason,
    ]
    return fixture
  }

  private init(_ config: StdoutAdapter.Config) throws {
    folder = try TemporaryFolder()
    try folder.write([], to: "out")
    guard let output = FileHandle(forWritingAtPath: folder.file("out")) else { throw SluiceError(.io, "no file") }
    self.output = output
    self.config = config
  }

  func open(as role: ConfigRole) async throws -> any Adapter {
    StdoutAdapter(config, descriptor: output.fileDescriptor)
  }

  func contents() async throws -> [Document] { try Lines.decode(folder.read("out"), config.encoding, isLog: true) }
}
