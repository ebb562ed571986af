import CSQLite

/// The result of a query as text, to be read in a console, a log or a test.
///
/// ```swift
/// print(ResultTable(columns: [.init(name: "id", type: "Int64")], rows: [["1"], [nil]]))
/// ```
///
///     ┏━━━┳━━━━━━━━━┓
///     ┃   ┃ id      ┃
///     ┃   ┃ <Int64> ┃
///     ┡━━━╇━━━━━━━━━┩
///     │ 0 │ 1       │
///     │ 1 │ nil     │
///     └───┴─────────┘
///     2 rows, 1 column
public struct ResultTable: Sendable, Equatable {
  /// The heading of a column.
  public struct Column: Sendable, Equatable {
    /// The name of the column. Several columns of a result may have the same name.
    public var name: String

    /// The name of the type of the column's values: a Swift type such as `Int64`, or an SQLite
    /// type. Empty if the column has no type.
    public var type: String

    /// Makes a heading.
    public init(name: String, type: String) {
      self.name = name
      self.type = type
    }
  }

  /// The columns, from left to right.
  public var columns: [Column]

  /// The cells, row by row; nil is printed as `nil`.
  ///
  /// A row with fewer cells than there are columns is padded with blanks. A row with more cells
  /// adds columns without a name, so that every cell is shown.
  public var rows: [[String?]]

  /// Makes a table from columns and rows.
  public init(columns: [Column], rows: [[String?]]) {
    self.columns = columns
    self.rows = rows
  }
}

extension ResultTable: CustomStringConvertible {
  /// The table in a frame, with row numbers on the left and the number of rows and columns below.
  ///
  /// A column is as wide as the widest of its name, type and cells. Width is counted in characters
  /// of a terminal: an East Asian character or an emoji counts as two, a combining accent as none.
  /// Line breaks and other control characters are written as escapes (`\n`, `\t`, `\u{0}`); a
  /// backslash in a cell is printed unchanged. Every row and cell is printed, so the cost grows
  /// with the whole table.
  public var description: String { ResultTableText(self).text }

  /// Returns the table as text whose lines take at most `width` characters on a terminal.
  ///
  /// ```swift
  /// print(try db.table(Post.all).description(width: 80))
  /// ```
  ///
  /// The widest columns are truncated first, and truncated text ends in `…`. If the columns would
  /// become too narrow, a single column of `…` replaces the last columns. If `width` cannot hold
  /// the row numbers and one column, the narrowest possible table is returned. The line below the
  /// table is never truncated, and also counts the replaced columns.
  public func description(width: Int) -> String {
    var text = ResultTableText(self)
    text.cut(to: width)
    return text.text
  }
}

extension Connection {
  /// Returns the rows of a statement as a text table, for display.
  ///
  /// ```swift
  /// print(try connection.table("SELECT id, name FROM Author"))
  /// ```
  ///
  /// The heading of a column shows the Swift type for the column's declared type: Int64, Double,
  /// String or Data. For an expression, or for a column of another type such as NUMERIC, the
  /// heading shows the type of the first value that is not NULL, or Any if all values are NULL. A
  /// BLOB is shown by its size, and a text that is not UTF-8 as `CAST(x'FF41' AS TEXT)`. This
  /// method runs one statement and holds all its rows in memory.
  /// - SeeAlso: <https://www.sqlite.org/cintro.html>
  public func table(_ sql: SQL) throws -> ResultTable {
    let core = try use()
    let statement = try core.lendStatement(text: sql.text)
    defer { core.giveBack(statement) }
    try core.bind(sql, to: statement)
    var rows: [[String?]] = []
    var types: [StorageClass?] = []
    while try core.step(statement) {
      let row = StatementRow(statement: statement)
      if rows.isEmpty { types = statement.declaredStorageClasses }
      for index in types.indices where types[index] == nil || types[index] == .null {
        types[index] = try row.storageClass(at: index)
      }
      rows.append(try (0..<row.count).map { try row.text(at: $0) })
    }
    if rows.isEmpty { types = statement.declaredStorageClasses }
    let columns = zip(statement.columnNames.names, types).map { name, type in
      ResultTable.Column(name: name, type: type?.valueType.map { String(describing: $0) } ?? "Any")
    }
    return ResultTable(columns: columns, rows: rows)
  }
}

extension StatementPointer {
  /// For each column of the result, the storage class of its declared type, such as INTEGER for a
  /// column declared as `INT`. Nil for a column without a declared type, and for a type without a
  /// storage class, such as NUMERIC.
  ///
  /// Read this property after the first step of the statement, because that step may recompile the
  /// statement.
  package var declaredStorageClasses: [StorageClass?] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_decltype(handle, index)
        .flatMap { StorageClass(declaredType: String(cString: $0)) }
    }
  }
}
