import SQLCore

/// The columns of a group in a query: `$0.$home`, with the column `$0.$home.$city`.
///
/// ```swift
/// Person.where { $0.$home == Address(street: "Via Appia", city: "Rome") }
/// // … WHERE ("home_street", "home_city") = (?, ?)
/// Person.where { $0.$home.$city == "Rome" && $0.$work == nil }
/// // … WHERE "home_city" = ? AND ("work_street" IS NULL OR "work_city" IS NULL)
/// Person.select { ($0.$name, $0.$home) }
/// // SELECT "name", "home_street", "home_city" FROM "Person"
/// ```
/// A query cannot be ordered by a group, only by the columns of the group.
@dynamicMemberLookup
public struct GroupColumns<Group: _ColumnGroupValue>: Sendable {
  let columns: Columns<Group._Group>
  /// The index that the group's first column has in the table; nil if the table's model is invalid.
  let first: Int?

  init(_ columns: Columns<Group._Group>, first: Int?) {
    self.columns = columns
    self.first = first
  }

  /// Makes the optional columns of a group that may be nil, for example because a join may find no
  /// row.
  init<Wrapped: ColumnGroup>(_ group: GroupColumns<Wrapped>) where Group == Wrapped? {
    self.init(group.columns, first: group.first)
  }

  /// The column of a property, or a group in this group.
  public subscript<Column: ColumnWithDollarSign>(
    dynamicMember path: KeyPath<Group._Group, Column>
  ) -> Column._InQuery where Group: ColumnGroup {
    columns[dynamicMember: path]
  }

  /// The column of a property. It is an optional, because the group may be nil.
  public subscript<Wrapped: ColumnGroup, Value: ColumnValue>(
    dynamicMember path: KeyPath<Wrapped, ColumnReference<Value>>
  ) -> SQLExpression<Value?> where Group == Wrapped?, Value._Nullability == _NeverNull {
    columns[dynamicMember: path].optional
  }

  /// The column of a property whose own type is optional.
  public subscript<Wrapped: ColumnGroup, Value: ColumnValue>(
    dynamicMember path: KeyPath<Wrapped, ColumnReference<Value?>>
  ) -> SQLExpression<Value?> where Group == Wrapped? {
    columns[dynamicMember: path]
  }

  /// A group in this group.
  public subscript<Wrapped: ColumnGroup, Inner: ColumnGroup>(
    dynamicMember path: KeyPath<Wrapped, GroupReference<Inner>>
  ) -> GroupColumns<Inner?> where Group == Wrapped? {
    GroupColumns<Inner?>(columns[dynamicMember: path])
  }
}

extension GroupColumns {
  /// Tests whether all columns have the values of a group; nil equals nil. SQL: `(a, b) = (?, ?)`,
  /// or `(a, b) IS (?, ?)` if a column is optional
  public static func == (left: GroupColumns, right: Group) -> SQLPredicate {
    left.compare(right, isSame: true)
  }

  /// Tests whether any column differs from its value in a group; nil equals nil. SQL:
  /// `(a, b) <> (?, ?)`, or `(a, b) IS NOT (?, ?)` if a column is optional
  public static func != (left: GroupColumns, right: Group) -> SQLPredicate {
    left.compare(right, isSame: false)
  }

  private func compare(_ other: Group, isSame: Bool) -> SQLPredicate {
    do {
      let layout = try Group._Group.layout
      let nodes = try nodes
      guard let group = other._presentGroup else { return isMissing(layout, nodes, isSame) }
      let values = withUnsafeBytes(of: group) { memory in
        layout.slots.slots.map { $0.boundValue(in: memory) }
      }
      let isOptional = Group._missing != nil || layout.columns.contains(where: \.isOptional)
      let sign: SQLToken =
        isOptional ? (isSame ? .isSame : .isNotSame) : isSame ? .equal : .notEqual
      return SQLPredicate(.compareRows(sign, nodes, values))
    } catch {
      return SQLPredicate(.invalid(QueryError(String(describing: error))))
    }
  }

  /// Returns the condition that the group is nil or, if `isMissing` is false, that it is not nil. A
  /// group is nil if a column whose property is not optional is NULL. If all properties are
  /// optional, the group is nil if all its columns are NULL. The same rule holds when a group is
  /// read.
  private func isMissing(
    _ layout: ModelLayout, _ nodes: [ExpressionNode], _ isMissing: Bool
  ) -> SQLPredicate {
    let required = layout.requiredColumns.map { nodes[$0] }
    let conditions = (required.isEmpty ? nodes : required).map {
      SQLPredicate(.test(isMissing ? .isNull : .isNotNull, $0))
    }
    return conditions.dropFirst().reduce(conditions[0]) { all, next in
      required.isEmpty == isMissing ? all && next : all || next
    }
  }

  /// The columns, in the order of the group's properties.
  var nodes: [ExpressionNode] {
    get throws {
      guard let first else {
        throw QueryError("\(Group._Group.self) is a group of a model that cannot be a table")
      }
      return try Group._Group.layout.columns.indices.map { index in
        .column(ColumnID(table: columns.table, index: UInt16(truncatingIfNeeded: first + index)))
      }
    }
  }
}

extension ColumnSlot {
  /// Returns the value of a column. `memory` holds a value of the group.
  func boundValue(in memory: UnsafeRawBufferPointer) -> BoundValue {
    guard let group = memory.baseAddress else { return .value(.null) }
    do {
      return .value(try type._databaseValue(ofColumnAt: group + Int(offset), as: form))
    } catch {
      return .unstorable(error as? ColumnValueError ?? .unstorable(type, String(describing: error)))
    }
  }
}

extension GroupColumns: Selectable {
  /// Selects the columns of the group, read as a value of its type;
  /// programs do not use it directly.
  public var _selection: _SelectItem<Group> {
    let decoding = Group._Group.decoding
    let nodes: [ExpressionNode]
    do {
      nodes = try self.nodes
    } catch {
      nodes = [.invalid(QueryError(String(describing: error)))]
    }
    let part = RowPart(of: Group.self) { reader, memory in
      if let missing = Group._missing {
        let layout = try Group._Group.layout
        let row = StatementRow(statement: reader.statement)
        let isNull = try layout.columns.indices.map { try row.isNull(at: reader.position + $0) }
        let required = layout.requiredColumns
        if required.isEmpty ? isNull.allSatisfy(\.self) : required.contains(where: { isNull[$0] }) {
          memory.initializeMemory(as: Group.self, to: missing)
          reader.position += isNull.count
          return
        }
      }
      memory.initializeMemory(as: Group.self, to: Group(_group: try decoding.one(&reader)))
    }
    let isOptional = Group._missing != nil
    return _SelectItem(
      SelectItem(group: nodes, part: part) {
        try zip(nodes, Group._Group.layout.columns).map { node, column in
          ResultColumn(
            name: node.place?.column, type: column.type, form: column.form, isOptional: isOptional)
        }
      })
  }
}
