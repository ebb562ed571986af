import Foundation
import ToolOutput

/// The bytes of a file or of the standard input. Only a piece of them is in memory.
package final class ByteSource {
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private var capacity = 1 << 18
  /// The bytes in memory. They move when more are loaded.
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  /// The number of bytes in memory.
  private(set) var count = 0
  /// The number of bytes that were removed from memory before them.
  private(set) var removedCount = 0
  /// The size of the file; nil if the source is no file.
  package private(set) var size: Int?

  /// - Parameter read: writes the next bytes into its argument, and returns their number; 0 at the
  ///   end.
  package init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
    self.read = read
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  /// - Parameter name: the name of the file in the message of an error.
  package convenience init(_ file: FileHandle, named name: String) {
    self.init { try InputFile.read(file.fileDescriptor, named: name, into: $0) }
    var status = stat()
    if fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      size = Int(status.st_size)
    }
  }

  /// Loads more bytes. Those before `start` are removed, and the others move to the beginning.
  /// Returns false at the end.
  func load(keepingFrom start: Int) throws -> Bool {
    count -= start
    removedCount += start
    if count == capacity {
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
      larger.update(from: bytes + start, count: count)
      bytes.deallocate()
      bytes = larger
      capacity *= 2
    } else if start > 0 {
      // The two places may overlap.
      memmove(bytes, bytes + start, count)
    }
    let loaded = try read(
      UnsafeMutableRawBufferPointer(start: bytes + count, count: capacity - count))
    count += loaded
    return loaded > 0
  }

  /// Returns the length of the mark with which some programs begin a text in UTF-8.
  func lengthOfByteOrderMark() throws -> Int {
    while count < 3, try load(keepingFrom: 0) {}
    return count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
  }
}
