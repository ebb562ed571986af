import SQLCore

extension TemporaryFolder {
  /// Opens a connection to the file in the folder.
  func connection(
    _ configuration: Configuration = Configuration(), file: String = "database.sqlite"
  ) throws -> Connection {
    try Connection(path: self.file(file), configuration: configuration)
  }
}

extension Connection {
  /// The first value of a statement.
  func value<Value: ColumnValue>(
    _ type: Value.Type = Value.self, _ sql: SQL
  ) throws -> Value? {
    try row(sql)?.get(type, at: 0)
  }
}

extension Configuration {
  /// The defaults with a busy timeout that outlasts every test, however slow the machine is.
  static var patient: Configuration { .with { $0.busyTimeout = .seconds(3_600) } }

  /// The default configuration with some settings changed.
  static func with(_ change: (inout Configuration) -> Void) -> Configuration {
    var configuration = Configuration()
    change(&configuration)
    return configuration
  }
}
