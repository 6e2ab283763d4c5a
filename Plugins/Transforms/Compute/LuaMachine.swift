import CLua
import SluiceCore

/// A Lua state with one compiled script. Used by one task at a time.
///
/// Owns the memory that C keeps pointers to: nobody else has them, and they go with it.
struct LuaMachine: ~Copyable {
  private let lua: UnsafeMutablePointer<sluice_lua>
  private let document: UnsafeMutablePointer<LuaDocument>
  private let memory: ByteCount
  /// How many instructions a document may take; 0 where the script cannot take more.
  private let instructions: Int64

  private init(
    _ lua: UnsafeMutablePointer<sluice_lua>, _ document: UnsafeMutablePointer<LuaDocument>, memory: ByteCount,
    instructions: Int64
  ) {
    self.lua = lua
    self.document = document
    self.memory = memory
    self.instructions = instructions
  }

  /// Compiles a script. Throws `invalid_configuration` where it does not compile or has no room to.
  static func compiling(_ script: String, memory: ByteCount, instructions: Int) throws(SluiceError) -> LuaMachine {
    let document = UnsafeMutablePointer<LuaDocument>.allocate(capacity: 1)
    document.initialize(to: LuaDocument())
    guard let lua = sluice_lua_open(memory.bytes, document, LuaDocument.lookup) else {
      document.deinitialize(count: 1)
      document.deallocate()
      throw SluiceError(.invalidConfiguration, "max_memory \(memory) is too little to run a script")
    }
    let isLimited = script.utf8.count > instructions || canRepeat(script)
    let machine = LuaMachine(lua, document, memory: memory, instructions: isLimited ? Int64(instructions) : 0)
    try machine.compile(script)
    return machine
  }

  /// Whether a script may run an instruction twice. Without a loop, a jump or a function it takes no more instructions
  /// than it has, and counting them, which takes a quarter of a short script's time, is not needed.
  private static func canRepeat(_ script: String) -> Bool {
    let words = script.utf8.split { byte in
      !(byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20))
    }
    return words.contains { word in
      ["for", "while", "repeat", "goto", "function"].contains { word.elementsEqual($0.utf8) }
    }
  }

  private func compile(_ script: String) throws(SluiceError) {
    let status = Array(script.utf8).withUnsafeBytes {
      sluice_lua_compile(lua, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
    }
    if status != LUA_OK {
      throw SluiceError(.invalidConfiguration, "the script does not compile: \(message(status))")
    }
  }

  deinit {
    sluice_lua_close(lua)
    document.deinitialize(count: 1)
    document.deallocate()
  }

  /// Runs the script on a document. Throws `rejected` with Lua's message where it fails.
  mutating func run(on editor: inout FieldsEditor) throws(SluiceError) -> LuaResult {
    defer { sluice_lua_finish(lua) }
    let status = withUnsafeMutablePointer(to: &editor) { pointer in
      document.pointee.editor = pointer
      defer { document.pointee.editor = nil }
      return sluice_lua_run(lua, instructions)
    }
    if status != LUA_OK { throw SluiceError(.rejected, "the script fails: \(message(status))") }
    return try LuaResult(UnsafeBufferPointer(start: lua.pointee.result, count: lua.pointee.result_count))
  }

  private func message(_ status: CInt) -> String {
    if status == LUA_ERRMEM { return "more than \(memory) of memory (max_memory)" }
    var length = 0
    guard let text = sluice_lua_message(lua, &length) else { return "an error without a message" }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: min(length, 1000)), as: UTF8.self)
  }
}
