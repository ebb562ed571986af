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
/// An undo is a new transaction, which observers see and the change log contains like any other. It
/// restores the columns that the step changed. If any of them changed in the meantime, it is a
/// conflict: nothing is changed and `ChangeConflicts` is thrown, or a policy decides. A change of
/// other columns is not a conflict. Any step can be undone, not only the last one.
///
/// The user's triggers do not run again, and no foreign key acts, because the step includes their
/// changes of the models' tables. So name all models whose rows belong together.
public final class History: Sendable {
  private let database: Database
  private let source: any HistorySource
  private let tracker: ChangeTracker?
  private let subscription: UInt64?
  /// The author whose transactions the history has; nil for the transactions of all authors.
  public let author: String?

  /// Creates a history in memory of the transactions that are made from now on through this
  /// database.
  ///
  /// The history begins empty, and ends with the object. Transactions of other programs are not
  /// part of it. If a write changes more rows than can be recorded
  /// (`Configuration.maximumTrackedRows`), the history has no steps after it.
  ///
  /// Throws `ModelError` if a model is a view, and `DatabaseError` if SQLite was built without the
  /// pre-update hook: use a history over the change log then. Costs the recording of each changed row,
  /// as for an observer.
  ///
  /// - Parameters:
  ///   - author: takes only the transactions of this author, as in `history.write` and
  ///     `tx.setLogAuthor`.
  ///   - groupsByLabel: makes one step of consecutive transactions with the same label, such as the
  ///     transactions of typing. Otherwise each transaction is a step.
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
  /// All models must be logged. The first use reads the log once; later uses read the added
  /// entries. Transactions from another database, transactions before a `gap` and purged
  /// transactions are not part of the history.
  ///
  /// Throws `ModelError` if a model is a view. `steps()`, `undo()` and `redo()` throw
  /// `LogError.noLog` if the database has no log. They throw `LogError.unknownPosition` if the file
  /// was restored and no longer has the steps; a new history has the steps of the restored file.
  ///
  /// - Parameters:
  ///   - position: the position in the log after which the history begins. If another
  ///     history undoes an earlier transaction, that is no step of this one.
  ///   - author: takes only the transactions of this author.
  ///   - groupsByLabel: makes one step of consecutive transactions with the same label, such as the
  ///     transactions of typing. Otherwise each transaction is a step.
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

  /// Returns the steps that can be undone and redone, from asynchronous code.
  public func steps() async throws -> HistorySteps { try await source.steps(in: database) }

  /// A stream with an element at once, and another one whenever the steps may have changed. It
  /// finishes when the database is closed, and when the history is released.
  public var updates: AsyncStream<Void> { source.updates.stream() }

  // MARK: Undo and redo

  /// Undoes a step, by default the last one, in its own transaction. Returns nil if there is
  /// nothing to undo.
  ///
  /// Exactly the transactions of the step are undone. Other transactions with its label stay, and
  /// so do transactions that joined the step after `steps()` returned it.
  ///
  /// Throws `ChangeConflicts` if the policy lets a conflict fail, and `HistoryError.unknownStep` if
  /// the step cannot be undone, or no longer. Over the log, throws `LogError.unknownPosition` if
  /// the file was restored and no longer has the step. Costs a statement for many rows that it
  /// inserts, two for each row that it updates or deletes, and a few for each foreign key.
  @discardableResult
  public func undo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) throws -> HistoryOutcome? {
    try perform(.undo, step, resolving: policy)
  }

  /// Undoes a step, by default the last one, from asynchronous code.
  @discardableResult
  public func undo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) async throws -> HistoryOutcome? {
    try await perform(.undo, step, resolving: policy)
  }

  /// Redoes an undone step, by default the step that was undone last. Returns nil if there is
  /// nothing to redo.
  ///
  /// A redo also reverses what foreign keys did in other tables when the step was undone: in memory
  /// in all tables, over the log in logged tables. A row that has changed since stays unchanged.
  ///
  /// A new transaction of the history ends the possibility to redo. Throws like `undo`.
  @discardableResult
  public func redo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) throws -> HistoryOutcome? {
    try perform(.redo, step, resolving: policy)
  }

  /// Redoes a step that was undone, from asynchronous code.
  @discardableResult
  public func redo(
    _ step: HistoryStep? = nil, resolving policy: ConflictPolicy = .fail
  ) async throws -> HistoryOutcome? {
    try await perform(.redo, step, resolving: policy)
  }

  /// Takes a step out of the history, by default the step to undo next, and leaves its rows
  /// unchanged. Returns nil if there is none.
  ///
  /// ```swift
  /// do {
  ///   try history.undo()
  /// } catch let conflicts as ChangeConflicts {
  ///   print(conflicts)                     // “Add” cannot be undone, because …
  ///   try history.skip()                   // the next undo is that of the step before
  /// }
  /// ```
  /// Over the log it writes an entry without changes, so that the step is also gone after a restart
  /// and for other histories. Throws `HistoryError.unknownStep` if the history does not have the
  /// step. Over the log, throws `LogError.unknownPosition` if the file was restored and no longer
  /// has the step.
  @discardableResult
  public func skip(_ step: HistoryStep? = nil) throws -> HistoryStep? {
    try perform(.skip, step, resolving: .fail)?.step
  }

  /// Takes a step out of the history, from asynchronous code.
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

  /// Runs a closure in a transaction, as `db.write` does, in the name of the history's author.
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

  /// Runs a closure in a transaction from asynchronous code, in the name of the history's author.
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
