import SQLCore

/// Whether a model names its table itself, or is given the name of its type.
///
/// Nothing else tells the two apart where a model declares the very name of its type. The default notes
/// that it was asked.
final class TableNaming: Sendable {
  /// Whom the default tells that it was asked.
  @TaskLocal static var asked: TableNaming?

  let isDefault = Lock(false)

  /// Whether a model's table is called as its type since nothing else is said.
  static func isDefault(of model: any Model.Type) -> Bool {
    let naming = TableNaming()
    $asked.withValue(naming) { _ = model.tableName }
    return naming.isDefault.withLock { $0 }
  }
}
