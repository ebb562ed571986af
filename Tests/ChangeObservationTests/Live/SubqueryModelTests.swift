import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

@Suite("Maintained subqueries compared with fresh fetches")
struct SubqueryModelTests {
  @Test("after each transaction a query with subqueries equals a fresh fetch")
  func exact() async throws {
    try await compareDrawn(
      SubqueryDraws.all + SubqueryGroupDraws.all,
      rounds: TestSize.count(small: 6, full: 15, long: 1_500))
  }
}
