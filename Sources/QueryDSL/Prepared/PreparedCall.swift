import SQLCore

/// A prepared query with its arguments.
///
/// `fetch`, `first`, `count` and `exists` use the statement that was rendered once, and only bind
/// the arguments. Every other function that takes a query, such as `union` or `observe`, runs the
/// closure of `prepare` again with the arguments.
@usableFromInline
struct PreparedCall<Row: Sendable, each Parameter: QueryParameter>: Fetchable {
  @usableFromInline let body: PreparedBody<Row>
  @usableFromInline let arguments: (repeat (each Parameter).Argument)

  @inlinable
  init(body: PreparedBody<Row>, arguments: repeat (each Parameter).Argument) {
    self.body = body
    self.arguments = (repeat each arguments)
  }

  /// The arguments, type-erased.
  @usableFromInline var list: [_PreparedArgument] {
    var list: [_PreparedArgument] = []
    repeat list.append((each Parameter)._wrapped(each arguments))
    return list
  }

  /// The query that the closure of `prepare` makes with the arguments.
  @usableFromInline var query: Query<Row> { body.build(list) }

  /// The SQL, with the arguments as its values. Throws if an argument cannot be stored.
  @usableFromInline var sql: SQL {
    get throws { try body.rows.sql(list) }
  }

  /// Returns the statement of a template with its values bound. The caller must return the
  /// statement with `giveBack`.
  @inlinable
  func lend(_ template: PreparedTemplate, on core: ConnectionCore) throws -> StatementPointer {
    defer {
      withExtendedLifetime(template) {}
      withExtendedLifetime(core) {}
    }
    var binder = try _ArgumentBinder(of: template, on: core)
    do {
      repeat try (each Parameter)._bind(each arguments, to: &binder)
      return try binder.finish { list }
    } catch {
      binder.abandon()
      throw error
    }
  }

  @inlinable
  func _rows(on connection: Connection) throws -> [Row] {
    let core = try connection.use()
    let statement = try lend(body.rows, on: core)
    defer { core.giveBack(statement) }
    return try body.decoding.all(core, statement, body.maximumRowCount)
  }

  /// Returns the first row; nil if there are no rows. The statement reads no further rows.
  @usableFromInline
  func _first(on connection: Connection) throws -> Row? {
    let core = try connection.use()
    let statement = try lend(body.rows, on: core)
    defer { core.giveBack(statement) }
    return try body.decoding.first(of: statement, on: core)
  }

  @usableFromInline
  func _count(on connection: Connection) throws -> Int {
    try integer(body.count, on: connection)
  }

  @usableFromInline
  func _exists(on connection: Connection) throws -> Bool {
    try integer(body.exists, on: connection) != 0
  }

  /// Runs a statement whose result is a single number, and returns that number.
  private func integer(_ template: PreparedTemplate, on connection: Connection) throws -> Int {
    let core = try connection.use()
    let statement = try lend(template, on: core)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return 0 }
    return try StatementRow(statement: statement).get(Int.self, at: 0)
  }

  @usableFromInline var _isLimited: Bool { body.isLimited }
}

/// Binds the arguments of a call to a prepared statement, one after the other; programs do not use
/// it directly.
///
/// Each argument is bound by code that knows its type, so that no argument is boxed.
public struct _ArgumentBinder: ~Copyable {
  // The binder does not retain the template and the core, because retaining and releasing them
  // would take as long as binding a number. The function that uses the binder keeps them alive.
  private let template: Unmanaged<PreparedTemplate>
  private let core: Unmanaged<ConnectionCore>
  private let statement: StatementPointer
  private let places: UnsafeMutableBufferPointer<PreparedTemplate.ArgumentPlace>
  /// The index of the argument that is bound next.
  private var argument = 0
  /// The index of the next element of `places`.
  private var place = 0

  /// Gets the statement from the connection, and binds the integers that are the same in all calls.
  @usableFromInline
  init(of template: borrowing PreparedTemplate, on core: borrowing ConnectionCore) throws {
    self.template = .passUnretained(template)
    self.core = .passUnretained(core)
    places = template.arguments
    statement = try template.lendWithConstants(on: core)
  }

  /// Binds the next argument to each parameter of the SQL that stands for exactly the argument's
  /// value. `finish` binds the parameters that use an argument in another way, such as in a LIMIT.
  @usableFromInline
  mutating func bind<Value: ColumnValue>(_ value: Value) throws {
    while place < places.count, places[place].argument == argument {
      let next = places[place]
      switch try value.databaseValue(as: next.form) {
      case .integer(let integer):
        try core._withUnsafeGuaranteedRef {
          try $0.bind(integer, to: statement, at: next.parameter)
        }
      case let value:
        statement.pointee.leavesValues = false
        try core._withUnsafeGuaranteedRef {
          try $0.bind(value, to: statement, at: next.parameter)
        }
      }
      place &+= 1
    }
    argument &+= 1
  }

  /// Skips the next argument, which is a list.
  mutating func skipList() throws {
    guard place == places.count || places[place].argument != argument else {
      throw QueryError("a prepared query was given a list where it needs a single value")
    }
    argument &+= 1
  }

  /// Binds all parameters that have no value yet, such as lists, arguments in a LIMIT, and
  /// constants that are not integers. Returns the statement.
  @usableFromInline
  func finish(_ arguments: () -> [_PreparedArgument]) throws -> StatementPointer {
    guard place == places.count else { throw PreparedTemplate.foreignParameter }
    try template._withUnsafeGuaranteedRef { template in
      try core._withUnsafeGuaranteedRef {
        try template.bindOthers(to: statement, on: $0, arguments)
      }
    }
    return statement
  }

  /// Returns the statement to the connection after an error.
  @usableFromInline
  func abandon() {
    core._withUnsafeGuaranteedRef { $0.giveBack(statement) }
  }
}

/// An argument in a call of a prepared query; programs do not use it directly.
public struct _PreparedArgument: Sendable {
  @usableFromInline
  enum Content: Sendable {
    case value(any ColumnValue)
    case list([any ColumnValue])
  }

  @usableFromInline let content: Content

  @inlinable
  init(content: Content) {
    self.content = content
  }
}

extension _PreparedArgument {
  /// Binds the argument to each parameter of the SQL that stands for exactly the argument's value.
  /// An argument that is a list is skipped.
  func bind(to binder: inout _ArgumentBinder) throws {
    switch content {
    case .value(let value): try binder.bind(value)
    case .list: try binder.skipList()
    }
  }

  /// Returns the value to bind for one use of the argument. `argument.part` says how the argument
  /// is used: for example as a value, as a LIMIT, or as a list.
  func bound(_ argument: BoundArgument) throws -> BoundValue {
    switch (content, argument.part) {
    case (.value(let value), .value): return BoundValue(value, as: argument.form)
    case (.value(let value), .rowCount):
      let bound = BoundValue(value)
      if case .value(.integer(let count)) = bound, count >= 0 { return bound }
      throw QueryError("LIMIT and OFFSET cannot be negative: \(value)")
    case (.list(let values), .list):
      return .array(
        BoundArray(
          try values.map { try $0.databaseValue(as: argument.form) }.filter { !$0.isNull }))
    case (.list(let values), .listHasNil):
      return BoundValue(try values.contains { try $0.databaseValue(as: argument.form).isNull })
    case (.value(let value), .prefixEnd), (.value(let value), .prefixEndIgnoringCase):
      return TextRange.end(ofPrefix: value, argument.part)
    case (.value, .list), (.value, .listHasNil), (.list, .value), (.list, .rowCount),
      (.list, .prefixEnd), (.list, .prefixEndIgnoringCase):
      throw QueryError(
        "argument \(argument.index + 1) does not fit its parameter: one is a list, and the other a "
          + "single value")
    }
  }
}
