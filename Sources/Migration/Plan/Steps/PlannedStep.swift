import QueryDSL
import SQLCore

/// A step of a plan, with the work that it does.
struct PlannedStep {
  // The case `rebuild` is large. It is stored by reference, because steps are copied often.
  enum Work {
    /// Nothing runs.
    case none
    case statements([String])
    /// The statements of a rebuild. They leave references to the table in other definitions, such
    /// as views, unchanged.
    indirect case rebuild(TableRebuild)
  }

  var step: MigrationPlan.Step
  var work: Work = .none
  /// The notes of conversions that are written or removed after the step.
  var conversions: [ConversionNote] = []
  /// The renamings of a step that exchanges names, in their order and with the temporary name;
  /// empty for other steps.
  var exchangedNames: [(from: String, name: String)] = []
  /// If this step drops an object that a newer program may have made, these steps run instead of
  /// this one.
  var keeping: [PlannedStep] = []
  /// The statement that counts the rows that the step changes; nil if their number is known, or if
  /// the step changes no rows.
  fileprivate var rowCountSQL: String?

  init(_ step: MigrationPlan.Step, _ work: Work = .none) {
    self.step = step
    self.work = work
  }

  /// - Parameter table: the name of the table before renamings.
  init(
    _ step: MigrationPlan.Step, _ work: Work = .none, touching rows: CountedRows, of table: String
  ) {
    self.init(step, work)
    let count = "SELECT count(*) FROM \(Identifier(table).quoted)"
    switch rows {
    case .none: break
    case .some(let count): self.step.rowCount = count
    case .all: rowCountSQL = count
    case .matching(let condition): rowCountSQL = "\(count) WHERE \(condition)"
    }
  }

  /// Creates a step that runs its SQL as one statement.
  init(running step: MigrationPlan.Step) {
    self.init(step, Self.work(of: step))
  }

  init(running step: MigrationPlan.Step, touching rows: CountedRows, of table: String) {
    self.init(step, Self.work(of: step), touching: rows, of: table)
  }

  /// The table that the step rebuilds, with its columns; nil if the step rebuilds no table.
  var copiedTable: OwnedObjectMigration.Rebuild? {
    guard case .rebuild(let rebuild) = work else { return nil }
    let columns = { (isSame: Bool) in
      rebuild.sources.filter { $0.isSame == isSame }.map(\.column)
    }
    return (rebuild.table, columns(true), columns(false))
  }

  private static func work(of step: MigrationPlan.Step) -> Work {
    .statements(step.sql.map { [$0] } ?? [])
  }
}

/// The rows that a step changes or puts at risk. Counting all rows reads the whole table, so rows
/// are counted only if the number is shown.
enum CountedRows {
  case none
  /// A number that is known already.
  case some(Int)
  /// All rows of the table.
  case all
  /// The rows that meet a condition, which uses the names of columns before renamings.
  case matching(String)
}

extension PlannedStep {
  /// Returns the steps with the numbers of their rows, which are counted before any step runs. If
  /// SQLite cannot count the rows, for example because a generated column calls an unknown
  /// function, its error becomes a refusal.
  ///
  /// - Parameter isTaken: returns whether a table name is already taken.
  static func counted(
    _ steps: [PlannedStep], in connection: Connection, isTaken: (String) -> Bool
  ) throws -> [PlannedStep] {
    var counts: [String: Int] = [:]
    return try steps.map { planned in
      guard let sql = planned.rowCountSQL else { return planned }
      var planned = planned
      do {
        let count = try counts[sql] ?? connection.number(sql)
        counts[sql] = count
        planned.step.rowCount = count
        planned.rowCountSQL = nil
        return planned
      } catch let error as DatabaseError where error.isRefusal {
        return PlannedStep(.refusal(error, of: planned.step, isTaken: isTaken))
      }
    }
  }
}

/// The creation of a declared index that the database does not have.
struct IndexCreation {
  let table: TableDefinition
  let index: TableDefinition.Index
  let schema: ExistingSchema
  /// The name of the table before it is renamed; nil if the table has yet to be created.
  let former: String?

  var step: PlannedStep {
    PlannedStep(
      running: MigrationPlan.Step(
        .createIndex(table.name(of: index)), table: table.name, sql: table.createIndex(index),
        reason: index.isUnique ? "the schema declares it as unique" : "the schema declares it"))
  }

  /// The refusal if another object has the name of the index; nil if the name is free.
  var refusedName: PlannedStep? {
    let name = table.name(of: index)
    guard let taken = schema.entry(name), former.map({ !taken.table.isSame(as: $0) }) ?? true,
      !schema.renames.isGivenAway(taken.table)
    else { return nil }
    let free = name.numbered(separator: "_") { schema.entry($0) != nil }
    return PlannedStep(
      MigrationPlan.Step(
        .refuse, table: table.name,
        reason:
          "the index \(name) cannot be created: \(taken.kind.rawValue) \(taken.name) has that "
          + "name; give the index another name with `name:`",
        line: index.line(in: table, name: free) ?? "name: \(free.swiftLiteral)"))
  }
}

extension TableDefinition.Index {
  /// Returns the index as a line of a schema; nil if the index has more than plain columns.
  fileprivate func line(in table: TableDefinition, name: String) -> String? {
    guard condition == nil, terms.allSatisfy({ $0.normalSQL.count == 1 }) else { return nil }
    return "\(isUnique ? "Unique" : "Index")(\(paths(in: table).joined(separator: ", ")), "
      + "name: \(name.swiftLiteral))"
  }

  /// Returns the columns of the index as key paths, for a line to paste.
  func paths(in table: TableDefinition) -> [String] {
    terms.flatMap { SQLTokens($0).tokens }.compactMap { token in
      table.column(token.value).map(\.type.path)
    }
  }
}
