import NIOCore
import SQLCore

/// A session with the leader: a connection of SQLite on that node.
final class ClusterSession: RemoteSession {
  private let channel: NodeChannel
  private var database: UInt32 = 0
  private let leader: KnownLeader
  private var generation = 0

  init(
    _ channel: NodeChannel, database name: String, leader: KnownLeader, isStopped: () -> Bool
  ) throws {
    self.channel = channel
    self.leader = leader
    // A node opens the database whether it leads or not, and would refuse the statements.
    let named = try channel.askLeader(isStopped: isStopped)
    guard named == channel.address else {
      throw RemoteSessionError(
        outcome: .notRun, message: "the node \(channel.address) does not lead")
    }
    try channel.send(.open(database: name))
    var answer = WireReader(try receive(.database, isStopped).body)
    database = UInt32(truncatingIfNeeded: try answer.readWord())
    generation = leader.note(channel.address)
  }

  /// Whether the session can be used: its node has not closed it, and no other leader was found.
  var isOpen: Bool { channel.isOpen && generation == leader.generation }

  func close() {
    channel.close()
  }

  func rows(
    of statement: RemoteText, isStopped: () -> Bool
  ) throws -> any RemoteRows {
    try Self.check(statement)
    try channel.send(
      .querySQL(database: database, sql: statement.sql, values: statement.values))
    return try ClusterRows(first: receive(.rows, isStopped), self)
  }

  func run(_ statement: RemoteText, isStopped: () -> Bool) throws -> RemoteOutcome {
    try Self.check(statement)
    try channel.send(
      .executeSQL(database: database, sql: statement.sql, values: statement.values))
    var answer = WireReader(try receive(.result, isStopped).body)
    let id = Int64(bitPattern: try answer.readWord())
    return RemoteOutcome(
      lastInsertRowID: id, changeCount: Int(truncatingIfNeeded: try answer.readWord()))
  }

  /// Waits for an answer. Throws the error of SQLite if the statement failed.
  func receive(_ kind: Response.Kind, _ isStopped: () -> Bool) throws -> Response {
    let response: Response
    do {
      response = try channel.receive(isStopped: isStopped)
    } catch {
      leader.forget(channel.address)
      throw error
    }
    if response.kind == kind { return response }
    guard response.kind == .failure else {
      channel.close()
      throw RemoteSessionError(
        outcome: .unknown, message: "\(ProtocolError.unexpected(response.type))")
    }
    var answer = WireReader(response.body)
    let code = Int32(truncatingIfNeeded: Int64(bitPattern: try answer.readWord()))
    throw failure(code, try answer.readText())
  }

  /// Returns the error of an answer. Closes the session if the node no longer leads.
  private func failure(_ code: Int32, _ message: String) -> any Error {
    switch code {
    case Self.notLeader:
      channel.close()
      leader.forget(channel.address)
      return RemoteSessionError(
        outcome: .notRun, message: "the node \(channel.address) is no longer the leader")
    case Self.leadershipLost:
      channel.close()
      leader.forget(channel.address)
      return RemoteSessionError(
        outcome: .unknown,
        message: "the node \(channel.address) lost the leadership while it ran the statement")
    default:
      return DatabaseError(code: ResultCode(rawValue: code), message: message)
    }
  }

  /// `SQLITE_IOERR_NOT_LEADER` of dqlite: the statement was not run.
  private static let notLeader: Int32 = 10_250
  /// `SQLITE_IOERR_LEADERSHIP_LOST` of dqlite: the statement may have been committed.
  private static let leadershipLost: Int32 = 10_506

  /// Throws for statements that make dqlite 1.11 abort the node.
  private static func check(_ statement: RemoteText) throws {
    let sql = statement.sql.drop { $0.isWhitespace }.lowercased()
    if sql.hasPrefix("pragma"), sql.contains("wal_checkpoint") || sql.contains("journal_mode") {
      throw DatabaseError(
        code: .misuse,
        message: "dqlite keeps the write-ahead log itself; this PRAGMA would end the node",
        sql: statement.sql)
    }
    if sql.hasPrefix("vacuum") {
      throw DatabaseError(
        code: .misuse, message: "VACUUM cannot run in a dqlite cluster", sql: statement.sql)
    }
  }
}

/// The rows of a query, decoded from the answers of the node as they are read.
final class ClusterRows: RemoteRows {
  private unowned let session: ClusterSession
  /// The answers that were read ahead.
  private var waiting: [Response] = []
  private var reader: WireReader
  private(set) var columnCount = 0
  private var names: [String] = []
  /// The types of the current row, and the positions of its values in `body`.
  private var types: [WireType] = []
  private var positions: [Int] = []
  private var isAtEnd = false
  private var isLastResponse = false

  init(first: consuming Response, _ session: ClusterSession) throws {
    self.session = session
    reader = WireReader(first.body)
    try readHeader()
  }

  private func readHeader() throws {
    columnCount = Int(truncatingIfNeeded: try reader.readWord())
    guard columnCount >= 0, columnCount <= 32_767 else { throw ProtocolError.truncated }
    names = try (0..<columnCount).map { _ in try reader.readText() }
  }

  func next(isStopped: () -> Bool) throws -> Bool {
    while !isAtEnd {
      guard
        let mark = reader.bytes.getInteger(
          at: reader.position, endianness: .little, as: UInt64.self)
      else { throw lost(ProtocolError.truncated) }
      if mark == Self.lastMark {
        isAtEnd = true
        isLastResponse = true
      } else if mark == Self.moreMark {
        reader = WireReader(
          try waiting.isEmpty
            ? session.receive(.rows, isStopped).body : waiting.removeFirst().body)
        try readHeader()
      } else {
        do {
          try readRow()
        } catch {
          throw lost(error)
        }
        return true
      }
    }
    return false
  }

  /// Reads the types of a row, four bits each, and finds its values.
  private func readRow() throws {
    types.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    let start = reader.position
    let count = (columnCount + 1) / 2
    for column in 0..<columnCount {
      guard let byte = reader.bytes.getInteger(at: start + column / 2, as: UInt8.self) else {
        throw ProtocolError.truncated
      }
      let code = column.isMultiple(of: 2) ? byte & 0xF : byte >> 4
      guard let type = WireType(rawValue: code) else {
        throw ProtocolError.convertedColumn(names[column])
      }
      types.append(type)
    }
    try reader.skip(count + (8 - count % 8) % 8)
    for type in types {
      positions.append(reader.position)
      switch type {
      case .integer, .real, .null: try reader.skip(8)
      case .text: _ = try reader.skipText()
      case .blob:
        let count = Int(truncatingIfNeeded: try reader.readWord())
        try reader.skip(count + (8 - count % 8) % 8)
      }
    }
  }

  func withValue(at index: Int, _ body: (RemoteValue) -> Void) {
    let position = positions[index]
    switch types[index] {
    case .null: body(.null)
    case .integer:
      body(.integer(reader.bytes.getInteger(at: position, endianness: .little) ?? 0))
    case .real:
      let bits = reader.bytes.getInteger(at: position, endianness: .little, as: UInt64.self) ?? 0
      body(.real(Double(bitPattern: bits)))
    case .text:
      reader.bytes.withUnsafeReadableBytesAt(position) { bytes in
        let count = bytes.firstIndex(of: 0) ?? bytes.count
        body(.text(UnsafeRawBufferPointer(rebasing: bytes[..<count])))
      }
    case .blob:
      let count = reader.bytes.getInteger(at: position, endianness: .little, as: UInt64.self) ?? 0
      reader.bytes.withUnsafeReadableBytesAt(position + 8) { bytes in
        body(.blob(UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: count)))))
      }
    }
  }

  func keepRemaining(isStopped: () -> Bool) throws {
    while !isLastResponse {
      let last = waiting.last?.body ?? reader.bytes
      guard last.writerIndex >= 8,
        let mark = last.getInteger(
          at: last.writerIndex - 8, endianness: .little, as: UInt64.self)
      else { throw lost(ProtocolError.truncated) }
      if mark == Self.lastMark {
        isLastResponse = true
      } else {
        waiting.append(try session.receive(.rows, isStopped))
      }
    }
  }

  /// Ends the rows. dqlite cannot stop a query, so the session is closed if further answers of the
  /// result are still to come.
  func close() {
    guard !isLastResponse else { return }
    if (waiting.last?.body ?? reader.bytes).endsWithMark(Self.lastMark) { return }
    session.close()
  }

  private func lost(_ error: any Error) -> any Error {
    session.close()
    return RemoteSessionError(outcome: .notRun, message: "\(error)")
  }

  private static let lastMark: UInt64 = 0xFFFF_FFFF_FFFF_FFFF
  private static let moreMark: UInt64 = 0xEEEE_EEEE_EEEE_EEEE
}

extension ByteBuffer {
  fileprivate func withUnsafeReadableBytesAt(
    _ position: Int, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    withVeryUnsafeBytes { bytes in
      body(UnsafeRawBufferPointer(rebasing: bytes[min(position, writerIndex)..<writerIndex]))
    }
  }

  fileprivate func endsWithMark(_ mark: UInt64) -> Bool {
    getInteger(at: writerIndex - 8, endianness: .little, as: UInt64.self) == mark
  }
}
