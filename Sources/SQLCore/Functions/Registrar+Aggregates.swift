extension Registrar {
  /// Adds an aggregate, typed by the signature of its closures.
  ///
  /// ```swift
  /// try db.aggregate("integer_sum", initial: 0) { (sum: inout Int, number: Int) in
  ///   sum += number
  /// } result: { $0 }
  /// ```
  ///
  /// Each group of rows has a state of its own, which begins as `initial`; `step` takes a row into
  /// it, and `result` gives its value, also for a group of no rows. Arguments and errors are as in
  /// `function`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_function.html>
  public func aggregate<State, each Argument: ColumnValue, Result: ColumnValue>(
    _ name: String, _ flags: FunctionFlags = [],
    initial: @autoclosure @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    result: @escaping @Sendable (State) throws -> Result
  ) throws {
    try register(
      name, count(repeat (each Argument).self), flags,
      AggregateBodies(
        initial: initial,
        step: { state, arguments in
          var reader = arguments.reader
          try step(&state, repeat try reader.next((each Argument).self))
        },
        inverse: nil,
        result: { try result($0).databaseValue(as: .standard) }))
  }

  /// Adds a window function, typed by the signature of its closures; it is an aggregate as well.
  ///
  /// ```swift
  /// try db.window("integer_sum", initial: 0) { (sum: inout Int, number: Int) in
  ///   sum += number
  /// } inverse: { (sum: inout Int, number: Int) in
  ///   sum -= number
  /// } result: { $0 }
  /// ```
  ///
  /// `inverse` takes out of the state the row that leaves the frame; `result` is asked for each row.
  /// - SeeAlso: <https://www.sqlite.org/windowfunctions.html#user_defined_aggregate_window_functions>
  public func window<State, each Argument: ColumnValue, Result: ColumnValue>(
    _ name: String, _ flags: FunctionFlags = [],
    initial: @autoclosure @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    inverse: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    result: @escaping @Sendable (State) throws -> Result
  ) throws {
    try register(
      name, count(repeat (each Argument).self), flags,
      AggregateBodies(
        initial: initial,
        step: { state, arguments in
          var reader = arguments.reader
          try step(&state, repeat try reader.next((each Argument).self))
        },
        inverse: { state, arguments in
          var reader = arguments.reader
          try inverse(&state, repeat try reader.next((each Argument).self))
        },
        result: { try result($0).databaseValue(as: .standard) }))
  }

  /// Adds an aggregate that is given its arguments as values; with `inverse`, a window function.
  ///
  /// - Parameter argumentCount: how many it takes, 0 to 127; nil for any number.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_function.html>
  public func aggregate<State>(
    _ name: String, argumentCount: Int?, _ flags: FunctionFlags = [],
    initial: @autoclosure @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, borrowing Arguments) throws -> Void,
    inverse: (@Sendable (inout State, borrowing Arguments) throws -> Void)? = nil,
    result: @escaping @Sendable (State) throws -> DatabaseValue
  ) throws {
    try register(
      name, argumentCount, flags,
      AggregateBodies(initial: initial, step: step, inverse: inverse, result: result))
  }

  private func register<State>(
    _ name: String, _ argumentCount: Int?, _ flags: FunctionFlags,
    _ bodies: AggregateBodies<State>
  ) throws {
    let key = try Registration.Key(function: name, argumentCount: argumentCount)
    try register(
      Registration(key) { core in
        try AggregateFunction.register(
          name, argumentCount: key.argumentCount, flags: flags, on: core, bodies)
      })
  }
}
