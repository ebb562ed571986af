import SQLCore

/// A query of one model, and what is made of its rows: themselves, or they with their children.
public struct IncludedQuery<Root: Model, Row: Sendable>: Sendable {
  let query: TableQuery<Root, Root>
  let complete: @Sendable (ConnectionCore, [Root]) throws -> [Row]
}

extension IncludedQuery {
  /// The rows that belong to parents, by the stored value that refers to them: one statement, and
  /// those of what they include themselves.
  func rows(
    belongingTo keys: [DatabaseValue], by relation: Relation, on core: ConnectionCore
  ) throws -> [DatabaseValue: [Row]] {
    guard !keys.isEmpty else { return [:] }
    let (models, owners) = try core.models(
      of: try statement(keys, relation), query.select.decoding)
    var rows: [DatabaseValue: [Row]] = [:]
    for (owner, row) in zip(owners, try complete(core, models)) {
      rows[owner, default: []].append(row)
    }
    return rows
  }

  private func statement(
    _ keys: [DatabaseValue], _ relation: Relation
  ) throws -> SelectStatement {
    var statement = query.select.statement
    guard statement.limit == nil, statement.offset == nil else {
      throw QueryError(
        "the rows of \(Root.tableName) that are included have a LIMIT, which would be that of all "
          + "parents together")
    }
    guard statement.groups.isEmpty, !statement.isDistinct else {
      throw QueryError("the rows of \(Root.tableName) that are included are grouped or DISTINCT")
    }
    statement.selection = .terms([.table(query.columns.table), .expression(relation.owner)])
    if let join = relation.join { statement.joins.append(join) }
    statement.predicates.append(
      .isIn(relation.owner, .array(BoundArray(keys)), containsNull: nil))
    return statement
  }
}

extension ConnectionCore {
  /// Models, and the value behind the columns of each.
  fileprivate func models<M>(
    of statement: SelectStatement, _ decoding: RowDecoding<M>
  ) throws -> (models: [M], owners: [DatabaseValue]) {
    let lent = try lendStatement(for: statement)
    defer { giveBack(lent) }
    var models: [M] = []
    var owners: [DatabaseValue] = []
    while try step(lent) {
      var reader = RowReader(core: self, statement: lent)
      do {
        models.append(try decoding.one(&reader))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: models.count)
      }
      owners.append(try StatementRow(statement: lent).databaseValue(at: reader.position))
    }
    return (models, owners)
  }
}

extension ModelLayout {
  /// The stored values of a column of models; NULL where one is nil.
  func values<M: Model>(ofColumn index: Int, in models: [M]) throws -> [DatabaseValue] {
    let slot = slots.slots[index]
    return try models.withUnsafeBytes { memory in
      guard var model = memory.baseAddress else { return [] }
      var values: [DatabaseValue] = []
      values.reserveCapacity(models.count)
      for _ in models {
        values.append(
          try slot.type.databaseValue(ofColumnAt: model + Int(slot.offset), as: slot.form))
        model += slots.stride
      }
      return values
    }
  }
}
