import QueryDSL
import SQLCore

/// A condition that a row must meet, before or after a change, to matter to a live query. It has
/// some columns of a table, and the values that the row must have in them. An example is
/// `WHERE userID = 7`.
///
/// Observers that differ only in their values have routes with the same pattern. So the observers
/// that a row affects are found by looking up the row's values.
struct RowRoute: Hashable, Sendable {
  /// The part of a route without the values: the columns that are compared, and the columns that
  /// the query reads. Equal patterns of one database are the same object until the schema changes.
  final class Pattern: Hashable, Sendable {
    let content: PatternContent

    init(_ content: PatternContent) { self.content = content }

    static func == (left: Pattern, right: Pattern) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    var columns: [PatternContent.Column] { content.columns }
    var path: Path? { content.path }
  }

  struct PatternContent: Hashable, Sendable {
    struct Column: Hashable, Sendable {
      /// The name, folded.
      let name: String
      let collation: BuiltInCollation
    }

    let columns: [Column]
    /// An additional column whose value must be in a range; nil if the pattern has no such column.
    var range: RangePattern?
    /// The folded names of those columns of the table that the query reads; nil for all columns. An
    /// update of other columns does not matter.
    var read: Set<String>?
    /// The path from a changed row to the joined rows whose values are compared. Nil if the values
    /// of the changed row itself are compared.
    var path: Path?
  }

  /// A statement that finds, in a joined table, the values by which routes are looked up. An
  /// example is `SELECT DISTINCT "user" FROM "Follow" WHERE "feed" IN (…)`.
  struct Path: Hashable, Sendable {
    /// The folded name of the column whose values in the changed rows fill the IN list.
    let column: String
    let sql: String
  }

  let pattern: Pattern
  /// The values that a row must have in the columns, in a form in which values that SQLite
  /// considers equal are identical. If the pattern has a range, the two bounds of the range follow.
  /// NULL stands for a missing bound.
  let values: [DatabaseValue]

  /// The values of the columns, without the bounds.
  var columnValues: [DatabaseValue] {
    pattern.content.range == nil ? values : Array(values.prefix(pattern.columns.count))
  }

  /// The range in which the value of the additional column must be; nil if there is no such column.
  var range: RangeIndex.Range? { pattern.content.range?.range(values) }
}

/// A route while it is being built: its pattern is not complete yet.
struct RouteDraft: Hashable {
  var pattern: RowRoute.PatternContent
  let values: [DatabaseValue]
}

extension DatabaseValue {
  /// Returns a form of the value that is the same for all values that SQLite considers equal.
  /// Returns nil for NULL, because NULL equals nothing.
  func routed(_ collation: BuiltInCollation) -> DatabaseValue? {
    switch self {
    case .null: return nil
    case .integer, .blob, .invalidText: return self
    case .real(let real): return Int64(exactly: real).map { .integer($0) } ?? self
    case .text(let text): return collation == .binary ? self : .text(collation.folded(text))
    }
  }
}

/// A column, and how SQLite compares its values with a bound value.
///
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>
struct RoutedColumn {
  enum Affinity { case numeric, text, none }

  /// The name, folded.
  let name: String
  let affinity: Affinity
  let collation: BuiltInCollation

  /// Returns whether both columns have the same affinity and collation. If so, a join by `=`
  /// compares their values in the same way as each column is compared with a bound value.
  func isComparable(_ other: RoutedColumn) -> Bool {
    affinity == other.affinity && collation == other.collation
  }

  /// Finds the column with the given name. Returns nil if there is no such column, or if the
  /// collation of the column is not one of SQLite's own.
  init?(_ name: String, in columns: [ShadowTable.Column], isStrict: Bool) {
    guard let column = columns.first(where: { $0.name.isSame(as: name) }),
      let collation = column.collation
    else { return nil }
    self.name = name.lowercasedASCII
    self.collation = collation
    let type = column.declaredType.lowercasedASCII
    if type.contains("int") {
      affinity = .numeric
    } else if ["char", "clob", "text"].contains(where: type.contains) {
      affinity = .text
    } else if type.isEmpty || type.contains("blob") || isStrict && type == "any" {
      affinity = .none
    } else {
      affinity = .numeric
    }
  }

  /// Converts a bound value in the way in which SQLite converts it before it compares the value
  /// with values of this column. Returns nil if the result of this conversion is not certain.
  func converted(_ value: DatabaseValue) -> DatabaseValue? {
    switch (affinity, value) {
    case (_, .null), (_, .blob), (.none, .integer), (.none, .real), (.none, .text): return value
    case (_, .invalidText), (.text, .real): return nil
    case (.text, .integer(let integer)): return .text(String(integer))
    case (.text, .text), (.numeric, .integer), (.numeric, .real): return value
    case (.numeric, .text(let text)):
      // SQLite converts a text that looks like a number to a number. The code uses `if` instead of
      // `?:`, because a `nil` inside `?:` would be the value NULL.
      let isNumber = text.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      if isNumber { return nil }
      return value
    }
  }
}

extension QueryConditions {
  /// The greatest number of routes from one query to a table. If there would be more, the query
  /// watches all rows of the table.
  private static let maximumRoutes = 1_000

  /// Limits the watched rows to those that meet the query's conditions. Returns the statements of
  /// the paths that could not be used because an index is missing.
  ///
  /// - Parameter arguments: the values of the query's arguments.
  func narrow(
    _ interests: inout [QualifiedTableName: Subscription.Interest], arguments: [DatabaseValue],
    in schema: RoutedSchema
  ) throws -> [String] {
    guard isComplete, !tables.isEmpty else { return [] }
    let values = values.map { value in
      guard case .argument(let argument) = value, argument.index < arguments.count else {
        return value
      }
      return BoundValue.value(arguments[argument.index])
    }
    var known: [RoutedTable?] = []
    for (place, table) in tables.enumerated() {
      guard table.isModel else {
        known.append(nil)
        continue
      }
      // The table may be a view. A view reads other tables, whose rows must then not be limited.
      guard let layout = LayoutRegistry.shared.layout(number: table.layout),
        interests[QualifiedTableName(layout.tableName)] != nil,
        let found = try schema.table(QualifiedTableName(layout.tableName))
      else { return [] }
      let routed = RoutedTable(place: place, layout: layout, table: found)
      known.append(routed)
    }
    let paths = RoutePaths(tables: tables, known: known, values: values, schema: schema)
    var routes: [QualifiedTableName: Set<RouteDraft>?] = [:]
    var lacking: [String] = []
    for case let table? in known {
      let name = QualifiedTableName(table.layout.tableName)
      if case .some(nil) = routes[name] { continue }
      guard
        let more = try table.routes(tables[table.place].alternatives, values)
          ?? paths.routes(to: table, &lacking)
      else {
        routes[name] = .some(nil)
        continue
      }
      routes[name] = (routes[name] ?? [])?.union(more)
    }
    for case (let name, let found?) in routes where found.count <= Self.maximumRoutes {
      guard interests[name]?.keys == nil else { continue }
      let read = interests[name]?.columns
      interests[name]?.routes = found.map { route in
        var content = route.pattern
        content.read = read
        // If the values equal the arguments, both share the storage of one array.
        return RowRoute(
          pattern: schema.pattern(content),
          values: route.values == arguments ? arguments : route.values)
      }
    }
    return lacking
  }
}

/// A table of a query, for which routes may limit the watched rows.
struct RoutedTable {
  /// The index of the table in `QueryConditions.tables`.
  let place: Int
  let layout: ModelLayout
  let table: ShadowTable

  func column(_ index: UInt16) -> RoutedColumn? {
    guard Int(index) < layout.columns.count else { return nil }
    return RoutedColumn(
      layout.columns[Int(index)].name, in: table.columns, isStrict: table.isStrict)
  }

  /// Returns the routes that compare the table's own columns with values; nil if every row may
  /// matter.
  ///
  /// - Parameter besidesRanges: whether to leave out ranges such as `size > 3`.
  func routes(
    _ alternatives: [[QueryConditions.Condition]], _ values: [BoundValue],
    besidesRanges: Bool = false
  ) -> [RouteDraft]? {
    var routes: [RouteDraft] = []
    for alternative in alternatives {
      var rows: [(columns: [RowRoute.PatternContent.Column], values: [DatabaseValue])] = [([], [])]
      for condition in alternative.sorted(by: { $0.column < $1.column })
      where condition.relation == .equal {
        guard let column = column(condition.column),
          !rows.contains(where: { $0.columns.contains { $0.name == column.name } }),
          let wanted = condition.value.wanted(values, of: column),
          rows.count * wanted.count <= 1_000
        else { continue }
        rows = rows.flatMap { row in
          wanted.map { value in
            (
              row.columns + [.init(name: column.name, collation: column.collation)],
              row.values + [value]
            )
          }
        }
        // There are no routes if the column must equal NULL or an element of an empty list, because
        // no row meets such a condition.
        if rows.isEmpty { break }
      }
      let range = besidesRanges ? nil : range(alternative, values)
      guard range != nil || rows.allSatisfy({ !$0.columns.isEmpty }) else { return nil }
      routes += rows.map {
        RouteDraft(
          pattern: .init(columns: $0.columns, range: range?.pattern),
          values: $0.values + (range?.bounds ?? []))
      }
    }
    return routes
  }

  /// Returns the range of the first column that is compared with `<`, `<=`, `>` or `>=`, and its
  /// bounds.
  private func range(
    _ alternative: [QueryConditions.Condition], _ values: [BoundValue]
  ) -> (pattern: RowRoute.RangePattern, bounds: [DatabaseValue])? {
    var found: (pattern: RowRoute.RangePattern, bounds: [DatabaseValue])?
    for condition in alternative.sorted(by: { $0.column < $1.column })
    where condition.relation != .equal {
      guard case .bound(let index) = condition.value, index < values.count,
        case .value(let value) = values[index], let column = column(condition.column),
        found == nil || found?.pattern.column.name == column.name,
        let bound = column.converted(value)?.routed(column.collation)
      else { continue }
      // SQLite orders texts by their bytes in the encoding of the file, and a range compares texts
      // by their bytes in UTF-8. So a text can be a bound only if the encoding of the file is
      // UTF-8.
      if case .text = bound, table.encoding != .utf8 { continue }
      var range =
        found
        ?? (.init(column: .init(name: column.name, collation: column.collation)), [.null, .null])
      // If the query has two lower bounds or two upper bounds for the column, a row must be within
      // both. It is then safe to use only one of the two.
      switch condition.relation {
      case .greater: (range.pattern.lower, range.bounds[0]) = (.excluded, bound)
      case .greaterOrEqual: (range.pattern.lower, range.bounds[0]) = (.included, bound)
      case .less: (range.pattern.upper, range.bounds[1]) = (.excluded, bound)
      case .lessOrEqual: (range.pattern.upper, range.bounds[1]) = (.included, bound)
      case .equal: break
      }
      found = range
    }
    return found
  }
}

extension QueryConditions.Value {
  /// Returns the values that a row may have in the column to meet the condition; nil if these
  /// values are not known for certain.
  fileprivate func wanted(_ values: [BoundValue], of column: RoutedColumn) -> [DatabaseValue]? {
    let listed: [DatabaseValue]
    switch self {
    case .constant(let number): listed = [.integer(number)]
    case .column: return nil
    case .bound(let index):
      guard index < values.count else { return nil }
      switch values[index] {
      // The condition may be `IS NULL`, which finds rows, or `= NULL`, which finds none.
      case .value(.null): return nil
      case .value(let value): listed = [value]
      case .array(let array): listed = array.values
      case .unstorable, .zeroBlob, .argument: return nil
      }
    }
    var wanted: Set<DatabaseValue> = []
    for value in listed {
      guard let converted = column.converted(value) else { return nil }
      if let routed = converted.routed(column.collation) { wanted.insert(routed) }
    }
    return Array(wanted)
  }
}
