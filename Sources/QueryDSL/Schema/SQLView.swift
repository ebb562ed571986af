import SQLCore

/// A struct whose instances are the rows of a view. A view is a named query in the database.
///
/// ```swift
/// struct AuthorCount: SQLView {
///   @Column var name: String
///   @Column var posts: Int
///
///   static var definition: some Fetchable {
///     Query { (author: Columns<Author>, post: Columns<Post>) in
///       From(author)
///       Join(post, on: post.$authorID == author.$id)
///       GroupBy(author.$id)
///       Select(author.$name, post.$id.count())
///     }
///   }
/// }
/// ```
///
/// The query must have the same columns as the model, in the same order and with the same types.
/// The view can be queried like any table. If the query changes, the next migration drops the view
/// and creates it again.
///
/// A view needs no key. If one of its columns has a different value in each row, the view may also
/// be a `Model` with this column as its key, so that `find` and pages work:
/// `struct AuthorName: Model, SQLView { @PrimaryKey var id: Author.ID … }`.
///
/// A view is written only through its triggers, which the schema declares with
/// `Trigger(_:insteadOf:)`. `run(AuthorName.insert(row))`, `AuthorName.update { }` and
/// `AuthorName.delete()` fire these triggers. The methods that take a model, such as
/// `db.update(name)`, throw `QueryError`.
///
/// Declare the conformance in the same module as the type.
/// - SeeAlso: <https://www.sqlite.org/lang_createview.html>
public protocol SQLView: TableModel {
  /// The type of the query.
  associatedtype Definition: Fetchable

  /// The query of the view. Swift values in the query become literals in the SQL of the view.
  static var definition: Definition { get }
}

extension SQLView {
  /// True; programs do not use it directly.
  public static var _isView: Bool { true }
}

/// A view, as its model declares it.
package struct ViewDefinition: Sendable {
  package let model: String
  package let name: String
  package let createView: String
  package var triggers: [TriggerDefinition] = []
}

extension ViewDefinition {
  /// Reads the view that a model declares. Throws `ModelError` if the query has other columns than
  /// the model.
  init<V: SQLView>(of model: V.Type) throws {
    let layout = try V.layout
    let query = V.definition.query
    if query.decoding.isMapped { throw ModelError(model, QueryError.mapped.message) }
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
    // Throws if the view declares a full-text index, which a view cannot have.
    _ = try SearchIndex.declared(by: model)
    for element in V.schema.elements {
      if case .owned(let line) = element.kind { try line.check(layout, of: model) }
    }
    self.init(
      model: String(nameOf: model), name: layout.tableName,
      createView: "CREATE VIEW \(layout.quotedTableName) "
        + "(\(layout.columns.map(\.quotedName).joined(separator: ", "))) AS "
        + (try query.statement.declaration()),
      triggers: try layout.triggers(of: model))
  }
}
