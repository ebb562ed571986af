import SQLCore

/// A table that can be passed to From and the joins. It is the columns of a model, or the result of
/// `as` for a query or a common table; programs do not use it directly.
public protocol TableReferenceConvertible: Sendable {
  /// The table and the source of its rows; programs do not use it directly.
  var _reference: TableReference { get }
}

/// A table in a query. The table's columns are optional.
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
  /// Uses this query as a table in the From or a join of another query. In the other query,
  /// `columns` stands for the columns of this query's rows. SQL: `(SELECT …) AS "Total"`
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

  /// Uses the query as a table in a join that may find no row.
  /// SQL: `LEFT JOIN (SELECT …) AS "Total"`
  public func `as`(_ columns: OptionalColumns<Row>) -> some OptionalTableReferenceConvertible {
    OptionalTableReference(
      _reference: TableReference(
        table: columns.columns.table, source: .query(query.tableStatement), isOptional: true))
  }
}

extension CommonTable {
  /// Uses the common table in the From or a join of a query. In this query, `columns` stands for
  /// the columns of the common table.
  /// SQL: `FROM "levels"`
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

/// A table that can be passed to a join that may find no row, because its columns are optional;
/// programs do not use it directly.
public protocol OptionalTableReferenceConvertible: TableReferenceConvertible {}
