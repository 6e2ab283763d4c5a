import SluiceCore
import SluiceEngine

/// The JSON Schema of configuration files, made of the catalog's specs: what `sluice schema` prints.
///
/// Draft 7, because that is the draft that YAML servers of editors know whole.
struct FileSchema {
  private let catalog: Catalog
  private let job: ConfigSchema
  private var definitions = ScalarSchema.definitions
  private var known: Set<String> = []

  /// The schema for programs with this catalog.
  static func value(of catalog: Catalog) -> Value {
    var schema = FileSchema(catalog: catalog, job: JobPlan.schema)
    return schema.file()
  }

  private init(catalog: Catalog, job: ConfigSchema) {
    self.catalog = catalog
    self.job = job
  }

  private mutating func file() -> Value {
    let state = nullable(slot(.state))
    // Nothing is required of a job here: it may inherit everything.
    let job = object(job, role: nil, isJob: true)
    define("job", job)
    let jobOrNothing = nullable(ScalarSchema.reference("job"))
    let jobs = Value.map([
      Field("description", .string("The jobs by name.")), Field("type", .string("object")),
      Field("minProperties", .int(1)),
      Field("propertyNames", .map([Field("pattern", .string("^[a-z0-9_-]{1,100}$"))])),
      Field("additionalProperties", jobOrNothing),
    ])
    let properties = [
      Field("version", described(version, "The version of the format: 1.")),
      Field("state", described(state, "Where the state of jobs is kept. Default: .sluice/state.db.")),
      Field("defaults", described(jobOrNothing, "Settings that every job inherits.")), Field("jobs", jobs),
    ]
    return .map([
      Field("$schema", .string("http://json-schema.org/draft-07/schema#")),
      Field("title", .string("Sluice configuration")), Field("type", .string("object")),
      Field("properties", .map(properties)),
      Field("patternProperties", .map([Field("^x-", .map([]))])),
      Field("additionalProperties", .bool(false)), Field("required", .array([.string("version"), .string("jobs")])),
      Field("if", .map([Field("not", .map([Field("required", .array([.string("defaults")]))]))])),
      Field("then", whole), Field("definitions", .map(definitions)),
    ])
  }

  private var version: Value {
    ScalarSchema.anyOf([
      .map([Field("enum", .array([.int(1), .string("1")]))]), ScalarSchema.reference("expression"),
    ])
  }

  /// What a job needs in a file without `defaults`: what its spec requires, and a sink by one of its two keys.
  private var whole: Value {
    let something = Value.map([Field("not", ScalarSchema.type("null"))])
    let required = job.settings.filter(\.isRequired).map(\.key)
    func requiring(_ key: String, _ more: [Field]) -> Value {
      .map([Field("required", .array([.string(key)])), Field("properties", .map([Field(key, .map(more))]))])
    }
    let whole = Value.map([
      Field("type", .string("object")), Field("required", .array(required.map(Value.string))),
      Field("properties", .map(required.map { Field($0, something) })),
      Field(
        "anyOf",
        .array([
          requiring("sink", [Field("not", ScalarSchema.type("null"))]),
          requiring("sinks", [Field("type", .string("array")), Field("minItems", .int(1))]),
        ])),
    ])
    return .map([Field("properties", .map([Field("jobs", .map([Field("additionalProperties", whole)]))]))])
  }
}

extension FileSchema {
  private func described(_ value: Value, _ text: String) -> Value {
    guard case .map(let fields) = value, !fields.contains(where: { $0.name == "$ref" }) else {
      // Beside a reference nothing counts.
      return .map([Field("description", .string(text)), Field("allOf", .array([value]))])
    }
    return .map([Field("description", .string(text))] + fields)
  }

  private func nullable(_ value: Value) -> Value {
    if case .map(let fields) = value, fields.count == 1, fields[0].name == "anyOf",
      case .array(let some) = fields[0].value
    {
      return ScalarSchema.anyOf(some + [ScalarSchema.type("null")])
    }
    return ScalarSchema.anyOf([value, ScalarSchema.type("null")])
  }

  private mutating func define(_ name: String, _ value: Value) { definitions.append(Field(name, value)) }

  /// A mapping of settings.
  private mutating func object(_ schema: ConfigSchema, role: ConfigRole?, isJob: Bool = false) -> Value {
    let settings = schema.settings.filter { $0.applies(to: role) }
    var properties: [Field] = []
    for info in settings {
      let accepted = ScalarSchema.anyOf(alternatives(of: info, role: role))
      let value = info.isRequired && !isJob ? accepted : nullable(accepted)
      properties.append(Field(info.key, annotated(value, info)))
    }
    let required = isJob ? [] : settings.filter(\.isRequired).map { Value.string($0.key) }
    return .map(
      [
        Field("description", .string(schema.doc)), Field("type", .string("object")),
        Field("properties", .map(properties)), Field("additionalProperties", .bool(false)),
      ] + (required.isEmpty ? [] : [Field("required", .array(required))]))
  }

  private func annotated(_ value: Value, _ info: SettingInfo) -> Value {
    guard case .map(let fields) = value, !fields.contains(where: { $0.name == "$ref" }) else {
      return .map(info.annotations + [Field("allOf", .array([value]))])
    }
    return .map(info.annotations + fields)
  }

  private mutating func alternatives(of info: SettingInfo, role: ConfigRole?) -> [Value] {
    if let slot = ComponentSlot(key: info.key) {
      switch info.type {
      case .component: return [self.slot(slot)]
      case .list(.component): return [list(self.slot(slot))]
      default: break
      }
    }
    switch info.type {
    case .integer, .number:
      let bounds = [("minimum", info.minimum), ("maximum", info.maximum)].compactMap { key, text in
        info.bound(text).map { Field(key, $0) }
      }
      let name = if case .integer = info.type { "integer" } else { "number" }
      // A bound says nothing of text: the quoted number is left to `sluice check`.
      return [.map([Field("allOf", .array([ScalarSchema.reference(name)]))] + bounds)]
    default: return alternatives(of: info.type, role: role)
    }
  }

  private func list(_ item: Value) -> Value { .map([Field("type", .string("array")), Field("items", item)]) }

  private mutating func alternatives(of type: ConfigType, role: ConfigRole?) -> [Value] {
    switch type {
    case .string, .secret: return [ScalarSchema.reference("text")]
    case .integer: return [ScalarSchema.reference("integer")]
    case .number: return [ScalarSchema.reference("number")]
    case .boolean: return [ScalarSchema.reference("boolean")]
    case .duration: return [ScalarSchema.reference("duration")]
    case .bytes: return [ScalarSchema.reference("size")]
    case .percentage: return [ScalarSchema.reference("percentage")]
    case .value, .any, .component: return [.map([])]
    case .oneOf(let words):
      // `null` is a word of some settings, and no text to a reader of YAML.
      let values = words.map { $0 == "null" ? Value.null : .string($0) }
      return [.map([Field("enum", .array(values))]), ScalarSchema.reference("expression")]
    case .list(let item): return [list(ScalarSchema.anyOf(alternatives(of: item, role: role)))]
    case .map(let value):
      let values = ScalarSchema.anyOf(alternatives(of: value, role: role))
      return [.map([Field("type", .string("object")), Field("additionalProperties", values)])]
    case .object(let group): return [self.group(group, role: role)]
    case .either(let types):
      var all: [Value] = []
      for type in types {
        for alternative in alternatives(of: type, role: role) where !all.contains(alternative) {
          all.append(alternative)
        }
      }
      return all
    }
  }

  /// A nested group of settings, which may contain itself.
  private mutating func group(_ group: ConfigObject, role: ConfigRole?) -> Value {
    // A name of Swift may have characters that a reference would have to escape.
    let plain = String(group.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "." ? $0 : "_" })
    let name = role.map { "\(plain).\($0.rawValue)" } ?? plain
    if known.insert(name).inserted {
      let settings = object(group.schema, role: role)
      define(name, settings)
    }
    return ScalarSchema.reference(name)
  }

  /// A component: a bare name, or a mapping of its name to its settings.
  private mutating func slot(_ slot: ComponentSlot) -> Value {
    guard known.insert(slot.rawValue).inserted else { return ScalarSchema.reference(slot.rawValue) }
    var properties: [Field] = []
    var bare: [Value] = []
    for component in catalog.components(for: slot) {
      let name = "\(slot.rawValue).\(component.name)"
      let settings = object(component.schema, role: slot.role)
      define(name, settings)
      let needsSettings = !catalog.acceptsBare(component, for: slot)
      if !needsSettings { bare.append(.string(component.name)) }
      let reference = ScalarSchema.reference(name)
      properties.append(
        Field(component.name, described(needsSettings ? reference : nullable(reference), component.summary)))
    }
    let named = Value.map([
      Field("type", .string("object")), Field("properties", .map(properties)),
      Field("additionalProperties", .bool(false)), Field("minProperties", .int(1)), Field("maxProperties", .int(1)),
    ])
    let names = bare.isEmpty ? [] : [Value.map([Field("enum", .array(bare))])]
    define(slot.rawValue, ScalarSchema.anyOf([named] + names + [ScalarSchema.reference("expression")]))
    return ScalarSchema.reference(slot.rawValue)
  }
}
