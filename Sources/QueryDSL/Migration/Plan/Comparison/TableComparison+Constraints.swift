import SQLCore

// Which existing constraint is which declared one.

extension TableComparison {
  /// Whether both refer from the same columns to the same columns.
  func refersAlike(_ existing: ExistingTable.ForeignKey, _ key: TableDefinition.ForeignKey) -> Bool
  {
    guard existing.target.isSame(as: key.target.table) else { return false }
    var targets = existing.targetColumns
    if targets.isEmpty { targets = (try? schema.renamedTable(existing.target))?.key.columns ?? [] }
    return existing.columns.map(\.lowercasedASCII) == key.columns.map(\.lowercasedASCII)
      && targets.map(\.lowercasedASCII) == key.target.columns.map(\.lowercasedASCII)
  }

  /// Returns the index of the existing constraint that a declared foreign key equals or replaces.
  func constraint(for key: TableDefinition.ForeignKey) -> Int? {
    existing.constraints.firstIndex { constraint in
      if case .foreignKey(let found) = constraint.kind { refersAlike(found, key) } else { false }
    }
  }

  /// Returns the index of the existing constraint that equals a declared check.
  func constraint(for check: TableDefinition.Check) -> Int? {
    existing.constraints.firstIndex { $0.isSame(as: check) }
  }

  /// Whether a model declares this constraint, or a changed one in its place.
  func isDeclared(_ constraint: ExistingTable.Constraint) -> Bool {
    switch constraint.kind {
    case .foreignKey(let key):
      return declared.foreignKeys.contains { refersAlike(key, $0) }
    case .check(let text):
      let condition = text.normalSQL
      return declared.checks.contains { check in
        check.condition.normalSQL == condition
          || check.name != nil && check.name?.lowercasedASCII == constraint.name?.lowercasedASCII
      }
    case .unique: return false
    }
  }

  func isRemoved(_ constraint: ExistingTable.Constraint) -> Bool {
    guard planner.extent == .whole else { return false }
    return switch constraint.kind {
    case .foreignKey(let key): declared.removes(.foreignKey(key.columns))
    case .unique(let terms): declared.removes(.unique(terms.map(\.column)))
    case .check(let text):
      declared.removes(.check(text))
        || constraint.name.map { declared.removes(.check($0)) } ?? false
    }
  }

  /// Returns the treatment of an existing constraint in a rebuild.
  func fate(of constraint: ExistingTable.Constraint) -> RebuiltDefinition.Fate {
    switch constraint.kind {
    case .foreignKey(let found):
      guard let key = declared.foreignKeys.first(where: { refersAlike(found, $0) }) else { break }
      return key.acts(as: found) ? .kept : .replaced
    case .check:
      if declared.checks.contains(where: constraint.isSame) { return .kept }
      if isDeclared(constraint) { return .replaced }
    case .unique: break
    }
    return isRemoved(constraint) ? .dropped : .kept
  }
}

extension TableDefinition.ForeignKey {
  /// Whether both have the same actions and are checked at the same time.
  func acts(as existing: ExistingTable.ForeignKey) -> Bool {
    existing.onDelete == onDelete.rawValue && existing.onUpdate == onUpdate.rawValue
      && existing.isDeferred == isDeferred
  }
}

extension ExistingTable {
  var foreignKeys: [ForeignKey] {
    constraints.compactMap { constraint in
      if case .foreignKey(let key) = constraint.kind { key } else { nil }
    }
  }
}

extension ExistingTable.Constraint {
  /// Whether the constraint is a check with the same condition, and the same name if one is
  /// declared.
  func isSame(as check: TableDefinition.Check) -> Bool {
    guard case .check(let text) = kind else { return false }
    return text.normalSQL == check.condition.normalSQL && (check.name == nil || check.name == name)
  }

  /// The line of a schema that drops the constraint.
  var removalLine: String {
    switch kind {
    case .foreignKey(let key): key.removalLine
    case .unique(let terms): "Dropped(unique: \(terms.map(\.column).swiftList))"
    case .check(let text): "Dropped(check: \((name ?? text).swiftLiteral))"
    }
  }
}

extension ExistingTable.ForeignKey {
  /// The line of a schema that drops the foreign key.
  var removalLine: String { "Dropped(foreignKey: \(columns.swiftList))" }
}
