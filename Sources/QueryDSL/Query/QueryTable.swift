import SQLCore

/// An operand of From and the joins: the columns of a model's table, or a query or common table
/// that `as` gives columns.
public protocol QueryTable: Sendable {
  /// The table, and what its rows come from.
  var reference: TableReference { get }
}

/// An operand of a join that may find no row: a table whose columns are optional.
public protocol OptionalQueryTable: QueryTable {}

/// A table of a query, and what its rows come from: the model's table, a query, or a common table.
public struct TableReference: QueryTable {
  let table: TableID
  /// The query or common table; nil for the table of a model.
  var source: TableSource?
  /// Whether its columns are optional.
  var isOptional = false
  /// An error in the table, which is thrown when the query is rendered.
  var problem: QueryError?

  /// The table itself.
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
  /// The model's table, with optional columns.
  public var reference: TableReference {
    TableReference(table: columns.table, isOptional: true)
  }
}

extension Fetchable where Row: ResultRow {
  /// Uses the query as a table that has the columns of its rows. SQL: `(SELECT …) AS "Total"`
  ///
  /// ```swift
  /// Query { (author: Columns<Author>, total: Columns<Total>) in
  ///   From(author)
  ///   Join(totals.as(total), on: total.$authorID == author.$id)
  ///   Select(author, total.$views)
  /// }
  /// ```
  /// The query cannot refer to the other tables of the query that contains it.
  public func `as`(_ columns: Columns<Row>) -> TableReference {
    TableReference(table: columns.table, source: .query(query.statement))
  }

  /// Uses the query as a table whose row may be missing. SQL: `LEFT JOIN (SELECT …) AS "Total"`
  public func `as`(_ columns: OptionalColumns<Row>) -> OptionalTableReference {
    OptionalTableReference(
      reference: TableReference(
        table: columns.columns.table, source: .query(query.statement), isOptional: true))
  }
}

extension CommonTable {
  /// Uses the common table in FROM or a join, with the columns of its rows. SQL: `FROM "levels"`
  public func `as`(_ columns: Columns<Row>) -> TableReference {
    TableReference(table: columns.table, source: .common(node.name))
  }

  /// Uses the common table in a join that may find no row. SQL: `LEFT JOIN "levels"`
  public func `as`(_ columns: OptionalColumns<Row>) -> OptionalTableReference {
    OptionalTableReference(
      reference: TableReference(
        table: columns.columns.table, source: .common(node.name), isOptional: true))
  }
}
