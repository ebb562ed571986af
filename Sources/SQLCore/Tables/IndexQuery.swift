import CSQLite

/// A query on a virtual table, as `bestIndex` receives it: the conditions on its columns, the
/// requested order, and the columns that are read.
///
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
public struct IndexQuery: Sendable {
  /// The operator of a constraint, such as `=` or `<`. It is identified by its number in SQLite.
  public struct Comparison: RawRepresentable, Hashable, Sendable {
    /// The number of the operator in SQLite, such as `SQLITE_INDEX_CONSTRAINT_EQ`.
    public let rawValue: Int32

    /// Makes a comparison from its number in SQLite. Numbers from 150 on stand for the table's own
    /// functions.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    /// The operator `=`. A condition such as `column IN (1, 2)` has this operator as well.
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
    /// The number of rows of a LIMIT clause. This constraint belongs to no column. SQLite passes it
    /// only if the table itself could check all other conditions of the query.
    public static let limit = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_LIMIT)
    /// The number of rows of an OFFSET clause. This constraint belongs to no column.
    public static let offset = Comparison(rawValue: SQLITE_INDEX_CONSTRAINT_OFFSET)
  }

  /// A comparison of a column with a value.
  public struct Constraint: Sendable {
    /// The column, counted from 0; −1 for the rowid.
    public let column: Int
    /// The operator.
    public let comparison: Comparison
    /// Whether a plan may use the constraint. False if the value comes from a table of a join that
    /// SQLite reads later.
    public let isUsable: Bool
    /// The value, if it is known while the statement is prepared.
    public let value: DatabaseValue?
    /// The collation of the comparison.
    public let collation: String
    /// Whether the constraint is an `IN` whose values can be requested all at once.
    public let isList: Bool
  }

  /// A column of ORDER BY or GROUP BY.
  public struct Ordering: Hashable, Sendable {
    /// The column, counted from 0; −1 for the rowid.
    public let column: Int
    /// Whether the order is descending.
    public let isDescending: Bool
  }

  /// The conditions of the query. A row of the result must satisfy all of them.
  public let constraints: [Constraint]
  /// The columns by which the query wants its rows sorted, the most important column first.
  public let orderings: [Ordering]
  /// The columns that the query reads, as bits: bit 0 for the column 0, and so on. Bit 63 stands
  /// for all columns from 63 on.
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

/// The way in which a virtual table would answer a query, as `bestIndex` returns it. SQLite chooses
/// the plan with the lowest cost.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
public struct IndexPlan: Sendable {
  /// A number and a text that `bestIndex` passes on to the cursor. If SQLite uses the plan, the
  /// cursor's `filter` receives them.
  public struct Choice: Hashable, Sendable {
    /// A number whose meaning the table defines.
    public var number: Int32
    /// A text whose meaning the table defines.
    public var text: String?

    /// Makes a choice.
    public init(number: Int32 = 0, text: String? = nil) {
      self.number = number
      self.text = text
    }
  }

  /// A constraint whose value is passed to `filter`.
  public struct Argument: Hashable, Sendable {
    /// The index of the constraint in the query's `constraints`.
    public var constraint: Int
    /// Whether the table returns only rows that satisfy the constraint. If false, SQLite checks
    /// each row itself.
    public var isChecked: Bool
    /// Whether `filter` receives all values of an `IN` at once, through `Arguments.list(at:)`.
    public var isList: Bool

    /// Makes an argument.
    public init(constraint: Int, isChecked: Bool = false, isList: Bool = false) {
      self.constraint = constraint
      self.isChecked = isChecked
      self.isList = isList
    }
  }

  /// The number and the text that are passed to the cursor's `filter`.
  public var choice: Choice
  /// The constraints whose values are passed to `filter`, in this order.
  public var arguments: [Argument]
  /// Whether the table returns the rows in the order that the query asks for.
  public var isOrdered: Bool
  /// The estimated cost of the plan: roughly the number of disk reads. SQLite compares it with the
  /// costs of other plans.
  public var cost: Double
  /// The estimated number of rows.
  public var rowCount: Int64
  /// Whether the plan returns at most one row.
  public var isUnique: Bool

  /// Makes a plan. By default, the plan is a scan of the whole table with a high cost.
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

  /// Copies the plan to SQLite's structure. Throws `DatabaseError` (`.misuse`) if the plan uses a
  /// constraint that does not exist or is not usable.
  func write(to info: UnsafeMutablePointer<sqlite3_index_info>) throws {
    for (index, argument) in arguments.enumerated() {
      guard argument.constraint >= 0, argument.constraint < Int(info.pointee.nConstraint),
        info.pointee.aConstraint[argument.constraint].usable != 0
      else {
        throw DatabaseError.misuse(
          "the plan uses constraint \(argument.constraint), which does not exist or is not usable")
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
