import QueryDSL
import SQLCore

/// The aggregates that a maintained result has for each group, and how their values change when
/// rows leave or join the group.
///
/// The aggregates have this order:
///
/// - If there is GROUP BY, the first aggregate is `count(*)`.
/// - The aggregates of SELECT, HAVING and ORDER BY follow. Directly after a `sum` or `avg` are the
///   aggregates that are needed to update its value without a query. For a `sum`, this is a count.
/// - The counts `PlannedGroups.otherClassCounts` are the last.
struct AggregateValues: Sendable {
  private enum Kind {
    /// `count`: the difference is exact.
    case count
    /// `sum`. The difference is exact while all values are integers. The next aggregate is the
    /// count of the values. If the count becomes 0, the sum becomes NULL.
    case sum
    /// `avg` of integers. The next three aggregates are the sum, the count and the magnitude of the
    /// values.
    case average
    /// The sum of the absolute values, as a REAL. While it is less than 2⁵³, it is exact, and every
    /// sum of the values is exact, too.
    case magnitude
    /// `min` and `max`. The group is evaluated again by a query in only two cases: the row with the
    /// extreme value is gone or changed, or a new value equals the extreme value but is not
    /// identical. Texts are compared by bytes.
    case extreme(isGreatest: Bool)
    /// Any other aggregate. It is always calculated again by a query.
    case other
  }

  private let kinds: [Kind]
  /// All aggregates. They are selected after the key.
  let nodes: [ExpressionNode]
  /// The indices, in `nodes`, of the query's own aggregates.
  let places: [Int]
  /// Whether the first value is `count(*)`, which shows whether the group still has rows.
  let countsRows: Bool
  /// The index in `nodes` at which the counts `PlannedGroups.otherClassCounts` begin. They show
  /// whether a group has values that are equal but not identical, such as 1 and 1.0.
  private let firstClassCount: Int
  /// The name of an aggregate that a reader must calculate again, because its difference cannot be
  /// calculated; nil if there is no such aggregate.
  let askedName: String?

  init(
    of select: SelectStatement, by groups: PlannedGroups, in tables: [PlannedTable]
  ) throws {
    var kinds: [Kind] = []
    var nodes: [ExpressionNode] = []
    var places: [Int] = []
    var askedName: String?
    countsRows = !select.groups.isEmpty
    if countsRows {
      kinds = [.count]
      nodes = [.countOfRows]
    }
    _ = try select.replacingAggregates { aggregate in
      places.append(nodes.count)
      let kind = Self.kind(of: aggregate, in: tables)
      kinds.append(kind)
      nodes.append(aggregate.node)
      switch kind {
      case .sum:
        kinds.append(.count)
        nodes += [aggregate.countOfValues].compactMap(\.self)
      case .average:
        kinds += [.sum, .count, .magnitude]
        nodes += [aggregate.sumOfValues, aggregate.countOfValues, aggregate.totalMagnitude]
          .compactMap(\.self)
      case .other: askedName = aggregate.name
      case .count, .extreme, .magnitude: break
      }
      return aggregate.node
    }
    firstClassCount = nodes.count
    nodes += groups.otherClassCounts
    kinds += groups.otherClassCounts.map { _ in .count }
    (self.kinds, self.nodes, self.places, self.askedName) = (kinds, nodes, places, askedName)
  }

  private static func kind(of aggregate: AggregateNode, in tables: [PlannedTable]) -> Kind {
    guard !aggregate.isDistinct else { return .other }
    switch aggregate.name {
    case "count": return .count
    case "sum" where tables.contains { $0.isInteger(aggregate.argument) }: return .sum
    case "avg" where tables.contains { $0.isInteger(aggregate.argument) }: return .average
    case "min", "max": return .extreme(isGreatest: aggregate.name == "max")
    default: return .other
    }
  }

  /// The values of the aggregates over no rows, such as 0 for `count`.
  var valuesOfNone: [DatabaseValue] {
    kinds.map { kind in
      switch kind {
      case .count: .integer(0)
      case .magnitude: .real(0)
      case .sum, .average, .extreme, .other: .null
      }
    }
  }

  /// Returns the values of a group after rows have left and joined the group; nil if the group must
  /// be evaluated again.
  ///
  /// - Parameters:
  ///   - held: the values of the group before; nil if the group had no rows.
  ///   - old: the values of the aggregates over the rows that left; nil if no row left.
  ///   - new: the values of the aggregates over the rows that joined; nil if no row joined.
  func values(
    after held: [DatabaseValue]?, without old: [DatabaseValue]?, with new: [DatabaseValue]?
  ) -> [DatabaseValue]? {
    guard let held else { return old == nil ? new : nil }
    var values = held
    // The values are updated from the last to the first, because the value of a `sum` or `avg`
    // depends on the new values of the aggregates that follow it.
    for index in kinds.indices.reversed() {
      let part = Part(held: held[index], old: old?[index] ?? .null, new: new?[index] ?? .null)
      let value =
        switch kinds[index] {
        case .count: part.sum
        case .sum: values[index + 1] == .integer(0) ? .null : part.sum
        case .average: Self.mean(values[index + 1], of: values[index + 2])
        case .magnitude: part.magnitude
        case .extreme(let isGreatest): part.extreme(isGreatest: isGreatest)
        case .other: DatabaseValue?.none
        }
      guard let value else { return nil }
      values[index] = value
    }
    return values
  }

  /// Returns whether a group with these aggregates has values that GROUP BY considers equal
  /// although they are not identical, such as 1 and 1.0.
  func haveEqualValues(_ values: [DatabaseValue]) -> Bool {
    PlannedGroups.hasEqualValues(values.first, values[firstClassCount...])
  }

  private static func mean(_ sum: DatabaseValue, of count: DatabaseValue) -> DatabaseValue? {
    switch (sum, count) {
    case (.null, _): return .null
    case (.integer(let sum), .integer(let count)): return .real(Double(sum) / Double(count))
    default: return nil
    }
  }

  /// One aggregate, calculated three times: over the rows that the group had before, over those
  /// that left, and over those that joined. Over no rows, the value is NULL.
  private struct Part {
    let held: DatabaseValue
    let old: DatabaseValue
    let new: DatabaseValue

    /// The new sum of integers; nil if a value is not an integer, or if the sum exceeds 64 bits.
    var sum: DatabaseValue? {
      guard let held = Self.integer(held), let old = Self.integer(old),
        let new = Self.integer(new)
      else { return nil }
      let (rest, overflowsRest) = held.subtractingReportingOverflow(old)
      let (sum, overflows) = rest.addingReportingOverflow(new)
      guard !overflowsRest, !overflows else { return nil }
      return .integer(sum)
    }

    private static func integer(_ value: DatabaseValue) -> Int64? {
      switch value {
      case .null: 0
      case .integer(let integer): integer
      default: nil
      }
    }

    var magnitude: DatabaseValue? {
      guard let held = Self.real(held), let old = Self.real(old), let new = Self.real(new),
        max(held, new) < 0x1p52, held - old + new < 0x1p53
      else { return nil }
      return .real(held - old + new)
    }

    private static func real(_ value: DatabaseValue) -> Double? {
      switch value {
      case .null: 0
      case .real(let real): real
      default: nil
      }
    }

    /// Returns the new least or greatest value; nil if a row with the extreme value left, or if a
    /// value that joined is equal to the extreme value but not identical.
    func extreme(isGreatest: Bool) -> DatabaseValue? {
      if old != .null, old.compare(held) == 0 { return nil }
      if new == .null { return held }
      if held == .null { return new }
      let order = new.compare(held)
      guard order != 0 || new == held else { return nil }
      return (order > 0) == isGreatest ? new : held
    }
  }
}

extension PlannedTable {
  /// Returns whether an expression is a column that the model declares as integer.
  fileprivate func isInteger(_ expression: ExpressionNode?) -> Bool {
    guard case .column(let column)? = expression, column.table == id else { return false }
    return layout.columns[Int(column.index)].storageClass == .integer
  }
}
