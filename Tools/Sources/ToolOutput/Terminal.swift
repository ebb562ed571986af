#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Foundation

/// The terminal on which the output appears, if there is one.
package enum Terminal {
  /// Whether the standard output is a terminal.
  package static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The number of columns of the terminal, or else the number in the variable COLUMNS. Nil if
  /// neither is known, or if the output is not a terminal.
  package static var width: Int? { size(\.ws_col, "COLUMNS") }

  /// The number of lines of the terminal, or else the number in the variable LINES, or else 24.
  static var height: Int { size(\.ws_row, "LINES") ?? 24 }

  private static func size(_ part: KeyPath<winsize, UInt16>, _ variable: String) -> Int? {
    guard isOutput else { return nil }
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size[keyPath: part] > 0 {
      return Int(size[keyPath: part])
    }
    return ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
  }

  /// Whether colours are wanted: on a terminal, unless NO_COLOR is set or the terminal is dumb.
  /// - SeeAlso: <https://no-color.org>
  package static var wantsColor: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isOutput && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}

/// The ways in which a text stands out on a terminal.
package enum TextStyle: String, Sendable {
  /// Strong, for names.
  case bold = "1"
  /// Faint, for text that is not data.
  case dim = "2"
  /// Red, for errors and for deleted content.
  case red = "31"
  /// Green, for new content.
  case green = "32"
}

extension String {
  /// Returns the text in a style. Text after it has no style.
  func styled(_ style: TextStyle) -> String { "\u{1B}[\(style.rawValue)m\(self)\u{1B}[0m" }
}
