import QueryDSL
import SQLCore

@testable import QueryFixtures

extension RandomSelects {
  /// Window functions over partitions, orders and frames.
  mutating func windows<M: SampleModel>(_ model: M.Type) -> RandomQuery {
    let table = Columns<M>()
    let columns = M.columns(of: table, at: 0, isMissing: false)
    let parts = expressions(over: columns, tables: 1) {
      (
        partition: $0.text(depth: 1), sort: $0.simpleInteger(), text: $0.text(depth: 1),
        number: $0.simpleInteger(), flag: $0.condition(depth: 1), filter: $0.condition()
      )
    }
    let (direction, nulls) = values.sortOrder()
    // RANGE with a distance needs a single number, which must not overflow 64 bits.
    let isRange = values.oneIn(3)
    let sort = isRange ? SortKey(parts.sort.small) : SortKey(parts.sort)
    let isPartitioned = values.flip()
    let partition = isPartitioned ? .partition(by: parts.partition.expression) : Window.all
    let sorted = sort.window(partition, direction, nulls)
    // With the key as the last term, no two rows are equal and each has its own place.
    let total = columns.keys.reduce(sorted) { $1.window($0, .ascending, nil) }
    let ties = RandomFrame.draw(&values, unit: isRange ? .range : .groups, isRange)
    let rows = RandomFrame.draw(&values, unit: values.pick([.rows, .groups]), true)
    let (offset, buckets) = (values.below(3), values.below(4) + 1)
    let small = parts.number.small
    let query = Query {
      From(table)
      Where { parts.filter.predicate }
      NamedWindow("the \"total\" one", total)
      Select(
        table.rowNumber().over(named: "the \"total\" one"), table.rank().over(sorted),
        table.denseRank().over(sorted), table.percentRank().over(sorted),
        table.cumeDist().over(sorted), table.ntile(buckets).over(total),
        small.expression.sum().over(ties.applied(to: sorted)),
        parts.number.expression.count().filter(parts.flag.predicate)
          .over(rows.applied(to: total)),
        parts.text.expression.firstValue().over(rows.applied(to: total)),
        parts.text.expression.lastValue().over(rows.applied(to: total)),
        parts.text.expression.nthValue(offset + 1).over(rows.applied(to: total)),
        parts.text.expression.lag(offset).over(total),
        small.expression.lead(offset, default: 5).over(named: "the \"total\" one"))
    }
    let compare = RandomQuery.comparing(sort.evaluate, direction, nulls)
    let keys = columns.keys.map { RandomQuery.comparing($0.evaluate, .ascending, nil) }
    let found = database.rows(of: model).map { [$0] }.filter { parts.filter.holds($0) == true }
    let expected = found.map { row -> [DatabaseValue] in
      let members = found.filter {
        !isPartitioned
          || SQLLogic.isSame(parts.partition.evaluate($0), parts.partition.evaluate(row))
      }.sorted { RandomQuery.order($0, $1, by: [compare] + keys) < 0 }
      let place = members.firstIndex { RandomQuery.order($0[0], row[0]) == 0 } ?? 0
      let before = members.filter { compare($0, row) < 0 }
      let upTo = members.filter { compare($0, row) <= 0 }.count
      let groups = RandomQuery.distinct(before.map { [sort.evaluate($0)] })
      let last = Double(members.count - 1)
      let sums = ties.rows(of: members, at: place, sort.evaluate, direction, compare)
      let frame = rows.rows(of: members, at: place, sort.evaluate, direction) {
        RandomQuery.order($0, $1, by: [compare] + keys)
      }.map { members[$0] }
      func text(_ row: Environment?) -> DatabaseValue { row.map(parts.text.evaluate) ?? .null }
      return [
        value(place + 1), value(before.count + 1), value(groups.count + 1),
        .real(last > 0 ? Double(before.count) / last : 0),
        .real(Double(upTo) / Double(members.count)),
        value(Self.bucket(of: place, in: members.count, buckets)),
        SQLLogic.sum(sums.map { small.evaluate(members[$0]) }),
        value(
          frame.filter { parts.flag.holds($0) == true && !parts.number.evaluate($0).isNull }.count),
        text(frame.first), text(frame.last),
        text(frame.indices.contains(offset) ? frame[offset] : nil),
        text(place >= offset ? members[place - offset] : nil),
        place + offset < members.count ? small.evaluate(members[place + offset]) : 5,
      ]
    }
    return run(query, expected, isTotal: false, integers: [6, 12]) {
      [value($0.0), value($0.1), value($0.2), value($0.3), value($0.4), value($0.5), value($0.6)]
        + [value($0.7), value($0.8), value($0.9), value($0.10), value($0.11), value($0.12)]
    }
  }

  /// The first buckets have one row more if the rows cannot be divided evenly.
  private static func bucket(of place: Int, in count: Int, _ buckets: Int) -> Int {
    let (size, more) = (count / buckets, count % buckets)
    let larger = more * (size + 1)
    return place < larger ? place / (size + 1) + 1 : more + (place - larger) / max(1, size) + 1
  }
}

extension Term<Int?> {
  /// The value reduced to a number from -9 to 9.
  fileprivate var small: Term<Int?> {
    let evaluate = evaluate
    return Term(expression: expression.remainder(10)) { SQLLogic.remainder(evaluate($0), 10) }
  }
}

/// The frame of a window: its form in the DSL, and the rows that it contains.
struct RandomFrame {
  enum Unit { case rows, range, groups }

  let unit: Unit
  let start: FrameBound
  let end: FrameBound
  let exclusion: FrameExclusion?
  /// Whether there is a frame clause. Without one the frame is RANGE from the first row to the
  /// current row's peers.
  let isGiven: Bool

  /// - Parameter hasDistances: Whether its bounds may be a number of rows, groups or values away.
  static func draw(
    _ values: inout SampleValues, unit: Unit, _ hasDistances: Bool
  ) -> RandomFrame {
    let (near, far) = (values.below(3), values.below(3))
    var bounds: [(FrameBound, FrameBound)] = [
      (.unboundedPreceding, .currentRow), (.currentRow, .unboundedFollowing),
      (.unboundedPreceding, .unboundedFollowing), (.currentRow, .currentRow),
    ]
    if hasDistances || unit == .groups {
      bounds += [
        (.preceding(near), .following(far)), (.preceding(near), .preceding(far)),
        (.following(near), .following(far)), (.unboundedPreceding, .preceding(far)),
        (.unboundedPreceding, .following(far)), (.following(near), .unboundedFollowing),
        (.preceding(near), .currentRow), (.currentRow, .following(far)),
        (.preceding(near), .unboundedFollowing),
      ]
    }
    let (start, end) = values.pick(bounds)
    return RandomFrame(
      unit: unit, start: start, end: end,
      exclusion: values.pick([nil, nil, .currentRow, .group, .ties]),
      isGiven: values.below(6) > 0)
  }

  func applied(to window: Window) -> Window {
    guard isGiven else { return window }
    let framed =
      switch unit {
      case .rows: window.rows(start, end)
      case .range: window.range(start, end)
      case .groups: window.groups(start, end)
      }
    return exclusion.map { framed.exclude($0) } ?? framed
  }

  /// Returns the places of the rows in the frame of one row of a partition.
  func rows(
    of members: [Environment], at place: Int, _ sort: (Environment) -> DatabaseValue,
    _ direction: SortDirection, _ compare: (Environment, Environment) -> Int
  ) -> [Int] {
    let row = members[place]
    let peers = members.indices.filter { compare(members[$0], row) == 0 }
    let frame: [Int]
    switch isGiven ? unit : .range {
    case .rows:
      frame = members.indices.filter { isWithin($0 - place) }
    case .groups:
      let groups = members.indices.reduce(into: [Int]()) { groups, index in
        let isNew = index > 0 && compare(members[index - 1], members[index]) != 0
        groups.append((groups.last ?? 0) + (isNew ? 1 : 0))
      }
      frame = members.indices.filter { isWithin(groups[$0] - groups[place]) }
    case .range:
      frame = members.indices.filter { index in
        isWithinRange(index, place, peers, members, sort, direction)
      }
    }
    guard isGiven else { return frame }
    return switch exclusion {
    case nil: frame
    case .currentRow: frame.filter { $0 != place }
    case .group: frame.filter { !peers.contains($0) }
    case .ties: frame.filter { $0 == place || !peers.contains($0) }
    }
  }

  /// Whether a row is in a ROWS or GROUPS frame, by its distance after the current one.
  private func isWithin(_ distance: Int) -> Bool {
    func place(_ bound: FrameBound) -> Int {
      switch bound {
      case .unboundedPreceding: .min
      case .preceding(let count): -count
      case .currentRow: 0
      case .following(let count): count
      case .unboundedFollowing: .max
      }
    }
    return distance >= place(start) && distance <= place(end)
  }

  /// Whether a row is in a RANGE frame. NULL has no distance, so its frame contains its peers.
  private func isWithinRange(
    _ index: Int, _ place: Int, _ peers: [Int], _ members: [Environment],
    _ sort: (Environment) -> DatabaseValue, _ direction: SortDirection
  ) -> Bool {
    let (first, last) = (peers.first ?? place, peers.last ?? place)
    /// The distance after the current row in the direction of the order, or nil if either value is
    /// NULL.
    var distance: Int64? {
      guard let own = SQLLogic.whole(sort(members[place])),
        let other = SQLLogic.whole(sort(members[index]))
      else { return nil }
      return direction == .ascending ? other - own : own - other
    }
    let isNull = sort(members[place]).isNull
    func isBehind(_ bound: FrameBound) -> Bool {
      switch bound {
      case .unboundedPreceding: return true
      case .currentRow: return index >= first
      case .preceding(let count):
        guard !isNull else { return index >= first }
        return distance.map { $0 >= -Int64(count) } ?? (index > place)
      case .following(let count):
        guard !isNull else { return index >= first }
        return distance.map { $0 >= Int64(count) } ?? (index > place)
      case .unboundedFollowing: return false
      }
    }
    func isBefore(_ bound: FrameBound) -> Bool {
      switch bound {
      case .unboundedFollowing: return true
      case .currentRow: return index <= last
      case .preceding(let count):
        guard !isNull else { return index <= last }
        return distance.map { $0 <= -Int64(count) } ?? (index < place)
      case .following(let count):
        guard !isNull else { return index <= last }
        return distance.map { $0 <= Int64(count) } ?? (index < place)
      case .unboundedPreceding: return false
      }
    }
    guard isGiven else { return index <= last }
    return isBehind(start) && isBefore(end)
  }
}
