import SQLCore

/// A model that reads a view: a named query in the database.
///
/// ```swift
/// struct AuthorCount: SQLView {
///   @PrimaryKey var id: Author.ID
///   @Column var name: String
///   @Column var posts: Int
///
///   static var definition: some Fetchable {
///     Query { (author: Columns<Author>, post: Columns<Post>) in
///       From(author)
///       Join(post, on: post.$authorID == author.$id)
///       GroupBy(author.$id)
///       Select(author.$id, author.$name, post.$id.count())
///     }
///   }
/// }
/// ```
///
/// The query's columns must be the model's, in the same order and with the same types. The view can
/// be queried like any table. If the query changes, the next migration drops the view and creates
/// it again.
///
/// A view is written only through its triggers: the schema declares `Trigger(_:insteadOf:)`, and
/// `run(AuthorCount.insert(row))`, `AuthorCount.update { }` and `AuthorCount.delete()` fire them.
/// - SeeAlso: <https://www.sqlite.org/lang_createview.html>
public protocol SQLView: Model {
  /// The type of the query.
  associatedtype Definition: Fetchable

  /// The query of the view. Its values are written into the schema as literals.
  static var definition: Definition { get }
}

extension ViewDefinition {
  /// Reads the view that a model declares. Throws `ModelError` if the query has other columns than
  /// the model.
  init<V: SQLView>(of model: V.Type) throws {
    let layout = try V.layout
    let query = V.definition.query
    let columns = try query.decoding.columns()
    guard columns.count == layout.columns.count else {
      throw ModelError(
        model,
        "its query selects \(columns.count) columns, but it declares \(layout.columns.count)")
    }
    for (found, declared) in zip(columns, layout.columns) {
      guard found.type == declared.type, found.form == declared.form else {
        throw ModelError(
          model,
          "\(declared.property) is \(declared.type) in the form .\(declared.form), but its query "
            + "selects \(found.type) in the form .\(found.form)")
      }
    }
    // Throws for a view, which cannot have a full-text index.
    _ = try SearchIndex.declared(by: model)
    self.init(
      model: String(nameOf: model), name: layout.tableName,
      createView: "CREATE VIEW \(layout.quotedTableName) "
        + "(\(layout.columns.map(\.quotedName).joined(separator: ", "))) AS "
        + (try query.statement.declaration()),
      triggers: try layout.triggers(of: model))
  }
}

// A view has no rows of its own to insert or to find again, and these declarations make the
// compiler say so.

extension Connection {
  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; insert into its tables, or, with a trigger, run(View.insert(row))"
  )
  public func insert<V: SQLView>(_ view: V) throws -> V { view }

  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; update its tables, or, with a trigger, run(View.update { … })"
  )
  public func update<V: SQLView>(_ view: V) throws -> V { view }

  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; save into its tables, or, with a trigger, run(View.insert(row))"
  )
  public func save<V: SQLView>(_ view: V) throws -> V { view }

  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; delete from its tables, or, with a trigger, run(View.delete())"
  )
  public func delete<V: SQLView>(_ view: V) throws -> Bool { false }
}

extension Database {
  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; insert into its tables, or, with a trigger, run(View.insert(row))"
  )
  public func insert<V: SQLView>(_ view: V) throws -> V { view }

  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; update its tables, or, with a trigger, run(View.update { … })"
  )
  public func update<V: SQLView>(_ view: V) throws -> V { view }

  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; save into its tables, or, with a trigger, run(View.insert(row))"
  )
  public func save<V: SQLView>(_ view: V) throws -> V { view }

  /// Is unavailable, because a view has no rows of its own.
  @available(
    *, unavailable,
    message: "a view has no rows; delete from its tables, or, with a trigger, run(View.delete())"
  )
  public func delete<V: SQLView>(_ view: V) throws -> Bool { false }
}
