import SQLCore

/// The number of rows in LIMIT or OFFSET.
///
/// It is smaller than a `BoundValue`, and a number is copied without reference counting.
package enum RowCount: Sendable {
  case number(Int)
  /// A parameter of a prepared query.
  case argument(BoundArgument)

  /// The value to bind.
  var bound: BoundValue {
    switch self {
    case .number(let count): .value(.integer(Int64(count)))
    case .argument(let argument): .argument(argument)
    }
  }
}
