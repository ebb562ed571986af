import QueryDSL
import SQLCore
import Synchronization
import Testing

@testable import ChangeObservation

/// Single rows are evaluated in a database in memory, whose scans concern no table of the file.
@Suite("Reports of scans while rows are evaluated", .needs(.preUpdateHook))
struct ScanReportLiveTests {
  private final class Reports: Sendable {
    let texts = Mutex<[String]>([])
  }

  @Test("testing the changed rows of a filtered stream is not reported as a scan")
  func noReport() async throws {
    let reports = Reports()
    let file = try TemporaryPath()
    let first = try Database(path: file.path, configuration: .relaxed)
    try await first.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, stars INTEGER NOT NULL,
        body TEXT)
      """)
    try await first.close()
    var configuration = Configuration.relaxed
    configuration.maximumScannedRows = 10
    configuration.onTableScan = { scan in reports.texts.withLock { $0.append("\(scan)") } }
    let db = try Database(path: file.path, configuration: configuration)
    var changes = db.changes(of: Note.self, where: { $0.$stars > 5 }).makeAsyncIterator()
    try await db.insert((1...40).map { Note(title: "t", stars: $0) })
    // Apart from the library's own statements, nothing has read the table.
    let change = await changes.next()
    #expect(change?.rows.count == 35)
    #expect(reports.texts.withLock { $0 } == [])
  }
}
