import SQLCore

/// A model that reads a view: a query that the database knows by a name.
///
/// ```swift
/// struct AuthorCount: ViewModel {
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
/// The query's columns are the model's, in order and type. It is queried as any model; a view is not
/// written, and one whose query changed is created anew.
/// - SeeAlso: <https://www.sqlite.org/lang_createview.html>
public protocol ViewModel: Model {
  /// The type of the query.
  associatedtype Definition: Fetchable

  /// The query of the view; values in it stand in the schema as literals.
  static var definition: Definition { get }
}

extension ViewDefinition {
  /// The view that a model declares; throws `ModelError` where the query gives other columns.
  init<V: ViewModel>(of model: V.Type) throws {
    let layout = try V.layout
    let request = V.definition.request
    let columns = try request.decoding.columns()
    guard columns.count == layout.columns.count else {
      throw ModelError(
        model,
        "its query gives \(columns.count) columns, and it declares \(layout.columns.count)")
    }
    for (found, declared) in zip(columns, layout.columns) {
      guard found.type == declared.type, found.form == declared.form else {
        throw ModelError(
          model,
          "\(declared.property) is \(declared.type), and its query gives \(found.type) there")
      }
    }
    self.init(
      model: String(describing: model), name: layout.tableName,
      createView: "CREATE VIEW \(layout.quotedTableName) "
        + "(\(layout.columns.map(\.quotedName).joined(separator: ", "))) AS "
        + (try request.statement.declaration()))
  }
}

// A view cannot be written, and the compiler says so.

extension Connection {
  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; insert into its tables")
  public func insert<V: ViewModel>(_ view: V) throws -> V { view }

  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; update its tables")
  public func update<V: ViewModel>(_ view: V) throws -> V { view }

  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; save into its tables")
  public func save<V: ViewModel>(_ view: V) throws -> V { view }

  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; delete from its tables")
  public func delete<V: ViewModel>(_ view: V) throws -> Bool { false }
}

extension Database {
  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; insert into its tables")
  public func insert<V: ViewModel>(_ view: V) throws -> V { view }

  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; update its tables")
  public func update<V: ViewModel>(_ view: V) throws -> V { view }

  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; save into its tables")
  public func save<V: ViewModel>(_ view: V) throws -> V { view }

  /// A view is not written.
  @available(*, unavailable, message: "a view is read alone; delete from its tables")
  public func delete<V: ViewModel>(_ view: V) throws -> Bool { false }
}
