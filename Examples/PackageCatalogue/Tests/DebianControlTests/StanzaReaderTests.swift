import DebianControl
import Foundation
import Testing

@Suite("Reading of control files")
struct StanzaReaderTests {
  /// A text of many stanzas that every chunk size splits somewhere.
  private static let text = (1...40).map { number in
    "Package: p\(number)\r\nDescription: é🐦\n \(String(repeating: "x", count: number))\n\n\r\n"
  }.joined()

  @Test("chunks of any size give the same stanzas", arguments: [1, 2, 3, 7, 64, 1 << 16])
  func chunks(size: Int) throws {
    let file = try TemporaryFile(Self.text)
    let handle = try FileHandle(forReadingFrom: file.url)
    var reader = StanzaReader(descriptor: handle.fileDescriptor, chunkSize: size)
    var names: [String?] = []
    var lines: [Int] = []
    while let stanza = try reader.next() {
      names.append(stanza["Package"])
      lines.append(stanza.line)
      #expect(stanza["Description"]?.hasPrefix("é🐦\nx") == true)
    }
    #expect(names == (1...40).map { "p\($0)" })
    #expect(lines == (0..<40).map { $0 * 5 + 1 })
    #expect(reader.bytesConsumed == Self.text.utf8.count)
    #expect(reader.byteCount == Self.text.utf8.count)
    withExtendedLifetime(handle) {}
  }

  @Test("a pipe is read as it fills, also in non-blocking mode", arguments: [0, O_NONBLOCK])
  func pipe(flag: Int32) throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    #expect(fcntl(descriptor, F_SETFL, flag) == 0)
    // Another thread writes, because reading blocks this one.
    let end = pipe.fileHandleForWriting
    Thread.detachNewThread {
      for part in ["Pack", "age: a\n", "\nPackage: ", "b"] {
        try? end.write(contentsOf: Data(part.utf8))
      }
      try? end.close()
    }
    var reader = StanzaReader(descriptor: descriptor)
    #expect(reader.byteCount == nil)
    #expect(try reader.next()?["Package"] == "a")
    #expect(try reader.next()?["Package"] == "b")
    #expect(try reader.next() == nil)
    withExtendedLifetime(pipe) {}
  }

  @Test("a missing file cannot be opened, and a folder cannot be read")
  func unreadable() throws {
    let path = FileManager.default.temporaryDirectory.path
    let missing = failure { _ = try StanzaReader(path: "\(path)/no such file") }
    guard case .cannotOpen("\(path)/no such file", _) = missing else {
      Issue.record("\(String(describing: missing))")
      return
    }
    var reader = try StanzaReader(path: path)
    let folder = failure { _ = try reader.next() }
    guard case .cannotRead(path, 0, _) = folder else {
      Issue.record("\(String(describing: folder))")
      return
    }
    #expect(try reader.next() == nil)
    #expect(failure { _ = try StanzaReader(path: "a\0b") } != nil)
  }

  @Test("the limit of a stanza holds for every size of chunks", arguments: [1, 10, 1 << 16])
  func limit(chunkSize: Int) throws {
    let file = try TemporaryFile("A: 1\n\nA: " + String(repeating: "x", count: 10_000))
    let handle = try FileHandle(forReadingFrom: file.url)
    var reader = StanzaReader(
      descriptor: handle.fileDescriptor,
      chunkSize: chunkSize,
      stanzaLimit: 100
    )
    #expect(try reader.next()?["A"] == "1")
    let found = failure { _ = try reader.next() }
    #expect(found == .malformed(line: 3, .stanzaTooLong(limit: 100)))
    #expect(try reader.next() == nil)
    withExtendedLifetime(handle) {}
  }

  @Test(
    "this machine's own packages are read completely",
    .enabled(if: FileManager.default.isReadableFile(atPath: "/var/lib/dpkg/status"))
  )
  func ownPackages() throws {
    let path = "/var/lib/dpkg/status"
    var reader = try StanzaReader(path: path)
    var packages: [PackageStanza] = []
    while let package = try reader.nextPackage() { packages.append(package) }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(packages.count == lines.count { $0.hasPrefix("Package:") })
    #expect(packages.count { $0.isInstalled } == lines.count { $0.hasSuffix(" ok installed") })
    #expect(packages.flatMap(\.relations).allSatisfy { !$0.name.isEmpty })
    #expect(reader.bytesConsumed == reader.byteCount)
  }
}

/// A file that is deleted with this object.
private final class TemporaryFile {
  let url: URL

  init(_ text: String) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "stanzas-\(UUID()).control")
    try Data(text.utf8).write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
