import SQLCore

/// Functions that change the columns of a group in memory, and the marks that say which columns
/// were changed.
///
/// If the type of a group is invalid, for example because a property has no wrapper, every
/// operation with its model fails. For such a type, `missing()` stops the program, `isMissing`
/// returns false, and the other functions only copy groups.
enum GroupMemory {
  /// Returns a group whose columns all count as new, even if its values were loaded.
  static func new<Group: ColumnGroup>(_ group: Group) -> Group {
    guard let layout = try? Group.layout else { return group }
    var group = group
    withUnsafeMutableBytes(of: &group) { memory in
      for slot in layout.slots.slots {
        memory.storeBytes(of: 1, toByteOffset: Int(slot.markOffset), as: UInt16.self)
      }
    }
    return group
  }

  /// Returns an instance whose columns are NULL, for an optional group that is nil.
  static func missing<Group: ColumnGroup>() -> Group {
    guard let layout = try? Group.layout else {
      preconditionFailure(
        "\(Group.self) cannot be a group of columns; opening a database with its model says why")
    }
    return withUnsafeTemporaryAllocation(of: Group.self, capacity: 1) { buffer in
      // The address is never nil, because the buffer has room for one element.
      let memory = UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped)
      for slot in layout.slots.slots { slot.type.initializeMissing(at: memory + Int(slot.offset)) }
      layout.initializeIgnored(in: memory)
      return memory.assumingMemoryBound(to: Group.self).move()
    }
  }

  /// Whether a group is nil, because a column that is not optional is NULL, or because all columns
  /// are optional and NULL.
  static func isMissing<Group: ColumnGroup>(_ group: Group) -> Bool {
    guard let layout = try? Group.layout else { return false }
    let isNull = withUnsafeBytes(of: group) { memory in
      layout.slots.slots.map { slot in
        memory.baseAddress.map { slot.type.isNull(at: $0 + Int(slot.offset)) } ?? false
      }
    }
    let required = layout.requiredColumns
    return required.isEmpty ? isNull.allSatisfy(\.self) : required.contains { isNull[$0] }
  }

  /// Sets the columns and the `@Ignored` properties to the values of another group. If `new` is
  /// nil, the columns become NULL and the `@Ignored` properties nil. Marks a column as changed if
  /// its value differs.
  static func set<Group: ColumnGroup>(_ new: Group?, to group: inout Group) {
    guard let layout = try? Group.layout else { return group = new ?? group }
    let new = new ?? missing()
    withUnsafeBytes(of: new) { new in
      withUnsafeMutableBytes(of: &group) { memory in
        guard let new = new.baseAddress, let memory = memory.baseAddress else { return }
        for slot in layout.slots.slots {
          slot.type.set(columnAt: memory + Int(slot.offset), toThatAt: new + Int(slot.offset))
        }
        layout.setIgnored(in: memory, toThoseIn: new)
      }
    }
  }
}

extension ModelLayout {
  /// The columns of a group that are not optional. If the group is not nil, they have values.
  var requiredColumns: [Int] { columns.indices.filter { !columns[$0].isOptional } }
}

extension ColumnValue {
  /// The value of this type that stands for NULL, such as nil of an optional type. Nil if the type
  /// has no such value.
  private static var null: Self? { isOptional ? try? DatabaseValue.null.read(Self.self) : nil }

  fileprivate static func initializeMissing(at column: UnsafeMutableRawPointer) {
    column.initializeMemory(
      as: ColumnStorage<Self>.self, to: ColumnStorage(value: null, mark: 1))
  }

  fileprivate static func isNull(at column: UnsafeRawPointer) -> Bool {
    guard let value = column.assumingMemoryBound(to: ColumnStorage<Self>.self).pointee.value else {
      return true
    }
    guard isOptional, let stored = try? value.databaseValue(as: .standard) else { return false }
    return stored == .null
  }

  fileprivate static func set(
    columnAt column: UnsafeMutableRawPointer, toThatAt other: UnsafeRawPointer
  ) {
    let storage = column.assumingMemoryBound(to: ColumnStorage<Self>.self)
    let new = other.assumingMemoryBound(to: ColumnStorage<Self>.self).pointee.value
    let isAlike =
      switch (storage.pointee.value, new) {
      case (let old?, let new?): isStoredAlike(old, new)
      case (nil, nil): true
      default: false
      }
    storage.pointee = ColumnStorage(
      value: new, mark: !isAlike && storage.pointee.mark == 0 ? 2 : storage.pointee.mark)
  }
}
