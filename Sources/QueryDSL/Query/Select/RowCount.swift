import SQLCore

/// The number of rows in LIMIT or OFFSET.
///
/// A query is copied with it, and no value in it is counted by reference.
package enum RowCount: Sendable {
  case number(Int)
  /// A parameter of a prepared query.
  case argument(BoundArgument)

  /// What is bound for it.
  var bound: BoundValue {
    switch self {
    case .number(let count): .value(.integer(Int64(count)))
    case .argument(let argument): .argument(argument)
    }
  }
}
