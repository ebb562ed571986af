import ApusRemote
import NIOCore
import SQLCore

/// The rows of a query, decoded from the answers of the node as they are read.
final class ClusterRows: RemoteRows {
  private unowned let session: ClusterSession
  /// The answers that were read ahead.
  private var waiting: [Response] = []
  private var reader: WireReader
  private var header: RowsHeader
  private var row = WireRow()
  private var isAtEnd = false
  private var isLastResponse = false

  init(first: consuming Response, _ session: ClusterSession) throws {
    self.session = session
    reader = WireReader(first.body)
    header = try RowsHeader(from: &reader)
  }

  var columnCount: Int { header.names.count }

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
        do {
          header = try RowsHeader(from: &reader)
        } catch {
          throw lost(error)
        }
      } else {
        do {
          try row.read(from: &reader, header)
        } catch {
          throw lost(error)
        }
        return true
      }
    }
    return false
  }

  func withValue(at index: Int, _ body: (RemoteValue) -> Void) {
    // If the answer is malformed, it may have fewer columns than the statement.
    guard index < row.types.count else { return body(.null) }
    let position = row.positions[index]
    switch row.types[index] {
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

  /// Stops reading the rows. dqlite cannot stop a query. So if the node has not yet sent all
  /// answers of the result, this closes the session.
  func close() {
    guard !isLastResponse else { return }
    if (waiting.last?.body ?? reader.bytes).endsWithMark(Self.lastMark) { return }
    session.close()
  }

  private func lost(_ error: any Error) -> any Error {
    session.close()
    // The statement may be an INSERT with RETURNING, which has run.
    return RemoteSessionError(outcome: .unknown, message: "\(error)")
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
