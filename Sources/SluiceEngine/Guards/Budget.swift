import SluiceCore

/// What a run may still use. Reads are reserved before they are asked for, so that a killed run is never under-counted.
struct Budget {
  /// The caps; nil is none.
  struct Caps {
    var readsPerRun: Int?
    var readsPerDay: Int?
    var writesPerRun: Int?
    var deletesPerRun: Int?
    var requestsPerRun: Int?
    var bytesPerRun: Int?
    var timePerRun: Duration?
  }

  let caps: Caps
  /// Whose daily budget counts; nil where reading is free.
  let account: String?
  /// What all jobs of the account had spent on `day` before this run charged anything.
  private var spentBefore: Int
  private var day: Day
  /// Used by this run.
  private(set) var used = Spending()
  /// Asked for, or about to be, and not answered yet.
  private var reserved = 0
  /// Charged on `day` so far.
  private var charged = Spending()
  private var usedOnEarlierDays = Spending()

  init(caps: Caps, account: String?, day: Day, spentOnDay: Spending) {
    self.caps = caps
    self.account = account
    self.day = day
    spentBefore = spentOnDay.reads
  }

  /// Reserves the reads of the next request. Throws `budget_reached` when they are more than is left; nothing is
  /// reserved then.
  mutating func reserve(reads: Int, elapsed: Duration) throws {
    let planned = used.reads + reserved + reads
    try check(planned, caps.readsPerRun, "reads_per_run", "reads")
    try check(spentBefore + planned - usedOnEarlierDays.reads, caps.readsPerDay, "reads_per_day", "reads")
    try check(used.requests + 1, caps.requestsPerRun, "requests_per_run", "requests")
    try check(used.bytes, caps.bytesPerRun, "bytes_per_run", "bytes")
    if let limit = caps.timePerRun, elapsed >= limit {
      throw Self.reached("time_per_run", "\(limit.components.seconds) s are used up")
    }
    reserved += reads
  }

  private func check(_ planned: Int, _ limit: Int?, _ key: String, _ unit: String) throws {
    guard let limit, planned > limit else { return }
    throw Self.reached(key, "\(planned) \(unit) would be more than \(limit)")
  }

  private static func reached(_ key: String, _ detail: String) -> SluiceError {
    SluiceError(
      .budgetReached, "the budget \(key) is reached: \(detail)",
      hint: "everything confirmed is saved; run again to go on, or raise limits.\(key)")
  }

  /// Notes the answer to a request whose reads were reserved.
  mutating func settle(reserved reads: Int, billed: Int, bytes: Int) {
    reserved -= reads
    used = used + Spending(reads: billed, requests: 1, bytes: bytes)
  }

  /// Gives back what was reserved for a request that failed, where it surely was not billed: it was answered with an
  /// error, or never reached the server. A request that ran out of time, or whose answer broke off, may have been.
  mutating func release(reserved reads: Int, after error: SluiceError) {
    if ![.timeout, .malformedData].contains(error.code) { reserved -= reads }
  }

  /// Notes writes and deletes.
  mutating func note(writes: Int, deletes: Int) { used = used + Spending(writes: writes, deletes: deletes) }

  /// Throws `budget_reached` when more was written or deleted than a cap allows. Called once all is saved.
  func checkUsed() throws {
    try check(used.writes, caps.writesPerRun, "writes_per_run", "writes")
    try check(used.deletes, caps.deletesPerRun, "deletes_per_run", "deletes")
  }

  /// What to charge to the account with the next save, so that used, reserved and `ahead` are covered. A new day begins
  /// a new count.
  mutating func charge(ahead: Int, on today: Day) -> [Charge] {
    guard let account else { return [] }
    if today != day {
      usedOnEarlierDays = used
      day = today
      charged = Spending()
      spentBefore = 0
    }
    let covered = used - usedOnEarlierDays + Spending(reads: reserved + ahead)
    let amount = covered - charged
    charged = covered
    return amount == Spending() ? [] : [Charge(account: account, day: day, amount: amount)]
  }
}

extension Budget.Caps {
  /// The caps of a job. `known` is the number of documents to expect, where it is known.
  init(_ limits: LimitSettings, known: Int?) {
    switch limits.readsPerRun {
    case .auto: readsPerRun = known.map { 2 * $0 + 1_000 }
    case .unlimited: readsPerRun = nil
    case .count(let count): readsPerRun = count
    }
    readsPerDay = limits.readsPerDay
    writesPerRun = limits.writesPerRun
    deletesPerRun = limits.deletesPerRun
    requestsPerRun = limits.requestsPerRun
    bytesPerRun = limits.bytesPerRun?.bytes
    timePerRun = limits.timePerRun
  }
}
