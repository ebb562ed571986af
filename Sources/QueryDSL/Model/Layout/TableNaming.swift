import SQLCore

/// Finds out whether a model declares its table's name or has the default, the name of the type.
///
/// The names do not show this if a model declares exactly the name of its type. So the default
/// implementation records that it was called.
final class TableNaming: Sendable {
  /// The object in which the default implementation records that it was called.
  @TaskLocal static var asked: TableNaming?

  let isDefault = Lock(false)

  /// Returns whether a model's table has the default name.
  static func isDefault(of model: any TableModel.Type) -> Bool {
    let naming = TableNaming()
    $asked.withValue(naming) { _ = model.tableName }
    return naming.isDefault.withLock { $0 }
  }
}
