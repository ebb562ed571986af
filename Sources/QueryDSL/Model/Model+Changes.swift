import SQLCore

extension Model {
  /// The names of the columns that were changed since the model was loaded, in the order of its
  /// properties. For a model that was never loaded, all columns.
  ///
  /// ```swift
  /// post.title = "Sports"
  /// post.changedColumns          // ["title"]: what `update` writes
  /// ```
  /// It is empty if the type cannot be a table.
  public var changedColumns: [String] {
    guard let layout = try? Self.layout else { return [] }
    return withUnsafeBytes(of: self) { memory in
      guard let model = memory.baseAddress else { return [] }
      return layout.orders.all.filter { layout.slots.isChanged(Int($0), in: model) }
        .map { layout.columns[Int($0)].name }
    }
  }

  /// Whether any column was changed since the model was loaded; true for a model that was never
  /// loaded.
  public var hasChanges: Bool {
    guard let layout = try? Self.layout else { return false }
    return withUnsafeBytes(of: self) { memory in
      guard let model = memory.baseAddress else { return false }
      return layout.orders.all.contains { layout.slots.isChanged(Int($0), in: model) }
    }
  }
}
