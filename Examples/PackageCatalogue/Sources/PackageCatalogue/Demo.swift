import Apus
import Foundation

/// The whole demo. It reads a list of packages into a database, runs queries, and changes and
/// migrates the database.
struct Demo {
  let arguments: Arguments
  let console = Console()

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "package-catalogue-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path: String
    if let databasePath = arguments.databasePath {
      path = databasePath
    } else {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      path = folder.appending(path: "catalogue.sqlite").path(percentEncoded: false)
    }
    try await show(path: path)
  }

  private func show(path: String) async throws {
    // The database is closed when nothing refers to it any more. With this block, that happens
    // before the file is opened again.
    do {
      let database = try Database(
        path: path, models: [Section.self, Package.self, Dependency.self])
      try await fill(database)
      for query in ShownQuery.all(searching: arguments.search) {
        console.show(heading: query.title)
        console.show(code: query.source)
        console.show("\(try await query.table(database))")
      }
      try await ChangesDemo(db: database, console: console).run()
    }
    try await MigrationDemo(path: path, console: console).run()
  }

  private func fill(_ database: Database) async throws {
    console.note("Reading \(arguments.list) into \(database.path ?? "memory") …")
    var importer = Importer(database: database, progress: ImportProgress(console: console))
    let summary = try await importer.read(arguments.list)
    guard summary.packages > 0 else { throw EmptyList(list: arguments.list) }
  }
}

/// The error that is thrown if a list has no packages.
struct EmptyList: Error, CustomStringConvertible {
  let list: PackageList

  var description: String {
    "\(list) contains no packages; try `apt-cache dumpavail | Scripts/demo -`"
  }
}
