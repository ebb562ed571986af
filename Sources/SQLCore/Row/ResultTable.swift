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

    /// The name of the type of its values, in Swift or in SQLite; empty if it has none.
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
  /// A column is as wide as the widest of its name, type and cells. Width is measured in terminal
  /// columns: an East Asian character or an emoji takes two, a combining accent none. Line breaks
  /// and other control characters are written as escapes (`\n`, `\t`, `\u{0}`); a backslash in a
  /// cell is printed unchanged. Every row and cell is printed, so the cost is that of the whole
  /// table.
  public var description: String { ResultTableText(self).text }

  /// Returns the table as text whose lines are at most `width` terminal columns wide.
  ///
  /// ```swift
  /// print(try db.table(Post.all).description(width: 80))
  /// ```
  ///
  /// The widest columns are truncated first and end in `…`. If that leaves too little of each, the
  /// last columns are replaced by a single column of `…`; the count below still includes them. If
  /// `width` cannot hold the row numbers and one column, the narrowest possible table is returned.
  public func description(width: Int) -> String {
    var text = ResultTableText(self)
    text.cut(to: width)
    return text.text
  }
}
