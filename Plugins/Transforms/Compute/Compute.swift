import SluiceCore
import Synchronization

/// Sets a field to what a Lua script returns.
///
/// The script runs once for each document and sees nothing else: the result depends on the document alone.
///
/// It sees `doc`, `null`, `absent`, `type`, `math` without its random numbers, and `string` without `find`, `match`,
/// `gmatch`, `gsub`, `dump` and `rep`. Nothing of that can be written to, and there are no variables but local ones.
///
/// What it reads: `doc.NAME` is a field, read when it is asked for; `nil` where there is none.
/// - null, also inside a list, is `null` (which counts as true in a condition: write `doc.x ~= null`);
/// - whole numbers are integers, doubles floats; a decimal is the nearest float;
/// - a list or vector is a table with the keys 1 to n, a map a table with its names; both are copies;
/// - a timestamp is a table with `seconds` and `nanos`, which compares with `<`, `<=` and `==`;
/// - a geo point is a table with `latitude` and `longitude`;
/// - bytes and references are strings; a value of an unknown kind is its JSON.
///
/// What it may return: nothing or `nil` leaves the field as it is, `absent` removes it, `null` sets null. An integer
/// becomes a whole number, a float a double; where the result is or holds NaN or an infinity, the field stays as it is.
/// A string becomes text and must be UTF-8. A table that was a timestamp, geo point or vector of the document becomes
/// one again. Another becomes a list where its keys are 1 to n, and a map where they are names; an empty one is a list,
/// unless it was a map of the document. The names of a map are sorted. Of several results the first counts.
///
/// A document for which the script fails is rejected, with Lua's message.
public struct Compute: Transform {
  /// The settings.
  public struct Config: Configurable {
    /// The field that is set.
    public var field: FieldPath?
    /// The script.
    public var lua = ""
    /// How many instructions of Lua the script may run for one document.
    public var maxInstructions = 100_000
    /// How much memory Lua may take.
    public var maxMemory = ByteCount(16 << 20)
    /// No script.
    public init() {}
    /// The settings.
    public static let spec = ConfigSpec<Config>(
      "Sets a field to what a Lua 5.4 script returns. Returning nothing leaves it as it is, absent removes it.",
      [
        Setting("field", \.field, "Path of the field that is set.", required: true, examples: ["total"]),
        Setting(
          "lua", \.lua,
          "The script. It reads fields as doc.NAME and returns the value; it has null, absent, type, math and string.",
          required: true, examples: ["return doc.price * doc.amount"]),
        Setting(
          "max_instructions", \.maxInstructions, "How many instructions of Lua the script may run for one document.",
          range: 1...1_000_000_000),
        Setting(
          "max_memory", \.maxMemory, "How much memory Lua may take, and how large a result may be.",
          range: ByteCount(128 << 10)...ByteCount(1 << 30)),
      ],
      check: { config, marks, diagnostics in
        if let field = config.field { diagnostics.warn(ofPath: field, at: marks.place(of: "field")) }
      })
  }

  /// `compute`.
  public static let name = "compute"
  /// For `sluice components`.
  public static let summary = "Sets a field to what a Lua script returns."

  private let field: FieldPath
  private let program: Program

  /// Shared by the copies of a transform, since a state cannot be copied. The lock is taken once for a batch.
  private final class Program: Sendable {
    let machine: Mutex<LuaMachine>
    init(_ machine: consuming sending LuaMachine) { self.machine = Mutex(machine) }
  }

  /// A transform with this script. Throws `invalid_configuration` where it does not compile.
  public init(_ config: Config) throws {
    guard let field = config.field else { throw SluiceError(.invalidConfiguration, "compute needs a field") }
    self.field = field
    program = Program(
      try LuaMachine.compiling(config.lua, memory: config.maxMemory, instructions: config.maxInstructions))
  }

  /// Runs the script on each document.
  public func apply(to batch: inout Batch, rejections: inout [Rejection]) throws {
    try program.machine.withLock { machine in
      try batch.edit { document in
        if document.header.isMissing { return true }
        return document.rejecting(into: &rejections) { document throws(SluiceError) in
          do throws(SluiceError) {
            try compute(&document, &machine)
          } catch {
            throw error.at(Place(component: Self.name, key: document.key.description, field: field.description))
          }
        }
      }
    }
  }

  private func compute(_ document: inout FieldsEditor, _ machine: inout LuaMachine) throws(SluiceError) {
    switch try machine.run(on: &document) {
    case .unchanged: break
    case .removed: document.remove(field)
    case .value(let value): try document.set(field, to: value)
    }
  }
}
