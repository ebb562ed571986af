#if canImport(Darwin)
  import Foundation
#endif

/// A stack of undo actions of a user interface, such as Foundation's `UndoManager`.
@MainActor
public protocol UndoRegistry: AnyObject {
  /// Registers an undo action. If another undo action is running, the registered action becomes a
  /// redo action.
  func registerUndo(named name: String?, _ action: @escaping @MainActor () -> Void)
}

#if canImport(Darwin)
  extension UndoManager: UndoRegistry {
    /// Registers an action under a name, which menus show.
    public func registerUndo(named name: String?, _ action: @escaping @MainActor () -> Void) {
      registerUndo(withTarget: self) { _ in MainActor.assumeIsolated { action() } }
      if let name { setActionName(name) }
    }
  }
#endif

extension History {
  /// Registers the undo of a step with an undo manager, under the label of the step.
  ///
  /// ```
  /// try history.write(label: "Rename") { tx in … }
  /// if let step = try history.steps().undoable.last {
  ///   history.register(step, with: undoManager) { error in … }
  /// }
  /// ```
  /// When the user chooses Undo, the step is undone, and a redo is registered. When the user
  /// chooses Redo, the undo is registered again. The main thread waits for each of these writes. An
  /// error, such as a conflict, is passed to `onError`, and no further action is registered.
  @MainActor
  public func register(
    _ step: HistoryStep, with registry: some UndoRegistry,
    onError: @escaping @MainActor (any Error) -> Void
  ) {
    register(.undo, step, with: registry, onError)
  }

  @MainActor
  private func register<Registry: UndoRegistry>(
    _ action: HistoryAction, _ step: HistoryStep, with registry: Registry,
    _ onError: @escaping @MainActor (any Error) -> Void
  ) {
    registry.registerUndo(named: step.label) { [weak registry] in
      do {
        if action == .undo { try self.undo(step) } else { try self.redo(step) }
      } catch {
        return onError(error)
      }
      guard let registry else { return }
      self.register(action == .undo ? .redo : .undo, step, with: registry, onError)
    }
  }
}
