import SQLCore

/// An error in the declaration of a model or its key. Most errors are found when the model's layout
/// is first read, or when a database with the model is opened.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The model's name.
  public let model: String
  /// The problem, and its solution.
  public let message: String

  package init(_ model: Any.Type, _ message: String) {
    self.model = String(describing: model)
    self.message = message
  }

  init(model: String, _ message: String) {
    self.model = model
    self.message = message
  }

  /// The model and the message.
  public var description: String { "\(model): \(message)" }
}

/// An error for a row that an operation needs, but that does not exist.
///
/// ```swift
/// do {
///   try db.update(Post.self, id) { $0.views += 1 }
/// } catch let error as RecordNotFound {
///   print(error.table, error.key)
/// }
/// ```
public struct RecordNotFound: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The key, as text.
  public let key: String

  package init(table: String, key: String) {
    self.table = table
    self.key = key
  }

  /// The table and the key.
  public var description: String { "\(table): there is no row with the key \(key)" }
}

/// An error for a model whose key was changed after it was loaded. An operation that finds the
/// model's row by its key throws this error.
///
/// ```swift
/// do {
///   post.id = Unique64()
///   try db.update(post)
/// } catch let error as KeyChanged {
///   print(error.table, error.columns)
/// }
/// ```
///
/// `update`, `save` and `delete` throw this error, because each of them would change the row that
/// has the new key instead of the model's own row. An upsert also throws this error if it could
/// update the row with the new key. `insert` accepts the model and inserts a new row.
public struct KeyChanged: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The columns of the key that were changed.
  public let columns: [String]
  private let properties: [String]

  init(table: String, columns: [ModelColumn]) {
    self.table = table
    self.columns = columns.map(\.name)
    properties = columns.map(\.property)
  }

  /// A message that states the cause, and says how to move the row or how to store a copy of it.
  public var description: String {
    let names = columns.joined(separator: ", ")
    let assignments = properties.map { "$0.$\($0) = new" }.joined(separator: "; ")
    let conditions = properties.map { "$0.$\($0) == old" }.joined(separator: " && ")
    return """
      \(table): the key (\(names)) was changed after the model was loaded, so it is now the key of \
      another row; to move the row, run `\(table).update { \(assignments) }.where { \
      \(conditions) }`; to store a copy, `insert` the model
      """
  }
}

extension ModelLayout {
  /// Throws `KeyChanged` if the key of a loaded model was changed, because writing the model would
  /// then change the row with the new key instead of the model's own row.
  @usableFromInline
  func requireUnchangedKey(of model: UnsafeRawPointer) throws {
    guard keyColumns.contains(where: { slots.isChangedSinceLoading($0, in: model) }) else { return }
    let changed = keyColumns.filter { slots.isChangedSinceLoading($0, in: model) }
    throw KeyChanged(table: tableName, columns: changed.map { columns[$0] })
  }

  /// Throws `KeyChanged` if the key of a model differs from `key` in its stored form. The error
  /// names the columns that differ.
  func requireKey<M: Model>(_ key: M.ID, of model: M) throws {
    let changed = withUnsafeBytes(of: key) { key in
      withUnsafeBytes(of: model) { model -> [Int] in
        guard let key = key.baseAddress, let model = model.baseAddress else { return [] }
        return zip(keyColumns, keySlots.slots).filter { column, slot in
          let new = slots.slots[column]
          let stored = try? new.type._databaseValue(
            ofColumnAt: model + Int(new.offset), as: new.form)
          let former = try? plainValue(slot.type, at: key + Int(slot.offset), form: slot.form)
          return stored != former
        }.map(\.0)
      }
    }
    guard !changed.isEmpty else { return }
    throw KeyChanged(table: tableName, columns: changed.map { columns[$0] })
  }
}

/// An error for a model that SQLite ignored in an insert, an update or a save: the statement
/// succeeded, but wrote nothing.
///
/// The cause is a constraint with `ON CONFLICT IGNORE`, or a trigger that raises `IGNORE`. A caller
/// that expects ignored rows calls a method that returns an outcome:
///
/// ```swift
/// let count = try db.run(Post.insert(post))           // 0 if SQLite ignored it
/// let upserted = try db.upsert(Post.insert(post).onConflictDoNothing())
/// let id = try upserted[0].id                         // the key of the row that was there before
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_conflict.html>
public struct WriteIgnored: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The index of the model in the array; nil for a single model, or if the index is not known.
  public let row: Int?

  package init(table: String, row: Int?) {
    self.table = table
    self.row = row
  }

  /// The table, the index of the model, the possible causes, and the methods that return an outcome
  /// instead of throwing this error.
  public var description: String {
    """
    \(table)\(row.map { ", row \($0)" } ?? ""): SQLite ignored the row, so nothing was written: a \
    constraint is declared with ON CONFLICT IGNORE, or a trigger raised IGNORE; if that is expected, \
    count the rows with `run(\(table).insert(…))`, or get the outcome of each with \
    `upsert(\(table).insert(…).onConflictDoNothing())`
    """
  }
}
