// Inserts of two to four columns are the usual case, and have their own overloads. The overload
// with a parameter pack works for any number of columns. With a pack, however, Swift 6.3 does not
// give a literal the type of its column: `(\.$name, \.$size, values: [("a", 1)])` does not compile
// if `size` is an Int64.

import SQLCore

extension TableModel {
  /// Returns an insert of several rows that sets two columns.
  /// SQL: `INSERT INTO "T" ("a", "b") VALUES (?, ?), (?, ?)`
  public static func insert<A: ColumnValue, B: ColumnValue>(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>,
    values rows: [(A, B)]
  ) -> Insert<Self> {
    let columns = Columns<Self>()
    let a = columns[dynamicMember: a]
    let b = columns[dynamicMember: b]
    return Insert(columns: columns, [a.node, b.node], rows) { values, row in
      values.append(a.bound(row.0))
      values.append(b.bound(row.1))
    }
  }

  /// Returns an insert of several rows that sets three columns.
  /// SQL: `INSERT INTO "T" ("a", "b", "c") VALUES (?, ?, ?), (?, ?, ?)`
  public static func insert<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>,
    _ c: KeyPath<Self, ColumnReference<C>>,
    values rows: [(A, B, C)]
  ) -> Insert<Self> {
    let columns = Columns<Self>()
    let a = columns[dynamicMember: a]
    let b = columns[dynamicMember: b]
    let c = columns[dynamicMember: c]
    return Insert(columns: columns, [a.node, b.node, c.node], rows) { values, row in
      values.append(a.bound(row.0))
      values.append(b.bound(row.1))
      values.append(c.bound(row.2))
    }
  }

  /// Returns an insert of several rows that sets four columns.
  /// SQL: `INSERT INTO "T" ("a", "b", "c", "d") VALUES (?, ?, ?, ?), (?, ?, ?, ?)`
  public static func insert<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue
  >(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>,
    _ c: KeyPath<Self, ColumnReference<C>>,
    _ d: KeyPath<Self, ColumnReference<D>>,
    values rows: [(A, B, C, D)]
  ) -> Insert<Self> {
    let columns = Columns<Self>()
    let a = columns[dynamicMember: a]
    let b = columns[dynamicMember: b]
    let c = columns[dynamicMember: c]
    let d = columns[dynamicMember: d]
    return Insert(columns: columns, [a.node, b.node, c.node, d.node], rows) { values, row in
      values.append(a.bound(row.0))
      values.append(b.bound(row.1))
      values.append(c.bound(row.2))
      values.append(d.bound(row.3))
    }
  }
}

extension Insert {
  fileprivate init<Row>(
    columns: Columns<M>, _ targets: [ExpressionNode], _ rows: [Row],
    _ bind: (inout [BoundValue], Row) -> Void
  ) {
    var values: [BoundValue] = []
    values.reserveCapacity(rows.count * targets.count)
    for row in rows { bind(&values, row) }
    self.init(columns: columns, RowValues(columns: targets, values: values))
  }
}
