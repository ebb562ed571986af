import NIOCore

/// The code and the message of a statement that failed.
///
/// If a query fails while it runs, dqlite 1.11 has already written a part of the answer: the number
/// of columns, their names, and rows. It then writes the code and the message after this part.
struct FailureAnswer {
  let code: Int32
  let message: String

  init(_ body: ByteBuffer) throws {
    var reader = WireReader(body)
    if let failure = try? Self(wholeOf: reader) {
      self = failure
      return
    }
    let header = try RowsHeader(from: &reader)
    var row = WireRow()
    while true {
      if let failure = try? Self(wholeOf: reader) {
        self = failure
        return
      }
      try row.read(from: &reader, header)
    }
  }

  /// Reads a code and a message. Throws if the rest of the answer is not exactly one code and one
  /// message.
  private init(wholeOf rest: WireReader) throws {
    var reader = rest
    code = Int32(truncatingIfNeeded: Int64(bitPattern: try reader.readWord()))
    message = try reader.readText()
    guard reader.isAtEnd else { throw ProtocolError.truncated }
  }
}
