#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Foundation

/// The standard output.
package enum StandardOutput {
  /// Writes a text. If that fails, as on a full disk, the program ends with status 1, because
  /// further output would be lost. After an interruption, a text is dropped if the reader of a pipe
  /// does not read it.
  package static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes a text.
  ///
  /// - Parameter isPager: whether the text goes to a pager. The user may read it slowly, or quit
  ///   the pager.
  /// - Returns: whether the pager has ended.
  @discardableResult
  static func write(_ text: String, to descriptor: Int32, isPager: Bool = false) -> Bool {
    var text = text
    let error = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor, isPager) }
    guard let error else { return false }
    if isPager, error == EPIPE { return true }
    ErrorOutput.write("the output cannot be written: \(String(cString: strerror(error)))")
    exit(1)
  }

  /// Writes bytes. Returns the system's error number if writing fails; otherwise nil.
  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ isPager: Bool
  ) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The pointer to the remaining bytes is used only during the call of `write`.
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let (count, error) = Interruption.whileWaiting {
        #if canImport(Darwin)
          let count = Darwin.write(descriptor, part.baseAddress, part.count)
        #elseif canImport(Glibc)
          let count = Glibc.write(descriptor, part.baseAddress, part.count)
        #else
          let count = Musl.write(descriptor, part.baseAddress, part.count)
        #endif
        return (count, errno)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if error != EINTR {
        return error
      } else if Interruption.isRequested, !isPager {
        return nil
      }
    }
    return nil
  }
}

/// The standard error.
package enum ErrorOutput {
  /// Whether the standard error is a terminal.
  package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a message, which may contain names and texts of a file.
  package static func write(_ message: String) {
    raw(message.escapedForTerminal(keepingLineBreaks: true) + "\n")
  }

  /// Writes a text that may move the cursor. An error is ignored, since it could not be shown.
  static func raw(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}

/// A file or the standard input that a command reads.
package enum InputFile {
  /// Reads bytes into `room`, and returns their number; 0 at the end. Throws after an interruption.
  ///
  /// - Parameter name: the name of the file in error messages.
  package static func read(
    _ descriptor: Int32, named name: String, into room: UnsafeMutableRawBufferPointer
  ) throws -> Int {
    while true {
      try Interruption.check()
      let (count, error) = Interruption.whileWaiting {
        #if canImport(Darwin)
          let count = Darwin.read(descriptor, room.baseAddress, room.count)
        #elseif canImport(Glibc)
          let count = Glibc.read(descriptor, room.baseAddress, room.count)
        #else
          let count = Musl.read(descriptor, room.baseAddress, room.count)
        #endif
        return (count, errno)
      }
      if count >= 0 { return count }
      guard error == EINTR else {
        throw ReadableError("\(name) cannot be read: \(String(cString: strerror(error)))")
      }
    }
  }

  /// Returns the whole text of the standard input. Throws if it is not UTF-8.
  package static func standardInputText() throws -> String {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try piece.withUnsafeMutableBytes {
        try read(STDIN_FILENO, named: "the standard input", into: $0)
      }
      guard count > 0 else { break }
      bytes += piece.prefix(count)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ReadableError("the standard input is not UTF-8")
    }
    return text
  }
}
