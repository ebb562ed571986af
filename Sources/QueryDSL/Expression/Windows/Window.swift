import SQLCore

/// The rows that an aggregate or a window function uses for the current row: the partition, its
/// order, and the frame around the current row.
///
/// ```swift
/// track.$plays.sum().over(
///   .partition(by: track.$genre).order(by: track.$id).rows(.preceding(3), .currentRow))
/// // sum("plays") OVER (PARTITION BY "genre" ORDER BY "id"
/// //   ROWS BETWEEN ? PRECEDING AND CURRENT ROW)
/// ```
/// - SeeAlso: <https://www.sqlite.org/windowfunctions.html>
public struct Window: Sendable {
  var node = WindowSpecification()

  /// All rows of the result as one partition. SQL: `OVER ()`
  public static let all = Window()

  /// Makes a window of the rows in which these expressions have the same values as in the current
  /// row.
  /// SQL: `PARTITION BY a, b`
  public static func partition<each Value: ColumnValue>(
    by expressions: repeat SQLExpression<each Value>
  ) -> Window {
    all.partition(by: repeat each expressions)
  }

  /// Makes a window that sorts the rows. Unless you set a frame, an aggregate over this window uses
  /// the rows from the first row to the current row and its peers.
  /// SQL: `ORDER BY a`
  ///
  /// The *peers* of a row are the rows with the same ORDER BY values.
  public static func order<Value: ColumnValue>(
    by expression: SQLExpression<Value>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Window {
    all.order(by: expression, direction, nulls: nulls)
  }

  /// Restricts the window to the rows in which these expressions have the same values as in the
  /// current row.
  /// SQL: `PARTITION BY a, b`
  public func partition<each Value: ColumnValue>(
    by expressions: repeat SQLExpression<each Value>
  ) -> Window {
    var window = self
    for expression in repeat each expressions {
      window.node.partition.append(expression.collatedNode)
    }
    return window
  }

  /// Adds an expression to the order, after the existing expressions. SQL: `ORDER BY a`
  public func order<Value: ColumnValue>(
    by expression: SQLExpression<Value>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Window {
    var window = self
    window.node.order.append(
      SelectStatement.OrderTerm(expression.collatedNode, direction, nulls))
    return window
  }

  /// Sets the frame by numbers of rows before and after the current row.
  /// SQL: `ROWS BETWEEN … AND …`
  ///
  /// Rendering the query throws `QueryError` if the window already has a frame, if a number is
  /// negative, or if the frame ends before it starts, as in `.rows(.currentRow, .preceding(1))`.
  /// The numbers of two `preceding` bounds, or of two `following` bounds, are not compared. So
  /// `.rows(.preceding(1), .preceding(2))` is allowed, and is an empty frame. The same rules hold
  /// for `range` and `groups`.
  public func rows(_ start: FrameBound, _ end: FrameBound) -> Window {
    framed(.rows, start, end)
  }

  /// Sets the frame by the distance of a row's ORDER BY value from the current row's value. If a
  /// bound has an offset, as `.preceding(3)` has, the window must have exactly one ORDER BY
  /// expression.
  /// SQL: `RANGE BETWEEN … AND …`
  public func range(_ start: FrameBound, _ end: FrameBound) -> Window {
    framed(.range, start, end)
  }

  /// Sets the frame by numbers of groups before and after the current row's group. Rows with the
  /// same ORDER BY values are a group.
  /// SQL: `GROUPS BETWEEN … AND …`
  public func groups(_ start: FrameBound, _ end: FrameBound) -> Window {
    framed(.groups, start, end)
  }

  /// Excludes some rows from the frame. SQL: `EXCLUDE …`
  ///
  /// The call must follow `rows`, `range` or `groups`; otherwise it throws `QueryError` when the
  /// query is rendered.
  public func exclude(_ exclusion: FrameExclusion) -> Window {
    var window = self
    if window.node.frame == nil {
      window.node.problem = QueryError("EXCLUDE must follow ROWS, RANGE or GROUPS")
    }
    window.node.frame?.exclusion = exclusion.token
    return window
  }

  private func framed(_ unit: SQLToken, _ start: FrameBound, _ end: FrameBound) -> Window {
    var window = self
    if window.node.frame != nil {
      window.node.problem = QueryError("a window's frame is given twice")
    }
    if start.rank > end.rank || start == .unboundedFollowing || end == .unboundedPreceding {
      window.node.problem = QueryError("a window's frame ends before it starts")
    }
    for case .preceding(let count) in [start, end] where count < 0 {
      window.node.problem = QueryError("an offset of a window's frame is negative: \(count)")
    }
    for case .following(let count) in [start, end] where count < 0 {
      window.node.problem = QueryError("an offset of a window's frame is negative: \(count)")
    }
    window.node.frame = WindowSpecification.Frame(unit: unit, start: start, end: end)
    return window
  }
}

/// A window in a tree of expressions: its partition, its order and its frame.
@usableFromInline
package struct WindowSpecification: Sendable {
  struct Frame: Sendable {
    let unit: SQLToken
    let start: FrameBound
    let end: FrameBound
    var exclusion: SQLToken?
  }

  var partition: [ExpressionNode] = []
  var order: ShortList<SelectStatement.OrderTerm> = .none
  var frame: Frame?
  var problem: QueryError?

  func write(to writer: inout ShapeWriter) {
    if let problem { writer.fail(problem) }
    writer.token(.open)
    if !partition.isEmpty {
      writer.token(.partitionBy)
      ExpressionNode.write(partition, to: &writer)
    }
    if !order.isEmpty {
      if !partition.isEmpty { writer.token(.space) }
      writer.token(.windowOrderBy)
      SelectStatement.OrderTerm.write(order, to: &writer)
    }
    if let frame {
      if !partition.isEmpty || !order.isEmpty { writer.token(.space) }
      writer.token(frame.unit)
      frame.start.write(to: &writer)
      writer.token(.and)
      frame.end.write(to: &writer)
      if let exclusion = frame.exclusion { writer.token(exclusion) }
    }
    writer.token(.close)
  }
}

/// The operand of OVER: a window, or the name of a window that the query defines.
@usableFromInline
package enum WindowNode: Sendable {
  indirect case specification(WindowSpecification)
  case named(String)

  func write(to writer: inout ShapeWriter) {
    switch self {
    case .specification(let specification): specification.write(to: &writer)
    case .named(let name): writer.windowName(name)
    }
  }
}

/// The start or the end of a window's frame.
///
/// ```swift
/// let sums = Player.select {
///   $0.$points.sum().over(.order(by: $0.$id).rows(.preceding(2), .currentRow))
/// }
/// ```
public enum FrameBound: Hashable, Sendable {
  /// The first row of the partition.
  case unboundedPreceding
  /// A number of rows before the current row. In a call of `groups`, it is a number of groups. In a
  /// call of `range`, it is a distance between ORDER BY values.
  case preceding(Int)
  /// The current row.
  case currentRow
  /// A number of rows after the current row. In a call of `groups`, it is a number of groups. In a
  /// call of `range`, it is a distance between ORDER BY values.
  case following(Int)
  /// The last row of the partition.
  case unboundedFollowing

  var rank: Int {
    switch self {
    case .unboundedPreceding: 0
    case .preceding: 1
    case .currentRow: 2
    case .following: 3
    case .unboundedFollowing: 4
    }
  }
}

extension FrameBound {
  func write(to writer: inout ShapeWriter) {
    switch self {
    case .unboundedPreceding: writer.token(.unboundedPreceding)
    case .preceding(let count):
      writer.value(BoundValue(count))
      writer.token(.preceding)
    case .currentRow: writer.token(.currentRow)
    case .following(let count):
      writer.value(BoundValue(count))
      writer.token(.following)
    case .unboundedFollowing: writer.token(.unboundedFollowing)
    }
  }
}

/// The rows that are excluded from a frame.
public enum FrameExclusion: Sendable {
  /// The current row.
  case currentRow
  /// The current row and its peers.
  case group
  /// The peers of the current row, but not the row itself.
  case ties

  var token: SQLToken {
    switch self {
    case .currentRow: .excludeCurrentRow
    case .group: .excludeGroup
    case .ties: .excludeTies
    }
  }
}
