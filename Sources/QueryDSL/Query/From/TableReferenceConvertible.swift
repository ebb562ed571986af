import SQLCore

/// An operand of From and the joins: the columns of a model's table, or a query or common table to
/// which `as` gives columns. Programs do not use it directly.
public protocol TableReferenceConvertible: Sendable {
  /// The table and the source of its rows; programs do not use it directly.
  var _reference: TableReference { get }
}

/// A table of a query whose columns are optional.
struct OptionalTableReference: OptionalTableReferenceConvertible {
  let _reference: TableReference
}

extension Columns: TableReferenceConvertible where M: TableModel {
  /// The model's table; programs do not use it directly.
  public var _reference: TableReference { TableReference(table: table) }
}

extension OptionalColumns: TableReferenceConvertible, OptionalTableReferenceConvertible
where M: TableModel {
  /// The model's table with optional columns; programs do not use it directly.
  public var _reference: TableReference {
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
  public func `as`(_ columns: Columns<Row>) -> some TableReferenceConvertible {
    TableReference(table: columns.table, source: .query(query.tableStatement))
  }

  /// Uses the query as a table whose row may be missing. SQL: `LEFT JOIN (SELECT …) AS "Total"`
  public func `as`(_ columns: OptionalColumns<Row>) -> some OptionalTableReferenceConvertible {
    OptionalTableReference(
      _reference: TableReference(
        table: columns.columns.table, source: .query(query.tableStatement), isOptional: true))
  }
}

extension CommonTable {
  /// Uses the common table in FROM or a join, with the columns of its rows. SQL: `FROM "levels"`
  public func `as`(_ columns: Columns<Row>) -> some TableReferenceConvertible {
    TableReference(table: columns.table, source: .common(node.name))
  }

  /// Uses the common table in a join that may find no row. SQL: `LEFT JOIN "levels"`
  public func `as`(_ columns: OptionalColumns<Row>) -> some OptionalTableReferenceConvertible {
    OptionalTableReference(
      _reference: TableReference(
        table: columns.columns.table, source: .common(node.name), isOptional: true))
  }
}

/// An operand of a join that may find no row: a table whose columns are optional. Programs do not
/// use it directly.
public protocol OptionalTableReferenceConvertible: TableReferenceConvertible {}
