import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("UUIDs in the spelling of other programs")
struct SpelledKeyTests {
  struct Device: Model, Equatable {
    @PrimaryKey var id: UUID
    @Column var name: String
  }

  struct Upper: Model, Equatable {
    static let tableName = "Device"
    @PrimaryKey var id: UUID
    @Column var name: String
    static var schema: Schema<Upper> { Stored(\.$id, as: .uppercase) }
  }

  struct Lower: Model, Equatable {
    static let tableName = "Device"
    @PrimaryKey var id: UUID
    @Column var name: String
    static var schema: Schema<Lower> {
      Converted(\.$id, from: UUID.self, stored: .uppercase) { $0 }
    }
  }

  static let text = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"

  @Test("a row whose UUID is in upper case is found, updated, saved and deleted by its key")
  func lookups() throws {
    let id = try #require(UUID(uuidString: Self.text))
    let db = try Specification.database(models: [Device.self])
    try db.execute("INSERT INTO Device VALUES (\(Self.text), 'raw')")
    var device = try #require(try db.find(Device.self, id))
    #expect(device == Device(id: id, name: "raw"))
    #expect(try db.find(Device.self, [id, UUID()]).map(\.?.name) == ["raw", nil])
    device.name = "updated"
    try db.update(device)
    #expect(try db.rows("SELECT * FROM Device").map(\.values) == [[.text(Self.text), "updated"]])
    try db.update(device)
    try db.save(Device(id: id, name: "saved"))
    #expect(try db.rows("SELECT * FROM Device").map(\.values) == [[.text(Self.text), "saved"]])
    #expect(try db.delete(Device.self, UUID()) == false)
    #expect(try db.delete(Device.self, id))
    #expect(try db.find(Device.self, id) == nil)
    #expect(throws: RecordNotFound.self) { try db.update(device) }
  }

  @Test("a table of upper-case UUIDs is refused with the form that fits, and opens with that form")
  func opening() throws {
    let db = try Specification.database()
    try db.execute("CREATE TABLE Device (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)")
    try db.execute("INSERT INTO Device VALUES (\(Self.text), 'raw')")
    let error = #expect(throws: MigrationError.self) {
      try Specification.reopen(db, models: [Device.self])
    }
    #expect(
      error?.plan.refusals.map(\.lines) == [
        [
          #"Stored(\.$id, as: .uppercase)"#,
          #"Converted(\.$id, from: UUID.self, stored: .uppercase) { $0 }"#,
        ]
      ])
    let opened = try Specification.reopen(db, models: [Upper.self])
    let id = try #require(UUID(uuidString: Self.text))
    #expect(try opened.fetch(Upper.where { $0.$id == id }).map(\.name) == ["raw"])
    try opened.insert(Upper(id: UUID(), name: "new"))
    #expect(try opened.row("SELECT count(*) FROM Device WHERE id = upper(id)")?[0] == 2)
    // The file does not record the form, so changing it needs a line, too.
    #expect(throws: MigrationError.self) { try opened.migrate([Device.self]) }
    try opened.migrate([Lower.self])
    #expect(try opened.fetch(Device.where { $0.$id == id }).map(\.name) == ["raw"])
  }
}
