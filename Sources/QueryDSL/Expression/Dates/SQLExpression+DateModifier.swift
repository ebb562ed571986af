import SQLCore

// SQLite's modifiers are applied to whole seconds. The fraction of the stored date is added to the
// result, unless a step goes to the start of a day. A step of milliseconds is added to the date in
// its own form, between the others.
// https://www.sqlite.org/lang_datefunc.html#modifiers

/// One step of whole seconds.
struct DateStep: Sendable {
  /// The modifier of SQLite's.
  let node: ExpressionNode
  let overflow: MonthOverflow
}

/// Steps that depend on the calendar of a time zone, or that do not.
struct DateSteps: Sendable {
  let steps: [DateStep]
  let isDuration: Bool
  var startsDay = false

  init(_ steps: [DateStep], isDuration: Bool) {
    self.steps = steps
    self.isDuration = isDuration
  }

  init(_ modifiers: ArraySlice<DateModifier>) {
    steps = modifiers.map {
      DateStep(node: .value(BoundValue($0.text)), overflow: $0.overflow)
    }
    isDuration = modifiers.first?.isDuration ?? true
    startsDay = modifiers.contains(where: \.startsDay)
  }
}

extension SQLExpression where Value: DateColumnValue {
  func modified(by modifiers: [DateModifier], in zone: SQLTimeZone) -> SQLExpression {
    guard !modifiers.isEmpty else { return moved(by: [], in: zone) }
    var date = self
    for run in modifiers[...].runs(by: { $0.milliseconds != nil }) {
      if run.first?.milliseconds == nil {
        // In UTC, lengths of time and steps of the calendar are the same.
        let groups = zone == .utc ? [run] : run.runs(by: \.isDuration)
        date = date.moved(by: groups.map { DateSteps($0) }, in: zone)
      } else {
        for milliseconds in run.compactMap(\.milliseconds) {
          date = date.moved(byMilliseconds: .value(BoundValue(milliseconds)))
        }
      }
    }
    return date
  }

  /// Applies steps of whole seconds.
  func moved(by groups: [DateSteps], in zone: SQLTimeZone) -> SQLExpression {
    var seconds = wholeSeconds
    if groups.isEmpty { seconds = seconds.moved(by: []) }
    for group in groups {
      seconds =
        group.isDuration
        ? seconds.moved(by: group.steps)
        : zone.utc(zone.local(seconds).moved(by: group.steps), isStart: group.startsDay)
    }
    let startsDay = groups.contains(where: \.startsDay)
    return SQLExpression(
      form.dateNode(fromSeconds: seconds, restOf: startsDay ? nil : (node, wholeSeconds)),
      form: form)
  }

  func moved(byMilliseconds count: ExpressionNode) -> SQLExpression {
    SQLExpression(form.dateNode(node, movedByMilliseconds: count), form: form)
  }
}

extension ExpressionNode {
  /// Applies steps to whole seconds since 1970.
  fileprivate func moved(by steps: [DateStep]) -> ExpressionNode {
    guard let floor = steps.firstIndex(where: { $0.overflow == .floor }) else {
      return seconds(after: steps.map(\.node))
    }
    let start = floor > 0 ? seconds(after: steps[..<floor].map(\.node)) : self
    let moved = start.movedToLastDay(by: steps[floor].node)
    let rest = Array(steps[(floor + 1)...])
    return rest.isEmpty ? moved : moved.moved(by: rest)
  }

  private func seconds(after steps: [ExpressionNode]) -> ExpressionNode {
    .cast(
      .function("strftime", [.constant("'%s'"), self, .constant("'unixepoch'")] + steps), .integer)
  }

  /// Applies a step of months or years. If the month does not have the day, the result is later
  /// than the same time on its last day, which is then the result.
  ///
  /// SQLite has no month after December 9999, so the last day of that month is NULL. Since the month
  /// has every day, the date that was moved is the result.
  private func movedToLastDay(by step: ExpressionNode) -> ExpressionNode {
    let lastDay = seconds(
      after: [
        .constant("'start of month'"), step, .constant("'+1 months'"), .constant("'-1 days'"),
      ])
    let time = ExpressionNode.binary(.minus, self, seconds(after: [.constant("'start of day'")]))
    let moved = seconds(after: [step])
    return .function(
      "ifnull", [.function("min", [moved, .binary(.plus, lastDay, time)]), moved])
  }
}

extension ArraySlice<DateModifier> {
  /// Splits the steps into the longest parts whose steps are alike.
  fileprivate func runs(by isAlike: (DateModifier) -> Bool) -> [ArraySlice<DateModifier>] {
    guard let first else { return [] }
    let value = isAlike(first)
    let end = firstIndex { isAlike($0) != value } ?? endIndex
    return [self[..<end]] + self[end...].runs(by: isAlike)
  }
}
