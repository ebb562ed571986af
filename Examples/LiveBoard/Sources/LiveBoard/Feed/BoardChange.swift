import Apus
import ApusHistory

/// What changed on the board, as HTML for the browser: the payload of the event `board`.
///
/// A change describes the new state, and not how the state was reached. So the page shows the right
/// state after it has applied the latest change, even if it has applied earlier changes twice or in
/// another order.
struct BoardChange: Encodable, Sendable {
  /// Whether the change has all lists and cards of the board. If so, the page removes all other
  /// lists and cards.
  var isComplete = false
  /// All lists in their order, if at least one list has changed; otherwise nil.
  var lists: [ListFrame]?
  /// The keys of the cards of each list whose cards have changed, in their order. The key of this
  /// dictionary is the key of the list.
  var orders: [String: [String]] = [:]
  /// The HTML of each card that changed, by its key.
  var cards: [String: String] = [:]
  /// The keys of the cards that are no longer on the board.
  var removed: [String] = []
  /// The chips of all tags, if one of them changed.
  var tags: String?

  struct ListFrame: Encodable, Sendable {
    var id: String
    var name: String
    var html: String
  }

  var isEmpty: Bool {
    !isComplete && lists == nil && orders.isEmpty && cards.isEmpty && removed.isEmpty && tags == nil
  }
}

/// The unread cards of one person: the payload of the event `unread`.
struct UnreadChange: Encodable, Sendable {
  var lists: [String: Int]
  var cards: [String]
}

/// The newest changes, as HTML: the payload of the event `activity`.
struct ActivityChange: Encodable, Sendable {
  var html: String
}

/// Whether one person can undo and redo something: the payload of the event `steps`.
struct StepsChange: Encodable, Equatable, Sendable {
  var canUndo: Bool
  var canRedo: Bool

  init(_ steps: HistorySteps?) {
    canUndo = steps?.undoable.isEmpty == false
    canRedo = steps?.redoable.isEmpty == false
  }
}

/// A problem with the data, which the page shows: the payload of the event `problem`. Once the
/// problem is solved, the message is nil.
struct ProblemChange: Encodable, Sendable {
  var message: String?
}
