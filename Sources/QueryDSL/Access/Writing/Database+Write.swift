import SQLCore

// Each call has its own transaction. `Connection` has the same methods, for several calls in one
// transaction. Their documentation says what each method writes and throws.

extension Database {
  /// Inserts a model, in a transaction of its own. Returns a copy that has the key, and in which no
  /// column counts as changed.
  @discardableResult
  public func insert<M: TableModel>(_ model: M) throws -> M {
    try writeData { try $0.insert(model) }
  }

  /// Inserts a model, in a transaction of its own. Returns a copy that has the key, and in which no
  /// column counts as changed.
  @discardableResult
  public func insert<M: TableModel>(_ model: M) async throws -> M {
    try await writeData { try $0.insert(model) }
  }

  /// Inserts either all models or none. Returns copies that have the keys, and in which no column
  /// counts as changed.
  @discardableResult
  public func insert<M: TableModel>(_ models: [M]) throws -> [M] {
    try writeData { try $0.insert(models) }
  }

  /// Inserts either all models or none. Returns copies that have the keys, and in which no column
  /// counts as changed.
  @discardableResult
  public func insert<M: TableModel>(_ models: [M]) async throws -> [M] {
    try await writeData { try $0.insert(models) }
  }

  /// Updates the changed columns of a model. Throws `RecordNotFound` if the row is gone.
  @discardableResult
  public func update<M: Model>(_ model: M) throws -> M {
    try writeData { try $0.update(model) }
  }

  /// Updates the changed columns of a model. Throws `RecordNotFound` if the row is gone.
  @discardableResult
  public func update<M: Model>(_ model: M) async throws -> M {
    try await writeData { try $0.update(model) }
  }

  /// Updates either all models or none.
  @discardableResult
  public func update<M: Model>(_ models: [M]) throws -> [M] {
    try writeData { try $0.update(models) }
  }

  /// Updates either all models or none.
  @discardableResult
  public func update<M: Model>(_ models: [M]) async throws -> [M] {
    try await writeData { try $0.update(models) }
  }

  /// Updates the row with the model's key, or inserts the model if that row does not exist.
  @discardableResult
  public func save<M: Model>(_ model: M) throws -> M {
    try writeData { try $0.save(model) }
  }

  /// Updates the row with the model's key, or inserts the model if that row does not exist.
  @discardableResult
  public func save<M: Model>(_ model: M) async throws -> M {
    try await writeData { try $0.save(model) }
  }

  /// Saves either all models or none.
  @discardableResult
  public func save<M: Model>(_ models: [M]) throws -> [M] {
    try writeData { try $0.save(models) }
  }

  /// Saves either all models or none.
  @discardableResult
  public func save<M: Model>(_ models: [M]) async throws -> [M] {
    try await writeData { try $0.save(models) }
  }

  /// Deletes the row with the model's key. Returns false if no row was deleted.
  @discardableResult
  public func delete<M: Model>(_ model: M) throws -> Bool {
    try writeData { try $0.delete(model) }
  }

  /// Deletes the row with the model's key. Returns false if no row was deleted.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> Bool {
    try await writeData { try $0.delete(model) }
  }

  /// Deletes the row with the key `id`. Returns false if no row was deleted.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) throws -> Bool {
    try writeData { try $0.delete(model, id) }
  }

  /// Deletes the row with the key `id`. Returns false if no row was deleted.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, _ id: M.ID) async throws -> Bool {
    try await writeData { try $0.delete(model, id) }
  }

  /// Runs an insert, an update or a deletion, and returns the number of written rows.
  @discardableResult
  public func run(_ command: some Runnable) throws -> Int {
    try writeData { try $0.run(command) }
  }

  /// Runs an insert, an update or a deletion, and returns the number of written rows.
  @discardableResult
  public func run(_ command: some Runnable) async throws -> Int {
    try await writeData { try $0.run(command) }
  }
}
