import Apus
import Foundation
import Testing

@testable import ApusAnalytics

@Suite("Copies of tables in DuckDB", .enabled(if: hasDuckDB))
struct CopyTests {
  @Test("each kind of value comes back as it is in SQLite")
  func kinds() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.insert(0..<500)
    #expect(try test.analytics.copy(Sale.self, from: test.db) == 500)
    let query = Sale.order(by: \.$id)
    #expect(try test.analytics.database.fetch(query) == test.db.fetch(query))
    #expect(test.analytics.tables == ["Sale"])
  }

  @Test("a query is copied into the table of a model")
  func query() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.insert(0..<100)
    let gifts = Sale.where { $0.$isGift == true }
    try test.analytics.copy(gifts, as: Sale.self, from: test.db)
    let count = try test.analytics.database.count(Sale.all)
    #expect(try count == test.db.count(gifts))
    #expect(throws: AnalyticsError.self) {
      try test.analytics.copy(
        Sale.select { ($0.$id, $0.$name) }, as: Store.self, from: test.db)
    }
    #expect(throws: AnalyticsError.self) { try test.analytics.update(from: test.db) }
  }

  @Test("a file keeps the copies, and follows the log where it was")
  func reopened() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.insert(0..<20)
    do {
      let analytics = try Analytics(path: test.file("sales.duckdb"))
      try analytics.copy(Sale.self, from: test.db)
      try analytics.database.close()
    }
    try test.insert(20..<25)
    let analytics = try Analytics(path: test.file("sales.duckdb"))
    #expect(try analytics.database.count(Sale.all) == 20)
    #expect(try analytics.update(from: test.db) == 5)
    #expect(
      try analytics.database.fetch(Sale.order(by: \.$id)) == test.db.fetch(Sale.order(by: \.$id)))
  }

  @Test("a value that cannot be copied names its place, and the old copy remains")
  func wrongValue() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.db.execute(
      """
      CREATE TABLE loose (id INTEGER PRIMARY KEY, n INTEGER, t TEXT);
      """)
    try test.db.execute("INSERT INTO loose VALUES (1, 2, 'a')")
    struct Loose: TableModel {
      @Column var id: Int
      @Column var n: Int
      @Column var t: String
      static var tableName: String { "loose" }
    }
    try test.analytics.copy(Loose.self, from: test.db)
    for (text, column) in [("'x', 'b'", "n"), ("3, 'b' || char(0)", "t")] {
      try test.db.execute(SQL(unsafe: "INSERT INTO loose VALUES (7, \(text))"))
      let error = #expect(throws: AnalyticsError.self) {
        try test.analytics.copy(Loose.self, from: test.db)
      }
      guard case .value(let table, let named, let row, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect((table, named, row) == ("loose", column, "7"))
      try test.db.execute("DELETE FROM loose WHERE id = 7")
    }
    #expect(try test.analytics.database.count(Loose.all) == 1)
  }

  @Test("columns of any type are refused")
  func untyped() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.db.execute("CREATE TABLE \"Store\"\"2\" (id INTEGER PRIMARY KEY, x NUMERIC)")
    struct Other: TableModel {
      @Column var id: Int
      @Column var x: Double
      static var tableName: String { "Store\"2" }
    }
    #expect(
      throws: AnalyticsError.columnWithoutType(
        table: "Store\"2", column: "x", declaredType: "NUMERIC")
    ) {
      try test.analytics.copy(Other.self, from: test.db)
    }
  }

  @Test("rows are written as Parquet, and DuckDB reads them")
  func parquet() throws {
    let test = try TestDatabase()
    defer { test.remove() }
    try test.insert(0..<50)
    try test.analytics.copy(Sale.self, from: test.db)
    let path = test.file("it's.parquet")
    try test.analytics.writeParquet(
      Sale.where { $0.$name.isIn(["a", "b"]) || $0.$isGift == true },
      to: path,
      types: [
        "createdAt": .timestamp, "isgift": .boolean, "code": .uuid,
        "price": .decimal(digits: 9, scale: 2),
      ])
    let count = try test.db.count(Sale.where { $0.$name.isIn(["a", "b"]) || $0.$isGift == true })
    let types = try test.analytics.writer.use { duck in
      try duck.rows(
        of: """
          SELECT count(*), any_value(typeof("createdAt")), any_value(typeof("isGift")), \
          any_value(typeof(code)), any_value(typeof(price)), any_value(typeof(amount)) \
          FROM read_parquet($1)
          """, [.text(path)]
      ).allRows()
    }
    #expect(
      types == [
        [.integer(Int64(count)), "TIMESTAMP", "BOOLEAN", "UUID", "DECIMAL(9,2)", "DOUBLE"]
      ])
    #expect(throws: AnalyticsError.self) {
      try test.analytics.writeParquet(Sale.all, to: test.file("none/x.parquet"))
    }
  }
}

@Suite struct LibraryTests {
  @Test("without DuckDB, opening says where it looked, and why it found nothing")
  func missing() {
    let error = #expect(throws: AnalyticsError.self) {
      try DuckDBLibrary.find(path: "/nowhere/libduckdb.so")
    }
    #expect("\(error as Any)".contains("/nowhere/libduckdb.so: "))
    #expect("\(error as Any)".contains("APUS_DUCKDB"))
  }

  @Test("another library names the function that it lacks")
  func other() {
    #if os(Linux)
      let error = #expect(throws: AnalyticsError.self) {
        try DuckDBLibrary.find(path: "libsqlite3.so.0")
      }
      #expect("\(error as Any)".contains("it has no function duckdb_"))
    #endif
  }
}
