import Foundation

/// The bytes of a file or of the standard input, read in pieces.
package final class ByteSource {
  private let read: () throws -> Data
  private var piece: [UInt8] = []
  private var position = 0
  /// The number of bytes that have been taken.
  package private(set) var count = 0
  /// The line of the next byte, from 1.
  package private(set) var line = 1

  /// - Parameter read: returns the next bytes; nothing at the end.
  package init(_ read: @escaping () throws -> Data) { self.read = read }

  package convenience init(_ file: FileHandle) {
    self.init { try file.read(upToCount: 1 << 16) ?? Data() }
  }

  package convenience init(_ text: String) {
    var isRead = false
    self.init {
      defer { isRead = true }
      return isRead ? Data() : Data(text.utf8)
    }
  }

  /// Returns the next byte without taking it; nil at the end.
  func peek() throws -> UInt8? {
    if position == piece.count {
      piece = Array(try read())
      position = 0
    }
    return position < piece.count ? piece[position] : nil
  }

  /// Takes the next byte; nil at the end.
  func next() throws -> UInt8? {
    guard let byte = try peek() else { return nil }
    position += 1
    count += 1
    if byte == UInt8(ascii: "\n") { line += 1 }
    return byte
  }

  /// Takes the mark with which some programs begin a text in UTF-8.
  func skipByteOrderMark() throws {
    guard try peek() == 0xEF, piece.count - position >= 3,
      piece[position + 1] == 0xBB, piece[position + 2] == 0xBF
    else { return }
    for _ in 0..<3 { _ = try next() }
  }
}
