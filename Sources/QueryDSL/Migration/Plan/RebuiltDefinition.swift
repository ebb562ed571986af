import SQLCore

/// The definition of a table that is rebuilt: the definition in the file, with what the models declare
/// otherwise in its place.
///
/// Each part of the file's definition is either written as it stands there or replaced by a
/// declaration. What SQL says and no model does (the order of columns, words for types, constraint
/// names, ON CONFLICT, MATCH, comments) is kept that way.
struct RebuiltDefinition {
  /// What becomes of a constraint in the file.
  enum Fate {
    case kept
    case dropped
    /// The models declare another in its place, which takes its name.
    case replaced
  }

  let declared: TableDefinition
  let live: LiveTable
  let isWithoutRowID: Bool
  /// The names that the table has and had, folded.
  let tableNames: Set<String>
  /// Whether a column of the file stays, though no model declares it.
  let isKept: (LiveTable.Column) -> Bool
  /// Whether the schema drops the default or the collation of a column.
  let removes: (Removal) -> Bool
  /// By the index of the constraint.
  let fates: [Fate]
  /// The constraint of the file that a declared foreign key or check equals or replaces.
  let existingKey: (TableDefinition.ForeignKey) -> Int?
  let existingCheck: (TableDefinition.Check) -> Int?

  /// Whether the models have the same columns as their key, in the same order.
  private var hasSameKey: Bool {
    live.key.columns.map(\.lowercasedASCII) == declared.keyNames.map(\.lowercasedASCII)
  }

  /// Whether the key must become another name of the rowid, since the database counts it.
  private var needsRowIDKey: Bool {
    guard let name = declared.keyNames.first else { return false }
    return declaresRowIDKey && declared.column(name)?.isOptional == true && !live.hasRowIDKey
  }

  private var declaresRowIDKey: Bool {
    !isWithoutRowID && declared.keyNames.count == 1
      && declared.column(declared.keyNames[0])?.storageClass == .integer
  }

  /// Whether the key is written as it stands in the file.
  private var keepsKey: Bool { hasSameKey && !needsRowIDKey }

  // MARK: The text

  func createTable(_ name: String) -> String {
    var items = columns
    items += constraints
    let options = [live.isStrict ? "STRICT" : nil, isWithoutRowID ? "WITHOUT ROWID" : nil]
      .compactMap { $0 }.joined(separator: ", ")
    var text = "CREATE TABLE \(Identifier(name).quoted) \(live.comments.inline)(\n  "
    for (index, item) in items.enumerated() {
      let isLast = index + 1 == items.count
      text += item.comments.above.above + item.text.unqualifying(tableNames)
      text += (isLast ? "" : ",") + item.comments.trailing.withoutForms.trailing
      text += isLast ? "\n)" : "\n  "
    }
    let comments = live.optionComments.inline
    return text + (options.isEmpty && comments.isEmpty ? "" : " \(comments)\(options)")
  }

  private struct Item {
    var text: String
    var comments = LiveTable.ItemComments()
  }

  // MARK: Columns

  private var columns: [Item] {
    var items: [Item] = []
    for column in live.columns {
      if let declaration = declared.column(column.name) {
        items.append(Item(text: text(of: column, as: declaration), comments: column.comments))
      } else if isKept(column) {
        items.append(Item(text: text(of: column, as: nil), comments: column.comments))
      }
    }
    for column in declared.columns where live.column(column.name) == nil {
      let isRowID = declaresRowIDKey && declared.isKey(column.name)
      items.append(
        Item(
          text: isRowID
            ? TableDefinition.rowIDKey(column, isAutoincrement: live.key.isAutoincrement)
            : column.sql()))
    }
    return items
  }

  /// A clause that is written, and where it would stand among others.
  private struct Written {
    var text: String
    var rank: Int
  }

  private func rank(_ kind: LiveTable.Clause.Kind) -> Int? {
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
    of found: LiveTable.Column, as declaration: TableDefinition.Column?
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
    // The form is the declared one; that of a column which no model declares stays.
    let form = declaration?.formComment ?? found.form.map { " \($0.comment)" } ?? ""
    return
      ([Identifier(found.name).quoted + (type.isEmpty ? form : "")]
      + (type.isEmpty ? [] : [typeComments + type + form]) + written.map(\.text))
      .joined(separator: " ")
  }

  /// A name stands where what it names stands.
  private func rank(behind index: Int, in column: LiveTable.Column) -> Int {
    column.clauses[index...].lazy.compactMap { rank($0.kind) }.first ?? 5
  }

  private func type(
    of found: LiveTable.Column, as declaration: TableDefinition.Column?
  ) -> String {
    guard let declaration else { return found.type }
    let isRowID = declaresRowIDKey && declared.isKey(found.name)
    if isRowID, !keepsKey || live.hasRowIDKey { return keepsKey ? found.type : "INTEGER" }
    let isSame = StorageClass(declaredType: found.type) == declaration.storageClass
    return isSame && !found.type.isEmpty ? found.type : declaration.storageClass.rawValue
  }

  /// Whether a column may not be NULL; nil where what the file says stays.
  private func isNotNull(
    _ found: LiveTable.Column, _ declaration: TableDefinition.Column?
  ) -> Bool? {
    let isKey = live.isKey(found.name) && declared.isKey(found.name)
    if isKey, keepsKey {
      // WITHOUT ROWID said so.
      let wasImplied = live.isWithoutRowID && !isWithoutRowID
      return wasImplied && declaration?.isOptional == false ? true : nil
    }
    // What was of the key, and is it no more, is left out by insertions.
    guard let declaration else { return live.isKey(found.name) ? false : nil }
    if declaration.isOptional { return isKey ? nil : false }
    return true
  }

  private func keeps(
    _ clause: LiveTable.Clause, at index: Int, of found: LiveTable.Column,
    _ declaration: TableDefinition.Column?
  ) -> Bool {
    switch clause.kind {
    case .name:
      // It stays where something stays that it names.
      let named = found.clauses[(index + 1)...].prefix {
        if case .name = $0.kind { false } else { true }
      }
      guard !named.isEmpty else {
        // One that another follows names nothing, and stays with it.
        guard index + 1 < found.clauses.count else { return true }
        return keeps(found.clauses[index + 1], at: index + 1, of: found, declaration)
      }
      return zip(named.indices, named).contains { keeps($1, at: $0, of: found, declaration) }
    case .key: return keepsKey
    case .notNull: return isNotNull(found, declaration) != false
    case .null: return isNotNull(found, declaration) != true
    case .defaultValue(let text):
      guard let declaration, declaration.generated == nil else { return declaration == nil }
      if let value = declaration.defaultSQL { return value.normalSQL == text.normalSQL }
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

  /// What a declaration says and the file does not.
  private func additions(
    to found: LiveTable.Column, _ declaration: TableDefinition.Column?
  ) -> [Written] {
    guard let declaration else { return [] }
    var additions: [Written] = []
    let kept = found.clauses.indices.filter {
      keeps(found.clauses[$0], at: $0, of: found, declaration)
    }.map { found.clauses[$0].kind }
    if declaresRowIDKey, declared.isKey(found.name), !keepsKey {
      let name = hasSameKey ? live.key.name : nil
      additions.append(
        Written(
          text: (name.map { "CONSTRAINT \(Identifier($0).quoted) " } ?? "") + "PRIMARY KEY"
            + (hasSameKey ? live.key.conflict : "")
            + (live.key.isAutoincrement ? " AUTOINCREMENT" : ""), rank: 0))
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
    var isWritten = live.constraints.map { constraint in
      // Those at a column are written with it.
      constraint.isAtColumn
    }
    for column in live.columns
    where declared.column(column.name) == nil && !isKept(column) {
      // What stands at a column that goes, and does not name it, becomes a constraint of the table.
      for clause in column.clauses {
        if case .constraint(let index) = clause.kind { isWritten[index] = false }
      }
    }
    func write(_ index: Int) {
      guard !isWritten[index], fates[index] == .kept else { return }
      isWritten[index] = true
      let constraint = live.constraints[index]
      items.append(Item(text: constraint.text, comments: constraint.comments))
    }
    if keepsKey {
      if let text = live.key.text { items.append(Item(text: text, comments: live.key.comments)) }
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
      items.append(Item(text: live.constraints[index].prefix + key.sql(match: match(of: index))))
    }
    for check in declared.checks {
      guard let index = existingCheck(check), fates[index] == .kept else {
        items.append(Item(text: check.sql))
        continue
      }
      write(index)
    }
    for index in live.constraints.indices { write(index) }
    return items + live.danglingNames.map { Item(text: $0) }
  }

  private func match(of index: Int) -> String? {
    if case .foreignKey(let key) = live.constraints[index].kind { key.match } else { nil }
  }
}

extension LiveTable.Constraint {
  /// `CONSTRAINT name `, where it has one.
  fileprivate var prefix: String {
    name.map { "CONSTRAINT \(Identifier($0).quoted) " } ?? ""
  }
}

extension TableDefinition.Generated {
  /// Whether it calculates the same, in the same place.
  func isSame(as existing: LiveTable.Generated) -> Bool {
    expression.normalSQL == existing.expression.normalSQL
      && (storage == .stored) == existing.isStored
  }
}

extension [SQLComment] {
  /// The comments that are none of the form of a column.
  fileprivate var withoutForms: [SQLComment] {
    filter { comment in
      let words = comment.text.dropFirst(2).dropLast(2).split(separator: " ")
      return comment.endsWithLine || words.count != 1 || StoredForm(comment: words[0]) == nil
    }
  }
}
