import SQLCore

/// An object that migrations create and drop as a whole, because a line of a model's schema
/// declares it. It is a trigger, a full-text or vector index with its triggers, or the triggers of
/// the change log.
///
/// A migration compares the object with the file. If the object differs, the migration drops it
/// before all other steps and creates it again after them, because the object's SQL names tables
/// and columns. Another module adds its own objects by an `OwnedObjectLine`.
package protocol OwnedObject: Sendable {
  var kind: OwnedObjectKind { get }
  /// The name of the object's table or view.
  var table: String { get }
  /// The entries that the object has in `sqlite_schema` if the file matches the declaration.
  var definitions: [ExistingSchema.Entry] { get }
  /// The feature that must see every change of the table, with the name that error messages give
  /// it, such as `the full-text index`. Nil for a trigger that a model declares.
  var follower: String? { get }

  /// Returns the change that a migration must make to the file, so that the file has the declared
  /// object. Returns nil if no change is needed.
  func change(in migration: OwnedObjectMigration) throws -> OwnedObjectChange?

  /// Returns the registrations that each connection needs for objects of this type, for example the
  /// registration of a tokenizer.
  static func registrations(for declared: Declarations, isReadOnly: Bool) -> [Registration]
  /// Runs once for all objects of this type, after a database has been opened and migrated.
  static func didOpen(_ database: Database) throws
}

extension OwnedObject {
  package static func registrations(
    for declared: Declarations, isReadOnly: Bool
  ) -> [Registration] { [] }

  package static func didOpen(_ database: Database) throws {}
}

/// The kind and name of an owned object in the plan of a migration.
package enum OwnedObjectKind: Hashable, Sendable {
  case trigger(String)
  case searchIndex(String)
  case log
}

/// An element of a schema, such as `Logged()` or `VectorIndex(…)`, that declares an owned object of
/// a table. If several elements declare objects with the same kind and name, the table gets only
/// one.
package struct OwnedObjectLine: Sendable {
  /// The element as it is written in Swift, such as `Logged()`, for error messages.
  let name: String
  let follower: String
  let object: @Sendable (TableDefinition) -> any OwnedObject

  package init(
    _ name: String, follower: String,
    object: @escaping @Sendable (TableDefinition) -> any OwnedObject
  ) {
    self.name = name
    self.follower = follower
    self.object = object
  }

  /// Throws `ModelError` if a model is a view or has no key.
  func check(_ layout: ModelLayout, of model: any TableModel.Type) throws {
    if layout.isView {
      throw ModelError(
        model, "\(name): a view has no rows of its own; declare it in the models of its tables")
    }
    guard layout.keyColumns.isEmpty else { return }
    throw ModelError(
      model,
      "\(name): \(follower) names rows by their key; declare a @PrimaryKey, or write the line in "
        + "the model of this table that has the key")
  }
}

/// The facts about a migration from which an `OwnedObject` plans its changes.
package struct OwnedObjectMigration {
  package let declared: Declarations
  package let schema: ExistingSchema
  /// Whether the whole migration is planned. If false, only the part before the user's own steps is
  /// planned. The user's steps still read the old columns, so objects stay unchanged unless a
  /// renaming breaks them.
  package let isWhole: Bool
  /// The names, in lower case, of the views that the migration drops before all other steps. SQLite
  /// drops the triggers of a view together with the view.
  let droppedViews: Set<String>
  /// The tables that are rebuilt: their rows are copied into a new table. Copying fires no
  /// triggers.
  package let rebuilds: [Rebuild]
  /// The statements that create the objects planned so far. If an object needs a statement that is
  /// already in this set, the object's change does not repeat the statement. The change logs of two
  /// tables, for example, share statements.
  package var creation: Set<String> = []

  /// The rebuild of a table: the name of the table, the names of the columns whose values are
  /// copied unchanged, and the names of the columns whose values change.
  package typealias Rebuild = (table: String, sameColumns: [String], changedColumns: [String])

  package init(
    of declared: Declarations, in schema: ExistingSchema, isWhole: Bool,
    droppedViews: Set<String>, rebuilds: [Rebuild]
  ) {
    self.declared = declared
    self.schema = schema
    self.isWhole = isWhole
    self.droppedViews = droppedViews
    self.rebuilds = rebuilds
  }

  /// Returns the rebuild of a table; nil if the table is not rebuilt.
  package func rebuild(of table: String) -> Rebuild? {
    rebuilds.first { $0.table.isSame(as: table) }
  }

  /// Returns whether the migration first drops a view, with its triggers.
  package func drops(view name: String) -> Bool { droppedViews.contains(name.lowercasedASCII) }
}

/// The statements with which a migration changes an owned object, or the refusal to do so.
package struct OwnedObjectChange {
  package let reason: String
  /// The statements that drop the object before all other steps.
  package var drops: [String] = []
  /// The kind and the name of the dropped object. The name is spelled as in the file. Nil if the
  /// dropped object has the kind and the name of the declared object.
  package var droppedKind: OwnedObjectKind?
  /// The statements that create the object after all other steps.
  package var creation: [String] = []
  package var creationReason: String
  /// The statements that fill the object from the rows of its table.
  package var filling: [String] = []
  /// The lines of Swift that the error offers if the change is refused. Each line is a solution by
  /// itself, and can be pasted into the model. Empty if nothing is refused.
  package var refusedLines: [String] = []

  package static let isDeclared = "the schema declares it"

  package init(
    _ reason: String = isDeclared, drops: [String] = [], of droppedKind: OwnedObjectKind? = nil,
    creation: [String] = [], creationReason: String? = nil
  ) {
    self.reason = reason
    self.drops = drops
    self.droppedKind = droppedKind
    self.creation = creation
    self.creationReason = creationReason ?? reason
  }

  package init(refused reason: String, lines: [String]) {
    self.init(reason)
    refusedLines = lines
  }
}

extension OwnedObject {
  /// Returns whether the existing entries are exactly the declared tables and triggers of the
  /// object.
  package func isSame(as existing: [ExistingSchema.Entry]) -> Bool {
    let definitions = definitions
    return existing.count == definitions.count
      && existing.allSatisfy { entry in
        definitions.contains {
          $0.kind == entry.kind && $0.name.isSame(as: entry.name) && $0.sql == entry.sql
        }
      }
  }
}

extension [ExistingSchema.Entry] {
  /// The statements that drop the triggers, and then the tables.
  package var drops: [String] {
    [ExistingSchema.Entry.Kind.trigger, .table].flatMap { kind in
      filter { $0.kind == kind }
        .map { "DROP \(kind.rawValue.uppercased()) \(Identifier($0.name).quoted)" }
    }
  }
}

extension ExistingSchema.Entry {

  /// Whether a migration created the trigger, and may therefore drop it.
  package var isOwnTrigger: Bool { mark == SQLComment.mark || mark == SQLComment.logMark }

  /// Whether the trigger writes the change log. These triggers stay in the file until a schema ends
  /// the log. So a program that does not use the log must recognise them, too.
  package var isLogTrigger: Bool { mark == SQLComment.logMark }

  /// The comment after the name of a trigger, such as `/* Apus */`.
  private var mark: String? {
    guard kind == .trigger, let sql else { return nil }
    let text = SQLTokens(sql)
    // CREATE TRIGGER "name" /* Apus */
    guard text.tokens.count > 3 else { return nil }
    return text.comments(before: 3).first?.text
  }
}

extension ExistingSchema {
  /// The name of a table that belongs to the change log. The table also notes the schema version of
  /// the file.
  package static let logTable = "apus_log"

  /// Returns the triggers that write the changes of a table into the log.
  package func logTriggers(of table: String) -> [Entry] {
    triggers(of: table).filter(\.isLogTrigger)
  }
}
