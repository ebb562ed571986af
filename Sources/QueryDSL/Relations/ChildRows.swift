import SQLCore

/// The stored values that identify a parent. They are read from the parent itself, or from a
/// child's columns that refer to the parent.
enum RelationKey: Hashable {
  case one(DatabaseValue)
  case several([DatabaseValue])

  init(_ values: [DatabaseValue]) {
    self = values.count == 1 ? .one(values[0]) : .several(values)
  }

  /// Whether the key can refer to a row. A key that contains NULL refers to no row.
  var isComplete: Bool {
    switch self {
    case .one(let value): !value.isNull
    case .several(let values): !values.contains(where: \.isNull)
    }
  }

  /// Returns the value of one of the key's columns.
  func value(at index: Int) -> DatabaseValue {
    switch self {
    case .one(let value): value
    case .several(let values): values[index]
    }
  }
}

extension Relation {
  /// Returns a condition that is true for each row that belongs to a parent with one of these keys.
  func isOwned(by keys: [RelationKey]) -> PredicateNode {
    let arrays = owners.indices.map { index in
      BoundValue.array(BoundArray(keys.map { $0.value(at: index) }))
    }
    if owners.count == 1 { return .isIn(owners[0], arrays[0], containsNull: nil) }
    return .isIn(owners, rowsOf: arrays)
  }
}

/// A query that numbers the children of each parent, and returns only the children whose numbers
/// are within the offset and the limit.
struct NumberedRows: Renderable {
  struct Limits: Sendable {
    let offset: Int64
    let limit: Int64?

    /// Reads the limit and the offset of a query; nil if the query has neither.
    init?(of statement: SelectStatement) throws {
      guard statement.limit != nil || statement.offset != nil else { return nil }
      offset = try Self.count(statement.offset) ?? 0
      limit = try Self.count(statement.limit)
    }

    /// Applies the offset and the limit to the rows of one parent. `places` has the indices of
    /// these rows. Returns the indices of the rows that remain.
    func apply(to places: [Int]) -> [Int] {
      let rest = places.dropFirst(Int(clamping: max(0, offset)))
      // A negative limit means no limit.
      guard let limit, limit >= 0 else { return Array(rest) }
      return Array(rest.prefix(Int(clamping: limit)))
    }

    private static func count(_ value: RowCount?) throws -> Int64? {
      guard let value else { return nil }
      guard case .number(let count) = value else {
        throw QueryError(
          "LIMIT and OFFSET of an included query must be numbers; a parameter of `prepare` cannot "
            + "be used there")
      }
      return Int64(count)
    }
  }

  /// The name of the result column that numbers the children of each parent.
  static let name = "number in parent"

  let statement: SelectStatement
  let limits: Limits

  func write(to writer: inout ShapeWriter) {
    writer.token(.selectAllFrom)
    statement.write(to: &writer)
    writer.token(.close)
    writer.token(.where)
    let name = Identifier(Self.name)
    writer.fragment("\(name) > \(limits.offset)")
    if let limit = limits.limit {
      let (last, overflow) = limits.offset.addingReportingOverflow(limit)
      writer.fragment(" AND \(name) <= \(overflow ? .max : last)")
    }
    writer.fragment(" ORDER BY \(name)")
  }
}

extension ConnectionCore {
  /// Returns the models that a statement selects. For each model, also returns the values of the
  /// `count` columns that follow the model's own columns in the row. These columns refer to the
  /// parent of the model.
  func models<M>(
    of statement: some Renderable, _ decoding: RowDecoding<M>, owners count: Int, areLive: Bool
  ) throws -> (models: LoadedRows<M>, owners: [RelationKey]) {
    let lent = try lendStatement(for: statement)
    defer { giveBack(lent) }
    var models: [M] = []
    var fingerprints: [UInt64]? = areLive ? [] : nil
    var owners: [RelationKey] = []
    while try step(lent) {
      var reader = RowReader(core: self, statement: lent)
      do {
        models.append(try decoding.one(&reader))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: models.count)
      }
      let row = StatementRow(statement: lent)
      fingerprints?.append(row.fingerprint(ofFirst: reader.position))
      if count == 1 {
        owners.append(.one(try row.databaseValue(at: reader.position)))
      } else {
        owners.append(
          .several(try (0..<count).map { try row.databaseValue(at: reader.position + $0) }))
      }
    }
    return (LoadedRows(models, fingerprints: fingerprints), owners)
  }
}

extension ModelLayout {
  /// Returns, for each model, the stored values of the given columns.
  func keys<M: Model>(ofColumns indices: [Int], in models: [M]) throws -> [RelationKey] {
    if indices.count == 1 { return try values(ofColumn: indices[0], in: models).map { .one($0) } }
    let columns = try indices.map { try values(ofColumn: $0, in: models) }
    return models.indices.map { row in .several(columns.map { $0[row] }) }
  }

  /// Returns, for each model, the stored value of one column. The value is NULL if the property is
  /// nil.
  private func values<M: Model>(
    ofColumn index: Int, in models: [M]
  ) throws -> [DatabaseValue] {
    let slot = slots.slots[index]
    return try models.withUnsafeBytes { memory in
      guard var model = memory.baseAddress else { return [] }
      var values: [DatabaseValue] = []
      values.reserveCapacity(models.count)
      for _ in models {
        values.append(
          try slot.type._databaseValue(ofColumnAt: model + Int(slot.offset), as: slot.form))
        model += slots.stride
      }
      return values
    }
  }
}

/// The rows that a query with `including` has loaded. The rows that they include may not be loaded
/// yet.
package struct LoadedRows<Row: Sendable>: Sendable {
  package let rows: [Row]
  /// A hash for each row, which changes if a stored value of the row or of its included rows
  /// changes. Only live queries need the hashes, so this is nil for other queries.
  ///
  /// The hash does not cover the order of the included rows, because their order follows from their
  /// values. If the order of their query does not distinguish two children, a live query also sorts
  /// them by their keys.
  package let fingerprints: [UInt64]?

  package init(_ rows: [Row], fingerprints: [UInt64]? = nil) {
    self.rows = rows
    self.fingerprints = fingerprints
  }

  init(_ rows: [Row], live: Bool) {
    self.init(rows, fingerprints: live ? [] : nil)
  }

  /// Whether the rows belong to a live query.
  var areLive: Bool { fingerprints != nil }

  /// Returns the rows at the given indices, in the order of the indices.
  subscript(places: [Int]) -> LoadedRows {
    LoadedRows(
      places.map { rows[$0] }, fingerprints: fingerprints.map { all in places.map { all[$0] } })
  }

  /// Returns the fingerprints of these rows, combined with the fingerprints of their children.
  ///
  /// The fingerprints of the children are added up, because the order of the children follows from
  /// their values. If one child changes, the sum changes by the difference of that child's
  /// fingerprints.
  func combining(_ children: [[UInt64]]) -> [UInt64]? {
    fingerprints.map { own in
      zip(own, children).map { parent, children in
        var hasher = Hasher()
        hasher.combine(parent)
        return children.reduce(UInt64(bitPattern: Int64(hasher.finalize())), &+)
      }
    }
  }
}
