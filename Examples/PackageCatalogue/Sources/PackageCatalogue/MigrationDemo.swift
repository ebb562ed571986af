import Apus

/// A demo that opens the database with the models of the next version of the program.
struct MigrationDemo {
  /// The new lines of `Version2.Package`, which the demo prints. A test checks that the model has
  /// these lines.
  static let source = #"""
    @Column var review: Review = .pending     // one more property

    Default(\.$review, .pending)              // in the schema: the value for existing rows
    Index(\.$review)
    """#

  let path: String
  let console: Console

  func run() async throws {
    console.show(heading: "A second version of a model, with one more column")
    console.show(code: Self.source)

    let models: [any Model.Type] = [Section.self, Version2.Package.self, Dependency.self]
    let database = try Database(path: path)
    let plan = try await database.migrationPlan(for: models)
    console.show("Opening the file with it will do this:\n\n\(plan)\n")

    let start = ContinuousClock.now
    let options = MigrationOptions(progress: { [console] in
      guard $0.rowCount > 0 else { return }
      console.showProgress("\($0.table): \($0.copiedRows.grouped) of \($0.rowCount.grouped) rows")
    })
    try await database.migrate(models, options)
    console.showProgress("")
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    console.show("Done in one transaction, in \(milliseconds) ms. The packages by their review:\n")
    let reviews = Version2.Package.select { ($0.$review, $0.count().as("packages")) }
      .group(by: \.$review)
    console.show("\(try await database.table(reviews))")
  }
}
