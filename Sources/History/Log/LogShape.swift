import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The columns of a logged table, in the order in which the log has their values.
///
/// A shape never changes. If a table gets other columns, it gets another shape, and earlier changes
/// in the log keep the former shape. A shape is a class, because many changes share one shape.
final class LogShape: Hashable, Sendable {
  /// The number by which changes refer to the shape. The number is computed from the names, so it
  /// is the same in every database.
  let id: Int64
  let table: String
  /// The name of the table in lower case.
  let foldedTable: String
  let columns: [String]
  /// The columns of the primary key, as positions in `columns`.
  let key: [Int]

  init(table: String, columns: [String], key: [Int]) {
    self.table = table
    foldedTable = table.lowercasedASCII
    self.columns = columns
    self.key = key
    id = Self.id(of: ["\(key)", table] + columns)
  }

  /// Reads a row of `apus_log_shape`.
  init(id: Int64, table: String, columns: String, key: String) throws {
    let decoder = JSONDecoder()
    let columns = try decoder.decode([String].self, from: Data(columns.utf8))
    let names = try decoder.decode([String].self, from: Data(key.utf8))
    self.id = id
    self.table = table
    foldedTable = table.lowercasedASCII
    self.columns = columns
    self.key = names.compactMap { columns.firstIndex(of: $0) }
  }

  /// The FNV-1a hash of the names, in 48 bits, which SQLite stores in six bytes.
  private static func id(of names: [String]) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in names.joined(separator: "\u{0}").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return Int64((hash ^ hash >> 48) & 0xffff_ffff_ffff)
  }

  static func == (a: LogShape, b: LogShape) -> Bool {
    a === b || a.id == b.id && a.table == b.table && a.columns == b.columns && a.key == b.key
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }

  var keyNames: [String] { key.map { columns[$0] } }

  /// The statement that stores the shape in a database.
  var registration: String {
    "INSERT OR IGNORE INTO \"\(LogTables.shape)\" VALUES (\(id), \(text(table)), "
      + "\(text(columns.json)), \(text(keyNames.json)))"
  }

  private func text(_ text: String) -> String { "\(DatabaseValue.text(text))" }
}

extension [String] {
  /// The names as a JSON array.
  fileprivate var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
  }
}
