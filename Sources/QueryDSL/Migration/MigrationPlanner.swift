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

  private func steps(for declared: [TableDefinition]) throws -> [MigrationPlan.Step] {
    let facets = TableDefinition.sharing(declared)
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
    } else if try isView(facets[0].name) {
      return [refuse(facets[0], "\(facets[0].name) is a view; a model needs a table")]
    }
    var indexes = try existingIndexes(of: facets[0].name)
    if remaining.count < facets.count {
      steps += try indexSteps(for: facets[0], existing: &indexes)
    }
    for facet in remaining {
      steps += compare(facet, with: &existing)
      steps += try indexSteps(for: facet, existing: &indexes)
      steps += try foreignKeySteps(for: facet)
    }
    steps += keptColumns(facets, existing)
    steps += columnsOfSomeFacets(facets, existing)
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
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
    if key.map(\.lowercasedASCII) != table.keyNames.map(\.lowercasedASCII) {
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
            isNotNull: !column.isOptional,
            defaultText: column.defaultLiteral ?? column.fallbackLiteral, primaryKeyPosition: 0,
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
    if table.hasRowIDKey, column.isOptional, found.primaryKeyPosition > 0,
      found.declaredType.lowercasedASCII != "integer"
    {
      return "\(column.name) is declared \(found.declaredType) in the database, which assigns keys "
        + "to an INTEGER PRIMARY KEY alone; declare it without the question mark"
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
    if reference != nil, column.defaultLiteral != nil {
      return refuse(
        table,
        "the new column \(column.name) refers to another table and has a default, which ALTER TABLE "
          + "cannot add; leave out `Default(\\.$\(column.name), …)`")
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

  /// A column that not every facet has is optional or has a default.
  private func columnsOfSomeFacets(
    _ facets: [TableDefinition], _ existing: [TableColumn]
  ) -> [MigrationPlan.Step] {
    let needed = existing.filter {
      $0.isNotNull && $0.defaultText == nil && $0.primaryKeyPosition == 0 && $0.generation == .none
    }
    return needed.compactMap { column in
      let declaring = facets.filter { $0.declares(column.name) }
      guard let first = declaring.first,
        let other = facets.first(where: { !$0.declares(column.name) })
      else { return nil }
      return refuse(
        first,
        "\(column.name) is NOT NULL without a default, and \(other.model) does not declare it: its "
          + "insertions would fail; make it an optional, or write `Default(\\.$\(column.name), …)` in "
          + "the schema of \(first.model) before the table is created")
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
    for table: TableDefinition, existing: inout [String: (isUnique: Bool, [String])]
  ) throws -> [MigrationPlan.Step] {
    var steps: [MigrationPlan.Step] = []
    for index in table.indexes {
      if let found = existing[index.name.lowercasedASCII] {
        if found.isUnique != index.isUnique
          || found.1.map(\.lowercasedASCII) != index.columns.map(\.lowercasedASCII)
        {
          steps.append(
            refuse(
              table,
              "the index \(index.name) is there with other columns; drop it by "
                + "`DROP INDEX \(Identifier(index.name).quoted)`"))
        }
        continue
      }
      existing[index.name.lowercasedASCII] = (index.isUnique, index.columns)
      if index.isUnique, let count = try sharedValues(of: index, in: table), count > 0 {
        steps.append(
          refuse(
            table,
            "\(index.columns.joined(separator: ", ")) shall be unique, and \(count) of the values "
              + "there \(count == 1 ? "is" : "are") in several rows"))
        continue
      }
      steps.append(
        MigrationPlan.Step(
          .createIndex(index.name), table: table.name, sql: table.createIndex(index),
          reason: index.isUnique ? "no two rows share its columns" : "the schema declares it"))
    }
    return steps
  }

  /// How many values of an index over columns that are there come more than once.
  private func sharedValues(
    of index: TableDefinition.IndexDefinition, in table: TableDefinition
  ) throws -> Int? {
    let columns = try connection.columns(ofTable: table.name).map(\.name.lowercasedASCII)
    guard index.columns.allSatisfy({ columns.contains($0.lowercasedASCII) }) else { return nil }
    let names = index.columns.map { Identifier($0).quoted }
    let isThere = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    return try connection.row(
      """
      SELECT count(*) FROM (SELECT 1 FROM \(identifier: table.name) WHERE \(unsafe: isThere)
        GROUP BY \(unsafe: names.joined(separator: ", ")) HAVING count(*) > 1)
      """)?.get(Int.self, at: 0)
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
