import SluiceCore

/// The example of the documentation.
let mannerScore = """
  local r = doc.reviews; if type(r) ~= 'table' or #r ~= 3 then return end
  for i = 1, 3 do if not math.type(r[i]) then return end end
  if r[1] == 0 and r[2] == 0 and r[3] == 0 then return -1 end
  local s = r[1] * 3.0 / (r[1] * 3.0 + r[2] * 2.0 + r[3]) * 100
  return s < 0 and math.ceil(s) or math.floor(s)
  """

/// A transform that sets `out` by a script.
func computing(_ script: String, _ more: [(String, SettingsLiteral)] = []) throws -> BuiltinTransform {
  try BuiltinTransform("compute", .map([("field", "out"), ("lua", .quoted(script))] + more))
}

extension BuiltinTransform.Outcome {
  /// The message of the one rejection.
  var failure: String? { rejections.count == 1 ? rejections[0].error.message : nil }
}
