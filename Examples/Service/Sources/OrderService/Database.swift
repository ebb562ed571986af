import Apus
import ApusHummingbird
import OrderModels

extension Database {
  private static var models: [any TableModel.Type] { OrderStore.models + [PersistedValue.self] }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.reportSlowStatements(over: .milliseconds(50))
    return configuration
  }

  /// Opens the file as a step of a deployment, and migrates it. A large table may take minutes, so
  /// `progress` gets lines about the progress of the migration.
  static func migrating(
    _ path: String, progress: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> Database {
    try Database(
      path: path, models: models, configuration: configuration,
      migration: MigrationOptions(
        schemaVersion: OrderStore.schemaVersion,
        progress: {
          progress(
            $0.rowCount > 0
              ? "\($0.table): \($0.copiedRows) of \($0.rowCount) rows" : "\($0.table): \($0.sql)")
        }))
  }

  /// Opens the file for the service, without a migration. Several processes of the service start at
  /// the same time, so none of them should migrate the file. A process also runs if a newer version
  /// has migrated the file.
  static func serving(_ path: String) throws -> Database {
    var configuration = configuration
    configuration.schemaPolicy = .validated
    return try Database(
      path: path, models: models, configuration: configuration,
      migration: MigrationOptions(schemaVersion: OrderStore.schemaVersion))
  }
}
