import SQLCore
import TestRun

@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

/// Random tables, and random changes of them that declare every removal and renaming.
struct RandomSchema {
  var tables: [TableDefinition] = []
  private var nextName = 0

  private mutating func newName(_ prefix: String) -> String {
    nextName += 1
    return "\(prefix)\(nextName)"
  }

  // MARK: New schemas

  init(using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...3, using: &random) { addTable(using: &random) }
  }

  private mutating func addTable(using random: inout SeededGenerator) {
    var table = TableDefinition(
      newName("t"),
      columns: [TableDefinition.Column("tag", .integer)], keyNames: ["tag"],
      isWithoutRowID: Int.random(in: 0..<5, using: &random) == 0)
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      addColumn(to: &table, using: &random)
    }
    tables.append(table)
    let last = tables.count - 1
    for _ in 0..<Int.random(in: 0...2, using: &random) { changeSomething(at: last, using: &random) }
    tables[last].removals = []
    tables[last].renamedColumns = []
    tables[last].formerNames = []
  }

  private static let classes: [StorageClass] = [.integer, .real, .text, .blob]

  private mutating func addColumn(
    to table: inout TableDefinition, using random: inout SeededGenerator
  ) {
    let storage = Self.classes.randomElement(using: &random) ?? .text
    var column = TableDefinition.Column(
      newName("c"), storage, isOptional: Bool.random(using: &random))
    if Int.random(in: 0..<3, using: &random) == 0 {
      column.defaultSQL = Self.literal(Int.random(in: 0...9, using: &random), storage)
    } else if Bool.random(using: &random) {
      table.removals.insert(.attribute(column: column.name, .default))
    }
    if storage == .text, Int.random(in: 0..<4, using: &random) == 0 { column.collation = "NOCASE" }
    table.columns.append(column)
  }

  static func literal(_ number: Int, _ storage: StorageClass) -> String {
    switch storage {
    case .integer: "\(number)"
    case .real: "\(number).0"
    case .text: number == 0 ? "''" : "'\(number)'"
    case .blob, .null: number == 0 ? "x''" : "x'3\(number)'"
    }
  }

  // MARK: Changes

  /// Returns another version of the schema, with the declarations that the change needs.
  func changed(using random: inout SeededGenerator) -> RandomSchema {
    var next = self
    for index in next.tables.indices {
      next.tables[index].removals = []
      next.tables[index].renamedColumns = []
      next.tables[index].formerNames = []
    }
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      next.changeSomething(
        at: Int.random(in: 0..<next.tables.count, using: &random), using: &random)
    }
    if Int.random(in: 0..<8, using: &random) == 0 { next.addTable(using: &random) }
    if Int.random(in: 0..<8, using: &random) == 0 { next.dropTable(using: &random) }
    if Int.random(in: 0..<8, using: &random) == 0 { next.renameTable(using: &random) }
    return next
  }

  private mutating func changeSomething(at index: Int, using random: inout SeededGenerator) {
    var table = tables[index]
    defer { tables[index] = table }
    // The column `tag` stays, because it identifies the rows.
    let others = table.columns.indices.dropFirst()
    switch Int.random(in: 0..<12, using: &random) {
    case 0: addColumn(to: &table, using: &random)
    case 1:
      guard let column = others.randomElement(using: &random) else { return }
      drop(column, from: &table)
    case 2:
      guard let column = others.randomElement(using: &random) else { return }
      rename(column, in: &table)
    case 3:
      guard let column = others.randomElement(using: &random) else { return }
      changeType(of: column, in: &table, using: &random)
    case 4:
      guard let column = others.randomElement(using: &random),
        !table.keyNames.contains(table.columns[column].name)
      else { return }
      table.columns[column].isOptional.toggle()
    case 5:
      guard let column = others.randomElement(using: &random) else { return }
      changeDefault(of: column, in: &table, using: &random)
    case 6:
      guard let column = others.randomElement(using: &random),
        table.columns[column].storageClass == .text
      else { return }
      let isCollated = table.columns[column].collation != nil
      table.columns[column].collation = isCollated ? nil : "NOCASE"
      if isCollated {
        table.removals.insert(.attribute(column: table.columns[column].name, .collation))
      }
    case 7, 8:
      changeIndexes(of: &table, using: &random)
    case 9: changeChecks(of: &table, using: &random)
    case 10: changeForeignKeys(of: &table, using: &random)
    default:
      switch Int.random(in: 0..<3, using: &random) {
      case 0: table.isWithoutRowID = !(table.isWithoutRowID ?? false)
      case 1:
        guard let column = others.randomElement(using: &random),
          !table.columns[column].isOptional, !isReferred(table.name)
        else { return }
        table.keyNames = table.keyNames.count == 1 ? ["tag", table.columns[column].name] : ["tag"]
      default: break
      }
    }
  }

  private func isReferred(_ table: String) -> Bool {
    tables.contains { $0.foreignKeys.contains { $0.target.table == table } }
  }

  private func uses(_ name: String, in table: TableDefinition) -> Bool {
    table.keyNames.contains(name)
  }

  private func drop(_ index: Int, from table: inout TableDefinition) {
    let name = table.columns[index].name
    guard !uses(name, in: table) else { return }
    table.columns.remove(at: index)
    table.indexes.removeAll { $0.terms.contains { $0.mentions(name) } || $0.condition != nil }
    for check in table.checks where check.condition.mentions(name) {
      table.removals.insert(.check(check.condition))
    }
    table.checks.removeAll { $0.condition.mentions(name) }
    for key in table.foreignKeys where key.columns == [name] {
      table.removals.insert(.foreignKey(key.columns))
    }
    table.foreignKeys.removeAll { $0.columns == [name] }
    // A column that this version added or renamed is removed without a trace.
    let former = table.renamedColumns.first { $0.name == name }?.from ?? name
    table.renamedColumns.removeAll { $0.name == name }
    table.removals.insert(.column(former))
    table.removals = table.removals.filter { removal in
      if case .attribute(name, _) = removal { false } else { true }
    }
  }

  private mutating func rename(_ index: Int, in table: inout TableDefinition) {
    let old = table.columns[index].name
    guard !uses(old, in: table), !table.renamedColumns.contains(where: { $0.name == old }),
      table.removals.isEmpty
    else { return }
    let new = newName("r")
    table.columns[index].name = new
    for position in table.indexes.indices {
      table.indexes[position].terms = table.indexes[position].terms.map {
        $0.renaming(old, to: new)
      }
      table.indexes[position].condition = table.indexes[position].condition?.renaming(old, to: new)
    }
    table.checks = table.checks.map {
      TableDefinition.Check($0.condition.renaming(old, to: new), name: $0.name)
    }
    table.foreignKeys = table.foreignKeys.map { key in
      var renamed = key
      renamed.columns = key.columns.map { $0 == old ? new : $0 }
      return renamed
    }
    table.renamedColumns.append((new, old))
  }

  private func changeType(
    of index: Int, in table: inout TableDefinition, using random: inout SeededGenerator
  ) {
    let name = table.columns[index].name
    guard !uses(name, in: table), !table.foreignKeys.contains(where: { $0.columns == [name] }),
      !table.checks.contains(where: { $0.condition.mentions(name) })
    else { return }
    let storage = Self.classes.randomElement(using: &random) ?? .text
    var column = TableDefinition.Column(
      name, storage, isOptional: table.columns[index].isOptional)
    if table.columns[index].defaultSQL != nil { column.defaultSQL = Self.literal(3, storage) }
    if table.columns[index].collation != nil {
      table.removals.insert(.attribute(column: name, .collation))
    }
    table.columns[index] = column
  }

  private func changeDefault(
    of index: Int, in table: inout TableDefinition, using random: inout SeededGenerator
  ) {
    let column = table.columns[index]
    if column.defaultSQL == nil {
      table.columns[index].defaultSQL =
        Self.literal(Int.random(in: 0...9, using: &random), column.storageClass)
      table.removals.remove(.attribute(column: column.name, .default))
    } else {
      table.columns[index].defaultSQL = nil
      table.removals.insert(.attribute(column: column.name, .default))
    }
  }

  private func changeIndexes(of table: inout TableDefinition, using random: inout SeededGenerator) {
    if !table.indexes.isEmpty, Bool.random(using: &random) {
      table.indexes.remove(at: Int.random(in: 0..<table.indexes.count, using: &random))
      return
    }
    guard let column = table.columns.randomElement(using: &random) else { return }
    var terms = [Identifier(column.name).quoted]
    if Int.random(in: 0..<3, using: &random) == 0 { terms[0] += " DESC" }
    let isUnique = Int.random(in: 0..<4, using: &random) == 0
    if isUnique, column.name != "tag" { terms.append("\"tag\"") }
    let condition =
      Int.random(in: 0..<4, using: &random) == 0 ? "\(Identifier(column.name).quoted) <> 5" : nil
    let index = TableDefinition.Index(terms, isUnique: isUnique, condition: condition)
    if !table.indexes.contains(where: { table.name(of: $0) == table.name(of: index) }) {
      table.indexes.append(index)
    }
  }

  private func changeChecks(of table: inout TableDefinition, using random: inout SeededGenerator) {
    if let check = table.checks.popLast() {
      table.removals.insert(.check(check.condition))
    } else if let column = table.columns.randomElement(using: &random) {
      let condition = "\(Identifier(column.name).quoted) <> 'never'"
      table.checks.append(TableDefinition.Check(condition))
      table.removals.remove(.check(condition))
    }
  }

  private mutating func changeForeignKeys(
    of table: inout TableDefinition, using random: inout SeededGenerator
  ) {
    if let key = table.foreignKeys.popLast() {
      table.removals.insert(.foreignKey(key.columns))
      return
    }
    guard let target = tables.randomElement(using: &random), target.keyNames == ["tag"],
      table.name == target.name ? table.keyNames == ["tag"] : true
    else { return }
    let column = newName("f")
    table.columns.append(
      TableDefinition.Column(column, .integer, isOptional: true))
    let actions: [ForeignKeyAction] = [.noAction, .cascade, .setNull]
    table.foreignKeys.append(
      TableDefinition.ForeignKey(
        columns: [column], target: ForeignKeyTarget(table: target.name, columns: ["tag"]),
        onDelete: actions.randomElement(using: &random) ?? .cascade,
        isDeferred: Bool.random(using: &random)))
  }

  private mutating func dropTable(using random: inout SeededGenerator) {
    guard tables.count > 1, let index = tables.indices.randomElement(using: &random),
      !isReferred(tables[index].name)
    else { return }
    let name = tables[index].name
    tables.remove(at: index)
    tables[0].removals.insert(.table(name))
  }

  private mutating func renameTable(using random: inout SeededGenerator) {
    guard let index = tables.indices.randomElement(using: &random) else { return }
    let old = tables[index].name
    let new = newName("n")
    tables[index].name = new
    tables[index].formerNames = [old]
    for table in tables.indices {
      for key in tables[table].foreignKeys.indices
      where tables[table].foreignKeys[key].target.table == old {
        tables[table].foreignKeys[key].target.table = new
      }
    }
  }
}
