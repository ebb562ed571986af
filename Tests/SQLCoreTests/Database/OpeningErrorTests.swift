import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Errors of opening a file", .blocking)
struct OpeningErrorTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func message(
    _ path: String, _ configuration: Configuration = Configuration(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    do {
      _ = try Database(path: path, configuration: configuration)
      Issue.record("it opened", sourceLocation: sourceLocation)
      return ""
    } catch let error as DatabaseError {
      #expect(error.code.primary == .cannotOpen, sourceLocation: sourceLocation)
      #expect(error.message.hasPrefix("\(path): "), sourceLocation: sourceLocation)
      return error.message
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
      return ""
    }
  }

  private var readOnly: Configuration { .with { $0.isReadOnly = true } }

  @Test("a missing file, to read alone")
  func missingFile() {
    let message = message(folder.file(), readOnly)
    #expect(message.contains("there is no such file"))
    #expect(message.contains("isReadOnly"))
    #expect(!message.contains("is it a folder"))
  }

  @Test("a missing folder, with the line that creates it", arguments: [true, false])
  func missingFolder(isReadOnly: Bool) {
    let path = folder.path + "/one/two/database.sqlite"
    let message = message(path, .with { $0.isReadOnly = isReadOnly })
    #expect(message.contains("the folder \(folder.path)/one does not exist"))
    #expect(message.contains("createDirectory(atPath: \"\(folder.path)/one/two\"") == !isReadOnly)
  }

  @Test("a folder", arguments: [true, false])
  func isFolder(isReadOnly: Bool) {
    let message = message(folder.path, .with { $0.isReadOnly = isReadOnly })
    #expect(message.contains("it is a folder"))
    #expect(message.contains("\(folder.path)/database.sqlite"))
  }

  @Test("a file in the place of a folder")
  func fileAsFolder() throws {
    try Data().write(to: URL(filePath: folder.file("file")))
    #expect(message(folder.file("file/database.sqlite")).contains("file is not a folder"))
  }

  @Test("a path that is too long, as a whole and in one of its names")
  func tooLong() throws {
    let long = folder.path + String(repeating: "/folder", count: 80) + "/database.sqlite"
    #expect(message(long).contains("\(long.utf8.count) bytes"))
    try FileManager.default.createDirectory(
      atPath: (long as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    #expect(message(long).contains("\(long.utf8.count) bytes"))
    #expect(message(folder.file(String(repeating: "x", count: 300))).contains("too long"))
  }

  @Test("links that lead in a circle, and one that leads nowhere")
  func links() throws {
    for (name, target) in [("one", "two"), ("two", "one"), ("nowhere", "none/at/all")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: target)
    }
    #expect(message(folder.file("one")).contains("circle"))
    #expect(message(folder.file("nowhere")).contains("none/at/all"))
    #expect(message(folder.file("nowhere"), readOnly).contains("none/at/all"))
  }

  @Test("a named pipe and a device, which nobody waits for", arguments: [true, false])
  func noFile(isReadOnly: Bool) {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    let configuration = Configuration.with { $0.isReadOnly = isReadOnly }
    #expect(message(folder.file("pipe"), configuration).contains("named pipe"))
    #expect(message("/dev/null", configuration).contains("device"))
  }

  @Test("too many open files")
  func tooManyFiles() throws {
    try Database(path: folder.file()).execute("CREATE TABLE item (name)")
    for path in [folder.file(), folder.file("new.sqlite")] {
      let child = try ChildProcess("exhaust", path)
      let message = child.line()
      #expect(message.contains("\(path): "))
      #expect(message.contains("too many files open"), "\(message)")
      #expect(child.wait() == 0)
    }
    #expect(!folder.fileNames.contains("new.sqlite"))
  }

  @Test("no file is created and nothing is changed by an opening that fails")
  func nothingChanged() throws {
    _ = message(folder.file(), readOnly)
    _ = message(folder.path)
    _ = message(folder.path + "/missing/database.sqlite")
    #expect(folder.fileNames.isEmpty)
  }
}

/// What a test cannot bring about where it may do everything, as the user root.
@Suite("Words for what the system says when a file is opened")
struct OpeningFailureTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func message(
    _ systemError: Int32, code: ResultCode = .cannotOpen, isOpen: Bool = false,
    path: String? = nil
  ) -> String {
    let failure = OpeningFailure(
      file: DatabaseFile(path: path ?? folder.file()), isReadOnly: false, systemError: systemError,
      isOpen: isOpen)
    return failure.describe(DatabaseError(code: code, message: "no")).message
  }

  @Test("a file that cannot be created")
  func creation() {
    #expect(message(EACCES).contains("may not create files in \(folder.path)"))
    #expect(message(EROFS).contains("mounted read-only"))
    #expect(message(ENOSPC).contains("no space"))
    #expect(message(ENFILE).contains("the system has too many files open"))
  }

  @Test("a file that is there, and its log")
  func existing() throws {
    try Data().write(to: URL(filePath: folder.file()))
    #expect(message(EACCES).contains("may not read it"))
    let log = message(EACCES, isOpen: true)
    #expect(log.contains("-wal") && log.contains("Permission denied"))
    #expect(log.contains("Configuration.isImmutable"))
    #expect(message(0, code: .readOnly, isOpen: true).contains("Configuration.isReadOnly"))
    #expect(message(0, code: .notADatabase, isOpen: true).contains("was not changed"))
    #expect(message(0, code: .busy, isOpen: true).contains("busyTimeout"))
  }

  #if os(Linux)
    @Test("a file of a file system that can only be read")
    func readOnlySystem() {
      // The kernel's own folder of processes takes no files.
      #expect(message(ENOENT, path: "/proc/database.sqlite").contains("/proc"))
    }
  #endif
}
