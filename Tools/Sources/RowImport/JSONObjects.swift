import ToolOutput

/// A reader of the texts of JSON objects, one at a time. The objects are in an array, or follow one
/// another.
///
/// It finds only the end of each object; `JSONMembers` reads the members.
package final class JSONObjects {
  private enum State { case start, inArray, afterElement, betweenObjects, ended }

  private let source: ByteSource
  private var state = State.start
  /// The position of the next byte among the bytes in memory.
  private var start: Int
  private var nextLine = 1
  /// The length of the current object, which ends just before `start`.
  private var length = 0
  /// The number of the line on which the current object begins, counted from 1.
  package private(set) var line = 1

  /// The number of bytes that have been read.
  package var byteCount: Int { source.removedCount + start }

  package init(_ source: ByteSource) throws {
    self.source = source
    start = try source.lengthOfByteOrderMark()
  }

  /// The bytes of the current object, which are UTF-8.
  var object: Bytes { Bytes(start: source.bytes + start - length, count: length) }

  /// Reads the next object. Returns false at the end.
  package func next() throws -> Bool {
    length = 0
    while try start < source.count || load() {
      let byte = source.bytes[start]
      switch (state, byte) {
      case (_, 0x20), (_, 0x09), (_, 0x0A), (_, 0x0D):
        if byte == 0x0A { nextLine += 1 }
        start += 1
      case (.start, UInt8(ascii: "[")):
        start += 1
        state = .inArray
      case (.start, UInt8(ascii: "{")), (.betweenObjects, UInt8(ascii: "{")):
        state = .betweenObjects
        try readObject()
        return true
      case (.inArray, UInt8(ascii: "{")):
        state = .afterElement
        try readObject()
        return true
      case (.afterElement, UInt8(ascii: ",")):
        start += 1
        state = .inArray
      case (.inArray, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")):
        start += 1
        state = .ended
      default:
        throw ReadableError(
          "line \(nextLine): this is not an array of objects, nor a sequence of objects")
      }
    }
    switch state {
    case .ended, .betweenObjects, .start: return false
    case .inArray, .afterElement: throw ReadableError("line \(nextLine): the array has no end")
    }
  }

  private func load() throws -> Bool {
    let isLoaded = try source.load(keepingFrom: start)
    start = 0
    return isLoaded
  }

  private func readObject() throws {
    line = nextLine
    var end = 0
    var depth = 0
    var isText = false
    var isEscaped = false
    var bits: UInt8 = 0
    repeat {
      let (bytes, count) = (source.bytes + start, source.count - start)
      while end < count {
        let byte = bytes[end]
        end += 1
        bits |= byte
        if byte == 0x0A { nextLine += 1 }
        if isEscaped {
          isEscaped = false
        } else if isText {
          if byte == UInt8(ascii: "\"") {
            isText = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          }
        } else if byte == UInt8(ascii: "\"") {
          isText = true
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
          depth += 1
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          depth -= 1
          guard depth == 0 else { continue }
          start += end
          length = end
          guard bits < 0x80 || object.text != nil else {
            throw ReadableError("line \(line): the text is not UTF-8")
          }
          return
        }
      }
    } while try load()
    throw ReadableError("line \(line): the object has no end")
  }
}
