import Foundation
import SQLCore
import Testing

@Suite("Stored forms: bytes and UUIDs")
struct BytesTests {
  @Test("bytes round-trip, and an empty BLOB is not NULL")
  func data() throws {
    let values = [Data(), Data([0]), Data([0, 255, 0]), Data(repeating: 7, count: 100_000)]
    try expectRoundTrip(values)
    try expectRoundTrip(values.map { [UInt8]($0) })
    let row = try Connection().row(
      "SELECT typeof(\(Data())), typeof(\([UInt8]())), \(Data()) IS NULL")
    #expect(row?.values == ["blob", "blob", 0])
  }

  @Test("an array of numbers is stored again if only the sign of a zero differs")
  func signedZero() {
    #expect(![Float].isStoredAlike([0], [-0.0]))
    #expect([Float].isStoredAlike([0, 1], [0, 1]))
    #expect([UInt8].isStoredAlike([1], [1]) && ![UInt8].isStoredAlike([1], [2]))
  }

  @Test("a slice of data whose indices do not begin at 0 is stored completely")
  func slice() throws {
    let slice = Data([1, 2, 3, 4])[2...]
    #expect(try roundTrip([slice]).lent == [Data([3, 4])])
    #expect(try roundTrip([Data([1, 2])[2...]]).lent == [Data()])
  }

  @Test("bytes are read only from a BLOB")
  func mismatch() throws {
    #expect(
      try readingError(Data.self, "'a'")?.description == "value: expected BLOB, found TEXT")
    #expect(
      try readingError([UInt8].self, "NULL")?.description
        == "value: expected BLOB, found NULL; an optional type would accept it")
    #expect(try readingError([UInt8].self, "1") != nil)
  }

  private let uuid = UUID(
    uuid: (
      0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0, 0xC0, 0x4F, 0xD4, 0x30, 0xC8
    ))

  @Test("a UUID is stored as lower-case text")
  func uuidText() throws {
    let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    try expectRoundTrip([uuid, zero, UUID()])
    #expect(
      try uuid.databaseValue(as: .standard) == .text("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
  }

  @Test("a UUID is stored as 16 bytes if the column declares it")
  func uuidBytes() throws {
    try expectRoundTrip([uuid, UUID()], as: .bytes)
    #expect(
      try uuid.databaseValue(as: .bytes)
        == .blob(
          Data([
            0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0, 0xC0, 0x4F, 0xD4, 0x30,
            0xC8,
          ])))
    #expect(UUID.storageClass(as: .bytes) == .blob)
    #expect(UUID.storageClass(as: .iso8601) == nil)
  }

  @Test("a UUID is read in either case, and written in the case of its form")
  func uuidCase() throws {
    let text = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
    for spelling in [text, text.lowercased()] {
      #expect(try DatabaseValue.text(spelling).read(UUID.self) == uuid)
      #expect(try DatabaseValue.text(spelling).read(UUID.self, as: .uppercase) == uuid)
    }
    #expect(try uuid.databaseValue(as: .standard) == .text(text.lowercased()))
    #expect(try uuid.databaseValue(as: .uppercase) == .text(text))
  }

  @Test("a UUID is read only in the storage class of its form")
  func invalidUUID() throws {
    #expect(try readingError(UUID.self, "'6ba7b810-9dad-11d1-80b4-00c04fd430c'") != nil)
    #expect(try readingError(UUID.self, "''") != nil)
    #expect(
      try readingError(UUID.self, "x'00'", as: .bytes)?.description
        == "value: a BLOB of 1 bytes cannot be read as UUID")
    #expect(try readingError(UUID.self, "zeroblob(17)", as: .bytes) != nil)
    #expect(try readingError(UUID.self, "zeroblob(0)", as: .bytes) != nil)
    #expect(
      try readingError(UUID.self, "zeroblob(16)")?.description
        == "value: expected TEXT, found BLOB")
    #expect(
      try readingError(UUID.self, "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'", as: .bytes)?.description
        == "value: expected BLOB, found TEXT")
  }
}
