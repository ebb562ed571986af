import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Errors from opening a file", .blocking)
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

  @Test("a missing file, opened read-only, is reported as missing")
  func missingFile() {
    let message = message(folder.file(), readOnly)
    #expect(message.contains("there is no such file"))
    #expect(message.contains("isReadOnly"))
    #expect(!message.contains("is it a folder"))
  }

  @Test(
    "a missing folder is named, with the line of Swift that creates it", arguments: [true, false])
  func missingFolder(isReadOnly: Bool) {
    let path = folder.path + "/one/two/database.sqlite"
    let message = message(path, .with { $0.isReadOnly = isReadOnly })
    #expect(message.contains("the folder \(folder.path)/one does not exist"))
    #expect(message.contains("createDirectory(atPath: \"\(folder.path)/one/two\"") == !isReadOnly)
  }

  @Test("a path that is a folder is reported as one", arguments: [true, false])
  func isFolder(isReadOnly: Bool) {
    let message = message(folder.path, .with { $0.isReadOnly = isReadOnly })
    #expect(message.contains("it is a folder"))
    #expect(message.contains("\(folder.path)/database.sqlite"))
  }

  @Test("a file in place of a folder is named")
  func fileAsFolder() throws {
    try Data().write(to: URL(filePath: folder.file("file")))
    #expect(message(folder.file("file/database.sqlite")).contains("file is not a folder"))
  }

  @Test("a path or a name that is too long is reported with its length or as too long")
  func tooLong() throws {
    let long = folder.path + String(repeating: "/folder", count: 80) + "/database.sqlite"
    #expect(message(long).contains("\(long.utf8.count) bytes"))
    try FileManager.default.createDirectory(
      atPath: (long as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    #expect(message(long).contains("\(long.utf8.count) bytes"))
    #expect(message(folder.file(String(repeating: "x", count: 300))).contains("too long"))
  }

  @Test("a circle of links and a dangling link are reported")
  func links() throws {
    for (name, target) in [("one", "two"), ("two", "one"), ("nowhere", "none/at/all")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: target)
    }
    #expect(message(folder.file("one")).contains("circle"))
    #expect(message(folder.file("nowhere")).contains("none/at/all"))
    #expect(message(folder.file("nowhere"), readOnly).contains("none/at/all"))
  }

  @Test(
    "a named pipe and a device are reported at once, without waiting for them",
    arguments: [true, false])
  func noFile(isReadOnly: Bool) {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    let configuration = Configuration.with { $0.isReadOnly = isReadOnly }
    #expect(message(folder.file("pipe"), configuration).contains("named pipe"))
    #expect(message("/dev/null", configuration).contains("device"))
  }

  @Test("too many open files are reported, and no file is created")
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

  @Test("a failed opening creates no file")
  func nothingChanged() throws {
    _ = message(folder.file(), readOnly)
    _ = message(folder.path)
    _ = message(folder.path + "/missing/database.sqlite")
    #expect(folder.fileNames.isEmpty)
  }
}

/// Failures that cannot be provoked when the tests run as root.
@Suite("Messages for system errors on opening")
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

  @Test("the message says why a file cannot be created")
  func creation() {
    #expect(message(EACCES).contains("may not create files in \(folder.path)"))
    #expect(message(EROFS).contains("mounted read-only"))
    #expect(message(ENOSPC).contains("no space"))
    #expect(message(ENFILE).contains("the system has too many files open"))
  }

  @Test("the message names the file or its log, and the setting that helps")
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
    @Test("a file in a read-only file system is reported with its folder")
    func readOnlySystem() {
      // The kernel's process file system takes no new files.
      #expect(message(ENOENT, path: "/proc/database.sqlite").contains("/proc"))
    }
  #endif
}
