import SQLCore

/// The position of a parameter in a prepared query, and its argument if that is known; programs do
/// not use it directly.
public struct _ParameterPlace<Argument: Sendable>: Sendable {
  let index: Int
  let argument: [Argument]
}
