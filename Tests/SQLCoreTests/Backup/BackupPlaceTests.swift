import Foundation
import SQLCore
import Testing

/// A copy that replaced the source, or a file that belongs to it, would destroy the source.
@Suite("Refused destinations of a copy")
struct BackupPlaceTests {
  private let folder: TemporaryFolder
  private let db: Database

  init() throws {
    folder = try TemporaryFolder()
    db = try Database(path: folder.file("source.sqlite"))
    try db.makeItems(50)
  }

  /// Expects that both ways of writing a copy are refused and leave the source intact, also for a
  /// connection that opens it afterwards.
  private func expectRefusal(
    of path: String, _ expected: ResultCode = .misuse, from source: Database? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let source = source ?? db
    let before = fileNames
    for overwriting in [true, false] {
      for copy in [
        { try source.backup(to: path, overwriting: overwriting) },
        { try source.vacuum(into: path, overwriting: overwriting) },
      ] {
        let found = code(copy)
        #expect(found == expected, "\(path)", sourceLocation: sourceLocation)
      }
    }
    #expect(fileNames == before, sourceLocation: sourceLocation)
    try source.makeItems(1)
    let count = try source.itemCount()
    let fresh = try Database(path: try #require(source.path))
    #expect(try fresh.itemCount() == count, "\(path)", sourceLocation: sourceLocation)
    #expect(
      try fresh.row("PRAGMA quick_check")?.get(String.self, at: 0) == "ok",
      sourceLocation: sourceLocation)
  }

  /// The files, without those that come and go while a database is open.
  private var fileNames: [String] {
    folder.fileNames.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
  }

  private func link(_ name: String, to target: String) throws -> String {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(name), withDestinationPath: target)
    return folder.file(name)
  }

  private static let companions = ["-wal", "-shm", "-journal", "-mj0123AB9FF"]

  @Test(
    "a companion file of the source is refused, whether or not it exists", arguments: companions)
  func companion(suffix: String) throws {
    let path = folder.file("source.sqlite") + suffix
    try expectRefusal(of: path)
    // The same path, spelt differently.
    let name = (path as NSString).lastPathComponent
    try expectRefusal(of: folder.path + "//./" + name)
    try expectRefusal(
      of: folder.path + "/../\((folder.path as NSString).lastPathComponent)/\(name)")
  }

  @Test(
    "a symbolic link that leads to the source or a companion file is refused",
    arguments: ["-wal", "-journal", ""])
  func symbolicLinks(suffix: String) throws {
    try expectRefusal(of: link("file-link", to: "source.sqlite" + suffix))
    try expectRefusal(of: link("link-of-link", to: folder.file("file-link")))
    try expectRefusal(of: link("folder-link", to: ".") + "/source.sqlite" + suffix)
  }

  @Test(
    "a hard link to the source or a companion file is refused", arguments: ["", "-wal", "-shm"])
  func hardLink(suffix: String) throws {
    try FileManager.default.linkItem(
      atPath: folder.file("source.sqlite") + suffix, toPath: folder.file("hard"))
    try expectRefusal(of: folder.file("hard"))
  }

  #if os(Linux)
    @Test(
      "the /proc path of a file that this process has open is refused", arguments: ["", "-wal"])
    func descriptor(suffix: String) throws {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let source = folder.file("source.sqlite") + suffix
      let resolved = URL(filePath: source).resolvingSymlinksInPath().path(percentEncoded: false)
      let open = descriptors.map { "/proc/self/fd/" + $0 }.first { path in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return target == resolved || target == source.replacing("//", with: "/")
      }
      try expectRefusal(of: try #require(open))
    }
  #endif

  @Test("a destination is refused if one of its companion files is the source")
  func sourceAsCompanion() throws {
    for suffix in ["-wal", "-journal", "-shm"] {
      let source = try Database(path: folder.file("copy.sqlite" + suffix))
      try source.makeItems(3)
      try expectRefusal(of: folder.file("copy.sqlite"), from: source)
    }
  }

  @Test("for a source opened by a link, the real file and its companions are refused")
  func linkedSource() throws {
    let source = try Database(path: link("alias.sqlite", to: "source.sqlite"))
    for suffix in ["", "-wal", "-journal"] {
      try expectRefusal(of: folder.file("source.sqlite" + suffix), from: source)
    }
  }

  @Test("a file attached to the source, and its companions, are refused")
  func attached() throws {
    let path = folder.file("attached.sqlite")
    try Database(path: path).makeItems(3, named: "attached")
    let source = try Database(
      path: folder.file("source.sqlite"),
      configuration: .with { $0.prepareConnection = { try $0.attach(path: path, as: "other") } })
    for suffix in ["", "-wal", "-journal"] { try expectRefusal(of: path + suffix, from: source) }
    #expect(try Database(path: path).itemCount() == 3)
  }

  @Test("a folder, a pipe, a device, and a link to one of them, are refused")
  func noFile() throws {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    try FileManager.default.createDirectory(
      atPath: folder.file("folder"), withIntermediateDirectories: false)
    let paths = [
      folder.file("pipe"), folder.file("folder"), folder.file("folder/"), "/dev/null",
      try link("to-pipe", to: "pipe"), try link("to-folder", to: "folder"),
      try link("to-device", to: "/dev/null"),
    ]
    for path in paths { try expectRefusal(of: path, .cannotOpen) }
  }

  @Test("a destination whose name only resembles a companion's is accepted")
  func namesakes() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("other"), withIntermediateDirectories: false)
    for name in ["source.sqlite-copy", "source.sqlite-mj", "other/source.sqlite-wal", "source"] {
      try db.backup(to: folder.file(name))
      #expect(try Database(path: folder.file(name)).itemCount() == 50)
    }
  }

  @Test("a dangling link is kept, and the copy is created at its target")
  func linkToNothing() throws {
    let path = try link("link.sqlite", to: "new.sqlite")
    try db.backup(to: path)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: path) == "new.sqlite")
    #expect(try Database(path: folder.file("new.sqlite")).itemCount() == 50)
  }
}
