import SQLCore

/// The type of a parameter in the closure of `prepare`: `SQLParameter` or `SQLParameterList`.
public protocol QueryParameter: Sendable {
  /// The type of the argument of a call.
  associatedtype Argument: Sendable
  /// Makes the parameter of the query; programs do not use it directly. If the query is made again
  /// with arguments, it has the value.
  init(_place place: _ParameterPlace<Argument>)
  /// Binds an argument; programs do not use it directly.
  static func _bind(_ argument: Argument, to binder: inout _ArgumentBinder) throws
  /// Wraps an argument for the statement; programs do not use it directly.
  static func _wrapped(_ argument: Argument) -> _PreparedArgument
  /// Unwraps an argument, or returns nil if it is of another type; programs do not use it directly.
  static func _unwrapped(_ argument: _PreparedArgument) -> Argument?
}
