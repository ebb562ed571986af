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
  /// Writes a text. If that fails, as on a full disk, the program ends with status 1: what it goes on
  /// to do would be lost.
  package static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func write(_ text: String, to descriptor: Int32) {
    var text = text
    let error: Int32? = text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        // The pointer is of the bytes that are left, and is used only during the call.
        let part = UnsafeRawBufferPointer(rebasing: rest)
        #if canImport(Darwin)
          let count = Darwin.write(descriptor, part.baseAddress, part.count)
        #elseif canImport(Glibc)
          let count = Glibc.write(descriptor, part.baseAddress, part.count)
        #else
          let count = Musl.write(descriptor, part.baseAddress, part.count)
        #endif
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
    guard let error else { return }
    ErrorOutput.write("the output cannot be written: \(String(cString: strerror(error)))")
    exit(1)
  }
}

/// The standard error.
package enum ErrorOutput {
  /// Whether it is a terminal.
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
