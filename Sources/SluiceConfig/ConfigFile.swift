import SluiceCore

/// A configuration file whose shape is known: the jobs, each merged with `defaults`, and the state store.
public struct ConfigFile: Sendable {
  /// One job.
  public struct Job: Sendable {
    /// The name.
    public var name: String
    /// Where the name stands.
    public var mark: Mark
    /// Its settings and what it inherits. Inherited entries say so, and keep their places.
    public var node: ConfigNode
  }

  /// The path as the user gave it.
  public var path: String
  /// The jobs, in the order of the file.
  public var jobs: [Job]
  /// The state store's settings, nil where the file has none.
  public var state: ConfigNode?
  /// Where `state` stands, nil where the file has none.
  public var stateMark: Mark?
}

/// What became of loading a file: all there is to report it, whether it can be used or not.
public struct ConfigLoad: Sendable {
  /// The file, nil where it has no shape to go on with. Use it only if `diagnostics` has no errors, but decode its jobs in
  /// any case: they may have more to report.
  public var file: ConfigFile?
  /// Every problem found so far.
  public var diagnostics: Diagnostics
  /// The text, to show lines of.
  public var source: SourceText
  /// Knows every value that came from outside. Add the secrets of the components' specs to it.
  public var redactor: Redactor
}

extension ConfigFile {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file. Paths in `${file:}` are relative to its folder.
  ///   - job: The settings of a job: what `defaults` may hold, and which of them are merged key by key.
  ///   - inputs: The environment and the files.
  public static func load(path: String, job: ConfigSchema, inputs: ConfigInputs = .process) -> ConfigLoad {
    do {
      let bytes = try inputs.file(path, NodeReader.maximumSize)
      return read(bytes, path: path, job: job, inputs: inputs)
    } catch {
      var diagnostics = Diagnostics()
      diagnostics.error(
        "unreadable", error.message, at: nil, hint: error.hint ?? "--config FILE names another configuration")
      return ConfigLoad(
        file: nil, diagnostics: diagnostics, source: SourceText(file: path, bytes: []), redactor: Redactor())
    }
  }

  /// Reads the bytes of a file; see `load`.
  public static func read(
    _ bytes: [UInt8], path: String, job: ConfigSchema, inputs: ConfigInputs = .process
  ) -> ConfigLoad {
    let source = SourceText(file: path, bytes: bytes)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var reader = NodeReader(source, Interpolation(inputs: inputs, folder: folder))
    let root = reader.read()
    var diagnostics = reader.diagnostics
    let file = root.flatMap { FileShape(job: job, path: path).read($0, into: &diagnostics) }
    return ConfigLoad(file: file, diagnostics: diagnostics, source: source, redactor: reader.redactor)
  }
}
