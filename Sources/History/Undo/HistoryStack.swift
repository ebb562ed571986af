/// The steps of a history: the steps that can be undone, and the steps that can be redone.
///
/// To undo a step, its transactions are reversed by new transactions, the last one first. The new
/// transactions then take the place of the old ones in the step. To redo the step, the new
/// transactions are reversed in turn.
struct HistoryStack<Transaction: Sendable>: Sendable {
  /// A transaction of a step. After a history in memory has undone or redone a step, the step has
  /// only one member: the transaction that undid or redid the step.
  struct Member: Sendable {
    /// The id, label, author, date and end that the step would have if this transaction were its
    /// only member.
    let step: HistoryStep
    var transaction: Transaction
  }

  struct Step: Sendable {
    /// The transactions of the step, in the order in which they were made; at least one.
    var members: [Member]
    /// The number that the step had when it was added. If parts of the step are undone separately,
    /// each part keeps this number, so that the parts can be joined again.
    let group: Int64

    var step: HistoryStep {
      let (first, last) = (members[0].step, members[members.count - 1].step)
      return HistoryStep(
        id: first.id, label: first.label, author: first.author, date: first.date, last: last.last)
    }
  }

  /// The steps that can be undone, the oldest first.
  private(set) var done: [Step] = []
  /// The steps that can be redone; the next one to redo is the last.
  private(set) var undone: [Step] = []
  /// Whether the next transaction may join the last step.
  private var mayJoin = false
  let groupsByLabel: Bool
  let limit: Int

  init(groupsByLabel: Bool, limit: Int) {
    self.groupsByLabel = groupsByLabel
    self.limit = max(limit, 0)
  }

  /// Returns the given step. If no step is given, returns the next step for the action. Returns nil
  /// if there is no such step.
  ///
  /// Transactions that have joined the step since the caller received it are left out.
  func step(_ action: HistoryAction, _ given: HistoryStep?) -> Step? {
    guard let given else { return (action == .redo ? undone : done).last }
    let steps =
      switch action {
      case .undo: done
      case .redo: undone
      case .skip: done + undone
      }
    for var step in steps.reversed() where step.members[0].step.id == given.id {
      guard let end = step.members.firstIndex(where: { $0.step.last == given.last }) else {
        continue
      }
      step.members.removeSubrange((end + 1)...)
      return step
    }
    return nil
  }

  /// Adds a new transaction. Steps that were undone before can no longer be redone.
  mutating func add(_ transaction: Transaction, _ step: HistoryStep) {
    undone = []
    let member = Member(step: step, transaction: transaction)
    if groupsByLabel, mayJoin, let last = done.last?.step, let label = step.label,
      last.label == label, last.author == step.author
    {
      done[done.count - 1].members.append(member)
    } else {
      done.append(Step(members: [member], group: step.id))
      if done.count > limit { done.removeFirst(done.count - limit) }
    }
    mayJoin = true
  }

  /// Moves a step from the done to the undone steps, or from the undone to the done steps, after
  /// `transaction` has reversed it. If `transaction` is nil, the step is only removed. This is so
  /// if the step is skipped, or if reversing it changed nothing.
  mutating func move(_ action: HistoryAction, _ step: Step, with transaction: Transaction?) {
    mayJoin = false
    let given = step.step
    for isDone in [true, false] where action == .skip || isDone == (action == .undo) {
      remove(given, from: isDone ? \.done : \.undone)
    }
    guard let transaction, action != .skip else { return }
    let moved = Step(
      members: [Member(step: given, transaction: transaction)], group: step.group)
    if action == .undo { undone.append(moved) } else { done.append(moved) }
  }

  private mutating func remove(_ given: HistoryStep, from steps: WritableKeyPath<Self, [Step]>) {
    guard
      let index = self[keyPath: steps].lastIndex(where: { $0.members[0].step.id == given.id }),
      let end = self[keyPath: steps][index].members.firstIndex(where: { $0.step.last == given.last }
      )
    else { return }
    self[keyPath: steps][index].members.removeSubrange(...end)
    if self[keyPath: steps][index].members.isEmpty { self[keyPath: steps].remove(at: index) }
  }

  mutating func removeAll() {
    self = HistoryStack(groupsByLabel: groupsByLabel, limit: limit)
  }
}

extension HistoryStack where Transaction == Int64 {
  /// Moves the transaction `target` from the done to the undone steps, or from the undone to the
  /// done steps, after another transaction has reversed it. Returns false if `target` belongs to no
  /// step.
  ///
  /// - Parameter isEmpty: whether the reversing transaction changed nothing. Then `target` is
  ///   removed, because there is nothing to reverse again.
  mutating func invert(_ target: Int64, by transaction: Int64, isEmpty: Bool) -> Bool {
    for isUndo in [true, false] {
      let from: WritableKeyPath<Self, [Step]> = isUndo ? \.done : \.undone
      guard
        let index = self[keyPath: from].lastIndex(where: { step in
          step.members.contains { $0.transaction == target }
        }),
        let place = self[keyPath: from][index].members.firstIndex(where: {
          $0.transaction == target
        })
      else { continue }
      mayJoin = false
      let group = self[keyPath: from][index].group
      var member = self[keyPath: from][index].members.remove(at: place)
      if self[keyPath: from][index].members.isEmpty { self[keyPath: from].remove(at: index) }
      guard !isEmpty else { return true }
      member.transaction = transaction
      append(member, of: group, to: isUndo ? \.undone : \.done, isUndo: isUndo)
      return true
    }
    return false
  }

  /// Adds a transaction to the undone or done steps. If the last of these steps has other
  /// transactions of the same original step, the new transaction joins them. Transactions are
  /// undone from the last to the first, and redone from the first to the last. So after an undo,
  /// the new transaction becomes the first of the step, and after a redo, the last.
  private mutating func append(
    _ member: Member, of group: Int64, to steps: WritableKeyPath<Self, [Step]>, isUndo: Bool
  ) {
    let count = self[keyPath: steps].count
    guard let last = self[keyPath: steps].last, last.group == group,
      isUndo ? member.step.id < last.step.id : member.step.id > last.step.last.number
    else {
      self[keyPath: steps].append(Step(members: [member], group: group))
      return
    }
    self[keyPath: steps][count - 1].members.insert(member, at: isUndo ? 0 : last.members.count)
  }

  /// Removes each step that has a transaction with a number up to `end`, because these transactions
  /// were purged from the log.
  mutating func remove(upTo end: Int64) {
    done.removeAll { $0.members.contains { $0.transaction <= end } }
    undone.removeAll { $0.members.contains { $0.transaction <= end } }
  }
}
