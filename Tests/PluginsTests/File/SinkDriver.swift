import SluiceCore

/// Does to a sink what the engine does, without one.
struct SinkDriver {
  let sink: any Writable
  let generation: UInt64
  private(set) var sequence: UInt64 = 0
  private(set) var mark: StageMark?

  init(_ sink: any Writable, generation: UInt64 = 1) {
    self.sink = sink
    self.generation = generation
  }

  /// Opens the stage of the driver's generation.
  @discardableResult mutating func openStage(resuming mark: StageMark? = nil) async throws -> StageMark {
    guard let publishing = sink as? any Publishing else { throw SluiceError(.internal, "not a publishing sink") }
    let opened = try await publishing.openStage(generation: generation, resuming: mark)
    self.mark = opened
    return opened
  }

  /// Delivers one batch.
  @discardableResult mutating func send(_ batch: Batch, acceptsRejections: Bool = true) async throws -> Receipt {
    let delivery = Delivery(
      batch: batch, sequence: sequence + 1, generation: generation, acceptsRejections: acceptsRejections)
    let receipt = try await sink.apply(delivery)
    sequence += 1
    if let stage = receipt.stage { mark = stage }
    return receipt
  }

  /// Publishes what was staged.
  @discardableResult func publish() async throws -> Publication {
    guard let publishing = sink as? any Publishing, let mark else { throw SluiceError(.internal, "nothing staged") }
    return try await publishing.publish(try Self.proof(generation: generation), content: mark)
  }

  /// The proof of a listing that went through.
  static func proof(generation: UInt64) throws -> CompleteListing {
    var listing = Listing(generation: generation, frozen: FrozenRequest(), order: .byKey)
    listing.confirmPage(of: 0, next: .end(.noToken), highest: nil, isEmpty: false)
    return try listing.finish().get()
  }
}

/// Documents `k001` and up, each with its number and a text.
func numbered(_ range: Range<Int>, text: String = "old") throws -> Batch {
  var builder = BatchBuilder()
  for number in range { builder.add(key: numberedKey(number), ["n": .int(Int64(number)), "text": .string(text)]) }
  return try builder.finish()
}

func numberedKey(_ number: Int) -> String {
  let digits = String(number)
  return "k" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
}

/// The code of the error that `body` throws; nil where it throws none.
func code(of body: () async throws -> Void) async -> SluiceError.Code? {
  do {
    try await body()
    return nil
  } catch let error as SluiceError {
    return error.code
  } catch {
    return SluiceError.Code("other: \(error)")
  }
}
