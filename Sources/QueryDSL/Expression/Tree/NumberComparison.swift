import SQLCore

/// The comparison of a column with a number, or with a value that is written into the SQL: `a < ?`,
/// `a IS NULL`.
///
/// It is trivial, so that the most common conditions are stored, written and destroyed without
/// counting references.
struct NumberComparison: BitwiseCopyable, Sendable {
  private enum Value: BitwiseCopyable {
    case null
    case integer(Int64)
    case real(Double)
  }

  private let sign: SQLToken
  private let column: ColumnID
  private let value: Value

  /// Returns nil for any other condition.
  @inline(__always)
  init?(_ node: PredicateNode) {
    guard case .compareColumn(let sign, let column, .value(let value)) = node else { return nil }
    switch value {
    case .null: self.value = .null
    case .integer(let integer): self.value = .integer(integer)
    case .real(let real): self.value = .real(real)
    case .text, .invalidText, .blob: return nil
    }
    self.sign = sign
    self.column = column
  }

  /// The same condition as a node.
  var node: PredicateNode { .compareColumn(sign, column, bound) }

  @inline(__always)
  private var bound: BoundValue {
    switch value {
    case .null: .value(.null)
    case .integer(let integer): .value(.integer(integer))
    case .real(let real): .value(.real(real))
    }
  }

  @inline(__always)
  func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try sink.column(column)
    try sink.token(sign)
    if !sign.containsValue { try sink.value(bound) }
  }
}
