private let a: Database = unavailable()
private let b: Database = unavailable()
@MainActor private let undoManager: any UndoRegistry = unavailable()
private let history: History = unavailable()
