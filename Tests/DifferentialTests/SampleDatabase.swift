import QueryDSL
import SQLCore
import SchemaMigration

@testable import QueryFixtures

/// Tables of random models with random rows, in SQLite and as arrays.
struct SampleDatabase {
  let db: Database
  let models: [any SampleModel.Type]
  private var rows: [ObjectIdentifier: [[DatabaseValue]]] = [:]

  /// - Parameter isFile: Whether the database is a file in WAL mode, or in memory.
  init(models: [any SampleModel.Type], isFile: Bool) throws {
    self.models = models
    db = try isFile ? Database.temporary(models: models) : Database.inMemory(models: models)
  }

  /// A database behind the engine of the specifications.
  init(elsewhere models: [any SampleModel.Type]) throws {
    self.models = models
    db = try Specification.database(models: models)
  }

  /// Replaces the rows by a few others. They are few because a reference join visits every
  /// combination.
  mutating func refill(_ values: inout SampleValues) throws {
    let db = db
    for model in models {
      rows[ObjectIdentifier(model)] = try Self.refill(model, db, &values)
    }
  }

  private static func refill<M: SampleModel>(
    _ model: M.Type, _ db: Database, _ values: inout SampleValues
  ) throws -> [[DatabaseValue]] {
    let models = (0..<values.below(8)).map { M.make(number: $0, &values) }
    try db.write { connection in
      try connection.run(M.delete())
      try connection.insert(models)
    }
    return models.map(\.values)
  }

  func rows(of model: any SampleModel.Type) -> [[DatabaseValue]] {
    rows[ObjectIdentifier(model)] ?? []
  }
}
