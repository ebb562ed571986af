import QueryDSL
import SQLCore

/// The table that the differential test of writes fills. It has three unique constraints, one of
/// them over an optional column.
struct Gamma: Model, Equatable {
  @PrimaryKey var id: Int?
  @Column var code: String
  @Column var n: Int?
  @Column var m: Int
  @Column var r: Double
  @Column var t: String?
  @Column var f: Bool?
  @Column var g: Bool

  static var schema: Schema<Gamma> {
    Unique(\.$code)
    Unique(\.$n, \.$m)
    Default(\.$m, 2)
    Default(\.$r, 0.5)
    Default(\.$g, true)
    Index(\.$code) { $0.$f.isTrue }
    Index(\.$m) { $0.$t == nil }
  }

  var values: [DatabaseValue] {
    [value(id), value(code), value(n), value(m), value(r), value(t), value(f), value(g)]
  }

  static func columns(of gamma: Columns<Gamma>, at place: Int) -> SampleColumns {
    var columns = SampleColumns(table: place, isMissing: false)
    columns.add(gamma.$id)
    columns.add(gamma.$code)
    columns.add(gamma.$n)
    columns.add(gamma.$m)
    columns.add(gamma.$r)
    columns.add(gamma.$t)
    columns.add(gamma.$f)
    columns.add(gamma.$g)
    return columns
  }
}

/// The violation of a constraint by a row of the reference.
struct Violation: Error {}

/// The action of an ON CONFLICT clause in the reference.
struct ReferenceClause {
  /// The columns of the constraint, or nil for any constraint.
  let target: [Int]?
  /// Returns the updated row from the existing row and the one to insert, or nil to leave it.
  let update: (([DatabaseValue], [DatabaseValue]) -> [DatabaseValue]?)?
}

/// The table in plain Swift.
struct WriteTable {
  typealias Row = [DatabaseValue]

  var rows: [Row] = []

  static let uniques = [[0], [1], [2, 3]]

  private func conflict(_ row: Row, on columns: [Int], except: Int? = nil) -> Int? {
    guard !columns.contains(where: { row[$0].isNull }) else { return nil }
    return rows.indices.first { index in
      index != except && columns.allSatisfy { SQLLogic.isSame(rows[index][$0], row[$0]) }
    }
  }

  /// Inserts a row. The clauses are checked in their order, then the remaining constraints.
  mutating func insert(
    _ new: Row, _ clauses: [ReferenceClause]
  ) throws -> (outcome: UpsertOutcome, row: Row) {
    var row = new
    if row[0].isNull {
      let greatest = rows.map { row -> Int64 in
        guard case .integer(let id) = row[0] else { return 0 }
        return id
      }.max()
      row[0] = .integer((greatest ?? 0) + 1)
    }
    var left = Self.uniques
    for clause in clauses {
      let targets = clause.target.map { [$0] } ?? left
      left.removeAll { targets.contains($0) }
      for target in targets {
        guard let index = conflict(row, on: target) else { continue }
        guard let updated = clause.update?(rows[index], row) else { return (.unchanged, []) }
        for unique in Self.uniques where conflict(updated, on: unique, except: index) != nil {
          throw Violation()
        }
        rows[index] = updated
        return (.updated, updated)
      }
    }
    for unique in left where conflict(row, on: unique) != nil { throw Violation() }
    rows.append(row)
    return (.inserted, row)
  }

  /// The result of an update of several rows. SQLite checks the constraints row by row, in an order
  /// that it does not document, so rows that pass through each other's values may fail.
  enum Update {
    case succeeds([Row])
    case fails
    case mayFail([Row])
  }

  /// Updates the rows for which the closure returns a new row.
  func update(_ change: (Row) -> Row?) -> Update {
    var after = self
    var changed: [Int] = []
    for index in rows.indices {
      guard let row = change(rows[index]) else { continue }
      after.rows[index] = row
      changed.append(index)
    }
    func collide(_ left: Row, _ right: Row) -> Bool {
      Self.uniques.contains { columns in
        columns.allSatisfy { !left[$0].isNull && SQLLogic.isSame(left[$0], right[$0]) }
      }
    }
    let indices = rows.indices
    for index in changed {
      for other in indices where other != index {
        if collide(after.rows[index], after.rows[other]) { return .fails }
      }
    }
    let passes = changed.contains { index in
      indices.contains { $0 != index && collide(after.rows[index], rows[$0]) }
    }
    return passes ? .mayFail(after.rows) : .succeeds(after.rows)
  }
}
