import Apus

/// A random typed query, run in SQLite and in its copy.
struct RandomQuery {
  /// The rows as texts, in their order if that is total.
  typealias Rows = Result<[String], any Error>

  let sql: String
  let here: Rows
  let there: Rows

  /// The difference of the results; nil if they are the same.
  var difference: String? {
    switch (here, there) {
    case (.success(let one), .success(let other)):
      return one == other ? nil : "\(other)\n instead of \(one)"
    case (.success, .failure(let error)): return "\(error)"
    case (.failure, _): return nil
    }
  }
}

/// Random typed queries of every shape.
struct RandomQueries {
  var values: RandomValues
  let source: Database
  let copy: Database

  private func run<Q: Fetchable>(_ query: Q, isTotal: Bool) -> RandomQuery {
    func rows(_ database: Database) -> RandomQuery.Rows {
      Result {
        // 0 and -0 are equal numbers.
        let rows = try database.fetch(query).map { "\($0)".replacing(/-0\.0(?!\d)/, with: "0.0") }
        return isTotal ? rows : rows.sorted()
      }
    }
    let sql = (try? query.sql).map { "\($0.text) \((try? $0.values) ?? [])" } ?? "no SQL"
    return RandomQuery(sql: sql, here: rows(source), there: rows(copy))
  }

  /// Makes expressions over the columns of a sale, and keeps the state of the generator.
  private mutating func make<Result>(
    _ sale: Columns<Sale>, _ body: (inout RandomExpressions) -> Result
  ) -> Result {
    var expressions = RandomExpressions(values: values, sale: sale)
    defer { values = expressions.values }
    return body(&expressions)
  }

  mutating func next() -> RandomQuery {
    switch values.below(9) {
    case 0: models()
    case 1, 2: columns()
    case 3: groups()
    case 4: joins()
    case 5: windows()
    case 6: aggregates()
    case 7: compounds()
    default: subqueries()
    }
  }

  private mutating func models() -> RandomQuery {
    let sale = Columns<Sale>()
    let filter = make(sale) { $0.predicate(2) }
    let query = Query {
      From(sale)
      Where { filter }
      OrderBy(sale.$id, values.flip() ? .ascending : .descending)
      Select(sale)
    }
    return run(query, isTotal: true)
  }

  private mutating func columns() -> RandomQuery {
    let sale = Columns<Sale>()
    let parts = make(sale) {
      (
        filter: $0.predicate(1), integer: $0.integer(2), real: $0.real(2), text: $0.text(2),
        test: $0.predicate(1), sort: $0.text(1), other: $0.real(1), date: $0.date(1)
      )
    }
    let (direction, other): (SortDirection, SortDirection) = (
      values.flip() ? .ascending : .descending, values.flip() ? .ascending : .descending
    )
    let nulls: NullOrder? = values.pick([nil, .first, .last])
    let (count, offset) = (values.below(12), values.below(4))
    let query = Query {
      From(sale)
      Where { parts.filter }
      OrderBy(parts.sort, direction, nulls: nulls)
      OrderBy(parts.other, other)
      OrderBy(sale.$id)
      Limit(count)
      Offset(offset)
      Select(
        sale.$id, parts.integer, parts.real, parts.text, SQLExpression<Bool?>(parts.test),
        parts.date)
    }
    return run(query, isTotal: true)
  }

  private mutating func groups() -> RandomQuery {
    let sale = Columns<Sale>()
    let parts = make(sale) {
      (
        key: $0.text(1), number: $0.integer(1), filter: $0.predicate(1), rows: $0.predicate(1),
        text: $0.text(1), some: $0.integer(1)
      )
    }
    let small = parts.number.remainder(10)
    let least = values.below(3)
    let query = Query {
      From(sale)
      Where { parts.rows }
      GroupBy(parts.key, parts.some)
      Having { sale.count() > least }
      Select(
        parts.key, parts.some, sale.count(), parts.number.count(distinct: true), small.sum(),
        small.avg(), sale.$amount.sum(), sale.$amount.sum().filter(parts.filter),
        parts.text.max(), sale.$createdAt.min())
    }
    return run(query, isTotal: false)
  }

  private mutating func joins() -> RandomQuery {
    let (sale, store) = (Columns<Sale>(), Columns<Store>())
    let parts = make(sale) {
      (filter: $0.predicate(2), integer: $0.integer(2), text: $0.text(1))
    }
    let region = values.text()
    let isIn = values.flip()
    let query = Query {
      From(sale)
      Join(store, on: sale.$storeID == store.$id && (store.$name != region || sale.$isGift.isTrue))
      Where { isIn ? parts.filter : parts.filter || store.$region == nil }
      OrderBy(store.$region)
      OrderBy(sale.$id)
      Select(sale.$id, store.$name, store.$region, parts.integer, parts.text)
    }
    return run(query, isTotal: true)
  }

  private mutating func windows() -> RandomQuery {
    let sale = Columns<Sale>()
    let parts = make(sale) {
      (
        part: $0.text(0), sort: $0.integer(1), number: $0.integer(1), rows: $0.predicate(1),
        text: $0.text(1)
      )
    }
    let direction: SortDirection = values.flip() ? .ascending : .descending
    let sorted = Window.partition(by: parts.part).order(by: parts.sort, direction)
    let total = sorted.order(by: sale.$id)
    let frame = values.pick([
      total.rows(.preceding(2), .currentRow),
      total.groups(.preceding(1), .following(1)),
      total.rows(.unboundedPreceding, .unboundedFollowing),
    ])
    let query = Query {
      From(sale)
      Where { parts.rows }
      Select(
        sale.$id, sale.rowNumber().over(total), sale.rank().over(sorted),
        sale.denseRank().over(sorted), sale.percentRank().over(sorted),
        sale.cumeDist().over(sorted), sale.ntile(3).over(total),
        parts.number.remainder(10).sum().over(frame), sale.$amount.sum().over(sorted),
        parts.text.lag(1).over(total), parts.text.firstValue().over(frame))
    }
    return run(query, isTotal: false)
  }

  private mutating func aggregates() -> RandomQuery {
    let sale = Columns<Sale>()
    let parts = make(sale) {
      (rows: $0.predicate(2), number: $0.integer(1), text: $0.text(1), real: $0.real(1))
    }
    let query = Query {
      From(sale)
      Where { parts.rows }
      Select(
        sale.count(), parts.number.count(), parts.number.max(), parts.number.remainder(10).sum(),
        parts.text.min(), parts.real.max(), sale.$amount.avg(), sale.$quantity.total())
    }
    return run(query, isTotal: false)
  }

  private mutating func compounds() -> RandomQuery {
    let sale = Columns<Sale>()
    let parts = make(sale) {
      (text: $0.text(1), other: $0.text(2), rows: $0.predicate(1), more: $0.predicate(1))
    }
    let one = Query {
      From(sale)
      Where { parts.rows }
      Select(parts.text)
    }
    let other = Query {
      From(sale)
      Where { parts.more }
      Select(parts.other)
    }
    return switch values.below(4) {
    case 0: run(one.union(other), isTotal: false)
    case 1: run(one.intersect(other), isTotal: false)
    case 2: run(one.except(other), isTotal: false)
    default: run(one.union(other).intersect(one), isTotal: false)
    }
  }

  private mutating func subqueries() -> RandomQuery {
    let (sale, store) = (Columns<Sale>(), Columns<Store>())
    let parts = make(sale) { (rows: $0.predicate(1), integer: $0.integer(1)) }
    let limit = values.small()
    let sums = Query {
      From(sale)
      Where {
        sale.$storeID == store.$id
        parts.rows
      }
      Select(parts.integer.max())
    }
    let some = Query {
      From(sale)
      Where {
        sale.$storeID == store.$id
        sale.$quantity > limit
      }
      Select(sale.$id)
    }
    let query = Query {
      From(store)
      Where { some.exists() || store.$size > 0 }
      OrderBy(store.$id)
      Select(store.$id, store.$name, sums.subquery(), some.count())
    }
    return run(query, isTotal: true)
  }
}
