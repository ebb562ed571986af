import ToolOutput

/// The texts of the objects in a JSON array, or of objects one after another, read one at a time.
///
/// It only finds where an object ends; SQLite reads what is in it.
package final class JSONObjects {
  package struct Object {
    package let text: String
    /// The line on which it begins.
    package let line: Int
  }

  private enum State { case start, inArray, afterElement, betweenObjects, ended }

  private let source: ByteSource
  private var state = State.start

  package init(_ source: ByteSource) throws {
    self.source = source
    try source.skipByteOrderMark()
  }

  /// Returns the next object; nil at the end.
  package func next() throws -> Object? {
    while let byte = try source.peek() {
      switch (state, byte) {
      case (_, _) where [0x20, 0x09, 0x0A, 0x0D].contains(byte): _ = try source.next()
      case (.start, UInt8(ascii: "[")):
        _ = try source.next()
        state = .inArray
      case (.start, UInt8(ascii: "{")), (.betweenObjects, UInt8(ascii: "{")):
        state = .betweenObjects
        return try object()
      case (.inArray, UInt8(ascii: "{")):
        state = .afterElement
        return try object()
      case (.afterElement, UInt8(ascii: ",")):
        _ = try source.next()
        state = .inArray
      case (.inArray, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")):
        _ = try source.next()
        state = .ended
      default:
        throw ReadableError(
          "line \(source.line): this is not an array of objects, nor a sequence of objects")
      }
    }
    switch state {
    case .ended, .betweenObjects, .start: return nil
    case .inArray, .afterElement: throw ReadableError("line \(source.line): the array has no end")
    }
  }

  private func object() throws -> Object {
    let line = source.line
    var bytes: [UInt8] = []
    var depth = 0
    var isText = false
    while let byte = try source.next() {
      bytes.append(byte)
      switch byte {
      case UInt8(ascii: "\\") where isText:
        if let escaped = try source.next() { bytes.append(escaped) }
      case UInt8(ascii: "\""): isText.toggle()
      case UInt8(ascii: "{") where !isText, UInt8(ascii: "[") where !isText: depth += 1
      case UInt8(ascii: "}") where !isText, UInt8(ascii: "]") where !isText:
        depth -= 1
        guard depth == 0 else { continue }
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw ReadableError("line \(line): the text is not UTF-8")
        }
        return Object(text: text, line: line)
      default: break
      }
    }
    throw ReadableError("line \(line): the object has no end")
  }
}
