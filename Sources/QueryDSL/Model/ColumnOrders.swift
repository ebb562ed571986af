/// The columns of a model in the orders in which statements bind them, in memory that lives as long
/// as the process.
struct ColumnOrders: @unchecked Sendable {
  // Written once, in `init`, and never freed: a model's layout is for ever.
  /// Every column that is written: not what SQLite calculates.
  let all: UnsafeBufferPointer<UInt16>
  /// The columns of the key.
  let key: UnsafeBufferPointer<UInt16>
  /// Every column that is written but those of the key.
  let others: UnsafeBufferPointer<UInt16>
  /// Whether the key is one that the database assigns where the model has none.
  let mayAssignKey: Bool

  init(of columns: [ModelColumn], rowIDColumn: Int?) {
    let indices = columns.indices.filter { !columns[$0].isGenerated }
    all = Self.list(indices.map { $0 })
    key = Self.list(indices.filter { columns[$0].isPrimaryKey })
    others = Self.list(indices.filter { !columns[$0].isPrimaryKey })
    mayAssignKey = rowIDColumn.map { columns[$0].isOptional } ?? false
  }

  /// The columns that an INSERT names: not a key that the database assigns, which is the only one.
  func inserted(assigningKey: Bool) -> UnsafeBufferPointer<UInt16> {
    assigningKey ? others : all
  }

  private static func list(_ indices: [Int]) -> UnsafeBufferPointer<UInt16> {
    let memory = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: indices.count)
    _ = memory.initialize(from: indices.map { UInt16(truncatingIfNeeded: $0) })
    return UnsafeBufferPointer(memory)
  }
}
