import Apus

/// A demo that changes some packages, and prints the changes that are reported.
struct ChangesDemo {
  /// The source text of the edits, which the demo prints. A test checks that it is the same as the
  /// code in `edit`.
  static let source = #"""
    // By model: UPDATE "Package" SET "priority" = ? WHERE "id" = ?
    package.priority = .important
    try await db.update(package)

    // By raw SQL, several rows in one transaction.
    try await db.execute(
      "UPDATE \(Package.self) SET priority = \(Priority.standard) WHERE isEssential")

    // Rolled back: nothing of it is reported.
    try? await db.write { tx in
      try tx.run(Package.delete())
      throw ChangedMind()
    }

    try await db.delete(package)
    """#

  let db: Database
  let console: Console

  func run() async throws {
    guard let package = try await db.first(Package.order(by: \.$sizeInKiB, .descending)) else {
      return
    }
    console.show(heading: "Changes are reported after each commit, whatever made them")
    console.show(
      code: """
        var package = try await db.first(Package.order(by: \\.$sizeInKiB, .descending))
        let changes = db.changes(of: Package.self, columns: \\.$name, \\.$priority)

        \(Self.source)
        """)
    // From here on, the changes are recorded. They are kept until the loop below reads them.
    let changes = db.changes(of: Package.self, columns: \.$name, \.$priority)
    try await edit(package)
    for await change in changes {
      try show(change)
      if change.deleted.contains(where: { (try? $0.key) == package.id }) { break }
    }
  }

  private func edit(_ heaviest: Package) async throws {
    var package = heaviest

    // By model: UPDATE "Package" SET "priority" = ? WHERE "id" = ?
    package.priority = .important
    try await db.update(package)

    // By raw SQL, several rows in one transaction.
    try await db.execute(
      "UPDATE \(Package.self) SET priority = \(Priority.standard) WHERE isEssential")

    // Rolled back: nothing of it is reported.
    try? await db.write { tx in
      try tx.run(Package.delete())
      throw ChangedMind()
    }

    try await db.delete(package)
  }

  /// Shows the first few changes of a transaction.
  private func show(_ change: ModelChanges<Package>) throws {
    let limit = 4
    console.show("A transaction changed \(change.rows.count.counted("package")):")
    for row in change.rows.prefix(limit) { console.show("  \(try describe(row))") }
    if change.rows.count > limit { console.show("  … and \(change.rows.count - limit) more") }
  }

  private func describe(_ row: RowChange<Package>) throws -> String {
    let name = try row.new(\.$name) ?? row.old(\.$name) ?? "?"
    switch row.kind {
    case .inserted: return "+ \(name)"
    case .deleted: return "- \(name)"
    case .updated:
      let (old, new) = (try row.old(\.$priority), try row.new(\.$priority))
      return "\(name): \(row.changedColumns.joined(separator: ", ")) "
        + "\(old.map { "\($0)" } ?? "nil") → \(new.map { "\($0)" } ?? "nil")"
    }
  }
}

private struct ChangedMind: Error {}
