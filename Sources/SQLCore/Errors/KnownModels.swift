/// The models whose layouts the process has read, by the names of their tables. Used to explain the
/// error for a table that is missing in a database.
package enum KnownModels {
  private static let names = Lock<[String: String]>([:])

  /// Records that a model has a table of that name.
  package static func note(_ model: String, table: String) {
    names.withLock { $0[table.lowercasedASCII] = model }
  }

  /// Adds to the error `no such table: Tag` that the model with that table is missing, if there is
  /// one.
  static func adding(to failure: any Error) -> any Error {
    let prefix = "no such table: "
    guard var error = failure as? DatabaseError, error.message.hasPrefix(prefix) else {
      return failure
    }
    let table = error.message.dropFirst(prefix.count)
    let name = table.split(separator: ".").last.map { String($0).lowercasedASCII } ?? ""
    guard let model = names.withLock({ $0[name] }) else { return error }
    error.message +=
      "; it is the table of the model \(model), which is missing from the models of this database: "
      + "open it with `models: [\(model).self, …]`"
    return error
  }
}
