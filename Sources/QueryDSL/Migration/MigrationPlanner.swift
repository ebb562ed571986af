import SQLCore

/// Compares what models declare with what a database has.
struct MigrationPlanner {
  let connection: Connection

  func plan(for models: [any Model.Type]) throws -> MigrationPlan {
    var plan = MigrationPlan()
    // Several models may be one table: each adds what it has, none takes anything away.
    var tables: [[TableDefinition]] = []
    for model in models {
      let definition = try definition(of: model)
      let folded = definition.name.lowercasedASCII
      if let index = tables.firstIndex(where: { $0[0].name.lowercasedASCII == folded }) {
        tables[index].append(definition)
      } else {
        tables.append([definition])
      }
    }
    for facets in tables { plan.steps += try steps(for: facets) }
    return plan
  }

  private func definition<M: Model>(of model: M.Type) throws -> TableDefinition {
    try TableDefinition(of: model)
  }

  private func steps(for facets: [TableDefinition]) throws -> [MigrationPlan.Step] {
    var existing = try connection.columns(ofTable: facets[0].name)
    var steps: [MigrationPlan.Step] = []
    var remaining = facets[...]
    if existing.isEmpty {
      let first = facets[0]
      steps.append(
        MigrationPlan.Step(
          .createTable, table: first.name, sql: first.createTable, reason: "there is none"))
      existing = first.columns.map { column in
        TableColumn(
          name: column.name, declaredType: column.storageClass.rawValue,
          isNotNull: !column.isOptional, defaultText: column.defaultLiteral,
          primaryKeyPosition: (first.keyNames.firstIndex(of: column.name) ?? -1) + 1,
          generation: .none)
      }
      remaining = remaining.dropFirst()
      steps += indexSteps(for: first, existing: [:])
    } else if try isView(facets[0].name) {
      return [refuse(facets[0], "\(facets[0].name) is a view; a model needs a table")]
    }
    let indexes = try existingIndexes(of: facets[0].name)
    for facet in remaining {
      steps += compare(facet, with: &existing)
      steps += indexSteps(for: facet, existing: indexes)
      steps += try foreignKeySteps(for: facet)
    }
    steps += keptColumns(facets, existing)
    return try countingRows(of: facets[0].name, in: steps)
  }

  /// Counting reads the whole table: it is done only where a step touches the rows.
  private func countingRows(
    of table: String, in steps: [MigrationPlan.Step]
  ) throws -> [MigrationPlan.Step] {
    guard steps.contains(where: \.touchesRows), try connection.tableExists(table) else {
      return steps
    }
    let count = try connection.row("SELECT count(*) FROM \(identifier: table)")?
      .get(Int.self, at: 0)
    return steps.map { $0.touchesRows ? $0.counting(count) : $0 }
  }

  // MARK: Columns

  private func compare(
    _ table: TableDefinition, with existing: inout [TableColumn]
  ) -> [MigrationPlan.Step] {
    var steps: [MigrationPlan.Step] = []
    let key = existing.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name.lowercasedASCII)
    if key != table.keyNames.map(\.lowercasedASCII) {
      steps.append(
        refuse(
          table,
          "the primary key is (\(key.joined(separator: ", "))) in the database and "
            + "(\(table.keyNames.joined(separator: ", "))) in \(table.model)"))
    }
    for column in table.columns {
      let name = column.name.lowercasedASCII
      guard let found = existing.first(where: { $0.name.lowercasedASCII == name }) else {
        steps.append(add(column, to: table))
        existing.append(
          TableColumn(
            name: column.name, declaredType: column.storageClass.rawValue,
            isNotNull: !column.isOptional, defaultText: nil, primaryKeyPosition: 0,
            generation: .none))
        continue
      }
      if let reason = mismatch(column, found, in: table) {
        steps.append(refuse(table, reason))
      }
    }
    return steps
  }

  private func mismatch(
    _ column: TableDefinition.ColumnDefinition, _ found: TableColumn, in table: TableDefinition
  ) -> String? {
    guard StorageClass(declaredType: found.declaredType) == column.storageClass else {
      return "\(column.name) is \(found.declaredType.isEmpty ? "untyped" : found.declaredType) in "
        + "the database and \(column.storageClass.rawValue) in \(table.model); declare a type that "
        + "is stored so, or a new property"
    }
    if found.isNotNull, column.isOptional, found.primaryKeyPosition == 0 {
      return "\(column.name) is NOT NULL in the database and optional in \(table.model); "
        + "declare it without the question mark"
    }
    // A rowid is never NULL, declared or not.
    if !found.isNotNull, !column.isOptional, found.primaryKeyPosition == 0 {
      return "\(column.name) may be NULL in the database and is not optional in \(table.model); "
        + "declare it as an optional"
    }
    return nil
  }

  private func add(
    _ column: TableDefinition.ColumnDefinition, to table: TableDefinition
  ) -> MigrationPlan.Step {
    if table.keyNames.contains(column.name) {
      return refuse(
        table, "\(column.name) belongs to the primary key, which ALTER TABLE cannot change")
    }
    let hasDefault = column.defaultLiteral ?? column.fallbackLiteral
    guard column.isOptional || hasDefault != nil else {
      return refuse(
        table,
        "the new column \(column.name) needs a value for the rows that are there; "
          + "write `Default(\\.$\(column.name), …)` in the schema of \(table.model), or make it an "
          + "optional")
    }
    let reference = table.foreignKeys.first { $0.columns == [column.name] }
    if reference != nil, !column.isOptional {
      return refuse(
        table,
        "the new column \(column.name) refers to another table, and rows that are there would "
          + "refer to nothing; make it an optional")
    }
    var sql = "ALTER TABLE \(table.quotedName) ADD COLUMN \(column.sql(addingDefault: true))"
    if let reference { sql += " \(reference.sql)" }
    let value = column.isOptional ? column.defaultLiteral ?? "NULL" : hasDefault ?? "NULL"
    return MigrationPlan.Step(
      .addColumn(column.name), table: table.name, sql: sql,
      reason: "rows that are there get \(value)")
  }

  private func keptColumns(
    _ facets: [TableDefinition], _ existing: [TableColumn]
  ) -> [MigrationPlan.Step] {
    let declared = Set(facets.flatMap { $0.columns.map(\.name.lowercasedASCII) })
    return existing.compactMap { column in
      guard !declared.contains(column.name.lowercasedASCII), column.generation == .none else {
        return nil
      }
      if column.isNotNull, column.defaultText == nil, column.primaryKeyPosition == 0 {
        return refuse(
          facets[0],
          "\(column.name) is NOT NULL without a default and no property declares it: insertions "
            + "would fail; declare it as a property of \(facets[0].model)")
      }
      return MigrationPlan.Step(
        .keepColumn(column.name), table: facets[0].name, reason: "no model declares it")
    }
  }

  // MARK: Indexes and foreign keys

  private func existingIndexes(of table: String) throws -> [String: (isUnique: Bool, [String])] {
    var indexes: [String: (isUnique: Bool, [String])] = [:]
    for row in try connection.rows(
      "SELECT name, \"unique\" FROM pragma_index_list(\(table))")
    {
      let name = try row.get(String.self, at: 0)
      let columns = try connection.rows("SELECT name FROM pragma_index_info(\(name))")
      indexes[name.lowercasedASCII] = (
        try row.get(Bool.self, at: 1), try columns.compactMap { try $0.get(String?.self, at: 0) }
      )
    }
    return indexes
  }

  private func indexSteps(
    for table: TableDefinition, existing: [String: (isUnique: Bool, [String])]
  ) -> [MigrationPlan.Step] {
    table.indexes.compactMap { index in
      if let found = existing[index.name.lowercasedASCII] {
        guard found.isUnique == index.isUnique,
          found.1.map(\.lowercasedASCII) == index.columns.map(\.lowercasedASCII)
        else {
          return refuse(
            table,
            "the index \(index.name) is there with other columns; drop it by "
              + "`DROP INDEX \(Identifier(index.name).quoted)`")
        }
        return nil
      }
      return MigrationPlan.Step(
        .createIndex(index.name), table: table.name, sql: table.createIndex(index),
        reason: index.isUnique ? "no two rows share its columns" : "the schema declares it")
    }
  }

  private func foreignKeySteps(
    for table: TableDefinition
  ) throws -> [MigrationPlan.Step] {
    let existing = try connection.rows(
      "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(\(table.name))"
    ).map { try ($0.get(String.self, at: 0).lowercasedASCII, $0.get(String.self, at: 1)) }
    let columns = try connection.columns(ofTable: table.name).map(\.name.lowercasedASCII)
    return table.foreignKeys.compactMap { key in
      let names = key.columns.map(\.lowercasedASCII)
      // A column that is only now added brings its reference with it.
      guard names.allSatisfy(columns.contains) else { return nil }
      guard
        existing.contains(where: {
          names.contains($0.0) && $0.1.lowercasedASCII == key.target.table.lowercasedASCII
        })
      else {
        return refuse(
          table,
          "the foreign key on \(key.columns.joined(separator: ", ")) is not in the database, and "
            + "ALTER TABLE cannot add it to a column that is there")
      }
      return nil
    }
  }

  // MARK: Facts

  private func isView(_ table: String) throws -> Bool {
    try connection.row(
      "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND lower(name) = lower(\(table))") != nil
  }

  private func refuse(_ table: TableDefinition, _ reason: String) -> MigrationPlan.Step {
    MigrationPlan.Step(.refuse, table: table.name, reason: reason)
  }
}
