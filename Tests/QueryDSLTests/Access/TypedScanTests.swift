import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Sample: Model {
  @PrimaryKey var id: Int
  @Column var kind: String
  @Column var number: Int?
}

@Suite("Reports of typed queries that scan a large table")
struct TypedScanTests {
  private let reports = Scans()
  private let db: Database

  private final class Scans: Sendable {
    private let list = Lock<[TableScan]>([])
    func append(_ scan: TableScan) { list.withLock { $0.append(scan) } }
    func take() -> [TableScan] {
      list.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  init() throws {
    var configuration = Configuration()
    configuration.maximumScannedRows = 100
    configuration.onTableScan = { [reports] in reports.append($0) }
    db = try Specification.database(models: [Sample.self], configuration: configuration)
    try db.insert((0..<300).map { Sample(id: $0, kind: "kind \($0 % 7)", number: $0 % 90) })
    #expect(reports.take() == [])
  }

  private func expect(
    _ indexes: [String], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) throws {
    try body()
    let found = reports.take()
    #expect(found.count == 1, sourceLocation: sourceLocation)
    #expect(found.flatMap(\.indexes).map(\.name) == indexes, sourceLocation: sourceLocation)
  }

  @Test("scans by reads, counts, updates, deletions, prepared queries and streams are reported")
  func verbs() async throws {
    try expect(["Sample_on_kind"]) { _ = try db.fetch(Sample.where { $0.$kind == "kind 3" }) }
    // The statement is not stepped after its last row.
    try expect(["Sample_on_kind"]) {
      let query = Sample.where { $0.$kind == "kind 3" }
      let found = try db.fetch(query.limit(40))
      #expect(found.map(\.id) == (0..<40).map { 3 + 7 * $0 })
    }
    try expect(["Sample_on_kind"]) {
      let query = Sample.where { $0.$kind == "kind 3" }.select { ($0.$id, $0.$number) }
      let found = try db.fetch(query.limit(40))
      #expect(found.count == 40)
    }
    try expect(["Sample_on_number"]) { _ = try db.first(Sample.where { $0.$number == nil }) }
    try expect(["Sample_on_number"]) { _ = try db.count(Sample.where { $0.$number.isIn([1, 2]) }) }
    try expect(["Sample_on_kind"]) { _ = try db.exists(Sample.where { $0.$kind == "none" }) }
    try expect(["Sample_on_number"]) {
      _ = try db.run(Sample.update { $0.$number += 1 }.where { $0.$number > 80 })
    }
    try expect(["Sample_on_kind_number"]) {
      _ = try db.run(Sample.delete().where { $0.$kind == "kind 1" && $0.$number == 3 })
    }
    let prepared = try await db.prepare { (kind: SQLParameter<String>) in
      Sample.where { $0.$kind == kind }.order(by: \.$number).select(\.$id)
    }
    try expect(["Sample_on_kind_number"]) { _ = try db.fetch(prepared("kind 2")) }
    for try await _ in db.stream(Sample.where { $0.$kind == "kind 4" }.select(\.$number)) {}
    #expect(reports.take().flatMap(\.indexes).map(\.name) == ["Sample_on_kind"])
  }

  @Test("a partial index that has the rows of a query ends the report")
  func partial() throws {
    try db.execute(
      """
      CREATE INDEX low ON Sample (number) WHERE kind = 'kind 3';
      UPDATE Sample SET kind = 'kind 3' WHERE id > 100;
      CREATE INDEX empty ON Sample (id) WHERE number IS NULL;
      UPDATE Sample SET number = NULL WHERE id > 120;
      """)
    _ = reports.take()
    _ = try db.fetch(Sample.where { $0.$number == nil })
    _ = try db.fetch(Sample.where { $0.$kind == "kind 3" })
    _ = try db.fetch(Sample.where { $0.$kind == "kind 3" }.order(by: \.$number))
    #expect(reports.take() == [])
    // Another condition still gets its index.
    try expect(["Sample_on_number"]) { _ = try db.fetch(Sample.where { $0.$number == 3 }) }
  }

  @Test("creating the reported index ends the report")
  func declared() throws {
    try db.execute("CREATE INDEX Sample_on_kind ON Sample (kind)")
    _ = try db.fetch(Sample.where { $0.$kind == "kind 3" })
    #expect(reports.take() == [])
  }
}
