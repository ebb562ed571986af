/// The columns of a model in the orders in which statements bind them, in memory that lives as long
/// as the process.
struct ColumnOrders: @unchecked Sendable {
  // `@unchecked Sendable`: written once, in `init`, and never freed, since layouts live for ever.
  /// The columns that are written: all but the generated ones.
  let all: UnsafeBufferPointer<UInt16>
  /// The columns of the key.
  let key: UnsafeBufferPointer<UInt16>
  /// The columns that are written, other than those of the key.
  let others: UnsafeBufferPointer<UInt16>
  /// Whether the database assigns the key of a model that has none.
  let mayAssignKey: Bool

  init(of columns: [ModelColumn], rowIDColumn: Int?) {
    let indices = columns.indices.filter { !columns[$0].isGenerated }
    all = Self.list(indices.map { $0 })
    key = Self.list(indices.filter { columns[$0].isPrimaryKey })
    others = Self.list(indices.filter { !columns[$0].isPrimaryKey })
    mayAssignKey = rowIDColumn.map { columns[$0].isOptional } ?? false
  }

  /// Returns the columns that an INSERT names. A key that the database assigns is omitted; the key
  /// has no other column then.
  func inserted(assigningKey: Bool) -> UnsafeBufferPointer<UInt16> {
    assigningKey ? others : all
  }

  private static func list(_ indices: [Int]) -> UnsafeBufferPointer<UInt16> {
    let memory = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: indices.count)
    _ = memory.initialize(from: indices.map { UInt16(truncatingIfNeeded: $0) })
    return UnsafeBufferPointer(memory)
  }
}
