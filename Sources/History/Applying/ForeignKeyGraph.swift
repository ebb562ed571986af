import QueryDSL
import SQLCore

/// The foreign keys of a database. They are used to check rows that were written while SQLite did
/// not enforce foreign keys. Only these rows are checked, not the whole tables.
struct ForeignKeyGraph {
  struct Key {
    let child: String
    let columns: [String]
    let parent: String
    let parentColumns: [String]
    let onDelete: ForeignKeyAction
    let onUpdate: ForeignKeyAction
    /// The collations of the parent's columns, by which SQLite compares the keys; nil for BINARY.
    fileprivate let collations: [String?]
    /// The defaults of the child's columns, as SQL.
    fileprivate let defaults: [String]

    var failure: ConstraintFailure {
      ConstraintFailure(kind: .foreignKey, table: child, columns: columns)
    }

    /// The SQL condition that is true if the child row `c` refers to a parent row that does not
    /// exist.
    fileprivate var isDangling: String {
      let pairs = zip(columns, parentColumns).map { child, parent in
        (child: "c.\(Identifier(child).quoted)", parent: "p.\(Identifier(parent).quoted)")
      }
      let isSet = pairs.map { "\($0.child) IS NOT NULL" }.joined(separator: " AND ")
      let isEqual = pairs.map { "\($0.parent) = \($0.child)" }.joined(separator: " AND ")
      return "\(isSet) AND NOT EXISTS (SELECT 1 FROM \(Identifier(parent).quoted) AS p "
        + "WHERE \(isEqual))"
    }

    /// Returns the values of a parent row in the columns that the foreign key references. Returns
    /// nil if a value is missing or NULL, so that no child row can refer to the parent row.
    func values(of row: AppliedRow) -> [DatabaseValue]? {
      let values = parentColumns.compactMap { row[$0] }
      guard values.count == columns.count, !values.contains(where: \.isNull) else { return nil }
      return values
    }

    /// The SQL of each foreign key column in the child row `c`, such as `c."author"`. COLLATE is
    /// added if SQLite compares the keys by another collation than BINARY.
    private var comparable: [String] {
      zip(columns, collations).map { column, collation in
        "c.\(Identifier(column).quoted)"
          + (collation.map { " COLLATE \(Identifier($0).quoted)" } ?? "")
      }
    }

    /// Returns the SQL condition that is true if the child row `c` refers to a parent row with the
    /// given values.
    private func refers(to values: [DatabaseValue]) -> SQL {
      var sql: SQL = ""
      for (index, (column, value)) in zip(comparable, values).enumerated() {
        sql.append("\(unsafe: index > 0 ? " AND " : "")\(unsafe: column) = \(value)")
      }
      return sql
    }

    /// Returns whether a child row refers to a parent row with the given values.
    ///
    /// - Parameter isDangling: whether to consider only child rows whose parent row does not exist.
    func hasChildren(
      of values: [DatabaseValue], isDangling: Bool, on connection: Connection
    ) throws -> Bool {
      var sql: SQL = "SELECT 1 FROM \(identifier: child) AS c WHERE " + refers(to: values)
      if isDangling { sql.append(SQL(unsafe: " AND " + self.isDangling)) }
      return try connection.row(sql + " LIMIT 1") != nil
    }

    /// Returns whether a child row refers to a parent row with the values `old`, but would not
    /// refer to a parent row with the values `new`. If `new` is nil, only the first condition must
    /// hold.
    func hasChildren(
      of old: [DatabaseValue], butNotOf new: [DatabaseValue]?, on connection: Connection
    ) throws -> Bool {
      var sql: SQL = "SELECT 1 FROM \(identifier: child) AS c WHERE " + refers(to: old)
      if let new { sql.append(" AND NOT coalesce(" + refers(to: new) + ", 0)") }
      return try connection.row(sql + " LIMIT 1") != nil
    }

    /// Returns whether child rows may refer to one of the given parent rows, which no longer exist.
    ///
    /// Runs one statement for all parent rows. For a single parent row, or for a foreign key of
    /// several columns, it runs no statement and returns true.
    func mayHaveChildren(of rows: [AppliedRow], on connection: Connection) throws -> Bool {
      guard rows.count > 1, columns.count == 1 else { return !rows.isEmpty }
      let values = BoundValue.array(BoundArray(rows.compactMap { self.values(of: $0)?.first }))
      return try connection.row(
        SQL(
          text: "SELECT 1 FROM \(Identifier(child).quoted) AS c WHERE \(comparable[0]) IN "
            + "(SELECT value FROM apus_array(?)) AND \(isDangling) LIMIT 1", bindings: [values]))
        != nil
    }

    /// Returns those of the written child rows whose parent row does not exist. If the primary key
    /// of the child table has one column, one statement first finds out whether there are any such
    /// rows. If there are any, or if the key has several columns, one statement runs for each row.
    func danglingRows(
      among rows: [WrittenRow], of table: AppliedTable, on connection: Connection
    ) throws -> [WrittenRow] {
      let name = "SELECT 1 FROM \(Identifier(child).quoted) AS c WHERE "
      if rows.count > 1, table.keys.count == 1 {
        let values = BoundValue.array(BoundArray(rows.compactMap(\.key.first)))
        let sql =
          "\(name)c.\(Identifier(table.keys[0]).quoted) IN (SELECT value FROM apus_array(?)) "
          + "AND \(isDangling) LIMIT 1"
        if try connection.row(SQL(text: sql, bindings: [values])) == nil { return [] }
      }
      let isRow = table.keys.map { "c.\(Identifier($0).quoted) = ? AND " }.joined()
      let sql = name + isRow + isDangling
      return try rows.filter { try connection.row(SQL(unsafe: sql, values: $0.key)) != nil }
    }

    /// Runs the ON DELETE action of this foreign key on the child rows of a deleted parent row.
    func actOnDelete(of values: [DatabaseValue], on connection: Connection) throws {
      let condition: SQL =
        " WHERE " + refers(to: values) + SQL(unsafe: " AND " + isDangling)
      if onDelete == .cascade {
        try connection.execute("DELETE FROM \(identifier: child) AS c" + condition)
      } else if let assignments = assignments(onDelete) {
        try connection.execute(
          "UPDATE \(identifier: child) AS c SET \(unsafe: assignments)" + condition)
      }
    }

    /// Runs the ON UPDATE action of this foreign key on the child rows of parent rows whose key
    /// values have changed. One statement does this for all parent rows, because two parent rows
    /// may have exchanged their values.
    func actOnUpdate(
      _ moves: [(old: [DatabaseValue], new: [DatabaseValue])], on connection: Connection
    ) throws {
      let olds = columns.indices.map { "o\($0)" }.joined(separator: ", ")
      let news = columns.indices.map { "n\($0)" }.joined(separator: ", ")
      var sql: SQL = "WITH m(\(unsafe: olds), \(unsafe: news)) AS (VALUES "
      for (index, move) in moves.enumerated() {
        sql.append(index > 0 ? ", (" : "(")
        for (place, value) in (move.old + move.new).enumerated() {
          sql.append(place > 0 ? ", \(value)" : "\(value)")
        }
        sql.append(")")
      }
      let isEqual = comparable.enumerated().map { "\($1) = m.o\($0)" }.joined(separator: " AND ")
      let moved = columns.indices.map { index in
        "\(Identifier(columns[index]).quoted) = (SELECT m.n\(index) FROM m WHERE \(isEqual))"
      }.joined(separator: ", ")
      guard let assignments = onUpdate == .cascade ? moved : assignments(onUpdate) else { return }
      sql.append(
        """
        ) UPDATE \(identifier: child) AS c SET \(unsafe: assignments) \
        WHERE (\(unsafe: comparable.joined(separator: ", "))) IN (SELECT \(unsafe: olds) FROM m)
        """)
      try connection.execute(sql)
    }

    private func assignments(_ action: ForeignKeyAction) -> String? {
      switch action {
      case .setNull:
        columns.map { "\(Identifier($0).quoted) = NULL" }.joined(separator: ", ")
      case .setDefault:
        zip(columns, defaults).map { "\(Identifier($0).quoted) = \($1)" }.joined(separator: ", ")
      case .cascade, .noAction, .restrict: nil
      }
    }
  }

  let keys: [Key]

  init(of connection: Connection) throws {
    let schema = try ExistingSchema(of: connection)
    keys = try connection.use().foreignKeys().map { key in
      // If the parent is a virtual table, its definition cannot be parsed, and its collations are
      // not known.
      let parent = try? schema.table(key.parent)
      let setsDefault = [key.onDelete, key.onUpdate].contains("SET DEFAULT")
      let columns = setsDefault ? try connection.columns(ofTable: key.table, in: "main") : []
      return Key(
        child: key.table, columns: key.columns, parent: key.parent,
        parentColumns: key.parentColumns,
        onDelete: ForeignKeyAction(rawValue: key.onDelete) ?? .noAction,
        onUpdate: ForeignKeyAction(rawValue: key.onUpdate) ?? .noAction,
        collations: key.parentColumns.map { parent?.column($0)?.collation },
        defaults: key.columns.map { name in
          "(\(columns.first { $0.name.isSame(as: name) }?.defaultText ?? "NULL"))"
        })
    }
  }

  /// Returns the other tables in which foreign key actions can change rows when rows of the given
  /// tables change. All names are in lower case.
  func tables(reachedFrom tables: Set<String>) -> Set<String> {
    let passive: Set<ForeignKeyAction> = [.noAction, .restrict]
    let acting = keys.filter { !passive.isSuperset(of: [$0.onDelete, $0.onUpdate]) }
    var reached = tables
    while true {
      let children = acting.filter { reached.contains($0.parent.lowercasedASCII) }
        .map(\.child.lowercasedASCII)
      guard !reached.isSuperset(of: children) else { return reached.subtracting(tables) }
      reached.formUnion(children)
    }
  }

  /// A row that a change has written.
  struct WrittenRow {
    /// The index of the change.
    let index: Int
    let table: AppliedTable
    let key: [DatabaseValue]
    /// The row with the values that it had before the change; nil if it did not exist.
    let former: AppliedRow?
  }

  /// Returns the written rows that refer to a missing row, each with the foreign key that is
  /// violated.
  func violations(
    of rows: [WrittenRow], on connection: Connection
  ) throws -> [(row: WrittenRow, failure: ConstraintFailure)] {
    var failures: [Int: ConstraintFailure] = [:]
    for rows in Dictionary(grouping: rows, by: { ObjectIdentifier($0.table) }).values {
      guard let table = rows.first?.table else { continue }
      for key in keys where key.child.isSame(as: table.name) {
        for row in try key.danglingRows(among: rows, of: table, on: connection)
        where failures[row.index] == nil {
          failures[row.index] = key.failure
        }
      }
    }
    return failures.isEmpty ? [] : rows.compactMap { row in failures[row.index].map { (row, $0) } }
  }

  /// Finds the foreign keys that are violated because parent rows were changed or deleted. `rows`
  /// has the parent rows with the values that they had before. The result has one element for each
  /// of these rows: a violated foreign key, or nil. A foreign key is violated if a child row still
  /// refers to values that no parent row has now.
  func violations(
    afterChangesOf rows: [AppliedRow], on connection: Connection
  ) throws -> [ConstraintFailure?] {
    var failures = [ConstraintFailure?](repeating: nil, count: rows.count)
    for key in keys {
      let places = rows.indices.filter { key.parent.isSame(as: rows[$0].table.name) }
      guard try key.mayHaveChildren(of: places.map { rows[$0] }, on: connection) else { continue }
      for place in places where failures[place] == nil {
        guard let values = key.values(of: rows[place]),
          try key.hasChildren(of: values, isDangling: true, on: connection)
        else { continue }
        failures[place] = key.failure
      }
    }
    return failures
  }
}
