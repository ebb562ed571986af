import SQLCore

/// A query of models, each with the rows of other tables that belong to it.
///
/// ```swift
/// let authors = try await db.fetch(
///   Author.order(by: \.$name).including(Post.where { $0.$status == .published }, by: \.$authorID))
/// for (author, posts) in authors { … }               // [(Author, [Post])]
/// // SELECT … FROM "Author" ORDER BY "name"
/// // SELECT …, "authorID" FROM "Post"
/// //   WHERE "status" = ? AND "authorID" IN (SELECT value FROM apus_array(?))
/// ```
///
/// Each relation costs one statement, for any number of rows. All statements see one snapshot, and
/// nothing is loaded later. Parents without children are in the result as well. The children have
/// the order of their own query, and may themselves include rows.
///
/// A child belongs to the same parents that a join would find. If one of the columns has a
/// collation in the database file, or if the columns have different types there, SQLite may treat
/// different values as equal. In these cases, a second statement asks SQLite which values are
/// equal. SQLite compares the values by the collation of the parent's column or, if the parent's
/// column has no collation, by the collation of the child's column.
public struct Including<M: Model, each Part: Sendable>: Sendable {
  let parents: TableQuery<M, M>
  /// The relations by which the parents include rows.
  let relations: [IncludedRelation]
  let load: @Sendable (ConnectionCore, LoadedRows<M>) throws -> LoadedRows<(repeat each Part)>
}

extension TableQuery: _IncludableQuery where M: Model, Row == M {
  /// The query of the models; programs do not use it directly.
  public var _included: _IncludedQuery<M, M> {
    _IncludedQuery(query: self, relations: []) { _, models in models }
  }
}

extension Including: _IncludableQuery {
  /// The query of the models with the rows that they include; programs do not use it directly.
  public var _included: _IncludedQuery<M, (M, repeat each Part)> {
    let load = load
    return _IncludedQuery(query: parents, relations: relations) { core, models in
      let parts = try load(core, models)
      var rows: [(M, repeat each Part)] = []
      rows.reserveCapacity(models.rows.count)
      for (model, part) in zip(models.rows, parts.rows) {
        rows.append((model, repeat each part))
      }
      return LoadedRows(rows, fingerprints: parts.fingerprints)
    }
  }
}

extension TableQuery where M: Model, Row == M {
  /// Includes the children of each parent: the rows whose columns hold the parent's key. If the key
  /// has several columns, name as many columns, in the order of the key.
  ///
  /// ```swift
  /// Author.all.including(Post.order(by: \.$views, .descending).limit(3), by: \.$authorID)
  /// // the three most read posts of each author
  /// ```
  /// A limit and an offset of the children apply to each parent. Children without an order are
  /// counted in the order of their keys. Fetching throws `QueryError` if the columns do not have
  /// the types and stored forms of the key.
  public func including<Children: _IncludableQuery, First: ColumnValue, each Value: ColumnValue>(
    _ children: Children, by first: KeyPath<Children.Root, ColumnReference<First>>,
    _ others: repeat KeyPath<Children.Root, ColumnReference<each Value>>
  ) -> Including<M, [Children.IncludedRow]> {
    let children = children._included
    let relation = Relation.make(
      of: M.self, children.query.columns, by: paths(first, repeat each others))
    return including(children, relation)
  }

  /// Includes the children of each parent by the foreign key that the children's schema declares.
  ///
  /// ```swift
  /// Author.all.including(Post.all)          // ForeignKey(\.$authorID, references: \Author.$id)
  /// ```
  /// Fetching throws `QueryError` if the schema declares no foreign key to the parents, or several.
  public func including<Children: _IncludableQuery>(
    _ children: Children
  ) -> Including<M, [Children.IncludedRow]> {
    let children = children._included
    let relation = Relation.make(of: M.self, children.query.columns)
    return including(children, relation)
  }

  /// Includes the rows that a join table assigns to each parent. The relation is many-to-many.
  ///
  /// ```swift
  /// Post.all.including(
  ///   Tag.order(by: \.$name), through: PostTag.self, from: \.$postID, to: \.$tagID)
  /// // SELECT "Tag".…, "PostTag"."postID" FROM "Tag"
  /// //   JOIN "PostTag" ON "PostTag"."tagID" = "Tag"."id"
  /// //   WHERE "PostTag"."postID" IN (SELECT value FROM apus_array(?)) ORDER BY "Tag"."name"
  /// ```
  public func including<
    Children: _IncludableQuery, Between: TableModel, From: ColumnValue, To: ColumnValue
  >(
    _ children: Children, through between: Between.Type,
    from: KeyPath<Between, ColumnReference<From>>, to: KeyPath<Between, ColumnReference<To>>
  ) -> Including<M, [Children.IncludedRow]> {
    let children = children._included
    let relation = Relation.make(
      of: M.self, children.query.columns, through: between, from: from, to: to)
    return including(children, relation)
  }

  /// Includes the rows that a join table assigns to each parent, by the join table's foreign keys.
  /// Fetching throws `QueryError` unless the join table declares exactly one foreign key to the
  /// parents and one to the children.
  public func including<Children: _IncludableQuery, Between: TableModel>(
    _ children: Children, through between: Between.Type
  ) -> Including<M, [Children.IncludedRow]> {
    let children = children._included
    let relation = Relation.make(of: M.self, children.query.columns, through: between)
    return including(children, relation)
  }
}

extension TableQuery where M: Model, Row == M {
  private func including<Root, Child>(
    _ children: _IncludedQuery<Root, Child>, _ relation: Result<Relation, QueryError>
  ) -> Including<M, [Child]> {
    var included = children.included(by: relation)
    included.replacement = children.replacement(in: M.self, by: relation)
    return Including(parents: self, relations: [included]) {
      try children.load(on: $0, for: $1, relation)
    }
  }
}

extension Including {
  /// Also includes the children of each parent: the rows whose columns hold the parent's key. If
  /// the key has several columns, name as many columns, in the order of the key.
  public func including<Children: _IncludableQuery, First: ColumnValue, each Value: ColumnValue>(
    _ children: Children, by first: KeyPath<Children.Root, ColumnReference<First>>,
    _ others: repeat KeyPath<Children.Root, ColumnReference<each Value>>
  ) -> Including<M, repeat each Part, [Children.IncludedRow]> {
    let children = children._included
    let columns = paths(first, repeat each others)
    return adding(children, Relation.make(of: M.self, children.query.columns, by: columns))
  }

  /// Also includes the children of each parent by the foreign key that the children's schema
  /// declares. Fetching throws `QueryError` unless there is exactly one such key.
  public func including<Children: _IncludableQuery>(
    _ children: Children
  ) -> Including<M, repeat each Part, [Children.IncludedRow]> {
    let children = children._included
    return adding(children, Relation.make(of: M.self, children.query.columns))
  }

  /// Also includes the rows that a join table assigns to each parent. The relation is many-to-many.
  public func including<
    Children: _IncludableQuery, Between: TableModel, From: ColumnValue, To: ColumnValue
  >(
    _ children: Children, through between: Between.Type,
    from: KeyPath<Between, ColumnReference<From>>, to: KeyPath<Between, ColumnReference<To>>
  ) -> Including<M, repeat each Part, [Children.IncludedRow]> {
    let children = children._included
    return adding(
      children,
      Relation.make(of: M.self, children.query.columns, through: between, from: from, to: to))
  }

  /// Also includes the rows that a join table assigns to each parent, by the join table's foreign
  /// keys. Fetching throws `QueryError` unless the join table declares exactly one foreign key to
  /// the parents and one to the children.
  public func including<Children: _IncludableQuery, Between: TableModel>(
    _ children: Children, through between: Between.Type
  ) -> Including<M, repeat each Part, [Children.IncludedRow]> {
    let children = children._included
    return adding(
      children, Relation.make(of: M.self, children.query.columns, through: between))
  }

  private func adding<Root, Row>(
    _ children: _IncludedQuery<Root, Row>, _ relation: Result<Relation, QueryError>
  ) -> Including<M, repeat each Part, [Row]> {
    let load = load
    let relations = relations + [children.included(by: relation)]
    return Including<M, repeat each Part, [Row]>(parents: parents, relations: relations) {
      core, models in
      let parts = try load(core, models)
      let more = try children.load(
        on: core, for: LoadedRows(models.rows, fingerprints: parts.fingerprints), relation)
      var all: [(repeat each Part, [Row])] = []
      all.reserveCapacity(models.rows.count)
      for (part, rows) in zip(parts.rows, more.rows) { all.append((repeat each part, rows)) }
      return LoadedRows(all, fingerprints: more.fingerprints)
    }
  }
}

private func paths<M: Model, First: ColumnValue, each Value: ColumnValue>(
  _ first: KeyPath<M, ColumnReference<First>>,
  _ others: repeat KeyPath<M, ColumnReference<each Value>>
) -> [PartialKeyPath<M>] {
  var paths: [PartialKeyPath<M>] = [first]
  for path in repeat each others { paths.append(path) }
  return paths
}

extension Connection {
  /// Returns all models of a query with the rows that they include. One statement loads the models,
  /// and one more statement loads the rows of each relation. In `read { }` and `write { }`, all
  /// statements see one state of the database.
  public func fetch<M, each Part>(
    _ query: Including<M, repeat each Part>
  ) throws -> [(M, repeat each Part)] {
    let models = try fetch(query.parents)
    return try query._included.complete(try use(), LoadedRows(models)).rows
  }

  /// Returns the first model of a query with the rows that it includes, or nil.
  public func first<M, each Part>(
    _ query: Including<M, repeat each Part>
  ) throws -> (M, repeat each Part)? {
    guard let model = try first(query.parents) else { return nil }
    return try query._included.complete(try use(), LoadedRows([model])).rows.first
  }
}

extension DatabaseReader {
  /// Returns all models of a query with the rows that they include, in one snapshot.
  public func fetch<M, each Part>(
    _ query: Including<M, repeat each Part>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(M, repeat each Part)] {
    try read(fileID: fileID, line: line) { try $0.fetch(query) }
  }

  /// Returns all models of a query with the rows that they include, in one snapshot.
  public func fetch<M, each Part>(
    _ query: Including<M, repeat each Part>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [(M, repeat each Part)] {
    try await read(on: .background, fileID: fileID, line: line) { try $0.fetch(query) }
  }

  /// Returns the first model of a query with the rows that it includes, or nil, in one snapshot.
  public func first<M, each Part>(
    _ query: Including<M, repeat each Part>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> (M, repeat each Part)? {
    try read(fileID: fileID, line: line) { try $0.first(query) }
  }

  /// Returns the first model of a query with the rows that it includes, or nil, in one snapshot.
  public func first<M, each Part>(
    _ query: Including<M, repeat each Part>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> (M, repeat each Part)? {
    try await read(fileID: fileID, line: line) { try $0.first(query) }
  }
}
