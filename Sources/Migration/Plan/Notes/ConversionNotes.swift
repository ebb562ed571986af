import QueryDSL
import SQLCore

/// The conversions that have run on a database, as the table of `MigrationNotes` notes them.
///
/// A note is a name such as `Converted Thing.flag from Bool to Date`. A column has one note, for
/// the conversion that ran last, so the note shows what the column holds. If the column is renamed,
/// its note is renamed, too. If the column is dropped, the note is removed.
struct ConversionNotes {
  /// Whether a conversion has run, according to the notes.
  enum State {
    case done
    case pending
    /// It is not known whether the conversion has run: another conversion has converted the column
    /// to the same type, but from another type. The text is the end of its note, such as
    /// `from Bool to Date`.
    case unknown(String)

    var isDone: Bool { if case .done = self { true } else { false } }
  }

  private var names: [String] = []

  /// Creates an empty list of notes.
  init() {}

  /// Reads the notes. Costs one statement if the database has the table, otherwise none.
  init(of schema: ExistingSchema, in connection: Connection) throws {
    guard schema.entry(MigrationNotes.table)?.kind == .table else { return }
    names = try MigrationNotes(connection: connection).allNames().filter { $0.hasPrefix(Self.word) }
  }

  private static let word = "Converted "

  /// Returns the note of a conversion. The table and the column are given by the names that they
  /// have when the note is written.
  static func note(_ conversion: DeclaredConversion, table: String, column: String) -> String {
    prefix(table: table, column: column)
      + "from \(conversion.source.note) to \(conversion.target.note)"
  }

  /// Returns whether a conversion has run. The table and the column are given by their names in the
  /// file.
  func state(of conversion: DeclaredConversion, table: String, column: String) -> State {
    let prefix = Self.prefix(table: table, column: column)
    let known = names.filter { $0.hasFoldedPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
    let types = "from \(conversion.source.note) to \(conversion.target.note)"
    if known.contains(where: { $0 == types }) { return .done }
    let other = known.first { $0.hasSuffix(" to \(conversion.target.note)") }
    return other.map { .unknown(String($0)) } ?? .pending
  }

  private static func prefix(table: String, column: String) -> String {
    "\(word)\(table.inNote).\(column.inNote) "
  }

  private static func prefix(table: String) -> String { "\(word)\(table.inNote)." }
}

// MARK: Writing

extension ConversionNotes {
  /// Updates the table that notes which conversions of columns have run. If a step renames a table
  /// or a column, its notes are renamed. If a step drops a table, its notes are removed. If a step
  /// ran conversions, they are noted.
  static func follow(_ planned: PlannedStep, in connection: Connection) throws {
    let step = planned.step
    switch step.action {
    case .renameTable(let former):
      for (from, name) in planned.renamings(from: former, to: step.table) {
        try rename(prefix(table: from), to: prefix(table: name), in: connection)
      }
    case .renameColumn(let former, let name):
      for (from, name) in planned.renamings(from: former, to: name) {
        try rename(
          prefix(table: step.table, column: from), to: prefix(table: step.table, column: name),
          in: connection)
      }
    case .dropTable: try remove(prefix(table: step.table), in: connection)
    default: break
    }
    for conversion in planned.conversions {
      try remove(
        prefix(table: conversion.table, column: conversion.column), in: connection)
      if let note = conversion.note { try MigrationNotes(connection: connection).note([note]) }
    }
  }

  private static func rename(
    _ prefix: String, to newPrefix: String, in connection: Connection
  ) throws {
    let notes = MigrationNotes(connection: connection)
    for name in try notes.names() where name.hasFoldedPrefix(prefix) {
      try notes.rename(name, to: newPrefix + name.dropFirst(prefix.count))
    }
  }

  private static func remove(_ prefix: String, in connection: Connection) throws {
    let notes = MigrationNotes(connection: connection)
    for name in try notes.names() where name.hasFoldedPrefix(prefix) { try notes.remove(name) }
  }
}

extension PlannedStep {
  /// Returns the renamings of the step, in their order. An exchange of names uses a temporary name.
  fileprivate func renamings(
    from former: String, to name: String
  ) -> [(from: String, name: String)] {
    exchangedNames.isEmpty ? [(from: former, name: name)] : exchangedNames
  }
}

extension Declarations {
  /// Returns the names, in lower case, of the tables with a conversion that is not noted as done.
  /// Costs one statement if a model declares a conversion that needs a note, otherwise nothing.
  func unconverted(_ notes: () throws -> ConversionNotes) rethrows -> Set<String> {
    guard !notedConversions.isEmpty else { return [] }
    let notes = try notes()
    return Set(
      notedConversions.compactMap { table, column, conversion in
        if case .done = notes.state(of: conversion, table: table, column: column) { return nil }
        return table.lowercasedASCII
      })
  }
}

/// A change of the notes. It is made for a conversion that a step runs or makes unnecessary, or for
/// a column that is dropped.
struct ConversionNote {
  let table: String
  let column: String
  /// The new note; nil for a column that is dropped.
  let note: String?

  init(forgetting column: String, of table: String) {
    self.table = table
    self.column = column
    note = nil
  }

  init(_ conversion: DeclaredConversion, table: String, column: String) {
    self.table = table
    self.column = column
    note = ConversionNotes.note(conversion, table: table, column: column)
  }
}

extension String {
  /// The name as notes write it: unchanged if it is plain, otherwise in quotation marks.
  fileprivate var inNote: String { isSwiftName ? self : Identifier(self).quoted }
}

/// The table in which a database notes the user's own steps, the conversions and the exchanges of
/// names that have run. `ConversionNotes` reads the notes of conversions.
struct MigrationNotes {
  static let table = "apus_migration"
  let connection: Connection

  /// Returns the noted names of steps, conversions and exchanges; empty if the database does not
  /// have the table.
  func names() throws -> [String] {
    try connection.tableExists(Self.table) ? allNames() : []
  }

  /// Returns the noted names. Costs one statement if the given schema has the table, otherwise
  /// none.
  func names(in schema: ExistingSchema) throws -> [String] {
    try schema.relation(Self.table) == nil ? [] : allNames()
  }

  /// Returns the noted names. The table must exist.
  func allNames() throws -> [String] {
    try connection.rows("SELECT name FROM \(identifier: Self.table)").map {
      try $0.get(at: 0)
    }
  }

  /// Returns the steps that have not run yet, in their order.
  func pending(_ steps: [MigrationStep], in schema: ExistingSchema) throws -> [MigrationStep] {
    guard !steps.isEmpty else { return steps }
    let done = Set(try names(in: schema))
    return steps.filter { !done.contains($0.name) }
  }

  func note(_ steps: [MigrationStep]) throws { try note(steps.map(\.name)) }

  func note(_ names: [String]) throws {
    guard !names.isEmpty else { return }
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(identifier: Self.table) ("name" TEXT PRIMARY KEY NOT NULL) STRICT
      """)
    for name in names {
      try connection.execute("INSERT OR IGNORE INTO \(identifier: Self.table) VALUES (\(name))")
    }
  }

  func rename(_ name: String, to newName: String) throws {
    try connection.execute(
      "UPDATE OR REPLACE \(identifier: Self.table) SET name = \(newName) WHERE name = \(name)")
  }

  func remove(_ name: String) throws {
    try connection.execute("DELETE FROM \(identifier: Self.table) WHERE name = \(name)")
  }
}
