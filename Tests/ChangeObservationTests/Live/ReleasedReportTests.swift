import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// The `deinit` of such an object may call the library.
@Suite("Objects of the program that are released while the library holds a lock")
struct ReleasedReportTests {
  private final class Monitor: Sendable {
    let db: Database
    init(_ db: Database) { self.db = db }
    func report(_ rerun: ObservationRerun) {}
    // A common pattern: the object that registered itself ends its registration.
    deinit { db.onObservationRerun(longerThan: .zero, nil) }
  }

  @Test("replacing the closure of onObservationRerun releases the earlier one outside the lock")
  func closure() throws {
    let db = try Database.temporary(configuration: .relaxed)
    var monitor: Monitor? = Monitor(db)
    if let own = monitor { db.onObservationRerun(longerThan: .zero) { own.report($0) } }
    monitor = nil
    db.onObservationRerun(longerThan: .zero, nil)
  }
}
