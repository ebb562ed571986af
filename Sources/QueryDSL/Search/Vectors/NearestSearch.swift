import SQLCore

/// A search in a vector index. The search finds the rows whose exact distances the query then
/// measures.
///
/// The search becomes a condition of the query, on the key of the table:
/// ```swift
/// // "id" IN (WITH
/// //   few: the first rows for which the conditions hold; if there are no more, all are measured
/// //   near: the rows with the most similar codes in the nearest cells, as far as conditions hold
/// //   found: few, near, and the rows that are not in a cell; or all rows, if near has too few
/// //   SELECT the nearest rows of found)
/// ```
/// So the result has as many rows as an exact search, whatever the conditions are.
package final class NearestSearch: Sendable {
  /// The name of the index.
  let index: String
  /// The key of the table.
  let keys: [ExpressionNode]
  let vector: [Float]
  let metric: VectorMetric
  /// The share of the rows whose codes are read: 0.1 for a tenth. A code has one bit for each
  /// dimension of a vector.
  let share: Double
  /// The distance of a row's vector from `vector`.
  let distance: ExpressionNode
  /// The number of conditions that `nearest` itself adds to the query, such as `IS NOT NULL`.
  let conditionCount: Int

  /// Creates the search in the index that a model declares; nil if the column has no index with the
  /// metric, or if `share` is not between 0 and 1.
  init?<M: TableModel>(
    of vector: [Float], in columns: Columns<M>, by column: PartialKeyPath<M>,
    metric: VectorMetric, distance: ExpressionNode, share: Double, conditionCount: Int
  ) {
    guard share > 0, share < 1, let layout = try? M.layout,
      let place = layout.index(ofColumn: column),
      let line = layout.vectorIndexes(of: M.self).first(where: {
        layout.index(ofColumn: $0.column) == place && $0.metric == metric
      })
    else { return nil }
    index =
      line.name
      ?? VectorIndexDefinition.name(of: layout.tableName, column: layout.columns[place].name)
    keys = layout.keyColumns.map {
      .column(ColumnID(table: columns.table, index: UInt16(truncatingIfNeeded: $0)))
    }
    self.vector = vector
    self.metric = metric
    self.share = share
    self.distance = distance
    self.conditionCount = conditionCount
  }

  /// Returns how many vectors are measured exactly, to find the nearest `limit` rows.
  func measuredCount(_ limit: Int) -> Int { max(20 * limit, Int(share * 10_000), 1) }
}

extension SelectStatement {
  /// The number of rows that a search in a vector index must find: the sum of the limit and the
  /// offset. Nil if the nearest rows are not enough for the query, for example because it has an
  /// aggregate.
  private var indexedLimit: Int? {
    guard case .number(let limit) = limit, limit > 0, limit < 100_000, !isDistinct,
      let content = extras?.content, content.groups.isEmpty, content.having.isEmpty,
      content.windows.isEmpty, content.compound == nil, let first = order.first,
      !first.isDescending,
      !content.joins.contains(where: { $0.kind == .right || $0.kind == .full })
    else { return nil }
    guard !hasAggregateOrWindow else { return nil }
    switch offset {
    case nil: return limit
    case .number(let offset) where offset >= 0 && offset < 100_000: return limit + offset
    default: return nil
    }
  }

  /// Writes WHERE with the search in a vector index, and then the conditions of the query.
  func writeConditions(_ search: NearestSearch?, to writer: inout ShapeWriter) {
    guard let search, let limit = indexedLimit, let table = searched else {
      return Self.write(predicates, behind: .where, to: &writer)
    }
    writer.token(.where)
    let hasConditions = predicates.count > search.conditionCount || !joins.isEmpty
    CandidateWriter(search: search, table: table, limit: limit, hasConditions: hasConditions)
      .write(to: &writer)
    guard !predicates.isEmpty else { return }
    writer.token(.and)
    PredicateNode.all(Array(predicates)).writeOperand(to: &writer, binding: .and)
  }

  /// The query without its order, limit and offset. It finds the rows among which a vector index
  /// searches. A join with a full-text search becomes a condition of this query, which SQLite
  /// evaluates once. Nil if another condition also uses the hits of the full-text search.
  private var searched: SelectStatement? {
    var inner = self
    (inner.order, inner.limit, inner.offset) = (.none, nil, nil)
    var conditions = ShortList<PredicateNode>.none
    var isPossible = true
    inner.changeExtras { content in
      content.nearest = nil
      content.commonTables = []
      (content.limit, content.offset) = (nil, nil)
      for join in content.joins where join.kind == .inner {
        guard case .function? = extras?.source(of: join.table),
          let layout = LayoutRegistry.shared.layout(number: join.table.layout),
          let hit = layout.model as? any _SearchHitRow.Type
        else { continue }
        // A condition that cannot be rendered is skipped here, because rendering the query fails
        // anyway.
        let others =
          (Array(predicates)
          + content.joins.filter { $0.table != join.table }.compactMap(\.condition))
          .compactMap { try? $0.tables }
        guard let key = hit.keyOfSearched(by: join.condition),
          !others.contains(where: { $0.contains(join.table) })
        else {
          isPossible = false
          continue
        }
        var rows = SelectStatement(
          selection: .terms([.expression(.column(ColumnID(table: join.table, index: 0)))]),
          from: join.table)
        let source = content.sources.filter { $0.table == join.table }
        rows.changeExtras { $0.sources = source }
        conditions.append(.isInQuery(.column(key), rows, isOptional: false))
        content.joins.removeAll { $0.table == join.table }
        content.sources.removeAll { $0.table == join.table }
      }
    }
    inner.predicates.append(contentsOf: conditions)
    return isPossible ? inner : nil
  }
}

extension _SearchHitRow {
  /// Returns the key column of the table that a full-text search has searched. The condition of the
  /// join names this column, as `"Post"."id"` in `"Post"."id" = (+"Post_search"."rowid")`.
  fileprivate static func keyOfSearched(by condition: PredicateNode?) -> ColumnID? {
    guard case .tree(.compare(.equal, .column(let key), _), _) = condition else { return nil }
    return key
  }
}

/// A writer of the condition that a row is among the nearest candidates.
private struct CandidateWriter {
  let search: NearestSearch
  /// The query without its order and limit.
  let table: SelectStatement
  let limit: Int
  let hasConditions: Bool

  private var index: String { Identifier(search.index).quoted }
  private var cells: String { Identifier(VectorIndexDefinition.cells(of: search.index)).quoted }
  private var keyNames: [String] { VectorIndexDefinition.keyNames(search.keys.count) }
  private var measured: Int { search.measuredCount(limit) }

  /// The key of the table as an operand of IN.
  private var key: ExpressionNode {
    search.keys.count == 1 ? search.keys[0] : .row(search.keys)
  }

  /// Returns the query, changed so that it selects the key and distance of each row.
  private func rows(_ change: (inout SelectStatement) -> Void) -> SelectStatement {
    var rows = table
    rows.selection = .terms((search.keys + [search.distance]).map { .expression($0) })
    change(&rows)
    return rows
  }

  func write(to writer: inout ShapeWriter) {
    let keys = keyNames.quotedList
    let columns = keyNames.quotedList + ", \"distance\""
    // The cells are searched only if `apus_few` has as many rows as its limit. If it has fewer
    // rows, these are already all rows that match the conditions.
    let isFull: SQL =
      hasConditions
      ? SQL("(SELECT count(*) FROM \"apus_few\") = \(measured)") : SQL("1")
    key.writeOperand(to: &writer, binding: .primary)
    writer.fragment(SQL(unsafe: " IN (WITH "))
    if hasConditions {
      writer.fragment(SQL(unsafe: "\"apus_few\"(\(columns)) AS MATERIALIZED ("))
      write(rows { $0.limitRows(to: measured) }, to: &writer)
      writer.fragment(SQL(unsafe: "), "))
    }
    writer.fragment(
      SQL(unsafe: "\"apus_near\"(\(columns)) AS MATERIALIZED (SELECT * FROM (SELECT \(keys), ("))
    writeProbe(to: &writer)
    writer.fragment(SQL(unsafe: ") AS \"distance\" FROM ("))
    writeCodes(isFull, to: &writer)
    writer.fragment(
      SQL(
        """
        ) AS "apus_place" LIMIT -1) WHERE "distance" IS NOT NULL LIMIT \(measured)), \
        "apus_found"(\(unsafe: columns)) AS MATERIALIZED (
        """))
    if hasConditions {
      writer.fragment(SQL(unsafe: "SELECT * FROM \"apus_few\" UNION "))
    }
    writer.fragment(SQL(unsafe: "SELECT * FROM \"apus_near\" UNION SELECT * FROM ("))
    let waiting = SQL(unsafe: " IN (SELECT \(keys) FROM \(index) WHERE \"cell\" <= 0)")
    write(
      rows { $0.predicates.append(.composed([.expression(key), .sql(waiting)])) }, to: &writer)
    writer.fragment(SQL(unsafe: ") UNION SELECT * FROM ("))
    let all = SQL(
      """
      iif(\(isFull) AND (SELECT count(*) FROM "apus_near") < \(limit) \
      AND EXISTS (SELECT 1 FROM \(unsafe: index) WHERE "cell" > 0), -1, 0)
      """)
    write(
      rows { rows in
        rows.limit = .expression
        rows.changeExtras { $0.limit = .fragment(all) }
      }, to: &writer)
    writer.fragment(
      SQL(
        """
        )) SELECT \(unsafe: keys) FROM "apus_found" WHERE "distance" <= (SELECT max("distance") \
        FROM (SELECT "distance" FROM "apus_found" ORDER BY "distance" LIMIT \(limit))))
        """))
  }

  /// Writes the query that reads the keys of rows from the index, in the order in which the rows
  /// are measured.
  private func writeCodes(_ isFull: SQL, to writer: inout ShapeWriter) {
    let keys = keyNames.quotedList
    let codes = keyNames.map { "\"place\".\(Identifier($0).quoted)" }.joined(separator: ", ")
    let count = max(2_000, 2 * measured)
    // LIMIT keeps SQLite from leaving out the ORDER BY of an inner query.
    writer.fragment(
      SQL(
        unsafe: "SELECT \(keys) FROM (SELECT \(codes), \"place\".\"code\" FROM (SELECT \"cell\" "
          + "FROM \(cells) WHERE \"cell\" > 0 ORDER BY "))
    search.metric.node(
      .fragment(SQL(unsafe: "\"centroid\"")), .value(BoundValue(search.vector))
    ).write(to: &writer)
    writer.fragment(
      SQL(
        """
         LIMIT iif(\(isFull), -1, 0)) AS "cell" CROSS JOIN \(unsafe: index) AS "place" \
        ON "place"."cell" = "cell"."cell" LIMIT max(\(count), \
        CAST(\(search.share) * (SELECT ifnull(max("count"), 0) FROM \(unsafe: cells) \
        WHERE "cell" = 0) AS INTEGER)))
        """))
    // A code of few bits does not distinguish near vectors from others.
    if search.vector.count >= VectorCells.fewestCodedDimensions {
      let coded = BoundValue(VectorCells.coded(search.vector, by: search.metric))
      writer.fragment(
        SQL(
          text: " ORDER BY vec_distance_hamming(vec_bit(\"code\"), (SELECT "
            + "vec_quantize_binary(vec_sub(?, \"centroid\")) FROM \(cells) WHERE \"cell\" = 0))",
          bindings: [coded]))
    }
    // If the query has no conditions, nearly every one of these rows can be measured, so a limit is
    // enough. If it has conditions, an unknown number of these rows does not match them, so there
    // is no limit here.
    writer.fragment(SQL(" LIMIT \(hasConditions ? -1 : measured)"))
  }

  /// Writes the query that finds one row of the table by a key from the index, and measures its
  /// distance. The result is NULL if the table's row does not exist or does not match the
  /// conditions.
  private func writeProbe(to writer: inout ShapeWriter) {
    var parts: [SQLFragment.Part] = []
    for (node, name) in zip(search.keys, keyNames) {
      parts.append(.sql(SQL(unsafe: parts.isEmpty ? "" : " AND ")))
      parts.append(.expression(node))
      parts.append(.sql(SQL(unsafe: " = \"apus_place\".\(Identifier(name).quoted)")))
    }
    var row = table
    row.selection = .terms([.expression(search.distance)])
    row.predicates.append(.composed(parts))
    row.limitRows(to: 1)
    write(row, to: &writer)
  }

  /// Writes an inner query over the same tables as the surrounding query. The inner query does not
  /// refer to the surrounding query.
  private func write(_ statement: SelectStatement, to writer: inout ShapeWriter) {
    writer.hideScope(true)
    statement.write(to: &writer)
    writer.hideScope(false)
  }
}
