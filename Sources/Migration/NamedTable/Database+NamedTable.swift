import QueryDSL
import SQLCore

// Each call is a separate access. For several calls in one access, use the same methods of
// `Connection`. Their documentation also says what the methods store and throw.

extension Database {
  /// Writes a plain struct into a table, in a transaction of its own; see `Connection.write`.
  public func write<Row: Codable & Sendable>(_ row: Row, to table: TableName) throws {
    try writeData { try $0.write(row, to: table) }
  }

  /// Writes a plain struct into a table, in a transaction of its own; see `Connection.write`.
  public func write<Row: Codable & Sendable>(_ row: Row, to table: TableName) async throws {
    try await writeData { try $0.write(row, to: table) }
  }

  /// Writes all of the plain structs into a table, or none.
  public func write<Row: Codable & Sendable>(_ rows: [Row], to table: TableName) throws {
    try writeData { try $0.write(rows, to: table) }
  }

  /// Writes all of the plain structs into a table, or none.
  public func write<Row: Codable & Sendable>(_ rows: [Row], to table: TableName) async throws {
    try await writeData { try $0.write(rows, to: table) }
  }

  /// Returns the row with the given `id` as a plain struct; nil if there is no such row.
  public func find<Row: Codable & Sendable>(
    id: some ColumnValue, from table: TableName, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Row? {
    try read(fileID: fileID, line: line) { try $0.find(id: id, from: table) }
  }

  /// Returns the row with the given `id` as a plain struct; nil if there is no such row.
  public func find<Row: Codable & Sendable>(
    id: some ColumnValue, from table: TableName, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Row? {
    try await read(fileID: fileID, line: line) { try $0.find(id: id, from: table) }
  }

  /// Returns all rows of a table as plain structs, in the order of their `id`.
  public func fetch<Row: Codable & Sendable>(
    from table: TableName, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Row] {
    try read(fileID: fileID, line: line) { try $0.fetch(from: table) }
  }

  /// Returns all rows of a table as plain structs, in the order of their `id`.
  public func fetch<Row: Codable & Sendable>(
    from table: TableName, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [Row] {
    try await read(on: .background, fileID: fileID, line: line) { try $0.fetch(from: table) }
  }

  /// Deletes the row with the given `id`. Returns false if there is no such row, or no such table.
  @discardableResult
  public func delete(id: some ColumnValue, from table: TableName) throws -> Bool {
    try writeData { try $0.delete(id: id, from: table) }
  }

  /// Deletes the row with the given `id`. Returns false if there is no such row, or no such table.
  @discardableResult
  public func delete(id: some ColumnValue, from table: TableName) async throws -> Bool {
    try await writeData { try $0.delete(id: id, from: table) }
  }

  /// Returns the rows of a table as a table of text, for people to read.
  public func table(
    named table: TableName, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> ResultTable {
    try _readWithoutTransaction(isReentrant: false, fileID, line) { try $0.table(named: table) }
  }

  /// Returns the rows of a table as a table of text, for people to read.
  public func table(
    named table: TableName, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> ResultTable {
    try await _readWithoutTransaction(on: .background, fileID, line) { try $0.table(named: table) }
  }
}
