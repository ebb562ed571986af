import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Properties that are not columns")
struct IgnoredPropertyTests {
  @Test("an @Ignored property of a group is kept in memory, as one of a model is")
  func ignored() throws {
    struct Place: ColumnGroup {
      @Column var city: String
      @Ignored var note: String?
    }
    struct Guest: Model {
      @PrimaryKey var id: Int
      @Embedded var home: Place
      @Embedded var work: Place?
    }
    let db = try Specification.database(models: [Guest.self])
    var guest = Guest(id: 1, home: Place(city: "Rome"))
    guest.home.note = "x"
    #expect(guest.home.note == "x")
    let inserted = try db.insert(guest)
    #expect(inserted.home.note == "x")
    var found = try #require(try db.find(Guest.self, 1))
    #expect(found.home.note == nil)
    found.home.note = "y"
    #expect(found.home.note == "y" && !found.hasChanges)
    found.home = Place(city: "Oslo")
    #expect(found.home.note == nil)
    found.work = Place(city: "Bonn", note: "z")
    #expect(found.work?.note == "z")
    #expect(found.changedColumns == ["home_city", "work_city"])
    found.work = nil
    found.work = Place(city: "Bern")
    #expect(found.work?.note == nil)
  }
}
