/// The result of a query as text, to be looked at in a console, a log or a test.
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
  /// What stands at the head of a column.
  public struct Column: Sendable, Equatable {
    /// The name of the column; two columns of a result may have the same.
    public var name: String

    /// The name of the type of its values, Swift's or SQLite's; empty if it has none.
    public var type: String

    /// Makes the head of a column.
    public init(name: String, type: String) {
      self.name = name
      self.type = type
    }
  }

  /// The columns, from left to right.
  public var columns: [Column]

  /// The cells, row after row; nil is printed as `nil`.
  ///
  /// A row that has fewer cells than there are columns ends in blanks; one that has more adds
  /// columns without a name, so that all its cells are seen.
  public var rows: [[String?]]

  /// Makes a table of columns and rows.
  public init(columns: [Column], rows: [[String?]]) {
    self.columns = columns
    self.rows = rows
  }
}

extension ResultTable: CustomStringConvertible {
  /// The table in a frame, with the row numbers on the left and the count of rows and columns below.
  ///
  /// A column is as wide as the widest of its name, type and cells, in columns of a terminal: a
  /// character of East Asia and an emoji take two, an accent none. Line breaks and other control
  /// characters are written as escapes (`\n`, `\t`, `\u{0}`); a backslash that is in a cell stays
  /// as it is. Costs the size of the table; no row or cell is left out.
  public var description: String { ResultTableText(self).text }

  /// The table, none of its lines wider than so many columns of a terminal.
  ///
  /// ```swift
  /// print(try db.table(Post.all).description(width: 80))
  /// ```
  ///
  /// The widest columns are cut first, and end in `…`. Where that leaves too little of each, the
  /// last columns are left out, and one of `…` stands for them; the count below is that of all. A
  /// width that cannot hold the row numbers and one column gives the narrowest table there is.
  public func description(width: Int) -> String {
    var text = ResultTableText(self)
    text.cut(to: width)
    return text.text
  }
}
