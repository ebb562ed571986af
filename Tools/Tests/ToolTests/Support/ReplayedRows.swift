import Foundation

/// The rows of some tables, to which the differences that a command prints as JSON are applied.
///
/// A row is its values as JSON with sorted names, so a table is a bag of texts.
struct ReplayedRows: Equatable {
  private(set) var tables: [String: [String: Int]] = [:]
  /// The differences that do not fit the rows: an update of a row that does not exist.
  private(set) var misfits: [String] = []

  /// Reads the rows of a file by the shell.
  init(of file: URL, tables names: [String]) async throws {
    for name in names {
      let text = try await Command.sqlite(file, ".mode json\nSELECT * FROM \"\(name)\";")
      let rows = try JSONSerialization.jsonObject(with: Data((text.isEmpty ? "[]" : text).utf8))
      for row in rows as? [[String: Any]] ?? [] { try add(row, to: name) }
    }
  }

  private mutating func add(_ row: [String: Any], to table: String) throws {
    tables[table, default: [:]][try Self.text(row), default: 0] += 1
  }

  private mutating func remove(_ row: [String: Any], from table: String) throws {
    let text = try Self.text(row)
    guard let count = tables[table]?[text] else {
      misfits.append("\(table) has no row \(text)")
      return
    }
    tables[table]?[text] = count > 1 ? count - 1 : nil
    if tables[table]?.isEmpty ?? false { tables[table] = nil }
  }

  private static func text(_ row: [String: Any]) throws -> String {
    String(
      decoding: try JSONSerialization.data(withJSONObject: row, options: .sortedKeys),
      as: UTF8.self)
  }

  /// Applies a difference, as `apus diff` and `apus watch` print it.
  mutating func apply(_ difference: [String: Any]) throws {
    guard let table = difference["table"] as? String else { return }
    let old = difference["old"] as? [String: Any]
    let new = difference["new"] as? [String: Any]
    switch (old, new) {
    case (nil, let new?): try add(new, to: table)
    case (let old?, nil): try remove(old, from: table)
    case (let old?, let new?):
      // The old values of the columns that changed, and the key, identify the row.
      let key = difference["key"] as? [Any] ?? []
      let rows = try (tables[table] ?? [:]).keys.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
      let names = RandomScript.keys[table] ?? []
      let known = old.merging(zip(names, key)) { $1 }
      let found = try rows.filter { row in
        try known.allSatisfy { try Self.text(["v": row[$0] ?? 0]) == Self.text(["v": $1]) }
      }
      guard let row = found.first else {
        misfits.append("\(table) has no row \(old) to update")
        return
      }
      try remove(row, from: table)
      try add(row.merging(new) { $1 }, to: table)
    case (nil, nil): misfits.append("a difference without rows")
    }
  }

  /// Applies differences that stand on a line each.
  mutating func apply(lines: String) throws {
    for line in lines.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      try apply(object as? [String: Any] ?? [:])
    }
  }
}
