import SluiceCore

/// What a state store promises about runs, and about jobs that are renamed or reset: see `StateStore`.
extension StateStoreFixture {
  func addMoves(to list: inout BehaviourList) {
    list.add("remembers the last runs of each job, the newest first") {
      try await withPlace { place in
        for (name, count) in [("a", 3), ("b", 1)] {
          try await place.job(name) { job in
            try await job.save(StateCommit(.sample(job: name, revision: 1)))
            for number in 0..<count { try await job.record(run(of: name, number)) }
          }
        }
        try await place.opened { store in
          let runs = try await store.runs(limit: 2)
          let wanted = [run(of: "a", 2), run(of: "a", 1)]
          try expect(runs.filter { $0.job == "a" } == wanted, "of a it remembers \(runs.filter { $0.job == "a" })")
          try expect(runs.filter { $0.job == "b" } == [run(of: "b", 0)], "of b it remembers another run")
        }
      }
    }
    list.add("adds what is charged beside the jobs to what they spent") {
      try await withPlace { place in
        let charge = Charge(account: "a", day: Day(number: 1), amount: Spending(reads: 5, requests: 1))
        try await place.job { try await $0.save(StateCommit(.sample(job: "job", revision: 1), charges: [charge])) }
        try await place.opened { try await $0.charge([charge, charge]) }
        let spent = try await place.opened { try await $0.spent(account: "a", day: Day(number: 1)) }
        try expect(spent == Spending(reads: 15, requests: 3), "\(spent) was spent")
      }
    }
    addRename(to: &list)
    addReset(to: &list)
  }

  private func addRename(to list: inout BehaviourList) {
    list.add("gives state and ledgers to a new name, and to none that has its own") {
      try await withPlace { place in
        try await fill(place, "old")
        try await fill(place, "taken")
        try await place.opened { store in
          try await expect(.stateConflict, from: "taking a name") { try await store.rename(job: "old", to: "taken") }
          try await expect(.stateConflict, from: "renaming nothing") { try await store.rename(job: "no", to: "new") }
          let held = try await store.open(job: "old")
          try await ending({ await held.close() }) {
            try await expect(.alreadyRunning, from: "renaming a running job") {
              try await store.rename(job: "old", to: "new")
            }
          }
          try await store.rename(job: "old", to: "new")
          let names = try await store.checkpoints().map(\.job)
          try expect(names == ["new", "taken"], "the checkpoints are of \(names)")
        }
        try await place.job("new") { job in
          try expect(await job.checkpoint()?.revision ?? 0 >= 1, "the checkpoint was lost")
          let count = try await job.ledger(sink: "sink", identity: SinkIdentity("a")).liveCount()
          try expect(count == 3, "the ledger knows \(count) of 3 keys")
        }
        try await place.job("old") { try expect(await $0.checkpoint() == nil, "the old name still has state") }
      }
    }
  }

  private func addReset(to list: inout BehaviourList) {
    list.add("forgets state and ledgers of a job, and keeps what was spent") {
      try await withPlace { place in
        try await fill(place, "job")
        try await fill(place, "other")
        try await place.opened { store in
          let held = try await store.open(job: "job")
          try await ending({ await held.close() }) {
            try await expect(.alreadyRunning, from: "resetting a running job") { try await store.reset(job: "job") }
          }
          try await store.reset(job: "job")
          try await store.reset(job: "nothing of this name")
          let spent = try await store.spent(account: "job", day: Day(number: 1))
          try expect(spent.reads == 9, "what was spent is \(spent)")
        }
        try await place.job { job in
          try expect(await job.checkpoint() == nil, "the checkpoint is still there")
          let count = try await job.ledger(sink: "sink", identity: SinkIdentity("a")).liveCount()
          try expect(count == 0, "the ledger still knows \(count) keys")
        }
        try await place.job("other") { try expect(await $0.checkpoint() != nil, "another job was reset") }
      }
    }
  }

  /// A job with a checkpoint, a ledger of three keys, and something spent on an account of its name.
  private func fill(_ place: any StatePlace, _ name: String) async throws {
    try await place.job(name) { job in
      let identity = SinkIdentity("a")
      _ = try await job.ledger(sink: "sink", identity: identity)
      let charge = Charge(account: name, day: Day(number: 1), amount: Spending(reads: 9))
      let page = LedgerPage.sample(try LedgerPromise.batch(0..<3), identity: identity)
      try await job.save(StateCommit(.sample(job: name, revision: 1), ledgers: [page], charges: [charge]))
    }
  }

  private func run(of job: String, _ number: Int) -> RunRecord {
    RunRecord(
      job: job, startedAt: Timestamp(seconds: 1_700_000_000 + Int64(number), nanoseconds: 5), milliseconds: 12,
      outcome: "failed", exitCode: 3, error: number == 1 ? nil : "empty_source", generation: UInt64(number),
      spending: Spending(reads: number))
  }
}
