import Apus
import CSQLiteBench
import Foundation

/// One of several models that differ only in the names of their tables.
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

private protocol Letter: SendableMetatype {}

private enum N {
  enum A: Letter {}; enum B: Letter {}; enum C: Letter {}; enum D: Letter {}; enum E: Letter {}
  enum F: Letter {}; enum G: Letter {}; enum H: Letter {}; enum I: Letter {}; enum J: Letter {}
  enum K: Letter {}; enum L: Letter {}; enum M: Letter {}; enum O: Letter {}; enum P: Letter {}
  enum Q: Letter {}; enum R: Letter {}; enum S: Letter {}; enum T: Letter {}; enum U: Letter {}
}

private let models: [any Model.Type] = [
  Numbered<N.A>.self, Numbered<N.B>.self, Numbered<N.C>.self, Numbered<N.D>.self,
  Numbered<N.E>.self, Numbered<N.F>.self, Numbered<N.G>.self, Numbered<N.H>.self,
  Numbered<N.I>.self, Numbered<N.J>.self, Numbered<N.K>.self, Numbered<N.L>.self,
  Numbered<N.M>.self, Numbered<N.O>.self, Numbered<N.P>.self, Numbered<N.Q>.self,
  Numbered<N.R>.self, Numbered<N.S>.self, Numbered<N.T>.self, Numbered<N.U>.self,
]

private let letters: [any Letter.Type] = [
  N.A.self, N.B.self, N.C.self, N.D.self, N.E.self, N.F.self, N.G.self, N.H.self, N.I.self,
  N.J.self, N.K.self, N.L.self, N.M.self, N.O.self, N.P.self, N.Q.self, N.R.self, N.S.self,
  N.T.self, N.U.self,
]

/// Models like `Numbered`. Each pair of letters gives a list of models whose types differ from
/// those of all other pairs. So each opening can use types that the process has not used before.
private struct Round<First, Second> {
  struct Of<Number>: Model {
    static var tableName: String { "Numbered_\(Number.self)" }
    @PrimaryKey var id = Unique64()
    @Column var title: String
    @Column var body: String?
    @Column var score: Double
    @Column var count: Int64
    @Column var flag: Bool
    @Column var createdAt: Date
    @Column var payload: Data?

    static var schema: Schema<Of> {
      Index(\.$count, \.$createdAt)
      Unique(\.$title)
    }
  }

  static var models: [any Model.Type] { letters.map { $0.model(of: Self.self) } }
}

extension Letter {
  /// Returns the models for the pair of this letter and a second one.
  fileprivate static func models(before second: any Letter.Type) -> [any Model.Type] {
    second.models(behind: Self.self)
  }

  private static func models<First: Letter>(behind first: First.Type) -> [any Model.Type] {
    Round<First, Self>.models
  }

  fileprivate static func model<First, Second>(of: Round<First, Second>.Type) -> any Model.Type {
    Round<First, Second>.Of<Self>.self
  }
}

extension Workload {
  static let openWithModels = Workload(
    name: "W7", title: "open a file with 20 models that match", operations: 200, target: .c(1.80)
  ) { fixture in
    let path = try unwrapped(fixture.database.path) + ".models"
    // This database stays open during the measurement. Otherwise, each database that is closed
    // would be the last one: it would empty the write-ahead log, and the next database would have
    // to begin a new one.
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

  /// Works like `openWithModels`, but with models whose types the process has not used before. So
  /// the library must read the properties of these types and evaluate their schemas. A program does
  /// this once for each list of models.
  static let openTheFirstTime = Workload(
    name: "W7f", title: "open a file with 20 models that match, the first time", operations: 20,
    target: .c(6)
  ) { fixture in
    let path = try unwrapped(fixture.database.path) + ".first"
    let kept = try Database(path: path, models: models, configuration: .relaxed)
    var lists: [[any Model.Type]] = []
    var round = 0
    return Sides(
      c: Side {
        try withExtendedLifetime(kept) {
          var tables = 0
          for _ in 0..<20 { tables += try readSchema(path) }
          return tables
        }
      },
      apus: Side(prepare: {
        // In a program, the compiler creates the types of the models. So here they are created
        // before the run, where their creation is not measured.
        lists = []
        for _ in 0..<20 {
          let (first, second) = round.quotientAndRemainder(dividingBy: letters.count)
          lists.append(letters[first % letters.count].models(before: letters[second]))
          round += 1
        }
      }) {
        var tables = 0
        for list in lists {
          let database = try Database(path: path, models: list, configuration: .relaxed)
          withExtendedLifetime(database) { tables += list.count }
        }
        return tables
      })
  }

  private static func unwrapped(_ path: String?) throws -> String {
    guard let path else { throw CError(code: SQLITE_CANTOPEN) }
    return path
  }

  /// Opens a file, reads its whole schema, and returns the number of tables.
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
