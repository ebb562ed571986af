import Apus

/// Opens the database as the program's next version would.
struct MigrationDemo {
  let path: String
  let console: Console

  func run() async throws {
    console.show(heading: "A second version of a model, with one more column")
    console.show(
      code: """
        @Column var review: Review = .pending       // new in Version2.Package

        Default(\\.$review, .pending)                // new in its schema: for the rows that are there
        Index(\\.$review)
        """)

    let models: [any Model.Type] = [Section.self, Version2.Package.self, Dependency.self]
    let database = try Database(path: path)
    console.show("What opening the file with it will do:\n")
    console.show("\(try database.migrationPlan(for: models))")

    try database.migrate(models)
    console.show("\nIt was done, in one transaction. The packages by their review:\n")
    let reviews = Version2.Package.select { ($0.$review, $0.count().as("packages")) }
      .group(by: \.$review)
    console.show("\(try await database.table(reviews))")
  }
}
