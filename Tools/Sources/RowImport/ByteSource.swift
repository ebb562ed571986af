import Foundation
import ToolOutput

/// The bytes of a file or of the standard input. Only a part of them is in memory at a time.
package final class ByteSource {
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private var capacity = 1 << 18
  /// The bytes in memory. Their address changes when more bytes are loaded.
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  /// The number of bytes in memory.
  private(set) var count = 0
  /// The number of earlier bytes, which were removed from memory.
  private(set) var removedCount = 0
  /// The size of the file; nil if the source is no file.
  package private(set) var size: Int?

  /// - Parameter read: a closure that writes the next bytes into its argument, and returns their
  ///   number. At the end, it returns 0.
  package init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
    self.read = read
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  /// - Parameter name: the name of the file in error messages.
  package convenience init(_ file: FileHandle, named name: String) {
    self.init { try InputFile.read(file.fileDescriptor, named: name, into: $0) }
    var status = stat()
    if fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      size = Int(status.st_size)
    }
  }

  /// Loads more bytes. The bytes before `start` are removed from memory, and the remaining bytes
  /// move to its beginning. Returns false at the end of the source.
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
      // The old and the new range may overlap.
      memmove(bytes, bytes + start, count)
    }
    let loaded = try read(
      UnsafeMutableRawBufferPointer(start: bytes + count, count: capacity - count))
    count += loaded
    return loaded > 0
  }

  /// Returns the length of the byte order mark with which some programs begin UTF-8 text: 3 or 0.
  func lengthOfByteOrderMark() throws -> Int {
    while count < 3, try load(keepingFrom: 0) {}
    return count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
  }
}
