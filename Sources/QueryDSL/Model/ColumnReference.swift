/// What `$title` is: the name of a column where a key path stands for it, and whether a model's own
/// column was changed.
@frozen
public struct ColumnReference<Value>: Sendable {
  @usableFromInline let mark: UInt16

  @inlinable
  init(mark: UInt16) {
    self.mark = mark
  }

  /// Whether the column has a value that was not loaded from the database.
  public var isChanged: Bool { mark == 1 || mark == 2 }

  /// The index of the column, where this stands for its name.
  @inlinable
  package var index: Int? { mark >= 3 ? Int(mark) - 3 : nil }
}

/// A reference whose type of value is not known.
protocol AnyColumnReference {
  var index: Int? { get }
}

extension ColumnReference: AnyColumnReference {}
