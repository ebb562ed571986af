import ChangeObservation
import QueryDSL
import SQLCore

/// Undo and redo of transactions that changed the tables of some models.
///
/// ```swift
/// let history = try History(of: [Post.self, Comment.self], in: db)
/// try db.write(label: "Rename") { tx in … }
/// try history.undo()                        // the rows are as they were before
/// try history.redo()
/// ```
///
/// An undo is a new transaction, which observers and the change log receive like any other. The
/// undo restores the columns that the step changed. If one of these columns has changed in the
/// meantime, there is a conflict: `ChangeConflicts` is thrown and nothing is changed, unless a
/// policy decides otherwise. A change of other columns is not a conflict. Any step can be undone,
/// not only the last one.
///
/// In the tables of the models, an undo runs no foreign key actions. It also fires none of your
/// triggers, except temporary ones. The step already has the changes that these actions and
/// triggers made. So list all models whose rows belong together. In other tables, foreign key
/// actions run. If the undo changes the key of a row, the rows that refer to this row get its new
/// key. If the history does not show which key the row has now, there is a conflict.
public final class History: Sendable {
  private let database: Database
  private let source: any HistorySource
  private let tracker: ChangeTracker?
  private let subscription: UInt64?
  /// The author whose transactions are in the history; nil for all authors.
  public let author: String?

  /// Creates a history in memory. It has the transactions that are made through this database from
  /// now on.
  ///
  /// The history is empty at first, and its steps are lost when the object is released.
  /// Transactions of other programs are not part of the history. If a write changes more rows than
  /// can be recorded (`Configuration.maximumTrackedRows`), the history loses all its steps.
  ///
  /// Throws `ModelError` if a model is a view. Throws `DatabaseError` if SQLite was built without
  /// the pre-update hook; then use a history over the change log. Each change of a row in the
  /// tables is recorded, which costs as much as an observer of these tables.
  ///
  /// - Parameters:
  ///   - author: the author whose transactions are in the history, as set by `history.write` or
  ///     `tx.setLogAuthor`; nil for all authors.
  ///   - groupsByLabel: whether to join consecutive transactions with the same label into one step,
  ///     such as the transactions of typing. Otherwise each transaction is a step.
  ///   - limit: the number of steps that can be undone.
  public init(
    of models: [any Model.Type], in database: Database, author: String? = nil,
    groupsByLabel: Bool = false, limit: Int = 100
  ) throws {
    try SQLiteLibrary.Feature.preUpdateHook.require(for: "a history in memory")
    let tables = try Set(models.map { QualifiedTableName(try $0.storedTableName) })
    let recorder = HistoryRecorder(
      tables, HistoryOptions(author: author, groupsByLabel: groupsByLabel, limit: limit))
    self.database = database
    self.author = author
    source = recorder
    tracker = ChangeTracker.of(database)
    let interests = Dictionary(
      uniqueKeysWithValues: tables.map { ($0, Subscription.Interest(columns: nil, keys: nil)) })
    subscription = tracker?.add(Subscription(tables: interests, queue: recorder))
    if database.isClosed { recorder.end() }
  }

  /// Creates a history over the transactions in the change log, including transactions from before
  /// a restart and transactions of other programs.
  ///
  /// All models must be logged. The first use reads the whole log; each later use reads only the
  /// entries that were added. Transactions from another database, transactions before a `gap` and
  /// purged transactions are not part of the history. The undo of a transaction that was already
  /// purged is not a step, either.
  ///
  /// Throws `ModelError` if a model is a view. `steps()`, `undo()` and `redo()` throw
  /// `LogError.noLog` if the database has no log. They throw `LogError.unknownPosition` if the file
  /// was restored and no longer has the steps. In this case, create a new history, which has the
  /// steps of the restored file.
  ///
  /// - Parameters:
  ///   - position: the position in the log after which the history begins. If another history
  ///     undoes an earlier transaction, the undo is not a step of this history.
  ///   - author: the author whose transactions are in the history; nil for all authors.
  ///   - groupsByLabel: whether to join consecutive transactions with the same label into one step,
  ///     such as the transactions of typing. Otherwise each transaction is a step.
  ///   - limit: the number of steps that can be undone.
  public init(
    of models: [any Model.Type], inLogOf database: Database, after position: LogPosition = .start,
    author: String? = nil, groupsByLabel: Bool = false, limit: Int = 100
  ) throws {
    let tables = try Set(models.map { try $0.storedTableName.lowercasedASCII })
    let history = LoggedHistory(
      tables, after: position,
      HistoryOptions(author: author, groupsByLabel: groupsByLabel, limit: limit))
    self.database = database
    self.author = author
    source = history
    tracker = ChangeTracker.of(database)
    let interest = Subscription.Interest(columns: ["sequence"], keys: nil)
    subscription = tracker?.watch(
      Subscription(tables: [QualifiedTableName(ChangeLog.entryTable): interest], queue: history),
      in: database)
  }

  deinit {
    if let subscription { tracker?.remove(subscription) }
  }

  // MARK: Steps

  /// Returns the steps that can be undone and redone.
  public func steps() throws -> HistorySteps { try source.steps(in: database) }

  /// Returns the steps that can be undone and redone. This is the asynchronous form.
  public func steps() async throws -> HistorySteps { try await source.steps(in: database) }

  /// A stream that yields an element at once, and another element whenever the steps may have
  /// changed. The stream finishes when the database is closed or the history is released.
  public var updates: AsyncStream<Void> { source.updates.stream() }

  // MARK: Undo and redo

  /// Undoes a step, by default the last one, in its own transaction. Returns nil if there is
  /// nothing to undo.
  ///
  /// Exactly the transactions of the given step are undone. Other transactions with the same label
  /// stay. Transactions that were added to the step after `steps()` returned it are not undone,
  /// either.
  ///
  /// Throws `ChangeConflicts` if the policy decides `fail` for a conflict, and
  /// `HistoryError.unknownStep` if the history does not have the step among the steps that can be
  /// undone. A history over the log throws `LogError.unknownPosition` if the file was restored and
  /// no longer has the step.
  ///
  /// Deleted rows are inserted again, many with one statement. Each row that the undo updates or
  /// deletes costs two statements, and each foreign key costs a few.
  @discardableResult
  public func undo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) throws -> HistoryOutcome? {
    try perform(.undo, step, resolving: policy)
  }

  /// Undoes a step, by default the last one. This is the asynchronous form.
  @discardableResult
  public func undo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) async throws -> HistoryOutcome? {
    try await perform(.undo, step, resolving: policy)
  }

  /// Redoes an undone step, by default the step that was undone last. Returns nil if there is
  /// nothing to redo.
  ///
  /// When the step was undone, foreign keys may have changed rows in other tables. A redo also
  /// reverses these changes. A history over the log can do this only in logged tables. If such a
  /// row has changed again since the undo, the redo leaves the row as it is.
  ///
  /// If a transaction is added to the history, undone steps can no longer be redone. Throws the
  /// same errors as `undo`, and costs as much.
  @discardableResult
  public func redo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) throws -> HistoryOutcome? {
    try perform(.redo, step, resolving: policy)
  }

  /// Redoes an undone step, by default the step that was undone last. This is the asynchronous
  /// form.
  @discardableResult
  public func redo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) async throws -> HistoryOutcome? {
    try await perform(.redo, step, resolving: policy)
  }

  /// Removes a step from the history, by default the step that the next undo would undo. The rows
  /// stay unchanged. Returns nil if there is no step.
  ///
  /// ```swift
  /// do {
  ///   try history.undo()
  /// } catch let conflicts as ChangeConflicts {
  ///   print(conflicts)                     // “Add” cannot be undone, because …
  ///   try history.skip()                   // the next undo is that of the step before
  /// }
  /// ```
  /// A history over the log writes an entry without changes, so that the step stays removed after a
  /// restart, and in other histories. Throws `HistoryError.unknownStep` if the history does not
  /// have the step. A history over the log throws `LogError.unknownPosition` if the file was
  /// restored and no longer has the step.
  @discardableResult
  public func skip(_ step: HistoryStep? = nil) throws -> HistoryStep? {
    try perform(.skip, step, resolving: .fail)?.step
  }

  /// Removes a step from the history, by default the step that the next undo would undo. This is
  /// the asynchronous form.
  @discardableResult
  public func skip(_ step: HistoryStep? = nil) async throws -> HistoryStep? {
    try await perform(.skip, step, resolving: .fail)?.step
  }

  private func perform(
    _ action: HistoryAction, _ step: HistoryStep?, resolving policy: ConflictPolicy
  ) throws -> HistoryOutcome? {
    let witness = HistoryWitness()
    let id = observe(with: witness)
    defer { if let id { tracker?.remove(id) } }
    return try database.writing { core in
      try source.perform(action, step, resolving: policy, on: core, witness)
    }
  }

  private func perform(
    _ action: HistoryAction, _ step: HistoryStep?, resolving policy: ConflictPolicy
  ) async throws -> HistoryOutcome? {
    let witness = HistoryWitness()
    let id = observe(with: witness)
    defer { if let id { tracker?.remove(id) } }
    let source = source
    return try await database.writingFromTask { core in
      try source.perform(action, step, resolving: policy, on: core, witness)
    }
  }

  private func observe(with witness: HistoryWitness) -> UInt64? {
    guard source.needsWitness else { return nil }
    return tracker?.add(Subscription(tables: nil, queue: witness))
  }

  // MARK: Writing

  /// Runs a closure in a transaction, like `db.write`, and sets the history's author as the author
  /// of the transaction.
  @discardableResult
  public func write<Result>(
    label: String? = nil, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try database.write(label: label) { connection in
      let result = try body(connection)
      if let author { try connection.noteAuthor(author) }
      return result
    }
  }

  /// Runs a closure in a transaction, like `db.write`, and sets the history's author as the author
  /// of the transaction. This is the asynchronous form.
  @discardableResult
  public func write<Result: Sendable>(
    label: String? = nil, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let author = author
    return try await database.write(label: label) { connection in
      let result = try body(connection)
      if let author { try connection.noteAuthor(author) }
      return result
    }
  }
}
