/// What a column of a model holds: a value, and whether it was changed since it was loaded.
///
/// The layout of a model keeps one instance whose columns hold no value but their own index: that
/// is how a key path such as `\.$title` is resolved, by reading it.
@frozen
public struct ColumnStorage<Value> {
  /// The value; nil in the layout's own instance alone.
  public var value: Value?

  /// 0: as it was loaded; 1: never loaded; 2: changed since it was loaded; from 3 on: the index of
  /// the column, plus 3.
  @usableFromInline
  package var mark: UInt16

  /// A value as it was loaded from the database.
  @inlinable
  public init(loaded value: Value) {
    self.value = value
    self.mark = 0
  }

  /// A value that the database does not have yet.
  @inlinable
  public init(changed value: Value) {
    self.value = value
    self.mark = 1
  }

  /// Takes a value that is stored otherwise than the one that is there.
  @inlinable
  public mutating func change(to value: Value) {
    self.value = value
    if mark == 0 { mark = 2 }
  }

  /// The name of the column at `index`, in the layout's own instance.
  package init(naming index: Int) {
    self.value = nil
    self.mark = UInt16(truncatingIfNeeded: index + 3)
  }
}

extension ColumnStorage: Sendable where Value: Sendable {}
