import CSQLite

/// The way in which a virtual table answers a query.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#the_xbestindex_method>
public struct IndexPlan: Sendable {
  /// The table's choice of a plan, which the cursor's `filter` receives.
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
    /// The index of the constraint among those of the query, from 0.
    public var constraint: Int
    /// Whether the table checks the constraint itself. If false, SQLite checks each row again.
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

  /// The choice that is passed to the cursor's `filter`.
  public var choice: Choice
  /// The constraints whose values are passed to `filter`, in this order.
  public var arguments: [Argument]
  /// Whether the table returns the rows in the order that the query asks for.
  public var isOrdered: Bool
  /// The estimated cost compared with other plans, roughly the number of disk reads.
  public var cost: Double
  /// The estimated number of rows.
  public var rowCount: Int64
  /// Whether there is at most one row.
  public var isUnique: Bool

  /// Makes a plan; by default a full scan, which is expensive.
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

  /// Copies the plan to SQLite's structure. Throws misuse if it uses a constraint that does not
  /// exist or is not usable.
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
