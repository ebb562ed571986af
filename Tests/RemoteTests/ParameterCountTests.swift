import ApusRemote
import FileEngine
import Foundation
import SQLCore
import Testing

@Suite("The number of parameters that an engine accepts")
struct ParameterCountTests {
  @Test("an engine may accept more parameters than the library sends")
  func many() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "parameters-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = FileEngine(
      path: folder.appending(path: "db.sqlite").path(), maximumParameterCount: 32_766)
    let db = try Database(engine: engine)
    try db.execute("CREATE TABLE t (x)")
    func list(_ item: String, _ count: Int) -> String {
      Array(repeating: item, count: count).joined(separator: ", ")
    }
    func numbers(_ count: Int) -> [BoundValue] {
      (1...count).map { .value(.integer(Int64($0))) }
    }
    func insert(_ count: Int) -> SQL {
      SQL(text: "INSERT INTO t VALUES \(list("(?)", count))", bindings: numbers(count))
    }
    try db.execute(insert(999))
    let query = "SELECT count(*) FROM t WHERE x IN (\(list("?", 999)))"
    let found = try db.row(SQL(text: query, bindings: numbers(999)))?.values
    #expect(found == [999])
    #expect(throws: DatabaseError.self) { try db.execute(insert(1_000)) }
    let found2 = try db.row("SELECT count(*) FROM t")?.values
    #expect(found2 == [999])
  }
}
