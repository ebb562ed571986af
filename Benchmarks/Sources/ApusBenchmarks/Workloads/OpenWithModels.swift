import Apus
import CSQLiteBench
import Foundation

/// One of several models that differ in the name of their table alone.
private struct Numbered<Number>: Model {
  static var tableName: String { "Numbered_\(Number.self)" }
  @PrimaryKey var id = Unique64()
  @Column var title: String
  @Column var body: String?
  @Column var score: Double
  @Column var count: Int64
  @Column var flag: Bool
  @Column var createdAt: Date
  @Column var payload: Data?

  static var schema: Schema<Numbered> {
    Index(\.$count, \.$createdAt)
    Unique(\.$title)
  }
}

private enum N {
  enum A {}; enum B {}; enum C {}; enum D {}; enum E {}; enum F {}; enum G {}; enum H {}; enum I {}
  enum J {}; enum K {}; enum L {}; enum M {}; enum O {}; enum P {}; enum Q {}; enum R {}; enum S {}
  enum T {}; enum U {}
}

private let models: [any Model.Type] = [
  Numbered<N.A>.self, Numbered<N.B>.self, Numbered<N.C>.self, Numbered<N.D>.self,
  Numbered<N.E>.self, Numbered<N.F>.self, Numbered<N.G>.self, Numbered<N.H>.self,
  Numbered<N.I>.self, Numbered<N.J>.self, Numbered<N.K>.self, Numbered<N.L>.self,
  Numbered<N.M>.self, Numbered<N.O>.self, Numbered<N.P>.self, Numbered<N.Q>.self,
  Numbered<N.R>.self, Numbered<N.S>.self, Numbered<N.T>.self, Numbered<N.U>.self,
]

extension Workload {
  static let openWithModels = Workload(
    name: "W7", title: "open a file with 20 models that match", operations: 200, target: .c(3.00)
  ) { fixture in
    let path = try unwrapped(fixture.database.path) + ".models"
    // Kept open: the last connection to close would empty the log, and the next begin it anew.
    let kept = try Database(path: path, models: models, configuration: .relaxed)
    return Sides(
      c: Side {
        try withExtendedLifetime(kept) {
          var tables = 0
          for _ in 0..<200 { tables += try readSchema(path) }
          return tables
        }
      },
      apus: Side {
        var tables = 0
        for _ in 0..<200 {
          let database = try Database(path: path, models: models, configuration: .relaxed)
          withExtendedLifetime(database) { tables += models.count }
        }
        return tables
      })
  }

  private static func unwrapped(_ path: String?) throws -> String {
    guard let path else { throw CError(code: SQLITE_CANTOPEN) }
    return path
  }

  /// Opens a file and reads its whole schema; how many tables it has.
  private static func readSchema(_ path: String) throws -> Int {
    let connection = try CConnection(path: path)
    return try connection.withStatement("SELECT type, name, tbl_name, sql FROM sqlite_schema") {
      statement in
      var tables = 0
      while sqlite3_step(statement) == SQLITE_ROW {
        if let type = sqlite3_column_text(statement, 0), String(cString: type) == "table" {
          tables += 1
        }
        for column in 1..<4 as Range<Int32> { _ = sqlite3_column_text(statement, column) }
      }
      return tables
    }
  }
}
