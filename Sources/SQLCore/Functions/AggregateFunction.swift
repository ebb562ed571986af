import CSQLite

/// The state of an aggregate function for one group of rows.
class AggregateState {
  func step(_ arguments: borrowing Arguments) throws {}
  func inverse(_ arguments: borrowing Arguments) throws {}
  func result() throws -> DatabaseValue { .null }
}

/// The closures of an aggregate or window function whose state is a Swift value.
struct AggregateBodies<State>: Sendable {
  let initial: @Sendable () -> State
  let step: @Sendable (inout State, borrowing Arguments) throws -> Void
  let inverse: (@Sendable (inout State, borrowing Arguments) throws -> Void)?
  let result: @Sendable (State) throws -> DatabaseValue
}

/// The state for one group of rows, as a value of the user's type.
final class TypedAggregateState<State>: AggregateState {
  private var state: State
  private let bodies: AggregateBodies<State>

  init(_ bodies: AggregateBodies<State>) {
    state = bodies.initial()
    self.bodies = bodies
  }

  override func step(_ arguments: borrowing Arguments) throws {
    try bodies.step(&state, arguments)
  }

  override func inverse(_ arguments: borrowing Arguments) throws {
    try bodies.inverse?(&state, arguments)
  }

  override func result() throws -> DatabaseValue { try bodies.result(state) }
}

/// An aggregate or window function whose body is Swift code. SQLite owns and releases this object.
final class AggregateFunction {
  private let makeState: @Sendable () -> AggregateState
  // The reference is not counted, because the core outlives this object. The core owns the handle,
  // which owns this object.
  private let core: Unmanaged<ConnectionCore>

  private init(core: ConnectionCore, _ makeState: @escaping @Sendable () -> AggregateState) {
    self.core = .passUnretained(core)
    self.makeState = makeState
  }

  static func register<State>(
    _ name: String, argumentCount: Int32, flags: FunctionFlags, on core: ConnectionCore,
    _ bodies: AggregateBodies<State>
  ) throws {
    let function = AggregateFunction(core: core) { TypedAggregateState(bodies) }
    let data = Unmanaged.passRetained(function).toOpaque()
    let isWindow = bodies.inverse != nil
    // SQLite releases the function even if this call fails, so it need not be released here.
    try core.check(
      sqlite3_create_window_function(
        core.handle, name, argumentCount, flags.textRepresentation, data,
        { AggregateFunction.add($0, $1, $2, isInverse: false) },
        { AggregateFunction.finish($0) },
        isWindow ? { AggregateFunction.showValue($0) } : nil,
        isWindow ? { AggregateFunction.add($0, $1, $2, isInverse: true) } : nil,
        { pointer in
          if let pointer { Unmanaged<AggregateFunction>.fromOpaque(pointer).release() }
        }))
  }

  /// Returns the memory that SQLite keeps for the current group of rows. It holds a pointer to the
  /// group's state, which is nil at first.
  ///
  /// - Parameter size: the size to allocate. If it is 0 and the group has no memory yet, the result
  ///   is nil.
  private static func slot(
    of context: OpaquePointer?, size: Int
  ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    sqlite3_aggregate_context(context, Int32(size))?
      .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  private static func function(of context: OpaquePointer?) -> AggregateFunction? {
    sqlite3_user_data(context).map {
      Unmanaged<AggregateFunction>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Adds a row to the state of its group. If `isInverse` is true, removes the row instead, because
  /// it has left the frame of a window function.
  private static func add(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?,
    isInverse: Bool
  ) {
    guard let function = function(of: context) else { return }
    guard let slot = slot(of: context, size: MemoryLayout<UnsafeMutableRawPointer?>.size) else {
      sqlite3_result_error_nomem(context)
      return
    }
    let state: AggregateState
    if let known = slot.pointee {
      state = Unmanaged<AggregateState>.fromOpaque(known).takeUnretainedValue()
    } else {
      state = function.makeState()
      slot.pointee = Unmanaged.passRetained(state).toOpaque()
    }
    let arguments = Arguments(
      core: function.core.takeUnretainedValue(), context: context, count: count, values: values)
    do {
      if isInverse { try state.inverse(arguments) } else { try state.step(arguments) }
    } catch {
      CallbackFailure(error).setResult(of: context)
    }
  }

  /// Computes the result of a group, passes it to SQLite, and releases the group's state. SQLite
  /// also calls this function if a statement has failed, or if a group has no rows.
  private static func finish(_ context: OpaquePointer?) {
    guard let function = function(of: context) else { return }
    let slot = slot(of: context, size: 0)
    let known = slot?.pointee
    slot?.pointee = nil
    let state =
      known.map { Unmanaged<AggregateState>.fromOpaque($0).takeRetainedValue() }
      ?? function.makeState()
    setResult(of: context, from: state)
  }

  /// Computes the result of a window function for the rows that are in the frame now, and passes
  /// the result to SQLite. The state is kept, because more rows of the group may follow.
  private static func showValue(_ context: OpaquePointer?) {
    guard let function = function(of: context) else { return }
    let state =
      slot(of: context, size: 0)?.pointee
      .map { Unmanaged<AggregateState>.fromOpaque($0).takeUnretainedValue() }
      ?? function.makeState()
    setResult(of: context, from: state)
  }

  private static func setResult(of context: OpaquePointer?, from state: AggregateState) {
    do {
      try state.result().setResult(of: context)
    } catch {
      CallbackFailure(error).setResult(of: context)
    }
  }
}

extension Registrar {
  /// Registers an aggregate function whose argument and result types are the types of its closures.
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

  /// Registers a window function whose argument and result types are the types of its closures. The
  /// function can also be called as an aggregate function.
  ///
  /// ```swift
  /// try db.window("integer_sum", initial: 0) { (sum: inout Int, number: Int) in
  ///   sum += number
  /// } inverse: { (sum: inout Int, number: Int) in
  ///   sum -= number
  /// } result: { $0 }
  /// ```
  ///
  /// `inverse` is called for a row that leaves the frame, and removes the row from the state.
  /// `result` is called for each row.
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

  /// Registers an aggregate function that receives its arguments as `Arguments`. If `inverse` is
  /// given, registers a window function.
  ///
  /// - Parameter argumentCount: the number of arguments, 0 to 127; nil for any number.
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
