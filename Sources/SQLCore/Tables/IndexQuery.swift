import CSQLite

/// What a query asks of a virtual table: its constraints and its order.
///
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
public struct IndexQuery: Sendable {
  /// How a column is compared; SQLite's own numbers.
  public struct Comparison: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int32

    /// A comparison from SQLite's number; from 150 on, functions of a table's own.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    /// `=`; also each value of an `IN`.
    public static let equal = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_EQ)
    /// `>`
    public static let greater = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_GT)
    /// `<=`
    public static let lessOrEqual = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_LE)
    /// `<`
    public static let less = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_LT)
    /// `>=`
    public static let greaterOrEqual = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_GE)
    /// `<>`
    public static let notEqual = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_NE)
    /// `MATCH`
    public static let match = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_MATCH)
    /// `LIKE`
    public static let like = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_LIKE)
    /// `GLOB`
    public static let glob = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_GLOB)
    /// `REGEXP`
    public static let regexp = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_REGEXP)
    /// `IS`
    public static let `is` = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_IS)
    /// `IS NOT`
    public static let isNot = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_ISNOT)
    /// `IS NULL`
    public static let isNull = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_ISNULL)
    /// `IS NOT NULL`
    public static let isNotNull = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_ISNOTNULL)
    /// `LIMIT`, of no column: how many rows are wanted, where the table checks all else itself.
    public static let limit = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_LIMIT)
    /// `OFFSET`, of no column.
    public static let offset = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_OFFSET)
  }

  /// A column compared with a value.
  public struct Constraint: Sendable {
    /// The column, from 0; −1 for the rowid.
    public let column: Int
    /// How it is compared.
    public let comparison: Comparison
    /// Whether its value is there when the table is asked; one that is not cannot be used.
    public let isUsable: Bool
    /// The value, where it is known while the statement is prepared.
    public let value: DatabaseValue?
    /// The collation of the comparison.
    public let collation: String
    /// Whether it is an `IN` whose values can be had at once.
    public let isList: Bool
  }

  /// A column of ORDER BY or GROUP BY.
  public struct Ordering: Hashable, Sendable {
    /// The column, from 0; −1 for the rowid.
    public let column: Int
    /// Whether it is sorted from the greatest.
    public let isDescending: Bool
  }

  /// The comparisons, all of which hold.
  public let constraints: [Constraint]
  /// The order that is asked for, from the first column.
  public let orderings: [Ordering]
  /// Which columns are read, a bit a column; the last bit stands for all from 63 on.
  public let usedColumns: UInt64

  init(_ info: UnsafeMutablePointer<sqlite3_index_info>) {
    constraints = (0..<max(0, Int(info.pointee.nConstraint))).map { index in
      let constraint = info.pointee.aConstraint[index]
      var value: OpaquePointer?
      sqlite3_vtab_rhs_value(info, Int32(index), &value)
      return Constraint(
        column: Int(constraint.iColumn),
        comparison: Comparison(rawValue: Int32(constraint.op)),
        isUsable: constraint.usable != 0,
        value: value.flatMap { try? Cell(value: $0, form: .standard).databaseValue() },
        collation: sqlite3_vtab_collation(info, Int32(index)).map { String(cString: $0) }
          ?? "BINARY",
        isList: sqlite3_vtab_in(info, Int32(index), -1) != 0)
    }
    orderings = (0..<max(0, Int(info.pointee.nOrderBy))).map { index in
      let ordering = info.pointee.aOrderBy[index]
      return Ordering(column: Int(ordering.iColumn), isDescending: ordering.desc != 0)
    }
    usedColumns = info.pointee.colUsed
  }
}

/// How a virtual table answers a query.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
public struct IndexPlan: Sendable {
  /// What `bestIndex` chose, as the cursor's `filter` is told.
  public struct Choice: Hashable, Sendable {
    /// A number of the table's own.
    public var number: Int32
    /// A text of the table's own.
    public var text: String?

    /// A choice from its parts.
    public init(number: Int32 = 0, text: String? = nil) {
      self.number = number
      self.text = text
    }
  }

  /// A constraint whose value `filter` is given.
  public struct Argument: Hashable, Sendable {
    /// The constraint's place among those of the query, from 0.
    public var constraint: Int
    /// Whether the table alone checks the constraint; else SQLite checks each row again.
    public var isChecked: Bool
    /// Whether `filter` is given all values of an `IN` at once, for `Arguments.list(at:)`.
    public var isList: Bool

    /// An argument from its parts.
    public init(constraint: Int, isChecked: Bool = false, isList: Bool = false) {
      self.constraint = constraint
      self.isChecked = isChecked
      self.isList = isList
    }
  }

  /// What the cursor is told.
  public var choice: Choice
  /// The constraints whose values the cursor is given, in this order.
  public var arguments: [Argument]
  /// Whether the rows come in the order that the query asks for.
  public var isOrdered: Bool
  /// What it costs beside other plans, about the number of reads from a disk.
  public var cost: Double
  /// About how many rows there will be.
  public var rowCount: Int64
  /// Whether there is at most one row.
  public var isUnique: Bool

  /// A plan; by default all rows, which costs much.
  public init(
    choice: Choice = Choice(), arguments: [Argument] = [], isOrdered: Bool = false,
    cost: Double = 1e6, rowCount: Int64 = 1_000_000, isUnique: Bool = false
  ) {
    self.choice = choice
    self.arguments = arguments
    self.isOrdered = isOrdered
    self.cost = cost
    self.rowCount = rowCount
    self.isUnique = isUnique
  }

  /// Writes the plan where SQLite reads it.
  func write(to info: UnsafeMutablePointer<sqlite3_index_info>) throws {
    for (index, argument) in arguments.enumerated() {
      guard argument.constraint >= 0, argument.constraint < Int(info.pointee.nConstraint),
        info.pointee.aConstraint[argument.constraint].usable != 0
      else {
        throw DatabaseError.misuse(
          "the plan uses constraint \(argument.constraint), which is none that is usable")
      }
      info.pointee.aConstraintUsage[argument.constraint].argvIndex = Int32(index + 1)
      info.pointee.aConstraintUsage[argument.constraint].omit = argument.isChecked ? 1 : 0
      if argument.isList { sqlite3_vtab_in(info, Int32(argument.constraint), 1) }
    }
    info.pointee.idxNum = choice.number
    if let text = choice.text {
      info.pointee.idxStr = allocatedText(text)
      info.pointee.needToFreeIdxStr = 1
    }
    info.pointee.orderByConsumed = isOrdered ? 1 : 0
    info.pointee.estimatedCost = cost
    info.pointee.estimatedRows = rowCount
    info.pointee.idxFlags = isUnique ? SQLITE_INDEX_SCAN_UNIQUE : 0
  }
}
