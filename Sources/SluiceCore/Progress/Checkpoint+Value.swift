/// A checkpoint as a value that JSON can spell, and back: the form every state store saves.
///
/// Only texts, whole numbers, lists and maps, so that nothing depends on how a format spells times or doubles. A number
/// that does not fit 64 bits with a sign is a decimal. What is not known is left out.
extension Checkpoint {
  /// The saved form.
  package var savedForm: Value {
    var form = SavedMap()
    form["format"] = .int(Int64(Self.format))
    form["job"] = .string(job)
    form["revision"] = .saved(revision)
    form["source"] = source.savedForm
    form["paging"] = .string(paging.description)
    form["phase"] = phase.savedForm
    form["listing"] = listing.savedForm
    form["sinks"] = .map(
      sinks.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { Field($0.key, $0.value.savedForm) })
    form["counters"] = counters.savedForm
    form["saved_at"] = savedAt.map { .saved($0) }
    return form.value
  }

  /// Reads a saved form. Throws `invalid_state` where something is missing, of another kind, or of a newer format.
  package init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "checkpoint")
    let format = try form.int("format")
    guard format == Self.format else {
      throw SluiceError(
        .invalidState, "the checkpoint has format \(format), and this version knows format \(Self.format)",
        hint: format > Self.format ? "run the newer version of Sluice that wrote it" : nil)
    }
    self.init(
      job: try form.text("job"), revision: try form.unsigned("revision"),
      source: try FrozenRequest(savedForm: form.required("source")), paging: try form.fingerprint("paging"),
      phase: try Phase(savedForm: form.required("phase")), listing: try Listing(savedForm: form.required("listing")),
      sinks: [String: SinkCursor](
        try form.fields("sinks").map { ($0.name, try SinkCursor(savedForm: $0.value)) },
        uniquingKeysWith: { _, last in last }),
      counters: try Counters(savedForm: form.required("counters")),
      savedAt: try form["saved_at"].map { try Timestamp(savedForm: $0) })
  }
}

extension Checkpoint.Phase {
  fileprivate var savedForm: Value {
    var form = SavedMap()
    switch self {
    case .snapshot(let watchFrom):
      form["kind"] = .string("snapshot")
      form["watch_from"] = watchFrom.map { .string($0.token) }
    case .finished: form["kind"] = .string("finished")
    case .watching(let after):
      form["kind"] = .string("watching")
      form["after"] = .string(after.token)
    }
    return form.value
  }

  fileprivate init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "phase")
    switch try form.text("kind") {
    case "snapshot": self = .snapshot(watchFrom: try form.optionalText("watch_from").map { WatchPosition($0) })
    case "finished": self = .finished
    case "watching": self = .watching(after: WatchPosition(try form.text("after")))
    case let other: throw SavedMap.damaged("phase is \(other)")
    }
  }
}

extension Checkpoint.Counters {
  private static var names: [(String, WritableKeyPath<Self, Int>)] {
    [
      ("pages", \.pages), ("documents", \.documents), ("dropped", \.dropped), ("reads", \.reads), ("bytes", \.bytes),
      ("writes", \.writes), ("deletes", \.deletes), ("unchanged", \.unchanged), ("rejects", \.rejects),
      ("retries", \.retries), ("repeats", \.repeats),
    ]
  }

  var savedForm: Value { .map(Self.names.map { Field($0.0, .int(Int64(self[keyPath: $0.1]))) }) }

  init(savedForm: Value) throws {
    self.init()
    let form = try SavedMap(savedForm, "counters")
    for (name, path) in Self.names { self[keyPath: path] = try form.int(name) }
  }
}

extension Checkpoint.SinkCursor {
  fileprivate var savedForm: Value {
    var form = SavedMap()
    form["identity"] = identity.map { .string($0.text) }
    form["sequence"] = .saved(sequence)
    form["stage"] = stage?.savedForm
    form["publication"] = publication?.savedForm
    form["shape"] = shape.map { .string($0.description) }
    form["listing_shape"] = listingShape.map { .string($0.description) }
    form["held_before"] = heldBefore.map { .int(Int64($0)) }
    return form.value
  }

  fileprivate init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "sink")
    self.init(
      identity: try form.optionalText("identity").map { SinkIdentity($0) }, sequence: try form.unsigned("sequence"),
      stage: try form["stage"].map { try StageMark(savedForm: $0) },
      publication: try form["publication"].map { try Publication(savedForm: $0) },
      shape: try form.optionalFingerprint("shape"), listingShape: try form.optionalFingerprint("listing_shape"),
      heldBefore: form["held_before"] == nil ? nil : try form.int("held_before"))
  }
}

extension StageMark {
  fileprivate var savedForm: Value {
    var form = SavedMap()
    form["length"] = .saved(length)
    form["digest"] = .string(digest.description)
    form["documents"] = .int(Int64(documents))
    return form.value
  }

  fileprivate init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "stage")
    self.init(
      length: try form.unsigned("length"), digest: try form.fingerprint("digest"), documents: try form.int("documents"))
  }
}

extension Publication {
  fileprivate var savedForm: Value {
    var form = SavedMap()
    form["generation"] = .saved(generation)
    form["content"] = content.savedForm
    form["witness"] = .string(witness)
    return form.value
  }

  fileprivate init(savedForm: Value) throws {
    let form = try SavedMap(savedForm, "publication")
    self.init(
      generation: try form.unsigned("generation"), content: try StageMark(savedForm: form.required("content")),
      witness: try form.text("witness"))
  }
}
