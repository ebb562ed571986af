import SQLCore

/// The value of `$home` for a group of columns. In a key path, `\.$home` names the group, and
/// `\.$home.$city` names a column of the group. On a model, `$home.isChanged` says whether any
/// column of the group was changed.
@dynamicMemberLookup
public struct GroupReference<Group: _ColumnGroupValue>: Sendable {
  let group: Group._Group

  /// Whether a column of the group has a value that was not loaded from the database.
  public var isChanged: Bool {
    guard let layout = try? Group._Group.layout else { return false }
    return withUnsafeBytes(of: group) { memory in
      guard let group = memory.baseAddress else { return false }
      return layout.columns.indices.contains { layout.slots.isChanged($0, in: group) }
    }
  }

  /// The column of a property, or a group in this group.
  public subscript<Member: _GroupMember>(
    dynamicMember path: KeyPath<Group._Group, Member>
  ) -> Member where Group: ColumnGroup {
    group[keyPath: path]
  }

  /// The column of a property that is not optional. The column itself is optional, because it is
  /// NULL if the group is nil.
  public subscript<Wrapped: ColumnGroup, Value: ColumnValue>(
    dynamicMember path: KeyPath<Wrapped, ColumnReference<Value>>
  ) -> ColumnReference<Value?> where Group == Wrapped?, Value._Nullability == _NeverNull {
    ColumnReference(mark: group[keyPath: path].mark)
  }

  /// The column of a property whose own type is optional.
  public subscript<Wrapped: ColumnGroup, Value: ColumnValue>(
    dynamicMember path: KeyPath<Wrapped, ColumnReference<Value?>>
  ) -> ColumnReference<Value?> where Group == Wrapped? {
    group[keyPath: path]
  }

  /// A group in this group.
  public subscript<Wrapped: ColumnGroup, Inner: ColumnGroup>(
    dynamicMember path: KeyPath<Wrapped, GroupReference<Inner>>
  ) -> GroupReference<Inner?> where Group == Wrapped? {
    GroupReference<Inner?>(group: group[keyPath: path].group)
  }
}

/// A column or a group inside a group, as in `\.$home.$city`; programs do not use it directly.
public protocol _GroupMember {}

extension ColumnReference: _GroupMember {}
extension GroupReference: _GroupMember {}

/// A reference to a group of unknown type.
protocol AnyGroupReference {
  var firstIndex: Int? { get }
  var columnCount: Int { get }
}

extension GroupReference: AnyGroupReference {
  /// The index of the group's first column in the table; nil if this reference comes from a model.
  var firstIndex: Int? {
    guard let slot = (try? Group._Group.layout)?.slots.slots.first else { return nil }
    return withUnsafeBytes(of: group) { memory in
      let mark = memory.loadUnaligned(fromByteOffset: Int(slot.markOffset), as: UInt16.self)
      return ColumnReference<Bool>(mark: mark).index
    }
  }

  var columnCount: Int { (try? Group._Group.layout)?.columns.count ?? 0 }
}

extension GroupReference: ColumnWithDollarSign {
  /// A type without a meaning, because a group has no single value; programs do not use it
  /// directly.
  public typealias Value = Bool

  /// The index of the first column; programs do not use it directly.
  public var _index: Int? { firstIndex }

  /// Whether values of this type stand for columns; programs do not use it directly.
  public static var _isColumn: Bool { true }

  /// Returns the columns of the group in a query; programs do not use it directly.
  public static func _member<M: ResultRow>(
    _ path: KeyPath<M, GroupReference<Group>>, of columns: Columns<M>
  ) -> GroupColumns<Group> {
    guard let names = columns.names, let first = names.index(ofMember: path),
      let start = (try? Group._Group.layout)?.slots.slots.first,
      let outer = try? M.layout, let index = outer.names.index(ofMember: path)
    else { return GroupColumns(Columns(columns.table, names: nil), first: nil) }
    // The offset of the group inside `M`. It is relative to `M`, because the table may belong to
    // another model, in which `M` is itself a group.
    let offset = Int(outer.slots.slots[index].offset) - Int(start.offset)
    return GroupColumns(
      Columns(columns.table, names: names.inGroup(at: offset)), first: first)
  }
}
