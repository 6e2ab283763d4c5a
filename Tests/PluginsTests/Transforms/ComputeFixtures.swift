import SluiceCore

/// The example of the documentation.
let mannerScore = """
  local r = doc.reviews; if type(r) ~= 'table' or #r ~= 3 then return end
  local a, b, c = r[1], r[2], r[3]
  if not (math.type(a) and math.type(b) and math.type(c)) then return end
  if a == 0 and b == 0 and c == 0 then return -1 end
  local s = a * 3.0 / (a * 3.0 + b * 2.0 + c) * 100; return s < 0 and math.ceil(s) or math.floor(s)
  """

/// A transform that sets `out` by a script.
func computing(_ script: String, _ more: [(String, SettingsLiteral)] = []) throws -> BuiltinTransform {
  try BuiltinTransform("compute", .map([("field", "out"), ("lua", .quoted(script))] + more))
}

extension BuiltinTransform.Outcome {
  /// The message of the one rejection.
  var failure: String? { rejections.count == 1 ? rejections[0].error.message : nil }
}
