import CLua
import SluiceCore

/// What a script's `doc` stands for: the document of the moment, of which fields are read as they are asked for.
struct LuaDocument: ~Copyable {
  /// The document, while a script runs on it.
  var editor: UnsafeMutablePointer<FieldsEditor>?
  private var tokens = LuaTokens()
  /// The names that the script reads, so that each is prepared once. A script may make up names: they are not all kept.
  private var names: [FieldName] = []
  private static let mostNames = 64

  /// Finds a field for Lua. `context` points to a `LuaDocument`.
  static let lookup: sluice_lua_lookup = { context, name, length, field in
    guard let context, let name, let field else { return }
    // C hands back the pointer it was opened with, and calls only while `run` has lent the document.
    let document = context.assumingMemoryBound(to: LuaDocument.self)
    document.pointee.find(UnsafeRawBufferPointer(start: name, count: length), field)
  }

  private mutating func find(_ name: UnsafeRawBufferPointer, _ field: UnsafeMutablePointer<sluice_lua_field>) {
    guard let editor, let name = prepared(name) else { return }
    tokens.removeAll()
    if editor.pointee.visit(name, &tokens) { field.pointee = tokens.field }
  }

  /// Nil for a name that is no text: no field has it.
  private mutating func prepared(_ utf8: UnsafeRawBufferPointer) -> FieldName? {
    if let known = names.first(where: { $0.utf8.elementsEqual(utf8) }) { return known }
    guard let text = String(validating: utf8, as: UTF8.self) else { return nil }
    let name = FieldName(text)
    if names.count < Self.mostNames { names.append(name) }
    return name
  }
}
