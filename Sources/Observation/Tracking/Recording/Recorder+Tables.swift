import SQLCore

extension Recorder {
  /// Reads the watched tables, if the schema has changed since they were last read.
  func prepareTables() {
    guard granularity == .rows else {
      isPrepared = true
      return
    }
    do {
      try reading { connection in
        let version = try core.schemaVersion()
        let attached = try attachedVersions(on: connection)
        isPrepared = true
        guard version != schemaVersion || attached != attachedVersions else { return }
        for schema in ["main"] + attached.keys { try connection.refreshSchema(schema) }
        try readTables(on: connection)
        (schemaVersion, attachedVersions) = (version, attached)
        if !didChangeSchema { committedDefinitions = definitions }
      }
    } catch {
      // If the tables cannot be read, each of them may have changed.
      for table in places.keys { log.note(.tableChanged, table) }
    }
  }

  /// Returns the schema versions of the attached databases that have watched tables.
  private func attachedVersions(on connection: Connection) throws -> [String: Int32] {
    if let watchedSchemas, watchedSchemas.isEmpty { return [:] }
    var versions: [String: Int32] = [:]
    for schema in try connection.attachedDatabases()
    where watchedSchemas?.contains(schema) != false {
      versions[schema] =
        try connection.row("PRAGMA \(identifier: schema).schema_version")?.get(Int32.self, at: 0)
    }
    return versions
  }

  private func readTables(on connection: Connection) throws {
    let names: [(QualifiedTableName, Set<String>?)] =
      switch wanted {
      case .some(let tables): tables.map { ($0.key, $0.value) }
      case .all: try connection.observableTables().map { ($0, nil) }
      }
    log.encoding = try connection.textEncoding()
    let known = places
    places = [:]
    recentPlaces.removeAll()
    for (name, columns) in names {
      let table = try TrackedTable(named: name, recording: columns, on: connection)
      let before = known[name]
      if let before, let table, tables[before].definition == table.definition {
        places[name] = before
        continue
      }
      guard let table else { continue }
      // Recorded rows refer to their tables by index, so new tables are appended.
      places[name] = tables.count
      tables.append(table)
    }
    guard log.rows.isEmpty else { return }
    // There are no recorded rows, so tables with old definitions can be removed.
    let used = places.sorted { $0.value < $1.value }
    tables = used.map { tables[$0.value] }
    places = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1.key, $0) })
  }

  private var definitions: [QualifiedTableName: String] {
    places.mapValues { tables[$0].definition }
  }

  /// Notes the watched tables whose definitions changed. A statement can change the definitions of
  /// more tables than it names. For example, a renamed table may take the name of another table.
  func noteChangedDefinitions() {
    guard granularity == .rows else {
      // There are no definitions to compare, and any table may have been renamed. So all tables are
      // noted.
      for table in (try? reading { try $0.observableTables() }) ?? [] {
        log.note(.schemaChanged, table, at: schemaChangePosition)
      }
      return
    }
    prepareTables()
    let now = definitions
    for table in Set(now.keys).union(committedDefinitions.keys)
    where now[table] != committedDefinitions[table] {
      log.note(.schemaChanged, table, at: schemaChangePosition)
    }
    committedDefinitions = now
  }

  // MARK: The changes of a transaction's writes

  /// Returns the changes of each write of the transaction.
  func writes() -> [WriteChanges] {
    var writes: [WriteChanges] = []
    var start = 0
    let last = RecordedRows.Boundary(
      label: core.writeLabel, author: core.writeAuthor, position: .max)
    for boundary in log.boundaries + [last] {
      let changes = changes(from: start, to: boundary)
      if !changes.tables.isEmpty { writes.append(changes) }
      start = boundary.position
    }
    return writes
  }

  /// Nets recorded rows by table and key. Returns the tables in the order of `tables`.
  func netted(_ rows: ArraySlice<RecordedRow>) -> [(table: TrackedTable, rows: RowNetting)] {
    var netted: [RowNetting?] = Array(repeating: nil, count: tables.count)
    var start = rows.startIndex
    while start < rows.endIndex {
      // Consecutive rows of one table are netted together. Usually all rows are of one table.
      let table = rows[start].table
      var end = start + 1
      while end < rows.endIndex, rows[end].table == table { end += 1 }
      if netted[table] == nil {
        netted[table] = RowNetting(of: tables[table], in: log.values)
        netted[table]?.reserve(rows.count)
      }
      netted[table]?.add(rows[start..<end])
      start = end
    }
    return zip(tables, netted).compactMap { table, rows in rows.map { (table, $0) } }
  }

  private func changes(from start: Int, to boundary: RecordedRows.Boundary) -> WriteChanges {
    let end = boundary.position
    var changes = WriteChanges(label: boundary.label, author: boundary.author)
    for note in log.notes where note.position >= start && note.position < end {
      changes.tables[note.table, default: emptyRows(of: note.table)].events.insert(note.event)
    }
    for (table, netted) in netted(log.rows(from: start, to: end)) {
      var rows = netted
      let isCurrent = places[table.name].map { tables[$0] === table } == true
      var known =
        changes.tables[table.name]
        ?? (isCurrent
          ? NettedTable(names: table.names, values: log.values) : emptyRows(of: table.name))
      do {
        try rows.complete { key in try reading { try table.read(key, on: $0) } }
      } catch {
        known.events.insert(.tableChanged)
      }
      if isCurrent {
        known.rows = rows.rows
        known.rekeyedKeys = rows.rekeyedKeys
      } else {
        // The table was replaced after the rows were recorded. The rows do not have its new
        // columns, so they are not reported.
        known.events.insert(.tableChanged)
      }
      if !known.rows.isEmpty || !known.events.isEmpty { changes.tables[table.name] = known }
    }
    return changes
  }

  /// Returns the changes of a table without any rows and events. The caller adds rows and events to
  /// them.
  private func emptyRows(of table: QualifiedTableName) -> NettedTable {
    NettedTable(
      names: places[table].map { tables[$0].names } ?? TableNames(table.name),
      values: log.values)
  }
}

extension Connection {
  /// Returns the names of the attached databases.
  func attachedDatabases() throws -> [String] {
    try rows("SELECT name FROM pragma_database_list")
      .map { try $0.get(String.self, at: 0).lowercasedASCII }
      .filter { $0 != "main" && $0 != "temp" }
  }
}
