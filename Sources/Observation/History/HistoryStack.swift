#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The steps of a history: those that can be undone, and those that can be redone.
///
/// To undo a step, its transactions are inverted, the last one first. The transactions that this
/// makes are those of the step from then on, and to redo it, they are inverted in turn.
struct HistoryStack<Transaction: Sendable>: Sendable {
  struct Step: Sendable {
    let step: HistoryStep
    var transactions: [Transaction]
  }

  /// The steps that can be undone, the oldest first.
  private(set) var done: [Step] = []
  /// The steps that can be redone; the one to redo first is the last.
  private(set) var undone: [Step] = []
  /// Whether the next transaction may join the last step.
  private var mayJoin = false
  let groupsByLabel: Bool
  let limit: Int

  init(groupsByLabel: Bool, limit: Int) {
    self.groupsByLabel = groupsByLabel
    self.limit = max(limit, 0)
  }

  /// Returns the step with a number, or without a number the next one; nil if there is none.
  func step(_ direction: HistoryDirection, _ id: Int64?) -> Step? {
    let steps = direction == .undo ? done : undone
    guard let id else { return steps.last }
    return steps.last { $0.step.id == id }
  }

  /// Adds a new transaction. What was undone before can no longer be redone.
  mutating func add(_ transaction: Transaction, _ step: HistoryStep) {
    undone = []
    if groupsByLabel, mayJoin, let last = done.last, let label = step.label,
      last.step.label == label, last.step.author == step.author
    {
      done[done.count - 1].transactions.append(transaction)
    } else {
      done.append(Step(step: step, transactions: [transaction]))
      if done.count > limit { done.removeFirst(done.count - limit) }
    }
    mayJoin = true
  }

  /// Moves a step after its transactions were inverted by another one.
  mutating func move(_ direction: HistoryDirection, _ id: Int64, with transactions: [Transaction]) {
    mayJoin = false
    func move(from: inout [Step], to: inout [Step]) {
      guard let index = from.lastIndex(where: { $0.step.id == id }) else { return }
      var step = from.remove(at: index)
      step.transactions = transactions
      to.append(step)
    }
    switch direction {
    case .undo: move(from: &done, to: &undone)
    case .redo: move(from: &undone, to: &done)
    }
  }

  mutating func removeAll() {
    self = HistoryStack(groupsByLabel: groupsByLabel, limit: limit)
  }
}

extension HistoryStack where Transaction == Int64 {
  /// Follows a transaction that inverts one of another number. Returns false if that one belongs to
  /// no step.
  mutating func invert(_ target: Int64, by transaction: Int64) -> Bool {
    mayJoin = false
    func move(from: inout [Step], to: inout [Step]) -> Bool {
      guard let index = from.lastIndex(where: { $0.transactions.contains(target) }) else {
        return false
      }
      let step = from[index].step
      from[index].transactions.removeAll { $0 == target }
      if from[index].transactions.isEmpty { from.remove(at: index) }
      if let last = to.last, last.step.id == step.id {
        to[to.count - 1].transactions.append(transaction)
      } else {
        to.append(Step(step: step, transactions: [transaction]))
      }
      return true
    }
    return move(from: &done, to: &undone) || move(from: &undone, to: &done)
  }

  /// Removes the steps with transactions up to a number, which were purged.
  mutating func remove(upTo end: Int64) {
    done.removeAll { $0.transactions.contains { $0 <= end } }
    undone.removeAll { $0.transactions.contains { $0 <= end } }
  }
}
