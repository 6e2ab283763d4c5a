import FirestoreServer
import SluiceCore
import SluiceEngine
import Testing

/// What `HostilePagingTests` does with scripted pages, over HTTP.
@Suite("Paging of a hostile Firestore")
struct FirestorePagingTests {
  @Test(
    "cycles of 1, 2, 3 and 50 pages stop at the first repeat, after an exact number of requests",
    arguments: [1, 2, 3, 50])
  func cycles(length: Int) async throws {
    let bench = try FirestoreBench()
    try bench.seed(100)
    bench.server.script(FaultScript(FaultRule(.method(.list) && .pages(from: 4 + length), .backToPage(5))))
    let report = await bench.run(size: 1)
    #expect(report.failure?.code == .loopDetected)
    #expect(bench.lists.count == 4 + length)
    #expect(bench.sink.publications == 0)
  }

  @Test("an empty page with a token is no end; 101 in a row are too many")
  func emptyPages() async throws {
    let bench = try FirestoreBench()
    try bench.seed(120)
    bench.server.script(FaultScript(FaultRule(.method(.list) && .page(2), .emptyPage)))
    #expect(await bench.run(size: 40).exitCode == 0)
    #expect(bench.sink.documents.count == 80)
    bench.server.script(FaultScript(FaultRule(.method(.list), .emptyPage)))
    bench.server.log.reset()
    let report = await bench.run(size: 1)
    #expect(report.failure?.code == .tooManyEmptyPages)
    #expect(report.exitCode == 3)
    #expect(bench.lists.count == 101)
    #expect(bench.sink.documents.count == 80)
  }
}
