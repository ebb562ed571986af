import SQLCore

/// Binds the arguments of a call to a prepared statement, one after the other; programs do not use
/// it directly.
///
/// Each argument is bound by code that knows its type, so that no argument is boxed.
public struct _ArgumentBinder: ~Copyable {
  private let form: PreparedForm
  private let statement: StatementPointer
  private let core: ConnectionCore
  /// The index of the next argument.
  private var argument = 0
  /// The index of the next place of an argument.
  private var place = 0

  /// Lends the statement.
  @usableFromInline
  init(of form: PreparedForm, on core: ConnectionCore) throws {
    self.form = form
    self.core = core
    statement = try form.lendWithConstants(on: core)
  }

  /// Binds the next argument wherever it occurs as a single value.
  @usableFromInline
  mutating func bind<Value: ColumnValue>(_ value: Value) throws {
    let places = form.arguments
    while place < places.count, places[place].argument == argument {
      let next = places[place]
      switch try value.databaseValue(as: next.form) {
      case .integer(let integer): try core.bind(integer, to: statement, at: next.parameter)
      case let value:
        statement.pointee.leavesValues = false
        try core.bind(value, to: statement, at: next.parameter)
      }
      place &+= 1
    }
    argument &+= 1
  }

  /// Passes over the next argument, which is a list.
  mutating func skipList() throws {
    guard place == form.arguments.count || form.arguments[place].argument != argument else {
      throw QueryError("a prepared query was given a list where it needs a single value")
    }
    argument &+= 1
  }

  /// Binds what remains, and returns the statement.
  @usableFromInline
  func finish(_ arguments: () -> [_PreparedArgument]) throws -> StatementPointer {
    guard place == form.arguments.count else { throw PreparedForm.foreignParameter }
    try form.bindOthers(to: statement, on: core, arguments)
    return statement
  }

  /// Gives the statement back.
  @usableFromInline
  func abandon() {
    core.giveBack(statement)
  }
}
