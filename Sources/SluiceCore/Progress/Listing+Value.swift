/// A listing in the saved form of its checkpoint, and back.
extension Listing {
  var savedForm: Value {
    var form = SavedMap()
    form["generation"] = .saved(generation)
    form["frozen"] = frozen.savedForm
    form["order"] = .string(order.rawValue)
    form["partitions"] = .array(partitions.map(\.savedForm))
    if unreadable > 0 { form["unreadable"] = .int(Int64(unreadable)) }
    if let taint { form["taint"] = .array([.string(taint.reason), .string(taint.detail)]) }
    return form.value
  }

  init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "listing")
    guard let order = Capabilities.Order(rawValue: try form.text("order")) else {
      throw SavedMap.damaged("listing.order is \(try form.text("order"))")
    }
    let taint = try form["taint"].map { saved in
      let parts = try SavedMap.texts(saved, "taint", count: 2)
      return Taint(parts[0], parts[1])
    }
    self.init(
      generation: try form.unsigned("generation"), frozen: try FrozenRequest(savedForm: form.required("frozen")),
      order: order, partitions: try form.items("partitions").map { try Partition(savedForm: $0) }, taint: taint,
      unreadable: form["unreadable"] == nil ? 0 : try form.int("unreadable"))
    if partitions.isEmpty { throw SavedMap.damaged("listing.partitions is empty") }
  }
}

extension Listing.Partition {
  fileprivate var savedForm: Value {
    var form = SavedMap()
    form["lower"] = range.lower.map { .string($0.description) }
    form["upper"] = range.upper.map { .string($0.description) }
    switch progress {
    case .notStarted: break
    case .at(let position): form["next"] = position.savedForm
    case .ended(let sign): form["ended"] = .string(sign.rawValue)
    }
    form["pages"] = .int(Int64(pages))
    form["highest"] = highest.map { .string($0.description) }
    form["empty_pages"] = .int(Int64(emptyPages))
    return form.value
  }

  fileprivate init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "partition")
    let progress: Listing.Progress
    if let next = form["next"] {
      progress = .at(try PagePosition(savedForm: next))
    } else if let text = try form.optionalText("ended") {
      guard let sign = EndSign(rawValue: text) else { throw SavedMap.damaged("partition.ended is \(text)") }
      progress = .ended(sign)
    } else {
      progress = .notStarted
    }
    self.init(
      range: KeyRange(from: try form.optionalKey("lower"), upTo: try form.optionalKey("upper")), progress: progress,
      pages: try form.int("pages"), highest: try form.optionalKey("highest"), emptyPages: try form.int("empty_pages"))
  }
}

extension FrozenRequest {
  var savedForm: Value { .array(parameters.map { .array([.string($0.name), .string($0.value)]) }) }

  init(savedForm: Value) throws {
    guard case .array(let items) = savedForm else { throw SavedMap.damaged("a request is no list") }
    self.init(
      try items.map { item in
        let parts = try SavedMap.texts(item, "parameter", count: 2)
        return Parameter(parts[0], parts[1])
      })
  }
}

extension PagePosition {
  fileprivate var savedForm: Value {
    var form = SavedMap()
    form["kind"] = .string(kind.rawValue)
    switch self {
    case .start: break
    case .token(let text), .url(let text): form["text"] = .string(text)
    case .offset(let number), .number(let number): form["number"] = .int(Int64(number))
    case .after(let cursor):
      form["key"] = .string(cursor.key.description)
      form["values"] = .array(cursor.values.map(\.taggedForm))
    }
    return form.value
  }

  fileprivate init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "position")
    switch Kind(rawValue: try form.text("kind")) {
    case .start: self = .start
    case .token: self = .token(try form.text("text"))
    case .url: self = .url(try form.text("text"))
    case .offset: self = .offset(try form.int("number"))
    case .number: self = .number(try form.int("number"))
    case .after:
      guard let key = try form.optionalKey("key") else { throw SavedMap.damaged("position.key is missing") }
      self = .after(Cursor(key, values: try form.items("values").map { try Value(taggedForm: $0) }))
    case nil: throw SavedMap.damaged("position.kind is \(try form.text("kind"))")
    }
  }
}
