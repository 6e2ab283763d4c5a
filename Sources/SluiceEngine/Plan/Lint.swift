import SluiceCore

/// Refuses jobs whose parts cannot work together, before anything is opened.
struct Lint {
  var job: String
  var mark: Mark
  var settings: JobSettings
  var node: ConfigNode

  func check(_ choices: ComponentChoices, _ parts: ComponentPlans, into diagnostics: inout Diagnostics) {
    checkSource(choices, parts, into: &diagnostics)
    checkSinks(choices, parts, into: &diagnostics)
    checkMode(choices, parts, into: &diagnostics)
    checkDeletes(choices, parts, into: &diagnostics)
    checkProof(choices, parts, into: &diagnostics)
    checkBudget(parts, into: &diagnostics)
    checkOverlaps(choices, parts, into: &diagnostics)
    if settings.onReject != .deadLetter, node["dead_letters"] != nil, !isInherited("dead_letters") {
      diagnostics.warning(
        "without_effect", "dead_letters is written with on_reject: dead_letter only", at: keyMark("dead_letters"))
    }
  }

  /// A sink that writes what the source reads, or what another sink writes: one of them would undo the other's work.
  private func checkOverlaps(
    _ choices: ComponentChoices, _ parts: ComponentPlans, into diagnostics: inout Diagnostics
  ) {
    var others: [(what: String, choice: ComponentChoice, plan: AdapterPlan)] = []
    if let choice = choices.source, let plan = parts.source { others.append(("the source reads", choice, plan)) }
    for (choice, sink) in zip(choices.sinks, parts.sinks) {
      guard let sink else { continue }
      if let other = others.first(where: { sink.writes(into: $0.plan) }) {
        diagnostics.error(
          "same_store", "\(sink.name) writes what \(other.what)", at: choice.mark,
          hint: "give the sink a place of its own", notes: [.init("the other one", at: other.choice.mark)])
      }
      others.append(("another sink writes", choice, sink))
    }
  }

  /// A budget that no page fits into would end every run before its first page.
  private func checkBudget(_ parts: ComponentPlans, into diagnostics: inout Diagnostics) {
    guard let size = parts.paging?.strategy.pageSize else { return }
    let budgets = [
      ("reads_per_run", { if case .count(let count) = $0.readsPerRun { count } else { nil } }(settings.limits)),
      ("reads_per_day", settings.limits.readsPerDay),
    ]
    for (key, budget) in budgets {
      guard let budget, budget < size else { continue }
      diagnostics.error(
        "budget_too_small", "\(key): \(budget) is less than one page of \(size)", at: keyMark("limits"),
        hint: "raise it, or set a smaller page size")
    }
  }

  private func checkSource(
    _ choices: ComponentChoices, _ parts: ComponentPlans, into diagnostics: inout Diagnostics
  ) {
    guard let choice = choices.source, let source = parts.source else { return }
    guard !source.capabilities.positions.isEmpty else {
      diagnostics.error("not_a_source", "\(source.name) cannot be read", at: choice.mark)
      return
    }
    if let paging = parts.paging {
      guard let objection = PagingObjection(to: paging, of: source.capabilities) else { return }
      diagnostics.error(
        "paging_not_possible", "\(paging.name) cannot page \(source.name): \(objection.reason)",
        at: choices.paging?.mark ?? choice.mark, hint: objection.hint)
    } else if choices.paging == nil {
      diagnostics.error("missing_key", "\(source.name) has no natural paging: name a strategy", at: choice.mark)
    }
  }

  private func checkSinks(
    _ choices: ComponentChoices, _ parts: ComponentPlans, into diagnostics: inout Diagnostics
  ) {
    if settings.sink != nil, !settings.sinks.isEmpty {
      diagnostics.error(
        "two_ways", "a job has sink or sinks, not both", at: keyMark("sinks"),
        notes: [.init("the other one", at: keyMark("sink"))])
    }
    if choices.sinks.isEmpty {
      diagnostics.error("missing_key", "sink is required by job \(job)", at: mark, hint: "for example sink: stdout")
    }
    for (choice, sink) in zip(choices.sinks, parts.sinks) {
      guard let sink, sink.capabilities.publishMode == nil else { continue }
      diagnostics.error("not_a_sink", "\(sink.name) cannot be written", at: choice.mark)
    }
  }

  private func checkMode(
    _ choices: ComponentChoices, _ parts: ComponentPlans, into diagnostics: inout Diagnostics
  ) {
    let sinks = parts.sinks.compactMap { $0 }
    guard settings.mode != nil, !isInherited("mode"), !sinks.isEmpty,
      sinks.allSatisfy({ $0.capabilities.publishMode == .replace })
    else {
      return
    }
    diagnostics.error(
      "mode_without_effect", "a replaced set always mirrors its source: mode does not apply", at: keyMark("mode"),
      hint: "remove mode, or set publish: in_place in the sink")
  }

  private func checkDeletes(
    _ choices: ComponentChoices, _ parts: ComponentPlans, into diagnostics: inout Diagnostics
  ) {
    guard let deletes = settings.deletes else { return }
    if settings.mode != .mirror {
      if isInherited("deletes") { return }
      diagnostics.warning(
        "deletes_without_effect", "deletes says how a mirror deletes, and this job is a copy", at: keyMark("deletes"),
        hint: "set mode: mirror, or remove deletes")
    } else if deletes == .soft {
      for (choice, sink) in zip(choices.sinks, parts.sinks) {
        guard let sink, sink.capabilities.publishMode == .inPlace, !sink.capabilities.keepsDeleted else { continue }
        diagnostics.error(
          "deletes_not_possible", "\(sink.name) cannot keep a deleted document with a mark", at: choice.mark,
          hint: "use deletes: hard or ignore")
      }
    }
  }

  /// A listing that ended without proof deletes and replaces nothing.
  private func checkProof(
    _ choices: ComponentChoices, _ parts: ComponentPlans, into diagnostics: inout Diagnostics
  ) {
    guard let paging = parts.paging, paging.strategy.stopsWithoutNewKeys, let mark = choices.paging?.mark else {
      return
    }
    let replaces = parts.sinks.compactMap { $0 }.contains { $0.capabilities.publishMode == .replace }
    guard replaces || settings.mode == .mirror else { return }
    diagnostics.warning(
      "no_proof", "a listing that ends by no_new_keys is no proof of what is gone: nothing is deleted or replaced then",
      at: mark, hint: "use a sink with publish: in_place and mode: copy, or let the source's own sign end the listing")
  }

  private func isInherited(_ key: String) -> Bool {
    guard case .mapping(let entries) = node.content else { return false }
    return entries.contains { $0.key == key && $0.isInherited }
  }

  private func keyMark(_ key: String) -> Mark {
    guard case .mapping(let entries) = node.content else { return mark }
    return entries.first { $0.key == key }?.keyMark ?? mark
  }
}
