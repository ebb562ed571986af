// These overloads select two to six columns, as most queries do. Longer tuples use the overload
// with a parameter pack. This overload would also work for shorter tuples, but with a parameter
// pack, Swift 6.3 cannot infer the type of
// `print(try db.fetch(Post.select(\.$title, \.$views)).count)`.

import SQLCore

extension TableModel {
  /// Returns a query for two columns of all rows, as a tuple. SQL: `SELECT a, b`
  @_disfavoredOverload
  public static func select<A: ColumnValue, B: ColumnValue>(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>
  ) -> TableQuery<Self, (A, B)> {
    all.select(a, b)
  }

  /// Returns a query for three columns of all rows, as a tuple. SQL: `SELECT a, b, c`
  @_disfavoredOverload
  public static func select<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>,
    _ c: KeyPath<Self, ColumnReference<C>>
  ) -> TableQuery<Self, (A, B, C)> {
    all.select(a, b, c)
  }

  /// Returns a query for four columns of all rows, as a tuple. SQL: `SELECT a, b, c, d`
  @_disfavoredOverload
  public static func select<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue
  >(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>,
    _ c: KeyPath<Self, ColumnReference<C>>,
    _ d: KeyPath<Self, ColumnReference<D>>
  ) -> TableQuery<Self, (A, B, C, D)> {
    all.select(a, b, c, d)
  }

  /// Returns a query for five columns of all rows, as a tuple. SQL: `SELECT a, b, c, d, e`
  @_disfavoredOverload
  public static func select<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue
  >(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>,
    _ c: KeyPath<Self, ColumnReference<C>>,
    _ d: KeyPath<Self, ColumnReference<D>>,
    _ e: KeyPath<Self, ColumnReference<E>>
  ) -> TableQuery<Self, (A, B, C, D, E)> {
    all.select(a, b, c, d, e)
  }

  /// Returns a query for six columns of all rows, as a tuple. SQL: `SELECT a, b, c, d, e, f`
  @_disfavoredOverload
  public static func select<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue, F: ColumnValue
  >(
    _ a: KeyPath<Self, ColumnReference<A>>,
    _ b: KeyPath<Self, ColumnReference<B>>,
    _ c: KeyPath<Self, ColumnReference<C>>,
    _ d: KeyPath<Self, ColumnReference<D>>,
    _ e: KeyPath<Self, ColumnReference<E>>,
    _ f: KeyPath<Self, ColumnReference<F>>
  ) -> TableQuery<Self, (A, B, C, D, E, F)> {
    all.select(a, b, c, d, e, f)
  }
}

extension TableQuery {
  /// Selects two columns instead of the model, as a tuple. SQL: `SELECT a, b`
  @_disfavoredOverload
  public consuming func select<A: ColumnValue, B: ColumnValue>(
    _ a: KeyPath<M, ColumnReference<A>>,
    _ b: KeyPath<M, ColumnReference<B>>
  ) -> TableQuery<M, (A, B)> {
    let table = columns
    return selecting(
      table[dynamicMember: a], table[dynamicMember: b])
  }

  /// Selects three columns instead of the model, as a tuple. SQL: `SELECT a, b, c`
  @_disfavoredOverload
  public consuming func select<A: ColumnValue, B: ColumnValue, C: ColumnValue>(
    _ a: KeyPath<M, ColumnReference<A>>,
    _ b: KeyPath<M, ColumnReference<B>>,
    _ c: KeyPath<M, ColumnReference<C>>
  ) -> TableQuery<M, (A, B, C)> {
    let table = columns
    return selecting(
      table[dynamicMember: a], table[dynamicMember: b], table[dynamicMember: c])
  }

  /// Selects four columns instead of the model, as a tuple. SQL: `SELECT a, b, c, d`
  @_disfavoredOverload
  public consuming func select<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue
  >(
    _ a: KeyPath<M, ColumnReference<A>>,
    _ b: KeyPath<M, ColumnReference<B>>,
    _ c: KeyPath<M, ColumnReference<C>>,
    _ d: KeyPath<M, ColumnReference<D>>
  ) -> TableQuery<M, (A, B, C, D)> {
    let table = columns
    return selecting(
      table[dynamicMember: a], table[dynamicMember: b], table[dynamicMember: c],
      table[dynamicMember: d])
  }

  /// Selects five columns instead of the model, as a tuple. SQL: `SELECT a, b, c, d, e`
  @_disfavoredOverload
  public consuming func select<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue
  >(
    _ a: KeyPath<M, ColumnReference<A>>,
    _ b: KeyPath<M, ColumnReference<B>>,
    _ c: KeyPath<M, ColumnReference<C>>,
    _ d: KeyPath<M, ColumnReference<D>>,
    _ e: KeyPath<M, ColumnReference<E>>
  ) -> TableQuery<M, (A, B, C, D, E)> {
    let table = columns
    return selecting(
      table[dynamicMember: a], table[dynamicMember: b], table[dynamicMember: c],
      table[dynamicMember: d], table[dynamicMember: e])
  }

  /// Selects six columns instead of the model, as a tuple. SQL: `SELECT a, b, c, d, e, f`
  @_disfavoredOverload
  public consuming func select<
    A: ColumnValue, B: ColumnValue, C: ColumnValue, D: ColumnValue, E: ColumnValue, F: ColumnValue
  >(
    _ a: KeyPath<M, ColumnReference<A>>,
    _ b: KeyPath<M, ColumnReference<B>>,
    _ c: KeyPath<M, ColumnReference<C>>,
    _ d: KeyPath<M, ColumnReference<D>>,
    _ e: KeyPath<M, ColumnReference<E>>,
    _ f: KeyPath<M, ColumnReference<F>>
  ) -> TableQuery<M, (A, B, C, D, E, F)> {
    let table = columns
    return selecting(
      table[dynamicMember: a], table[dynamicMember: b], table[dynamicMember: c],
      table[dynamicMember: d], table[dynamicMember: e], table[dynamicMember: f])
  }
}
