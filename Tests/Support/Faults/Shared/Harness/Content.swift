import CFaults
import Foundation

/// The whole content of a database file, read through the C interface, so that it does not depend
/// on the library under trial.
struct Content: Equatable, Sendable {
  /// A digest of the schema and of all rows.
  let digest: UInt64
  /// The number of rows of each table.
  let rowCounts: [String: Int]

  /// Reads a copy of a file, in a folder without faults.
  init(ofCopy path: String) throws {
    let folder = try Folder(isWatched: false)
    for suffix in ["", "-wal", "-journal"]
    where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file("copy" + suffix))
    }
    try self.init(of: folder.file("copy"))
  }

  /// Reads a file. Throws `Violation` if it is damaged, or if a reference leads nowhere.
  init(of path: String) throws {
    let connection = try PlainConnection(path: path)
    try connection.requireWhole()
    var digest = Digest()
    var rowCounts: [String: Int] = [:]
    let schema = try connection.rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    for row in schema { row.forEach { digest.add($0) } }
    for row in schema where row[0] == .text("table") {
      guard case .text(let name) = row[1] else { continue }
      let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
      var count = 0
      // Every table of the trials has its key in the first column. The time of a migration is not
      // part of its effect.
      let columns = name == "apus_schema" ? "id, name, definition, version" : "*"
      try connection.forEach("SELECT \(columns) FROM \(quoted) ORDER BY 1") { value in
        digest.add(value)
      } row: {
        count += 1
      }
      rowCounts[name] = count
    }
    self.digest = digest.value
    self.rowCounts = rowCounts
  }
}

/// A value as the C interface returns it.
enum PlainValue: Hashable, Sendable {
  case integer(Int64)
  case real(UInt64)
  case text(String)
  /// The bytes of a BLOB, or of a text that is not UTF-8.
  case bytes([UInt8])
  case null
}

struct Digest {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  mutating func add(_ number: UInt64) {
    value = (value ^ number) &* 0x100_0000_01b3
    value ^= value >> 29
  }

  mutating func add(_ cell: PlainValue) {
    switch cell {
    case .integer(let number):
      add(1)
      add(UInt64(bitPattern: number))
    case .real(let bits):
      add(2)
      add(bits)
    case .text(let text):
      add(3)
      add(text.utf8)
    case .bytes(let bytes):
      add(4)
      add(bytes)
    case .null: add(5)
    }
  }
}
