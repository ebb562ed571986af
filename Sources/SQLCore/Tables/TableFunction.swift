extension Registrar {
  /// Registers a table-valued function. Its arguments are the arguments of the closure, and its
  /// rows are the elements of the sequence that the closure returns.
  ///
  /// ```swift
  /// try db.tableFunction("words", columns: ["word"]) { (text: String) in
  ///   text.split(separator: " ").lazy.map { [.text(String($0))] }
  /// }
  /// try db.rows("SELECT word FROM words('the swifts are back')")
  /// ```
  ///
  /// Each argument is a hidden column, named in `arguments` (by default `argument1`, `argument2`
  /// and so on). Its value may therefore also come from another table of a join. An omitted
  /// argument is NULL. The sequence is iterated only as far as SQLite asks for rows. If a row has
  /// too few values, the remaining values are NULL. Throws `DatabaseError` (`.misuse`) if there is
  /// no column, if there are more than 30 arguments, or more than 1,000 columns and arguments
  /// together.
  /// - SeeAlso: <https://www.sqlite.org/vtab.html#tabfunc2>
  public func tableFunction<each Argument: ColumnValue, Rows: Sequence>(
    _ name: String, columns: [String], arguments: [String] = [], isInnocuous: Bool = false,
    _ body: @escaping @Sendable (repeat each Argument) throws -> Rows
  ) throws where Rows.Element == [DatabaseValue] {
    let argumentCount = count(repeat (each Argument).self)
    guard !columns.isEmpty, columns.count + argumentCount <= 1_000, argumentCount < 31 else {
      throw DatabaseError.misuse(
        "a table function must have at least 1 column, at most 30 arguments, and at most 1000 "
          + "columns and arguments together")
    }
    let names = (0..<argumentCount).map {
      $0 < arguments.count ? arguments[$0] : "argument\($0 + 1)"
    }
    try virtualTable(name, .eponymous, isInnocuous: isInnocuous) { _ in
      TableFunction(columns: columns, arguments: names) { values in
        var reader = ValueReader(values: values)
        var rows = try body(repeat try reader.next((each Argument).self)).makeIterator()
        return { rows.next() }
      }
    }
  }
}

/// A reader that converts a list of values to Swift types, from left to right.
private struct ValueReader {
  let values: [DatabaseValue]
  var index = 0

  mutating func next<Value: ColumnValue>(_ type: Value.Type) throws -> Value {
    defer { index += 1 }
    do {
      return try (index < values.count ? values[index] : .null).read()
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: "argument \(index + 1)", row: nil)
    }
  }
}

/// The virtual table that implements a table-valued function. Its hidden columns are the arguments,
/// and its rows are the result.
private final class TableFunction: VirtualTable {
  typealias Rows = () -> [DatabaseValue]?

  let schema: String
  private let columnCount: Int
  private let argumentCount: Int
  private let body: ([DatabaseValue]) throws -> Rows

  init(
    columns: [String], arguments: [String], _ body: @escaping ([DatabaseValue]) throws -> Rows
  ) {
    let hidden = arguments.map { Identifier($0).quoted + " HIDDEN" }
    let declared = columns.map { Identifier($0).quoted } + hidden
    schema = "CREATE TABLE x (\(declared.joined(separator: ", ")))"
    columnCount = columns.count
    argumentCount = arguments.count
    self.body = body
  }

  /// Returns a plan that passes the arguments of the call to `filter`. For each argument that the
  /// call gives, one bit in the plan's number is set.
  func bestIndex(_ query: IndexQuery) -> IndexPlan? {
    var plan = IndexPlan(cost: 1e3, rowCount: 1_000)
    for argument in 0..<argumentCount {
      let all = query.constraints.indices.filter {
        query.constraints[$0].column == columnCount + argument
          && query.constraints[$0].comparison == .equal
      }
      guard !all.isEmpty else { continue }
      // If no constraint is usable, the argument comes from a table that the join reads later.
      // Without a plan, the planner looks for another order of the join.
      guard let usable = all.first(where: { query.constraints[$0].isUsable }) else { return nil }
      plan.arguments.append(.init(constraint: usable, isChecked: true))
      plan.choice.number |= 1 << Int32(argument)
    }
    return plan
  }

  func open() -> any VirtualTableCursor { Cursor(self) }

  private final class Cursor: VirtualTableCursor {
    private let function: TableFunction
    private var arguments: [DatabaseValue] = []
    private var rows: Rows?
    private var row: [DatabaseValue]?
    private(set) var rowID: Int64 = 0

    init(_ function: TableFunction) {
      self.function = function
    }

    var isAtEnd: Bool { row == nil }

    func filter(_ plan: IndexPlan.Choice, _ given: borrowing Arguments) throws {
      var next = 0
      arguments = []
      for argument in 0..<function.argumentCount {
        let isGiven = plan.number & (1 << Int32(argument)) != 0
        arguments.append(isGiven ? try given[next] : .null)
        next += isGiven ? 1 : 0
      }
      rows = try function.body(arguments)
      row = rows?()
      rowID = 1
    }

    func next() {
      row = rows?()
      rowID &+= 1
    }

    func column(_ index: Int) -> DatabaseValue {
      if index >= function.columnCount {
        let argument = index - function.columnCount
        return arguments.indices.contains(argument) ? arguments[argument] : .null
      }
      guard let row, row.indices.contains(index) else { return .null }
      return row[index]
    }
  }
}

extension Registration {
  /// The table-valued function `generate_series(start, stop, step)`: integers from `start` to
  /// `stop`, both included.
  ///
  /// ```sql
  /// SELECT value FROM generate_series(5, 100, 5)
  /// ```
  ///
  /// Without `stop`, the series goes up to 4294967295. The default of `step` is 1; 0 also means 1,
  /// and a negative step counts downwards. Rows are made only when SQLite asks for them. Every
  /// connection that Apus opens has the function.
  /// - SeeAlso: <https://www.sqlite.org/series.html>
  public static let series = Registration { registrar in
    try registrar.tableFunction(
      "generate_series", columns: ["value"], arguments: ["start", "stop", "step"],
      isInnocuous: true
    ) { (start: Int64, stop: Int64?, step: Int64?) in
      Series(following: start, stop: stop ?? 4_294_967_295, step: step == 0 ? 1 : step ?? 1)
    }
  }
}

/// A sequence of integers with the same distance between them, such as 5, 10, 15. It ends before a
/// value would exceed 64 bits.
private struct Series: Sequence, IteratorProtocol {
  var following: Int64?
  let stop: Int64
  let step: Int64

  mutating func next() -> [DatabaseValue]? {
    guard let value = following, step > 0 ? value <= stop : value >= stop else { return nil }
    let (next, overflow) = value.addingReportingOverflow(step)
    following = overflow ? nil : next
    return [.integer(value)]
  }
}
