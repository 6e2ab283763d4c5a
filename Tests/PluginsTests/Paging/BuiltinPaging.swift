import SluiceBuiltin
import SluiceCore

extension PagingPlan {
  /// A strategy of the built-in catalog with settings as a job would have them. Throws what `check` would say.
  static func builtin(_ name: String, _ settings: SettingsLiteral = [:]) throws -> PagingPlan {
    var diagnostics = Diagnostics()
    let choice = ComponentChoice(name, at: Mark(file: "job.yaml", line: 1, column: 5), settings: settings.node())
    let entry = Catalog.builtin.pagingStrategies.first { $0.name == name }
    if let plan = entry?.plan(choice, into: &diagnostics) { return plan }
    let first = diagnostics.all.first
    throw SluiceError(
      .invalidConfiguration, first?.message ?? "there is no strategy \(name)",
      hint: first?.suggestion ?? first?.hint)
  }

  /// Every strategy of the built-in catalog.
  static let builtinNames = Catalog.builtin.pagingStrategies.map(\.name)

  /// Those that may ask for more than one page.
  static let manyPages = builtinNames.filter { $0 != "single" }
}

/// A document of a listing.
func walked(_ number: Int) -> (key: Key, fields: [Field]) {
  (Key(numberedKey(number)), [Field("n", .int(Int64(number)))])
}
