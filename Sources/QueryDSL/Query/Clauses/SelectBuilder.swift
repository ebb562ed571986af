import SQLCore

// `select`, `returning` and similar methods have three overloads that take a closure, so that a
// correct program compiles quickly in every context:
//
// - `SelectBuilder` takes one line after another. The compiler solves each line separately, after
//   the rest of the statement. Without the builder, the compiler would solve arithmetic inside the
//   closure together with the statement. If an overload of `#expect`, of an interpolation or of
//   `select` itself then failed, the compiler would try all operators again, and give up after
//   seconds.
// - The overload for one item is solved together with the statement. So it works where any type is
//   accepted: `print(try db.fetch(Post.select { $0.$title.upper() }).count)`. With the builder, the
//   compiler would not know the type of an element yet, and would take it for `Any`.
// - The overload for a tuple takes closures with `return`, which a result builder does not change.
//
// The last two overloads are disfavoured, so that the compiler tries them only if the first one
// does not apply. The methods also have overloads that take key paths. These are disfavoured, too,
// and take at least one key path. Otherwise, if a column inside the closure is misspelled, the
// compiler's only message would be that a closure is not a key path.

/// Collects the items of a SELECT or RETURNING clause: one on each line, or several as a tuple.
///
/// ```swift
/// Post.select {
///   $0.$title
///   $0.$views * 2
/// }
/// Post.select { ($0.$title, $0.$views * 2) }     // the same
/// // SELECT "title", "views" * ? FROM "Post"
/// ```
/// The rows are tuples. If there is a single item, the rows are its values.
@resultBuilder
public enum SelectBuilder {
  /// Takes one line of the closure: an item, or a tuple of items.
  public static func buildExpression<each Item: Selectable>(
    _ items: (repeat each Item)
  ) -> _SelectedItems<(repeat (each Item).Selected)> {
    _SelectedItems(SelectItem.list(repeat each items))
  }

  /// Takes the first line.
  public static func buildPartialBlock<Row>(first: _SelectedItems<Row>) -> _SelectedItems<Row> {
    first
  }

  /// Adds the items of a line to the items above it.
  public static func buildPartialBlock<each Old, each New>(
    accumulated: consuming _SelectedItems<(repeat each Old)>,
    next: _SelectedItems<(repeat each New)>
  ) -> _SelectedItems<(repeat each Old, repeat each New)> {
    accumulated.items.append(contentsOf: next.items)
    return _SelectedItems(accumulated.items)
  }

  /// Returns a function that stores the items in its argument. The type of a row is the result type
  /// of this function, so that a row can be a tuple with labels. `_Selection` explains this.
  public static func buildFinalResult<Row>(_ items: _SelectedItems<Row>) -> _Selection<Row> {
    { selected in
      selected.items = items.items
      return nil
    }
  }
}

/// Collects the items of a closure into a tuple. The closure may also `return` a tuple. Programs do
/// not use this type directly.
@resultBuilder
public enum _TupleBuilder {
  /// Takes one line of the closure: an item, or a tuple of items.
  public static func buildExpression<each Item: Selectable>(
    _ items: (repeat each Item)
  ) -> (repeat each Item) { items }

  /// Takes the first line.
  public static func buildPartialBlock<each Item: Selectable>(
    first: (repeat each Item)
  ) -> (repeat each Item) { first }

  /// Adds the items of a line to the items above it.
  public static func buildPartialBlock<each Old: Selectable, each New: Selectable>(
    accumulated: (repeat each Old), next: (repeat each New)
  ) -> (repeat each Old, repeat each New) {
    (repeat each accumulated, repeat each next)
  }
}

/// The result of a closure of `select` or `returning`; programs do not use it directly.
///
/// The result is a function. It stores the selected items in its argument, and always returns nil.
/// Its result type only tells the compiler the type of a row. Swift converts a function that
/// returns `(String, Int)` to a function that returns `(title: String, views: Int)`, but does not
/// convert a generic struct in this way. So a tuple may have labels:
/// `let rows: [(title: String, views: Int)] = try db.fetch(Post.select { … })`.
public typealias _Selection<Row> = (inout _SelectedItems<Never>) -> Row?

/// The items that a `SelectBuilder` has collected; programs do not use it directly.
public struct _SelectedItems<Row> {
  fileprivate var items: ShortList<SelectItem>

  fileprivate init(_ items: ShortList<SelectItem>) { self.items = items }
}

extension SelectItem {
  /// Returns the items that a closure has selected.
  static func list<Row>(of selection: _Selection<Row>) -> ShortList<SelectItem> {
    var selected = _SelectedItems<Never>(.none)
    _ = selection(&selected)
    return selected.items
  }
}

extension SelectStatement {
  /// Returns the SELECT clause with the items that a closure has selected, and how to read its
  /// rows.
  static func clause<Row>(of selection: _Selection<Row>) -> ([SelectTerm], RowDecoding<Row>) {
    let items = SelectItem.list(of: selection)
    if case .one(let item) = items { return item.clause() }
    var terms: [SelectTerm] = []
    var parts = RowParts()
    var columns: [@Sendable () throws -> [ResultColumn]] = []
    terms.reserveCapacity(items.count)
    columns.reserveCapacity(items.count)
    for item in items {
      terms.append(item.term)
      parts.append(item.part)
      columns.append(item.columns)
    }
    let allColumns = columns
    return (terms, .parts(parts) { try allColumns.flatMap { try $0() } })
  }
}
