import SluiceCore

/// The first documents of a job, as its sinks would get them.
public struct Preview: Sendable {
  /// The documents after the transforms, page by page.
  public var batches: [Batch] = []
  /// Documents read.
  public var read = 0
  /// Documents that transforms left out.
  public var dropped = 0
  /// Documents that a transform could not take, and why.
  public var rejections: [Rejection] = []
  /// Parts of pages that could not be read.
  public var unreadable: [SluiceError] = []
  /// Requests for pages.
  public var requests = 0
  /// Reads that were billed; 0 where reading is free.
  public var billedReads = 0
  /// Whether the source has more.
  public var hasMore = false

  /// Documents that are left.
  public var count: Int { batches.reduce(0) { $0 + $1.count(of: .upsert) } }

  /// Reads just enough pages of a job's source for so many documents, and applies the transforms. Opens no sink and no
  /// state; nothing is saved, and what is billed counts in no budget. Stops at ten times as many documents read, or 1,000
  /// more, where transforms leave most of them out.
  @concurrent public static func of(
    _ plan: JobPlan, count: Int, in environment: RunEnvironment
  ) async throws -> Preview {
    let source = try await open(plan, environment)
    do {
      var preview = Preview()
      try await preview.fill(count, from: source, plan, environment)
      await source.close()
      return preview
    } catch {
      await source.close()
      throw (error as? SluiceError)?.at(Place(job: plan.name, component: plan.source.name)) ?? error
    }
  }

  private static func open(_ plan: JobPlan, _ environment: RunEnvironment) async throws -> any Pageable {
    let (job, name, observe) = (plan.name, plan.source.name, environment.observe)
    let context = AdapterContext(
      job: job, role: .source, baseDirectory: environment.baseDirectory, environment: environment.environment,
      http: plan.http, retry: plan.retry, changesNothing: true
    ) { event in
      switch event {
      case .endpoint(let endpoint, let origin): observe(.endpoint(job: job, component: name, endpoint, from: origin))
      case .retry(let attempt, let delay, let error):
        observe(.retry(job: job, attempt: attempt, delay: delay, error: error))
      case .notice(let text): observe(.notice(job: job, text))
      }
    }
    do {
      let adapter = try await plan.source.open(context)
      if let source = adapter as? any Pageable { return source }
      await adapter.close()
      throw SluiceError(.invalidConfiguration, "\(name) cannot be used as a source")
    } catch let error as SluiceError {
      throw error.at(Place(job: job, component: name))
    }
  }

  private mutating func fill(
    _ wanted: Int, from source: any Pageable, _ plan: JobPlan, _ environment: RunEnvironment
  ) async throws {
    let transforms = try plan.transforms.map { try $0.make() }
    // One size for all pages: a page number means another place with another size.
    let size = min(wanted, plan.paging.strategy.pageSize)
    var request = PageRequest(position: plan.paging.strategy.first, size: size, frozen: try await source.freeze())
    var guarded = LoopGuard()
    while true {
      try environment.stop.check()
      guard guarded.admit(LoopGuard.fingerprint(of: request.position, range: request.range)) else {
        throw SluiceError(.loopDetected, "the listing goes in circles: this page leads to one already asked for")
      }
      let page = try await source.page(request)
      requests += 1
      unreadable += page.rejections
      read += page.signals.count
      if source.billingAccount != nil { billedReads += page.signals.billedReads }
      let step = try plan.paging.strategy.step(after: page.signals, of: request)
      take(upTo: wanted, try Self.transform(page.batch, transforms, &rejections))
      guard case .next(let position) = step else { return }
      hasMore = true
      if count >= wanted || read >= max(10 * wanted, wanted + 1_000) || requests > plan.limits.maxEmptyPages + wanted {
        return
      }
      hasMore = false
      request.position = position
    }
  }

  private static func transform(
    _ batch: Batch, _ transforms: [any Transform], _ rejections: inout [Rejection]
  ) throws -> Batch {
    var batch = batch
    for transform in transforms { try transform.apply(to: &batch, rejections: &rejections) }
    return batch
  }

  /// Adds the documents of a page, as many as are still wanted.
  private mutating func take(upTo wanted: Int, _ batch: Batch) {
    dropped += batch.count(of: .dropped)
    var rest = wanted - count
    let taken = batch.resolving { index, kind in
      guard batch.isDocument(at: index), rest > 0 else { return .dropped }
      rest -= 1
      return kind
    }
    batches.append(taken)
  }
}
