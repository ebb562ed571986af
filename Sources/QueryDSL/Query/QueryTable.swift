import SQLCore

/// What may stand behind From and the joins: the columns of a model's table; a query or a common
/// table that `as` gives columns.
public protocol QueryTable: Sendable {
  /// The table, with what it is.
  var reference: TableReference { get }
}

/// What may stand behind a join that may find no row: a table whose columns are optional.
public protocol OptionalQueryTable: QueryTable {}

/// A table of a query, with what it is: a model's own, a query, or a common table.
public struct TableReference: QueryTable {
  let table: TableID
  /// nil for a model's own.
  var source: TableSource?
  /// Whether its columns are optional.
  var isOptional = false
  /// What it cannot be, thrown when the query is rendered.
  var problem: QueryError?

  /// Itself.
  public var reference: TableReference { self }
}

/// A table of a query whose columns are optional.
public struct OptionalTableReference: OptionalQueryTable {
  /// The table.
  public let reference: TableReference
}

extension Columns: QueryTable where M: Model {
  /// The model's table.
  public var reference: TableReference { TableReference(table: table) }
}

extension OptionalColumns: QueryTable, OptionalQueryTable where M: Model {
  /// The model's table, its columns optional.
  public var reference: TableReference {
    TableReference(table: columns.table, isOptional: true)
  }
}

extension Fetchable where Row: ResultRow {
  /// The query as a table, with the columns of its rows. SQL: `(SELECT …) AS "Total"`
  ///
  /// ```swift
  /// Query { (author: Columns<Author>, total: Columns<Total>) in
  ///   From(author)
  ///   Join(totals.as(total), on: total.$authorID == author.$id)
  ///   Select(author, total.$views)
  /// }
  /// ```
  /// It does not see the other tables of the query in which it stands.
  public func `as`(_ columns: Columns<Row>) -> TableReference {
    TableReference(table: columns.table, source: .query(request.statement))
  }

  /// The query as a table whose row may be missing. SQL: `LEFT JOIN (SELECT …) AS "Total"`
  public func `as`(_ columns: OptionalColumns<Row>) -> OptionalTableReference {
    OptionalTableReference(
      reference: TableReference(
        table: columns.columns.table, source: .query(request.statement), isOptional: true))
  }
}

extension CommonTable {
  /// The common table in FROM or a join, with the columns of its rows. SQL: `FROM "levels"`
  public func `as`(_ columns: Columns<Row>) -> TableReference {
    TableReference(table: columns.table, source: .common(node.name))
  }

  /// The common table in a join that may find no row. SQL: `LEFT JOIN "levels"`
  public func `as`(_ columns: OptionalColumns<Row>) -> OptionalTableReference {
    OptionalTableReference(
      reference: TableReference(
        table: columns.columns.table, source: .common(node.name), isOptional: true))
  }
}
