import SQLCore

// A date is a moment; its day and hour depend on the time zone. The functions here convert the
// moment to the seconds that a clock in the zone shows, apply SQLite's date function to these, and
// convert the result back if it is a date.
// https://www.sqlite.org/lang_datefunc.html

extension SQLExpression where Value: DateColumnValue {
  /// Returns a part of the date in a time zone.
  ///
  /// ```swift
  /// Post.where { $0.$createdAt.component(.hour, in: .localTime) < 12 }
  /// // … WHERE CAST(strftime('%H', apus_local(…, ?), 'unixepoch') AS INTEGER) < ?
  /// ```
  /// A date outside the years 0 to 9999 gives NULL, and reading that as an `Int` throws
  /// `ColumnValueError`. An unknown time zone throws `QueryError`.
  public func component(
    _ component: DateComponent, in zone: SQLTimeZone
  ) -> SQLExpression<Value.DateComponentResult> {
    SQLExpression<Value.DateComponentResult>(
      .cast(formatted(.constant("'\(component.rawValue)'"), in: zone), .integer))
  }

  /// Formats the date as text in a time zone, by a format of SQLite's.
  /// SQL: `strftime(?, apus_local(…, ?), 'unixepoch')`
  ///
  /// A date outside the years 0 to 9999 gives NULL, and reading that as a `String` throws
  /// `ColumnValueError`. An unknown time zone throws `QueryError`.
  public func strftime(
    _ format: String, in zone: SQLTimeZone
  ) -> SQLExpression<Value.DateTextResult> {
    SQLExpression<Value.DateTextResult>(formatted(.value(BoundValue(format)), in: zone))
  }

  /// Returns the day in a time zone as text, such as `2026-11-21`. Use it to group rows by day.
  ///
  /// ```swift
  /// Post.select { ($0.$createdAt.day(in: .localTime), $0.count()) }
  ///   .group { $0.$createdAt.day(in: .localTime) }
  /// // SELECT strftime('%Y-%m-%d', apus_local(…, ?), 'unixepoch'), count(*) FROM "Post" GROUP BY …
  /// ```
  /// A date outside the years 0 to 9999 gives NULL, and reading that as a `String` throws
  /// `ColumnValueError`. An unknown time zone throws `QueryError`.
  public func day(in zone: SQLTimeZone) -> SQLExpression<Value.DateTextResult> {
    SQLExpression<Value.DateTextResult>(formatted(.constant("'%Y-%m-%d'"), in: zone))
  }

  /// Returns the moment at which the day of the date begins in a time zone. That is midnight, or
  /// the first moment after it if the clocks skip midnight.
  ///
  /// ```swift
  /// Post.where { $0.$createdAt.startOfDay(in: "Europe/Berlin") == day }
  /// ```
  /// The result is stored in the date's form. A date outside the years 0 to 9999 gives NULL, and
  /// reading that as a `Date` throws `ColumnValueError`. An unknown time zone throws `QueryError`.
  public func startOfDay(in zone: SQLTimeZone) -> SQLExpression {
    modified(by: [.startOfDay], in: zone)
  }

  /// Applies steps to the date, one after another, in a time zone. The result is stored in the
  /// date's form.
  ///
  /// ```swift
  /// Post.where { $0.$createdAt > .currentTimestamp.modified(by: .startOfMonth, in: .localTime) }
  /// ```
  /// Days, months and years are those of the zone's calendar: `.days(1)` is the same time on the
  /// next day, after 23 to 25 hours. If the clocks skip the resulting time, it is later by the
  /// skipped length: 2:30 becomes 3:30. If the time occurs twice, the result is the first of the
  /// two. Hours, minutes and seconds are lengths of time.
  ///
  /// A date outside the years 0 to 9999 gives NULL, and reading that as a `Date` throws
  /// `ColumnValueError`. An unknown time zone throws `QueryError`.
  public func modified(by modifiers: DateModifier..., in zone: SQLTimeZone) -> SQLExpression {
    modified(by: modifiers, in: zone)
  }

  func modified(by modifiers: [DateModifier], in zone: SQLTimeZone) -> SQLExpression {
    let startsDay = modifiers.contains(where: \.startsDay)
    var seconds = wholeSeconds
    for steps in modifiers.grouped(in: zone) {
      seconds =
        steps.first?.isDuration ?? true
        ? seconds.moved(by: steps.map(\.node))
        : zone.utc(
          zone.local(seconds).moved(by: steps.map(\.node)),
          isStart: steps.contains(where: \.startsDay))
    }
    return SQLExpression(
      form.dateNode(fromSeconds: seconds, restOf: startsDay ? nil : (node, wholeSeconds)),
      form: form)
  }

  /// Moves the date by a number of units that is an expression, such as a column. The result is
  /// stored in the date's form.
  ///
  /// ```swift
  /// Loan.where { $0.$begin.modified(by: $0.$length, .days) < now }
  /// // … CAST(strftime('%s', …, 'unixepoch', "length" || ' days') …
  /// ```
  /// Days, months and years are those of the zone's calendar, as with other modifiers. An amount
  /// that is NULL, and a result outside the years 0 to 9999, give NULL.
  public func modified(
    by amount: SQLExpression<Int>, _ unit: DateUnit, in zone: SQLTimeZone = .utc
  ) -> SQLExpression {
    let step = ExpressionNode.binary(.concat, amount.node, .constant("' \(unit.rawValue)'"))
    let seconds =
      unit.isDuration || zone == .utc
      ? wholeSeconds.moved(by: [step])
      : zone.utc(zone.local(wholeSeconds).moved(by: [step]), isStart: false)
    return SQLExpression(
      form.dateNode(fromSeconds: seconds, restOf: (node, wholeSeconds)), form: form)
  }

  private func formatted(_ format: ExpressionNode, in zone: SQLTimeZone) -> ExpressionNode {
    .function("strftime", [format, zone.local(wholeSeconds), .constant("'unixepoch'")])
  }
}

extension ExpressionNode {
  /// Applies steps to whole seconds since 1970.
  fileprivate func moved(by steps: [ExpressionNode]) -> ExpressionNode {
    .cast(
      .function(
        "strftime",
        [.constant("'%s'"), self, .constant("'unixepoch'")] + steps),
      .integer)
  }
}

extension DateModifier {
  fileprivate var node: ExpressionNode { .value(BoundValue(text)) }
}

extension [DateModifier] {
  /// Splits the steps into groups: those that are lengths of time, and those that the calendar of
  /// the zone determines. In UTC there is no difference, so all of them are one group.
  fileprivate func grouped(in zone: SQLTimeZone) -> [ArraySlice<DateModifier>] {
    guard zone != .utc, !isEmpty else { return [self[...]] }
    var groups: [ArraySlice<DateModifier>] = []
    var start = startIndex
    for index in indices.dropFirst() where self[index].isDuration != self[start].isDuration {
      groups.append(self[start..<index])
      start = index
    }
    return groups + [self[start...]]
  }
}
