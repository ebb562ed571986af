/// A reader of the stanzas of a Debian control file, one after the other.
///
/// ```swift
/// var reader = try StanzaReader(path: "/var/lib/dpkg/status")
/// while let stanza = try reader.next() { print(stanza["Package"] ?? "?") }
/// ```
///
/// However long the input is, the reader keeps only one stanza and one chunk of the input in
/// memory. It reads the files of dpkg and the output of apt (`apt-cache dumpavail`). These have
/// stanzas of `Field: value` lines, separated by blank lines. Lines end in LF or CRLF, and the last
/// line may have no line end. The format is that of chapter 5.1 of the [Debian
/// policy](https://www.debian.org/doc/debian-policy/ch-controlfields.html).
public struct StanzaReader: ~Copyable, Sendable {
  /// The largest size of a stanza in bytes: larger than any real stanza, but small enough for
  /// memory.
  public static let defaultStanzaLimit = 16 << 20

  /// The number of the line that is read next, counted from 1.
  public private(set) var line = 1

  /// The number of bytes of the input that were consumed so far. These are the bytes of all stanzas
  /// that were read, and of the blank lines between them.
  public private(set) var bytesConsumed = 0

  private let input: ByteInput
  private let stanzaLimit: Int
  private var buffer: [UInt8]
  /// The range of `buffer` that was read and not yet consumed.
  private var unread: Range<Int>
  private var hasEnded = false

  /// Opens the file at `path`; throws ``ControlError/cannotOpen(path:reason:)``.
  public init(
    path: String,
    stanzaLimit: Int = StanzaReader.defaultStanzaLimit
  ) throws(ControlError) {
    self.init(input: try ByteInput(path: path), stanzaLimit: stanzaLimit)
  }

  /// Creates a reader of a file that is already open, such as 0 for standard input. The reader does
  /// not close the file.
  ///
  /// The file is read in chunks of `chunkSize` bytes.
  public init(
    descriptor: Int32,
    chunkSize: Int = 1 << 16,
    stanzaLimit: Int = StanzaReader.defaultStanzaLimit
  ) {
    self.init(
      input: ByteInput(descriptor: descriptor),
      chunkSize: chunkSize,
      stanzaLimit: stanzaLimit
    )
  }

  /// Reads stanzas from memory, such as `Array(text.utf8)`.
  public init(bytes: [UInt8], stanzaLimit: Int = StanzaReader.defaultStanzaLimit) {
    input = ByteInput()
    self.stanzaLimit = stanzaLimit
    buffer = bytes
    unread = 0..<bytes.count
  }

  private init(input: consuming ByteInput, chunkSize: Int = 1 << 16, stanzaLimit: Int) {
    self.input = input
    self.stanzaLimit = stanzaLimit
    buffer = [UInt8](repeating: 0, count: max(chunkSize, 1))
    unread = 0..<0
  }

  /// The size of the input in bytes, if it is a regular file; nil for a pipe, for example.
  public var byteCount: Int? { input.byteCount }

  /// Returns the next stanza, or nil at the end of the input.
  ///
  /// If it throws because a stanza is malformed, the next call continues after this stanza. After
  /// an error while reading the file, or after ``Malformation/stanzaTooLong(limit:)``, the next
  /// call returns nil.
  public mutating func next() throws(ControlError) -> Stanza? {
    var length = 0
    var lineCount = 0
    while let lineLength = try lineLength(at: length) {
      if !isBlank(at: length, count: lineLength) {
        length += lineLength
        lineCount += 1
      } else if length == 0 {
        consume(lineLength, lines: 1)
      } else {
        break
      }
    }
    guard length > 0 else { return nil }
    let bytes = Array(buffer[unread.prefix(length)])
    let firstLine = line
    consume(length, lines: lineCount)
    return try Stanza(bytes: bytes, line: firstLine)
  }

  /// Returns the length of a line, including its newline. The line begins `offset` bytes after the
  /// first unread byte. Returns nil if the input ends at this place.
  private mutating func lineLength(at offset: Int) throws(ControlError) -> Int? {
    var searched = offset
    while true {
      let newline = buffer.newline(from: unread.lowerBound + searched, to: unread.upperBound)
      let hasNewline = newline < unread.upperBound
      searched = newline - unread.lowerBound + (hasNewline ? 1 : 0)
      guard searched <= stanzaLimit else {
        end()
        throw .malformed(line: line, .stanzaTooLong(limit: stanzaLimit))
      }
      if hasNewline { return searched - offset }
      guard try refill() else { return searched > offset ? searched - offset : nil }
    }
  }

  private func isBlank(at offset: Int, count: Int) -> Bool {
    let start = unread.lowerBound + offset
    return buffer[start].isWhiteSpace && buffer.trimmed(start..<start + count).isEmpty
  }

  private mutating func consume(_ count: Int, lines: Int) {
    unread = unread.dropFirst(count)
    line += lines
    bytesConsumed += count
  }

  private mutating func end() {
    hasEnded = true
    unread = 0..<0
  }

  /// Reads one more chunk after the unread bytes. Returns false at the end of the input.
  private mutating func refill() throws(ControlError) -> Bool {
    guard !hasEnded else { return false }
    let kept = unread.count
    if unread.lowerBound > 0 {
      for offset in 0..<kept { buffer[offset] = buffer[unread.lowerBound + offset] }
      unread = 0..<kept
    }
    if kept == buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: max(kept, 1)))
    }
    do throws(ControlError) {
      let count = try input.fill(&buffer, from: kept, line: line - 1)
      unread = 0..<kept + count
      hasEnded = count == 0
      return count > 0
    } catch {
      end()
      throw error
    }
  }
}
