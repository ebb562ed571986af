import SQLCore

/// The rows that a transaction changed so far, with marks to which it may be cut back.
struct EventLog {
  private(set) var events: [RowEvent] = []
  private var savepoints: [(name: String, mark: Int)] = []
  private var running: [(statement: StatementPointer, mark: Int)] = []

  mutating func append(_ event: RowEvent) { events.append(event) }

  /// Forgets everything: the transaction ended.
  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    savepoints.removeAll(keepingCapacity: true)
  }

  // MARK: Statements

  mutating func begin(_ statement: StatementPointer) {
    running.append((statement, events.count))
  }

  /// Where the log stood when the statement took its first step.
  mutating func end(_ statement: StatementPointer) -> Int? {
    guard let index = running.lastIndex(where: { $0.statement == statement }) else { return nil }
    return running.remove(at: index).mark
  }

  mutating func cut(to mark: Int) {
    guard mark < events.count else { return }
    events.removeSubrange(mark...)
  }

  func events(since mark: Int) -> ArraySlice<RowEvent> {
    events[Swift.min(mark, events.count)...]
  }

  // MARK: Savepoints

  /// Does what a statement did that opened, released or rolled back to a savepoint.
  mutating func apply(_ action: SavepointAction) {
    switch action {
    case .open(let name):
      savepoints.append((name, events.count))
    case .release(let name):
      guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return }
      savepoints.removeSubrange(index...)
    case .rollBack(let name):
      // The savepoint itself stays open.
      guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return }
      cut(to: savepoints[index].mark)
      savepoints.removeSubrange((index + 1)...)
    }
  }
}
