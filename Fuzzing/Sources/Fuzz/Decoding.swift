import Apus
import Foundation

enum Choice: String, ColumnValue { case one, two }

struct Everything: Model {
  @PrimaryKey var id: Int
  @Column var text: String
  @Column var number: Double
  @Column var data: Data
  @Column var date: Date
  @Column var choice: Choice
  @Column var json: JSON<[String: Int]>
  @Column var url: URL?
  @Column var uuid: UUID?
  @Column var small: Int8?
  @Column var big: UInt64?
  @Column var flag: Bool?
  @Column var decimal: Decimal?
  @Column var key: Unique64?
}

/// The database that all inputs share. Each of its statements is interrupted after a number of
/// steps.
private let database: Database? = {
  var configuration = Configuration.untrustedFile
  configuration.isReadOnly = false
  guard let db = try? Database.inMemory(models: [Everything.self], configuration: configuration)
  else { return nil }
  let steps = Steps()
  _ = try? db.onProgress(every: 1_000) { try steps.take() }
  _ = try? db.onTrace(.statement) { _ in steps.begin() }
  return db
}()

/// Runs an input as a statement, and reads its rows in all ways in which the library can decode
/// them.
func decodeStatement(_ bytes: [UInt8]) {
  guard let database else { return }
  let sql = SQL(unsafe: text(bytes))
  mayThrow {
    // All changes are rolled back.
    try database.write { tx in
      mayThrow { for row in try tx.rows(sql) { for value in row.values { _ = "\(value)" } } }
      mayThrow { _ = try tx.fetch(Everything.self, sql).map { "\($0)" } }
      mayThrow { _ = try tx.fetch((Int, String?).self, sql) }
      mayThrow { _ = try tx.fetch((Date?).self, sql) }
      mayThrow { _ = try tx.fetch((Decimal?, URL?, UUID?).self, sql) }
      mayThrow { _ = try tx.fetch((JSON<[String: Int]>).self, sql) }
      mayThrow { _ = "\(try tx.table(sql))" }
      try tx.requestRollback()
    }
  }
}
