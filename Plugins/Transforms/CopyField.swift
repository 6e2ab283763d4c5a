import SluiceCore

/// Copies a value to another place of the document, with its kind.
///
/// Where the first path leads nowhere, nothing happens, and what stands at the second one stays. Otherwise the copy is
/// put there as by `set`: what was there is replaced, and missing maps are made. A name without a document stays as it
/// is.
public struct CopyField: Transform {
  /// The settings.
  public struct Config: Configurable {
    /// Where the value is.
    public var from: FieldPath?
    /// Where the copy goes.
    public var to: FieldPath?
    /// No paths.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Copies a value to another place of the document. Where there is none, nothing happens.",
      [
        Setting("from", \.from, "Path of the value.", required: true, examples: ["address.city"]),
        Setting("to", \.to, "Path of the copy. What was there is replaced.", required: true, examples: ["city"]),
      ],
      check: { config, marks, diagnostics in
        if let from = config.from { diagnostics.warn(ofPath: from, at: marks.place(of: "from")) }
        if let to = config.to { diagnostics.warn(ofPath: to, at: marks.place(of: "to")) }
        guard config.from == config.to else { return }
        diagnostics.error("ambiguous_value", "from and to are the same path", at: marks.place(of: "to"))
      })
  }

  /// `copy`.
  public static let name = "copy"
  /// For `sluice components`.
  public static let summary = "Copies a value to another place of the document."

  private let from: FieldPath
  private let to: FieldPath

  /// A transform with these settings. Throws `invalid_configuration` where a path is missing.
  public init(_ config: Config) throws {
    guard let from = config.from, let to = config.to else {
      throw SluiceError(.invalidConfiguration, "copy needs from and to")
    }
    self.from = from
    self.to = to
  }

  /// Copies the value.
  public func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    try batch.edit { document in
      guard !document.header.isMissing, let value = document[from] else { return true }
      return document.rejecting(into: &rejections) { document throws(SluiceError) in
        try document.set(to, to: value)
      }
    }
  }
}
