import ApusHistory
import ChangeObservation
import QueryDSL
import TestRun
import Testing

@Suite("Undo managers", .needs(.preUpdateHook))
@MainActor
struct UndoRegistryTests {
  /// The two stacks of an undo manager.
  private final class Registry: UndoRegistry {
    private(set) var undo: [(name: String?, action: @MainActor () -> Void)] = []
    private(set) var redo: [(name: String?, action: @MainActor () -> Void)] = []
    private var isUndoing = false

    func registerUndo(named name: String?, _ action: @escaping @MainActor () -> Void) {
      if isUndoing { redo.append((name, action)) } else { undo.append((name, action)) }
    }

    func undoLast() {
      isUndoing = true
      defer { isUndoing = false }
      undo.popLast()?.action()
    }

    func redoLast() { redo.popLast()?.action() }
  }

  @Test("an undo manager undoes and redoes a step again and again, and hears of a conflict")
  func register() throws {
    let db = try Board.database()
    let history = try Board.history(of: db)
    let registry = Registry()
    var errors = 0
    func names() throws -> [String] { try Board.state(db).lists.map(\.name) }
    try history.write(label: "Add") { try $0.insert(Board.List(id: 1, name: "one")) }
    let step = try #require(try history.steps().undoable.last)
    history.register(step, with: registry) { _ in errors += 1 }
    #expect(registry.undo.map(\.name) == ["Add"])
    for _ in 0..<2 {
      registry.undoLast()
      #expect(try names() == [])
      registry.redoLast()
      #expect(try names() == ["one"])
    }
    try db.execute("UPDATE List SET name = 'two'")
    registry.undoLast()
    #expect(errors == 1)
    #expect(registry.undo.isEmpty && registry.redo.isEmpty)
    #expect(try names() == ["two"])
  }
}
