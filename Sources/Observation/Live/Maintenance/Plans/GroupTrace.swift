import QueryDSL
import SQLCore

/// The columns of a table that say to which groups of a join its rows belong.
///
/// They are the columns by which the query groups, and others that a condition of the join makes
/// equal to one: with `GROUP BY feed.id` and `item.feed = feed.id`, an item says which group it is
/// in.
struct GroupTrace: Sendable {
  private struct Part {
    /// The place of the column among those by which the query groups.
    let place: Int
    /// The name of the table's own column, folded.
    let column: String
    /// Whether the group may also have NULL there, because a left join found no row.
    let mayBeNull: Bool
  }

  let table: PlannedTable
  private let parts: [Part]

  /// Throws a `RerunReason` if the rows of the table do not say which groups they belong to.
  init(
    from table: PlannedTable, to groups: PlannedGroups, of select: SelectStatement,
    in tables: [PlannedTable]
  ) throws {
    let left = Set(select.joins.filter { $0.kind == .left }.map(\.table))
    let equalities = select.equalities
    var parts: [Part] = []
    for (place, group) in groups.columns.enumerated() {
      var own = group
      var mayBeNull = left.contains(group.table)
      if group.table != table.id {
        let equality = equalities.first {
          $0.second == group && $0.first.table == table.id
            && Self.areComparedAsStored($0.first, group, table, in: tables)
        }
        guard let equality else { continue }
        own = equality.first
        // If the row is missing, its column is NULL, and IS takes another NULL for equal.
        if left.contains(table.id), equality.join != table.id { mayBeNull = true }
      }
      let column = table.layout.columns[Int(own.index)].name.lowercasedASCII
      parts.append(Part(place: place, column: column, mayBeNull: mayBeNull))
    }
    guard !parts.isEmpty else {
      throw RerunReason(
        "no column of \(table.layout.tableName) says to which group its rows belong")
    }
    self.table = table
    self.parts = parts
  }

  /// Returns whether two columns are equal only if they store the same value.
  private static func areComparedAsStored(
    _ first: ColumnID, _ second: ColumnID, _ table: PlannedTable, in tables: [PlannedTable]
  ) -> Bool {
    guard let other = tables.first(where: { $0.id == second.table }) else { return false }
    return PlannedTable.compareAsStored(table, Int(first.index), other, Int(second.index))
  }

  /// The first place among the columns of the groups that it says something about.
  var firstPlace: Int { parts[0].place }

  /// Values of some of the columns by which a query groups.
  struct Values {
    fileprivate(set) var places: [(place: Int, values: Set<DatabaseValue>)]

    /// The number of combinations of the values.
    var count: Int {
      places.reduce(1) {
        let (count, overflows) = $0.multipliedReportingOverflow(by: $1.values.count)
        return overflows ? .max : count
      }
    }

    /// Returns whether a group has one of the values at each place.
    func contains(_ key: RowKey) -> Bool {
      places.allSatisfy { $0.values.contains(key.values[$0.place]) }
    }
  }

  /// The outcome of looking for the groups of touched rows.
  enum Outcome {
    case untouched
    case groups(Values)
    /// A value is not known exactly.
    case unknown
  }

  /// Returns the groups to which the rows belong that commits touched, or belonged before.
  func groups(of commits: [Commit]) -> Outcome {
    let rows = commits.rows(of: table)
    guard !rows.rows.isEmpty else { return .untouched }
    guard rows.isExact else { return .unknown }
    let columns = rows.columns.map(\.lowercasedASCII)
    var places: [(place: Int, values: Set<DatabaseValue>)] = []
    for part in parts {
      guard let index = columns.firstIndex(of: part.column) else { return .unknown }
      var values: Set<DatabaseValue> = part.mayBeNull ? [.null] : []
      for row in rows.rows {
        for state in [row.old, row.new] {
          guard let state else { continue }
          values.insert((row.key.values + state)[index].asGroupKey)
        }
      }
      places.append((part.place, values))
    }
    return .groups(Values(places: places))
  }

  /// A sample of values, for finding out whether a restricted query would scan.
  ///
  /// - Parameter isNull: whether the groups have NULL where they can.
  func sample(isNull: Bool) -> Values {
    Values(
      places: parts.map { part in
        (part.place, isNull && part.mayBeNull ? [.integer(0), .null] : [.integer(0), .integer(1)])
      })
  }
}

extension SelectStatement {
  /// Two columns that are equal in all rows of the joins.
  fileprivate struct Equality {
    let first: ColumnID
    let second: ColumnID
    /// The table whose join says so; nil if it is a condition of WHERE.
    let join: TableID?
  }

  fileprivate var equalities: [Equality] {
    var equalities = predicates.flatMap(\.equalColumns).map {
      Equality(first: $0, second: $1, join: nil)
    }
    for join in joins {
      for (first, second) in join.condition?.equalColumns ?? [] {
        // The condition of a left join says nothing about the tables before it.
        guard join.kind != .left || first.table == join.table || second.table == join.table else {
          continue
        }
        equalities.append(Equality(first: first, second: second, join: join.table))
      }
    }
    return equalities
  }
}
