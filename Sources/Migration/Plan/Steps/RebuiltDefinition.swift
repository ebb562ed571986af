import QueryDSL
import SQLCore

/// The new definition of a table that is rebuilt: the existing definition with the declared
/// changes.
///
/// Each part of the existing definition is either written unchanged or replaced by a declaration.
/// So parts that no model declares are kept: the order of columns, the spelling of types, the names
/// of constraints, ON CONFLICT, MATCH, and comments.
struct RebuiltDefinition {
  /// The treatment of an existing constraint in the new definition.
  enum Fate {
    case kept
    case dropped
    /// A declared constraint replaces the existing one and takes its name.
    case replaced
  }

  let declared: TableDefinition
  let existing: ExistingTable
  let isWithoutRowID: Bool
  let isMadeByApus: Bool
  /// The names of the table before and after renamings, in lower case.
  let tableNames: Set<String>
  /// Returns whether an existing column stays although no model declares it.
  let isKept: (ExistingTable.Column) -> Bool
  /// Returns whether a column keeps an existing type that stands for no storage class, such as
  /// DATETIME.
  let keepsType: (ExistingTable.Column, TableDefinition.Column) -> Bool
  /// Returns whether the schema drops the default or the collation of a column.
  let removes: (Removal) -> Bool
  /// The treatment of each of `existing.constraints`, in the same order.
  let fates: [Fate]
  /// Returns the position in `existing.constraints` of the constraint that stands for a declared
  /// foreign key; nil if the table has no such constraint.
  let existingKey: (TableDefinition.ForeignKey) -> Int?
  /// Returns the position in `existing.constraints` of the constraint that stands for a declared
  /// check; nil if the table has no such constraint.
  let existingCheck: (TableDefinition.Check) -> Int?

  /// Whether the existing and the declared key have the same columns in the same order.
  private var hasSameKey: Bool {
    existing.key.columns.map(\.lowercasedASCII) == declared.keyNames.map(\.lowercasedASCII)
  }

  /// Whether the key must become an alias of the rowid, because the database assigns its values.
  private var needsRowIDKey: Bool {
    guard let name = declared.keyNames.first else { return false }
    return declaresRowIDKey && declared.column(name)?.isOptional == true && !existing.hasRowIDKey
  }

  private var declaresRowIDKey: Bool {
    !isWithoutRowID && declared.keyNames.count == 1
      && declared.column(declared.keyNames[0])?.storageClass == .integer
  }

  /// Whether the existing key is written unchanged.
  private var keepsKey: Bool { hasSameKey && !needsRowIDKey }

  // MARK: The text

  func createTable(_ name: String) -> String {
    var items = columns
    items += constraints
    let options = [existing.isStrict ? "STRICT" : nil, isWithoutRowID ? "WITHOUT ROWID" : nil]
      .compactMap { $0 }.joined(separator: ", ")
    var text = "CREATE TABLE \(Identifier(name).quoted) \(existing.comments.inline)(\n  "
    for (index, item) in items.enumerated() {
      let isLast = index + 1 == items.count
      text += item.comments.above.above + item.text.unqualifying(tableNames)
      text += (isLast ? "" : ",") + item.comments.trailing.withoutForms.trailing
      text += isLast ? "\n)" : "\n  "
    }
    let comments = existing.optionComments.inline
    return text + (options.isEmpty && comments.isEmpty ? "" : " \(comments)\(options)")
  }

  private struct Item {
    var text: String
    var comments = ExistingTable.ItemComments()
  }

  // MARK: Columns

  private var columns: [Item] {
    var items: [Item] = []
    for column in existing.columns {
      if let declaration = declared.column(column.name) {
        items.append(Item(text: text(of: column, as: declaration), comments: column.comments))
      } else if isKept(column) {
        items.append(Item(text: text(of: column, as: nil), comments: column.comments))
      }
    }
    for column in declared.columns where existing.column(column.name) == nil {
      let isRowID = declaresRowIDKey && declared.isKey(column.name)
      items.append(
        Item(
          text: isRowID
            ? TableDefinition.rowIDKey(column, isAutoincrement: existing.key.isAutoincrement)
            : column.sql(isMadeByApus: isMadeByApus)))
    }
    return items
  }

  /// The SQL of a column's clause, such as NOT NULL, and a number that decides its place among the
  /// clauses.
  private struct Written {
    var text: String
    var rank: Int
  }

  private func rank(_ kind: ExistingTable.Clause.Kind) -> Int? {
    switch kind {
    case .name: nil
    case .key: 0
    case .notNull, .null: 1
    case .defaultValue: 2
    case .collation: 3
    case .generated: 4
    case .constraint: 5
    }
  }

  private func text(
    of found: ExistingTable.Column, as declaration: TableDefinition.Column?
  ) -> String {
    var written: [Written] = []
    for (index, clause) in found.clauses.enumerated() {
      let isWritten = keeps(clause, at: index, of: found, declaration)
      let comments = clause.comments.withoutForms
      guard isWritten || !comments.isEmpty else { continue }
      written.append(
        Written(
          text: isWritten ? comments.inline + clause.text : comments.inline,
          rank: rank(clause.kind) ?? rank(behind: index, in: found)))
    }
    for addition in additions(to: found, declaration) {
      let index = written.firstIndex { $0.rank > addition.rank } ?? written.endIndex
      written.insert(addition, at: index)
    }
    let type = self.type(of: found, as: declaration)
    let typeComments = found.typeComments.withoutForms.inline
    // The comment of a declared column gets the declared form. The comment of any other column
    // keeps its existing form.
    let form =
      declaration?.formComment(isMadeByApus: isMadeByApus)
      ?? found.form.map { " \($0.comment)" } ?? ""
    return
      ([Identifier(found.name).quoted + (type.isEmpty ? form : "")]
      + (type.isEmpty ? [] : [typeComments + type + form]) + written.map(\.text))
      .joined(separator: " ")
  }

  /// Returns the rank of the `CONSTRAINT name` at an index. It has the same rank as the clause that
  /// follows, to which the name belongs.
  private func rank(behind index: Int, in column: ExistingTable.Column) -> Int {
    column.clauses[index...].lazy.compactMap { rank($0.kind) }.first ?? 5
  }

  private func type(
    of found: ExistingTable.Column, as declaration: TableDefinition.Column?
  ) -> String {
    guard let declaration else { return found.type }
    let isRowID = declaresRowIDKey && declared.isKey(found.name)
    if isRowID, !keepsKey || existing.hasRowIDKey { return keepsKey ? found.type : "INTEGER" }
    if keepsType(found, declaration) { return found.type }
    let isSame = StorageClass(declaredType: found.type) == declaration.storageClass
    return isSame && !found.type.isEmpty ? found.type : declaration.storageClass.rawValue
  }

  /// Returns whether a column must be NOT NULL; nil if the existing definition stays as it is.
  private func isNotNull(
    _ found: ExistingTable.Column, _ declaration: TableDefinition.Column?
  ) -> Bool? {
    let isKey = existing.isKey(found.name) && declared.isKey(found.name)
    if isKey, keepsKey {
      // In a table WITHOUT ROWID, the columns of the key are NOT NULL even if the definition does
      // not say so. If the table gets a rowid, the definition must say NOT NULL.
      let wasImplied = existing.isWithoutRowID && !isWithoutRowID
      return wasImplied && declaration?.isOptional == false ? true : nil
    }
    // A column that leaves the key and is not declared must allow NULL, because insertions do not
    // set it.
    guard let declaration else { return existing.isKey(found.name) ? false : nil }
    if declaration.isOptional { return isKey ? nil : false }
    return true
  }

  private func keeps(
    _ clause: ExistingTable.Clause, at index: Int, of found: ExistingTable.Column,
    _ declaration: TableDefinition.Column?
  ) -> Bool {
    switch clause.kind {
    case .name:
      // The name of a constraint stays if any of the clauses to which it belongs stays.
      let named = found.clauses[(index + 1)...].prefix {
        if case .name = $0.kind { false } else { true }
      }
      guard !named.isEmpty else {
        // If another name follows directly, the name belongs to no clause. In this case, it stays
        // if the other name stays.
        guard index + 1 < found.clauses.count else { return true }
        return keeps(found.clauses[index + 1], at: index + 1, of: found, declaration)
      }
      return zip(named.indices, named).contains { keeps($1, at: $0, of: found, declaration) }
    case .key: return keepsKey
    case .notNull: return isNotNull(found, declaration) != false
    case .null: return isNotNull(found, declaration) != true
    case .defaultValue(let text):
      guard let declaration, declaration.generated == nil else { return declaration == nil }
      if declaration.defaultSQL != nil { return declaration.declares(default: text) }
      return !removes(.attribute(column: found.name, .default))
    case .collation(let name):
      guard let declaration else { return true }
      if let collation = declaration.collation { return collation.isSame(as: name) }
      return !removes(.attribute(column: found.name, .collation))
    case .generated(let existing):
      guard let declaration else { return true }
      return declaration.generated?.isSame(as: existing) ?? false
    case .constraint(let constraint): return fates[constraint] == .kept
    }
  }

  /// Returns the clauses of a declaration that the existing column lacks.
  private func additions(
    to found: ExistingTable.Column, _ declaration: TableDefinition.Column?
  ) -> [Written] {
    guard let declaration else { return [] }
    var additions: [Written] = []
    let kept = found.clauses.indices.filter {
      keeps(found.clauses[$0], at: $0, of: found, declaration)
    }.map { found.clauses[$0].kind }
    if declaresRowIDKey, declared.isKey(found.name), !keepsKey {
      let name = hasSameKey ? existing.key.name : nil
      additions.append(
        Written(
          text: (name.map { "CONSTRAINT \(Identifier($0).quoted) " } ?? "") + "PRIMARY KEY"
            + (hasSameKey ? existing.key.conflict : "")
            + (existing.key.isAutoincrement ? " AUTOINCREMENT" : ""), rank: 0))
    }
    if isNotNull(found, declaration) == true, !found.isNotNull {
      additions.append(Written(text: "NOT NULL", rank: 1))
    }
    if let value = declaration.defaultSQL, declaration.generated == nil,
      !kept.contains(where: { if case .defaultValue = $0 { true } else { false } })
    {
      additions.append(Written(text: "DEFAULT \(value)", rank: 2))
    }
    if let collation = declaration.collation,
      !kept.contains(where: { if case .collation = $0 { true } else { false } })
    {
      additions.append(Written(text: "COLLATE \(Collation(collation).sql)", rank: 3))
    }
    if let generated = declaration.generated,
      !kept.contains(where: { if case .generated = $0 { true } else { false } })
    {
      additions.append(Written(text: generated.sql, rank: 4))
    }
    return additions
  }

  // MARK: Constraints

  private var constraints: [Item] {
    var items: [Item] = []
    var isWritten = existing.constraints.map { constraint in
      // Constraints that are declared at a column are written together with the column, and not
      // here.
      constraint.isAtColumn
    }
    for column in existing.columns
    where declared.column(column.name) == nil && !isKept(column) {
      // A constraint that is declared at a dropped column may also concern other columns. Such a
      // constraint is written as a table constraint.
      for clause in column.clauses {
        if case .constraint(let index) = clause.kind { isWritten[index] = false }
      }
    }
    func write(_ index: Int) {
      guard !isWritten[index], fates[index] == .kept else { return }
      isWritten[index] = true
      let constraint = existing.constraints[index]
      items.append(Item(text: constraint.text, comments: constraint.comments))
    }
    if keepsKey {
      if let text = existing.key.text {
        items.append(Item(text: text, comments: existing.key.comments))
      }
    } else if !declaresRowIDKey {
      items.append(Item(text: "PRIMARY KEY (\(declared.keyNames.quotedList))"))
    }
    for key in declared.foreignKeys {
      guard let index = existingKey(key), fates[index] != .dropped else {
        items.append(Item(text: key.sql))
        continue
      }
      guard fates[index] == .replaced else {
        write(index)
        continue
      }
      items.append(
        Item(text: existing.constraints[index].prefix + key.sql(match: match(of: index))))
    }
    for check in declared.checks {
      guard let index = existingCheck(check), fates[index] == .kept else {
        items.append(Item(text: check.sql))
        continue
      }
      write(index)
    }
    for index in existing.constraints.indices { write(index) }
    return items + existing.danglingNames.map { Item(text: $0) }
  }

  private func match(of index: Int) -> String? {
    if case .foreignKey(let key) = existing.constraints[index].kind { key.match } else { nil }
  }
}

extension ExistingTable.Constraint {
  /// `CONSTRAINT name `, or an empty string for a constraint without a name.
  fileprivate var prefix: String {
    name.map { "CONSTRAINT \(Identifier($0).quoted) " } ?? ""
  }
}

extension TableDefinition.Generated {
  /// Returns whether both have the same expression and the same storage, VIRTUAL or STORED.
  func isSame(as existing: ExistingTable.Generated) -> Bool {
    expression.normalSQL == existing.expression.normalSQL
      && (storage == .stored) == existing.isStored
  }
}

extension [SQLComment] {
  /// The comments without those that record the stored form of a column.
  fileprivate var withoutForms: [SQLComment] {
    filter { comment in
      let words = comment.text.dropFirst(2).dropLast(2).split(separator: " ")
      return comment.endsWithLine || words.count != 1 || StoredForm(comment: words[0]) == nil
    }
  }
}
