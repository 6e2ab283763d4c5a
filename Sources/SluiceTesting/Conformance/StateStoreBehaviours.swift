import SluiceCore

/// What a state store promises: see `StateStore`, `JobState` and `Ledger`.
extension StateStoreFixture {
  func behaviours() -> [Behaviour] {
    var list = BehaviourList(subject)
    addCheckpoints(to: &list)
    addLocks(to: &list)
    addPages(to: &list)
    addSpending(to: &list)
    addLedgers(to: &list)
    addDamage(to: &list)
    addMoves(to: &list)
    return list.behaviours
  }

  private func addCheckpoints(to list: inout BehaviourList) {
    list.add("has nothing at first") {
      try await withPlace { place in
        try await place.opened { store in
          try expect(await store.checkpoints().isEmpty, "there are checkpoints")
        }
        try await place.job { job in
          try expect(await job.checkpoint() == nil, "the job has a checkpoint")
          try expect(await job.requests(generation: 1).isEmpty, "it has requests")
          try expect(await job.countUnseen(prints(0..<3), generation: 1) == 3, "it has seen keys")
        }
      }
    }
    list.add("gives back what was saved, when it is opened again") {
      try await withPlace { place in
        try await place.job { job in
          for revision in 1...3 { try await job.save(StateCommit(.sample(job: "job", revision: UInt64(revision)))) }
        }
        let saved = try await place.job { try await $0.checkpoint() }
        let wanted = Checkpoint.sample(job: "job", revision: 3)
        try expect(saved == wanted, "saved \(wanted), it gives \(String(describing: saved))")
      }
    }
    list.add("refuses a revision that does not follow, and keeps nothing of that commit") {
      try await withPlace { place in
        try await place.job { job in
          let identity = SinkIdentity("a")
          let ledger = try await job.ledger(sink: "sink", identity: identity)
          try await job.save(StateCommit(.sample(job: "job", revision: 1)))
          for revision: UInt64 in [0, 1, 3] {
            let commit = StateCommit(
              .sample(job: "job", revision: revision),
              ledgers: [.sample(try LedgerPromise.batch(0..<1), identity: identity)],
              page: PageRecord(generation: 1, request: prints(7..<8)[0], keys: prints(0..<2)),
              charges: [Charge(account: "a", day: Day(number: 1), amount: Spending(reads: 1))])
            try await expect(.stateConflict, from: "saving revision \(revision) after 1") { try await job.save(commit) }
          }
          try expect(await job.checkpoint()?.revision == 1, "the checkpoint moved")
          try expect(await job.requests(generation: 1).isEmpty, "the page was kept")
          try expect(await job.countUnseen(prints(0..<2), generation: 1) == 2, "the page's keys were kept")
          try expect(await ledger.liveCount() == 0, "the ledger learnt")
        }
        let spent = try await place.opened { try await $0.spent(account: "a", day: Day(number: 1)) }
        try expect(spent == Spending(), "\(spent) was charged")
      }
    }
    list.add("names the checkpoints of all jobs, without their locks") {
      try await withPlace { place in
        for name in ["b", "a", "\u{E9} /%"] {
          try await place.job(name) { try await $0.save(StateCommit(.sample(job: name, revision: 1))) }
        }
        try await place.opened { store in
          let held = try await store.open(job: "a")
          let names = try await ending({ await held.close() }) { try await store.checkpoints().map(\.job) }
          try expect(names == ["a", "b", "\u{E9} /%"], "it names \(names)")
        }
      }
    }
  }

  private func addLocks(to list: inout BehaviourList) {
    list.add("gives a job to one run at a time, and other jobs meanwhile") {
      try await withPlace { place in
        try await place.opened { first in
          let job = try await first.open(job: "job")
          try await place.opened { second in
            try await expect(.alreadyRunning, from: "taking the job in the same store") {
              try await first.open(job: "job")
            }
            try await expect(.alreadyRunning, from: "taking the job in another") { try await second.open(job: "job") }
            let other = try await second.open(job: "other")
            await other.close()
          }
          await job.close()
          let again = try await first.open(job: "job")
          await again.close()
        }
      }
    }
  }

  private func addPages(to list: inout BehaviourList) {
    list.add("keeps the requests and the seen keys of a generation") {
      try await withPlace { place in
        try await place.job { job in
          for number in 0..<3 {
            let keys = prints(UInt64(number) * 10..<UInt64(number) * 10 + 10)
            let page = PageRecord(generation: 1, request: prints(100..<103)[number], keys: keys)
            try await job.save(StateCommit(.sample(job: "job", revision: UInt64(number) + 1), page: page))
          }
          try expect(await job.countUnseen(prints(25..<35), generation: 1) == 5, "before it was opened again")
        }
        try await place.job { job in
          let requests = try await job.requests(generation: 1)
          try expect(Set(requests) == Set(prints(100..<103)), "the requests are \(requests)")
          try expect(await job.countUnseen(prints(25..<35), generation: 1) == 5, "of ten keys five are new")
          try expect(await job.countUnseen([], generation: 1) == 0, "of no keys some are new")
          try expect(await job.countUnseen(prints(0..<5), generation: 2) == 5, "another generation has seen them")
          try expect(await job.requests(generation: 2).isEmpty, "another generation has its requests")
        }
        try await place.job("other") { job in
          try expect(await job.countUnseen(prints(0..<5), generation: 1) == 5, "another job has seen them")
        }
      }
    }
  }

  private func addSpending(to list: inout BehaviourList) {
    list.add("adds up what is spent, reserved and given back, by account and day, over all jobs") {
      try await withPlace { place in
        let (day, next) = (Day(number: 20_000), Day(number: 20_001))
        let amount = Spending(reads: 100, writes: 1, deletes: 2, requests: 3, bytes: 4)
        for name in ["one", "two"] {
          try await place.job(name) { job in
            try await job.save(
              StateCommit(
                .sample(job: name, revision: 1),
                charges: [
                  Charge(account: "a", day: day, amount: amount),
                  Charge(account: "a", day: day, amount: Spending(reads: -30)),
                  Charge(account: "b", day: next, amount: Spending(reads: 7)),
                ]))
          }
        }
        try await place.opened { store in
          let wanted = Spending(reads: 140, writes: 2, deletes: 4, requests: 6, bytes: 8)
          let spent = try await store.spent(account: "a", day: day)
          try expect(spent == wanted, "\(spent) was spent, not \(wanted)")
          try expect(await store.spent(account: "b", day: next).reads == 14, "of the other account")
          for (account, day) in [("a", next), ("b", day), ("c", day)] {
            try expect(await store.spent(account: account, day: day) == Spending(), "\(account) spent something")
          }
        }
      }
    }
  }

  private func addLedgers(to list: inout BehaviourList) {
    let fixture = self
    for promise in LedgerPromise.all {
      list.add(promise.name) { try await fixture.withPlace { try await promise.body(StateLedgers(place: $0)) } }
    }
    list.add("what is pending is known to be unsure, at once and when it is opened again") {
      try await withPlace { place in
        let ledgers = StateLedgers(place: place)
        let batch = try LedgerPromise.batch(0..<3)
        try await ledgers.open { open in
          try await open.learn(.sample(batch, identity: open.identity))
          try await open.ledger.markPending(.sample(batch.slice(1..<2), identity: open.identity, generation: 2))
        }
        try await ledgers.open { open in
          let entries = try await open.ledger.entries(for: batch)
          let states = entries.map { $0?.status }
          try expect(states == [.live, .pending, .live], "the ledger knows \(states)")
          try expect(
            entries[1]?.version == Version.none, "a pending key has the version \(String(describing: entries[1]))")
          try expect(await open.ledger.liveCount() == 2, "a pending key counts as live")
          let keys = try await LedgerPromise.unseen(open.ledger, 2).map(\.key).sorted()
          try expect(keys == batch.map(\.key), "of three unseen keys, one pending, it names \(keys)")
        }
      }
    }
    list.add("a ledger of another identity begins empty, one of another sink or job is not touched") {
      try await withPlace { place in
        let batch = try LedgerPromise.batch(0..<3)
        for (name, sink) in [("job", "sink"), ("job", "other"), ("two", "sink")] {
          try await StateLedgers(place: place, job: name, sink: sink).open { open in
            try await open.learn(.sample(batch, identity: open.identity, sink: sink))
          }
        }
        try await StateLedgers(place: place, identity: "made anew").open { open in
          try expect(await open.ledger.liveCount() == 0, "it still knows keys of the store that is gone")
        }
        try await StateLedgers(place: place).open { open in
          try expect(await open.ledger.liveCount() == 0, "the first identity's keys came back")
        }
        for (name, sink) in [("job", "other"), ("two", "sink")] {
          try await StateLedgers(place: place, job: name, sink: sink).open { open in
            try expect(await open.ledger.liveCount() == 3, "the ledger of \(name)/\(sink) was touched")
          }
        }
      }
    }
  }

  private func addDamage(to list: inout BehaviourList) {
    list.add(
      "refuses damaged state, and leaves it as it is", skip: canBeDamaged ? nil : "its state lies nowhere to be damaged"
    ) {
      try await withPlace { place in
        try await place.job { try await $0.save(StateCommit(.sample(job: "job", revision: 1))) }
        try await place.damage()
        let before = try await place.bytes()
        try await expect(.invalidState, from: "opening it") {
          try await place.job { try await $0.checkpoint() }
        }
        try expect(await place.bytes() == before, "what lies there was changed")
      }
    }
  }

  private func prints(_ numbers: Range<UInt64>) -> [Fingerprint] { numbers.map { Fingerprint(high: $0, low: ~$0) } }
}

/// A ledger that a state store keeps.
private struct StateLedgers: LedgerHost {
  let place: any StatePlace
  var job = "job"
  var sink = "sink"
  var identity = "a"

  func open(_ body: @Sendable (OpenLedger) async throws -> Void) async throws {
    let (job, sink, identity) = (job, sink, SinkIdentity(identity))
    try await place.job(job) { state in
      let ledger = try await state.ledger(sink: sink, identity: identity)
      try await body(
        OpenLedger(ledger: ledger, identity: identity) { page in
          let revision = (try await state.checkpoint()?.revision ?? 0) + 1
          let checkpoint = Checkpoint.sample(job: job, revision: revision, generation: page.generation)
          try await state.save(StateCommit(checkpoint, ledgers: [page]))
        })
    }
  }
}
