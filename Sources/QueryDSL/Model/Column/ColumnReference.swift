/// The value of `$title`. In a key path it names the column; on a model it says whether the column
/// was changed.
@frozen
public struct ColumnReference<Value>: Sendable {
  @usableFromInline let mark: UInt16

  @inlinable
  init(mark: UInt16) {
    self.mark = mark
  }

  /// Whether the column has a value that was not loaded from the database.
  public var isChanged: Bool { mark == 1 || mark == 2 }

  /// The index of the column if this is its name; nil on a model.
  @inlinable
  package var index: Int? { mark >= 3 ? Int(mark) - 3 : nil }
}

/// A column reference whose value type is not known.
protocol AnyColumnReference {
  var index: Int? { get }
}

extension ColumnReference: AnyColumnReference {}
