/// An item that a query can select: a column, an expression, a whole table, or a value.
///
/// Every `ColumnValue` is one, so a value of a type of your own needs no declaration:
///
/// ```swift
/// Post.select { ($0.$title, Status.draft) }     // SELECT "title", ? FROM "Post"
/// ```
public protocol Selectable<Selected>: Sendable {
  /// The type as which it is read.
  associatedtype Selected: Sendable = Self
  /// The item in SQL and the way to read it; programs do not use it directly.
  var _selection: _SelectItem<Selected> { get }
}

/// A selected item and the way to read it; programs do not use it directly.
///
/// This module knows values only. What stands here for a column or an expression is known to the
/// module that renders queries.
public struct _SelectItem<Selected>: Sendable {
  package let content: any Sendable

  package init(_ content: any Sendable) {
    self.content = content
  }
}

extension ColumnValue {
  /// The value as a bound constant; programs do not use it directly.
  public var _selection: _SelectItem<Self> { _SelectItem(self) }
}
