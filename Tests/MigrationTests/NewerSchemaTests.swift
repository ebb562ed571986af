import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Files that a newer program migrated")
struct NewerSchemaTests {
  private let shared: SharedFile
  private let uniqueIndex = "Post_unique_url"

  init() throws {
    shared = try SharedFile()
    let first = try Specification.reopen(shared.file, models: [FirstVersion.Post.self])
    try first.insert(FirstVersion.Post(id: 1, url: "first", views: 1))
    try first.close()
  }

  @Test("an older program keeps a newer program's unique index and works next to the newer program")
  func sideBySide() throws {
    try shared.open(SecondVersion.Post.self)
    let before = try shared.schema
    let newer = try Specification.reopen(shared.file, models: [SecondVersion.Post.self])
    for round in 0..<3 {
      let older = try Specification.reopen(shared.file, models: [FirstVersion.Post.self])
      #expect(try shared.schema == before)
      try older.insert(FirstVersion.Post(id: 10 + round, url: "older \(round)", views: 2))
      #expect(try newer.find(SecondVersion.Post.self, 10 + round)?.url == "older \(round)")
      #expect(throws: DatabaseError.self) {
        try older.insert(FirstVersion.Post(id: 100, url: "older 0", views: 2))
      }
      let plan = try older.migrationPlan(for: [FirstVersion.Post.self])
      #expect(plan.isEmpty)
      #expect(plan.steps.filter { $0.action == .keepNewer }.map(\.table) == ["Post"])
      let text = plan.description
      #expect(
        text.contains("= keep the schema of a newer program: a newer program changed it on 2"))
      #expect(text.contains("; this program would drop the index Post_unique_url, but leaves it"))
      try older.close()
      // The newer program finds its schema unchanged.
      let again = try Specification.reopen(shared.file, models: [SecondVersion.Post.self])
      #expect(try again.migrationPlan(for: [SecondVersion.Post.self]).steps.isEmpty)
      try again.close()
    }
  }

  @Test("an older program that cannot work with a newer table is refused and changes nothing")
  func narrowing() throws {
    try shared.open(SecondVersion.Post.self)
    try shared.open(ThirdVersion.Post.self)
    try shared.file.execute("UPDATE Post SET views = '12 or so'")
    let before = try shared.schema
    for model in [FirstVersion.Post.self, SecondVersion.Post.self] as [any Model.Type] {
      let error = #expect(throws: MigrationError.self) { try shared.open(model) }
      let refusal = try #require(error?.plan.refusals.first)
      #expect(error?.plan.refusals.count == 1)
      #expect(refusal.reason.hasPrefix("a newer program changed it on 2"))
      #expect(
        refusal.reason.hasSuffix(
          "cannot work with it as it is: views is TEXT in the file and INTEGER in this program. "
            + "Update the program, or give it a higher schema version if it is the newer one"))
      #expect(refusal.line == "MigrationOptions(schemaVersion: 1)")
    }
    #expect(try shared.schema == before)
    #expect(try shared.value("SELECT views FROM Post") == "12 or so")
  }

  @Test("an older program is refused if its options request that")
  func refused() throws {
    try shared.open(SecondVersion.Post.self)
    let before = try shared.schema
    let error = #expect(throws: MigrationError.self) {
      try shared.open(FirstVersion.Post.self, options: MigrationOptions(newerSchema: .refused))
    }
    #expect(error?.plan.refusals.first?.reason.contains("`newerSchema` is `.refused`") == true)
    #expect(try shared.schema == before)
  }

  @Test("an older program that would change nothing is not refused, even if its options request it")
  func nothingToRefuse() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var url: String
      @Column var views: Int
      @Column var rating: Int?
    }
    try shared.open(Post.self)
    try shared.open(FirstVersion.Post.self, options: MigrationOptions(newerSchema: .refused))
  }

  @Test("with replacement allowed, each program migrates in turn, and the history stays short")
  func replaced() throws {
    let options = MigrationOptions(newerSchema: .replaced)
    for _ in 0..<4 {
      try shared.open(SecondVersion.Post.self, options: options)
      #expect(try shared.has(uniqueIndex))
      try shared.open(FirstVersion.Post.self, options: options)
      #expect(try !shared.has(uniqueIndex))
      let count = try #require(try shared.value("SELECT count(*) FROM apus_schema"))
      #expect([2, 3].contains(count))
    }
  }

  @Test("only a number says that the program which created a table is the newer one")
  func createdByNewer() throws {
    for number in [nil, 2] {
      let shared = try SharedFile()
      try shared.open(
        SecondVersion.Post.self, options: MigrationOptions(schemaVersion: number))
      try shared.open(
        FirstVersion.Post.self, options: MigrationOptions(schemaVersion: number.map { $0 - 1 }))
      #expect(try shared.has(uniqueIndex) == (number != nil))
      // Without a number, the program that changed the table last counts as the newer one.
      let other = try Specification.reopen(
        shared.file, models: [SecondVersion.Post.self],
        migration: MigrationOptions(schemaVersion: number))
      #expect(try shared.has(uniqueIndex) == (number != nil))
      let plan = try other.migrationPlan(
        for: [SecondVersion.Post.self], MigrationOptions(schemaVersion: number))
      #expect(plan.steps.contains { $0.action == .keepNewer } == (number == nil))
      try other.close()
    }
  }

  @Test("a higher version number returns to an earlier schema")
  func revertByNumber() throws {
    try shared.open(SecondVersion.Post.self)
    try shared.open(FirstVersion.Post.self, options: MigrationOptions(schemaVersion: 1))
    #expect(try !shared.has(uniqueIndex))
  }

  @Test("a Dropped line returns to an earlier schema")
  func revertByName() throws {
    struct Post: Model {
      @PrimaryKey var id: Int
      @Column var url: String
      @Column var views: Int

      static var schema: Schema<Post> { Dropped(index: "Post_unique_url") }
    }
    try shared.open(SecondVersion.Post.self)
    try shared.open(Post.self)
    #expect(try !shared.has(uniqueIndex))
  }

  @Test("version numbers decide which program is older, and an older one changes nothing")
  func numbers() throws {
    let step = MigrationStep("never") { try $0.execute("DELETE FROM Post") }
    let second = MigrationOptions(steps: [step], schemaVersion: 2)
    try shared.open(SecondVersion.Post.self, options: MigrationOptions(schemaVersion: 3))
    let before = try shared.schema
    let older = try Specification.reopen(
      shared.file, models: [FirstVersion.Post.self], migration: second)
    #expect(try shared.schema == before && older.count(FirstVersion.Post.all) == 1)
    let plan = try older.migrationPlan(for: [FirstVersion.Post.self], second)
    #expect(plan.steps.map(\.action).contains(.keepNewer) && plan.isEmpty)
    #expect(plan.description.contains("the file has had schema version 3 since 2"))
    #expect(
      plan.description.contains(
        ", and this program has version 2; this program would drop the index"))
    try older.close()
    // A table that no program created is missing for an older program, too.
    let error = #expect(throws: MigrationError.self) {
      try shared.open(Extra.self, options: second)
    }
    #expect(error?.plan.refusals.first?.reason.contains("the table does not exist") == true)
    try shared.open(FirstVersion.Post.self, options: MigrationOptions(schemaVersion: 4))
    #expect(try !shared.has(uniqueIndex))
    try shared.open(SecondVersion.Post.self, options: MigrationOptions(schemaVersion: 3))
    #expect(try !shared.has(uniqueIndex))
  }

  private struct Extra: Model { @PrimaryKey var id: Int }

  @Test("a new file has no history, and opening a file that matches the models does not write")
  func cheap() throws {
    #expect(try !shared.has("apus_schema"))
    let watcher = try Connection(path: #require(shared.file.path))
    let before = try watcher.row("PRAGMA data_version")?[0]
    try shared.open(FirstVersion.Post.self)
    #expect(try watcher.row("PRAGMA data_version")?[0] == before)
  }

  @Test("changes made by hand before the migration do not hide that a program is older")
  func foreignAdditions() throws {
    try shared.file.execute(
      """
      CREATE INDEX mine ON Post (views);
      ALTER TABLE Post ADD COLUMN note TEXT DEFAULT 'x';
      CREATE TRIGGER t AFTER INSERT ON Post BEGIN SELECT 1; END
      """)
    try shared.open(SecondVersion.Post.self)
    let before = try shared.schema
    try shared.open(FirstVersion.Post.self)
    #expect(try shared.schema == before)
  }

  @Test("a declared index dropped by hand after the migration is created again")
  func repaired() throws {
    try shared.open(SecondVersion.Post.self)
    try shared.file.execute("DROP INDEX Post_unique_url")
    try shared.open(SecondVersion.Post.self)
    #expect(try shared.has(uniqueIndex))
  }

  @Test("a backup from before the migration is migrated again")
  func backup() throws {
    let backup = try SharedFile()
    try shared.file.backup(to: backup.file)
    try shared.open(SecondVersion.Post.self)
    #expect(try !backup.has(uniqueIndex))
    try backup.open(SecondVersion.Post.self)
    #expect(try backup.has(uniqueIndex))
  }

  @Test("a program that was open during a newer program's migration notices it")
  func whileOpen() throws {
    let older = try Specification.reopen(shared.file, models: [FirstVersion.Post.self])
    try shared.open(SecondVersion.Post.self)
    let before = try shared.schema
    let plan = try older.migrate([FirstVersion.Post.self])
    #expect(plan.isEmpty && plan.steps.contains { $0.action == .keepNewer })
    #expect(try shared.schema == before)
  }

  @Test("strict policies refuse a newer schema, and a file opened read-only can be read")
  func policies() throws {
    try shared.open(SecondVersion.Post.self)
    func open(_ change: (inout Configuration) -> Void) throws -> Database {
      var configuration = Configuration()
      change(&configuration)
      return try Specification.reopen(
        shared.file, models: [FirstVersion.Post.self], configuration: configuration)
    }
    for policy in [SchemaPolicy.validated, .locked, .lockedTables(["post"])] {
      #expect(throws: MigrationError.self, "\(policy)") { try open { $0.schemaPolicy = policy } }
    }
    try open { $0.schemaPolicy = .lockedTables(["other"]) }.close()
    let db = try open { $0.isReadOnly = true }
    #expect(try db.count(FirstVersion.Post.all) == 1)
    #expect(try db.migrationPlan(for: [FirstVersion.Post.self]).isEmpty)
  }
}
