import ChangeObservation
import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A transaction of one database, in a form that can be sent to another database and applied there.
public struct LogTransaction: Hashable, Sendable {
  /// The database in which the transaction was made, and the transaction's position in the log of
  /// that database.
  public let origin: LogEntry.Origin
  /// The time in microseconds since 1970. It is never before 1970 or after the year 9999. If two
  /// transactions change a row, the transaction with the later time is newer.
  public let time: Int64
  /// The label, or nil.
  public let label: String?
  /// The author, or nil.
  public let author: String?
  /// The net changes of rows.
  public let changes: [AnyLogChange]

  /// The times that a transaction can have. There is an upper limit, because a new transaction gets
  /// a greater time than all entries of the log. If an entry had a time near the largest `Int64`,
  /// nothing more could be written.
  static let times: ClosedRange<Int64> = 0...253_402_300_799_999_999

  init(_ entry: LogEntry, of identity: String) {
    self.init(
      origin: entry.origin ?? LogEntry.Origin(database: identity, position: entry.position),
      time: entry.time, label: entry.label, author: entry.author, changes: entry.changes)
  }

  /// - Parameter time: the time in the log. A log that a former version of the library wrote may
  ///   have times outside `times`; the nearest bound of `times` is then used.
  init(
    origin: LogEntry.Origin, time: Int64, label: String?, author: String?, changes: [AnyLogChange]
  ) {
    self.origin = origin
    self.time = min(max(time, Self.times.lowerBound), Self.times.upperBound)
    self.label = label
    self.author = author
    self.changes = changes
  }

  func with(_ changes: [AnyLogChange]) -> LogTransaction {
    LogTransaction(origin: origin, time: time, label: label, author: author, changes: changes)
  }
}

/// Consecutive transactions of one database's log, to be applied to another database.
public struct LogBatch: Hashable, Sendable, Codable {
  /// A gap in the log: some earlier changes of these tables are not in the log. See `LogEntry.gap`.
  public struct Gap: Hashable, Sendable, Codable {
    /// The names of the tables.
    public let tables: [String]
    /// The position of the last entry that has a `gap`.
    public let position: LogPosition
  }

  /// The identity of the database from whose log the transactions come.
  public let source: String
  /// The position in the source's log after which the batch begins.
  public let start: LogPosition
  /// The position in the source's log at which the batch ends.
  public let end: LogPosition
  /// The first position of each epoch from the start to the end of the batch. Nil if the batch was
  /// made by a version of the library that had no epochs.
  let epochs: [LogPosition]?
  /// Whether the batch also has transactions that its source applied from other databases.
  public let isRelaying: Bool
  /// The tables for which the source's log lacks earlier changes; nil in most batches.
  /// `apply` throws `LogError.incomplete` for a batch with a gap after the applied position.
  public let gap: Gap?
  /// The transactions in order.
  public let transactions: [LogTransaction]
}

// MARK: Coding

extension LogTransaction: Codable {
  private struct Coded: Codable {
    var database: String
    var sequence: Int64
    /// The position of the transaction; nil if the transaction is in epoch 0 (see `LogPosition`).
    var position: LogPosition?
    var time: Int64
    var label: String?
    var author: String?
    var changes: [CodedChange]
  }

  struct CodedChange: Codable {
    var table: String
    var columns: [String]
    var key: [Int]
    var kind: String
    var keyValues: [CodedValue]
    var old: [CodedValue?]
    var new: [CodedValue?]
    var uncertain: [Int]?

    init(_ change: AnyLogChange) {
      table = change.shape.table
      columns = change.shape.columns
      key = change.shape.key
      kind = change.kind.name
      keyValues = change.keyValues.map { CodedValue(value: $0) }
      old = change.oldValues.map { $0.map { CodedValue(value: $0) } }
      new = change.newValues.map { $0.map { CodedValue(value: $0) } }
      uncertain = change.uncertain.isEmpty ? nil : change.uncertain
    }

    /// Returns the decoded change. Throws if its parts do not fit together, for example in their
    /// number of columns.
    func change(at path: [any CodingKey]) throws -> AnyLogChange {
      guard let kind = RowChangeKind(named: kind), !LogTables.isOwn(table),
        old.count == columns.count, new.count == columns.count,
        key.allSatisfy(columns.indices.contains), key.count == keyValues.count,
        uncertain?.allSatisfy(columns.indices.contains) ?? true,
        // The new values of the key columns must be equal to `keyValues`. Otherwise, the change
        // would write another row than the one that it names.
        Set(key).count == key.count,
        zip(key, keyValues).allSatisfy({ place, value in
          new[place].map { $0.value == value.value } ?? (kind != .inserted)
        })
      else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: path, debugDescription: "no change of a row"))
      }
      return AnyLogChange(
        kind: kind, keyValues: keyValues.map(\.value),
        shape: LogShape(table: table, columns: columns, key: key),
        oldValues: old.map { $0?.value }, newValues: new.map { $0?.value },
        uncertain: uncertain ?? [], isFromLog: true)
    }
  }

  /// Decodes a transaction. Throws `DecodingError` if the parts of a change do not fit together, if
  /// a change is in a table of the log itself, or if the time is before 1970 or after the year
  /// 9999.
  public init(from decoder: any Decoder) throws {
    let coded = try Coded(from: decoder)
    guard Self.times.contains(coded.time) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no time of a transaction"))
    }
    origin = LogEntry.Origin(
      database: coded.database, position: coded.position ?? LogPosition(coded.sequence, in: 0))
    time = coded.time
    label = coded.label
    author = coded.author
    changes = try coded.changes.map { try $0.change(at: decoder.codingPath) }
  }

  /// Encodes the transaction. Each value keeps its storage class, and a REAL keeps all its bits.
  public func encode(to encoder: any Encoder) throws {
    try Coded(
      database: origin.database, sequence: origin.sequence,
      position: origin.position.epoch == 0 ? nil : origin.position, time: time, label: label,
      author: author, changes: changes.map { CodedChange($0) }
    ).encode(to: encoder)
  }
}

/// A value with its storage class.
struct CodedValue: Hashable, Codable {
  let value: DatabaseValue

  private enum Key: String, CodingKey { case i, r, t, b }

  init(value: DatabaseValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch container.allKeys.first {
    // Numbers are encoded as texts, because JSON has no infinities and does not keep all integers
    // exactly.
    case .i: value = .integer(try Self.number(container, .i))
    case .r: value = .real(Double(bitPattern: try Self.number(container, .r)))
    case .t: value = try Self.text(container)
    case .b: value = .blob(try container.decode(Data.self, forKey: .b))
    case nil: value = .null
    }
  }

  /// Reads a text. A text that is not valid UTF-8 is encoded as an object that contains its bytes.
  /// An older version of the library does not know this object, and throws an error. So it never
  /// reads a wrong value.
  private static func text(_ container: KeyedDecodingContainer<Key>) throws -> DatabaseValue {
    if let text = try? container.decode(String.self, forKey: .t) { return .text(text) }
    return .invalidText(try container.decode(InvalidText.self, forKey: .t).bytes)
  }

  private struct InvalidText: Codable {
    let bytes: Data
  }

  private static func number<Number: FixedWidthInteger>(
    _ container: KeyedDecodingContainer<Key>, _ key: Key
  ) throws -> Number {
    guard let number = Number(try container.decode(String.self, forKey: key)) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "no number")
    }
    return number
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch value {
    case .null: break
    case .integer(let integer): try container.encode("\(integer)", forKey: .i)
    case .real(let real): try container.encode("\(real.bitPattern)", forKey: .r)
    case .text(let text): try container.encode(text, forKey: .t)
    case .invalidText(let bytes): try container.encode(InvalidText(bytes: bytes), forKey: .t)
    case .blob(let data): try container.encode(data, forKey: .b)
    }
  }
}
