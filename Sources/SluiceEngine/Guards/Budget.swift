import SluiceCore

/// What a run may still use. Reads are reserved before they are asked for, so that a killed run is never under-counted.
struct Budget {
  /// Caps of one run or one day; nil is none.
  struct Caps {
    var reads: Int?
    var writes: Int?
    var deletes: Int?
    var requests: Int?
    var bytes: Int?
  }

  private let perRun: Caps
  private let perDay: Caps
  private let timePerRun: Duration?
  /// Whose daily budget counts.
  private let account: String
  /// What all jobs of the account had spent on `day` before this run charged anything.
  private var before: Spending
  private var day: Day
  /// Used by this run.
  private(set) var used = Spending()
  /// Used by this run on earlier days.
  private var usedEarlier = Spending()
  /// Reads asked for, or about to be, and not answered yet.
  private var reserved = 0
  /// Charged on `day` so far.
  private var charged = Spending()

  /// A budget. `known` is the number of documents to expect, where it is known.
  init(_ limits: LimitSettings, known: Int?, account: String, day: Day, spentOnDay: Spending) {
    perRun = Caps(perRun: limits, known: known)
    perDay = Caps(perDay: limits)
    timePerRun = limits.timePerRun
    self.account = account
    self.day = day
    before = spentOnDay
  }

  /// Reserves the reads of the next request. Throws `budget_reached` when it would be more than is left; nothing is
  /// reserved then.
  mutating func reserve(reads: Int, elapsed: Duration) throws {
    let planned = used + Spending(reads: reserved + reads, requests: 1)
    try check(planned.reads, today(planned).reads, \.reads, "reads", "reads")
    try check(planned.requests, today(planned).requests, \.requests, "requests", "requests")
    try check(used.bytes, today(used).bytes, \.bytes, "bytes", "bytes")
    if let timePerRun, elapsed >= timePerRun {
      throw Self.reached("time_per_run", "\(timePerRun.components.seconds) s are used up")
    }
    reserved += reads
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

  /// Throws `budget_reached` when so many more writes or deletes than were made would be more than is left.
  func check(writes: Int = 0, deletes: Int = 0) throws {
    var planned = self
    planned.note(writes: writes, deletes: deletes)
    try planned.checkUsed()
  }

  /// Throws `budget_reached` when more was written or deleted than a cap allows. Called once all is saved.
  func checkUsed() throws {
    try check(used.writes, today(used).writes, \.writes, "writes", "writes")
    try check(used.deletes, today(used).deletes, \.deletes, "deletes", "deletes")
  }

  /// What to charge with the next save, so that used, reserved and `ahead` are covered. A new day begins a new count.
  mutating func charge(ahead: Int, on today: Day) -> [Charge] {
    if today != day {
      usedEarlier = used
      day = today
      charged = Spending()
      before = Spending()
    }
    let covered = used - usedEarlier + Spending(reads: reserved + ahead)
    let amount = covered - charged
    charged = covered
    return amount == Spending() ? [] : [Charge(account: account, day: day, amount: amount)]
  }

  /// What the account has spent on the day, with `spending` of this run.
  private func today(_ spending: Spending) -> Spending { before + spending - usedEarlier }

  private func check(
    _ run: Int, _ today: Int, _ cap: KeyPath<Caps, Int?>, _ key: String, _ unit: String
  ) throws {
    if let limit = perRun[keyPath: cap], run > limit {
      throw Self.reached("\(key)_per_run", "\(run) \(unit) are more than \(limit)")
    }
    if let limit = perDay[keyPath: cap], today > limit {
      throw Self.reached("\(key)_per_day", "\(today) \(unit) on \(account) are more than \(limit)")
    }
  }

  private static func reached(_ key: String, _ detail: String) -> SluiceError {
    SluiceError(
      .budgetReached, "the budget \(key) is reached: \(detail)",
      hint: "everything confirmed is saved; run again to go on, or raise limits.\(key)")
  }
}

extension Budget.Caps {
  fileprivate init(perRun limits: LimitSettings, known: Int?) {
    switch limits.readsPerRun {
    case .auto: reads = known.map { 2 * $0 + 1_000 }
    case .unlimited: reads = nil
    case .count(let count): reads = count
    }
    writes = limits.writesPerRun
    deletes = limits.deletesPerRun
    requests = limits.requestsPerRun
    bytes = limits.bytesPerRun?.bytes
  }

  fileprivate init(perDay limits: LimitSettings) {
    reads = limits.readsPerDay
    writes = limits.writesPerDay
    deletes = limits.deletesPerDay
    requests = limits.requestsPerDay
    bytes = limits.bytesPerDay?.bytes
  }
}
