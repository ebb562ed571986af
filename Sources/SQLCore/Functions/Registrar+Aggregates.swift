extension Registrar {
  /// Registers an aggregate function, typed by the signature of its closures.
  ///
  /// ```swift
  /// try db.aggregate("integer_sum", initial: 0) { (sum: inout Int, number: Int) in
  ///   sum += number
  /// } result: { $0 }
  /// ```
  ///
  /// Each group of rows has its own state, which starts as `initial`. `step` adds a row to the
  /// state, and `result` returns the value of the group, even if it has no rows. Arguments and
  /// errors are handled as in `function`.
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

  /// Registers a window function, typed by the signature of its closures. It can be called as an
  /// aggregate function too.
  ///
  /// ```swift
  /// try db.window("integer_sum", initial: 0) { (sum: inout Int, number: Int) in
  ///   sum += number
  /// } inverse: { (sum: inout Int, number: Int) in
  ///   sum -= number
  /// } result: { $0 }
  /// ```
  ///
  /// `inverse` removes the row that leaves the frame from the state; `result` is called for each
  /// row.
  /// - SeeAlso:
  ///   <https://www.sqlite.org/windowfunctions.html#user_defined_aggregate_window_functions>
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

  /// Registers an aggregate function that receives its arguments as values; with `inverse`, a
  /// window function.
  ///
  /// - Parameter argumentCount: the number of its arguments, 0 to 127; nil for any number.
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
