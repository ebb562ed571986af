import Foundation
import SQLCore
import Testing

/// A copy that came into the place of the source, or of a file that belongs to it, would destroy the
/// source.
@Suite("Where a copy may not be")
struct BackupPlaceTests {
  private let folder: TemporaryFolder
  private let db: Database

  init() throws {
    folder = try TemporaryFolder()
    db = try Database(path: folder.file("source.sqlite"))
    try db.makeItems(50)
  }

  /// Both ways of writing a copy are refused, and the source is whole, also for whoever opens it then.
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

  @Test("a file that belongs to the source, whether or not it is there", arguments: companions)
  func companion(suffix: String) throws {
    let path = folder.file("source.sqlite") + suffix
    try expectRefusal(of: path)
    // Spelt otherwise.
    let name = (path as NSString).lastPathComponent
    try expectRefusal(of: folder.path + "//./" + name)
    try expectRefusal(
      of: folder.path + "/../\((folder.path as NSString).lastPathComponent)/\(name)")
  }

  @Test("by a symbolic link to it, or to its folder", arguments: ["-wal", "-journal", ""])
  func symbolicLinks(suffix: String) throws {
    try expectRefusal(of: link("file-link", to: "source.sqlite" + suffix))
    try expectRefusal(of: link("link-of-link", to: folder.file("file-link")))
    try expectRefusal(of: link("folder-link", to: ".") + "/source.sqlite" + suffix)
  }

  @Test("by a hard link", arguments: ["", "-wal", "-shm"])
  func hardLink(suffix: String) throws {
    try FileManager.default.linkItem(
      atPath: folder.file("source.sqlite") + suffix, toPath: folder.file("hard"))
    try expectRefusal(of: folder.file("hard"))
  }

  #if os(Linux)
    @Test("by the name of an open file of this process", arguments: ["", "-wal"])
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

  @Test("where a file that is to go with the old destination is the source")
  func sourceAsCompanion() throws {
    for suffix in ["-wal", "-journal", "-shm"] {
      let source = try Database(path: folder.file("copy.sqlite" + suffix))
      try source.makeItems(3)
      try expectRefusal(of: folder.file("copy.sqlite"), from: source)
    }
  }

  @Test("when the source was opened by a link, the real file and what belongs to it are refused")
  func linkedSource() throws {
    let source = try Database(path: link("alias.sqlite", to: "source.sqlite"))
    for suffix in ["", "-wal", "-journal"] {
      try expectRefusal(of: folder.file("source.sqlite" + suffix), from: source)
    }
  }

  @Test("a file that is attached to the source, and what belongs to it")
  func attached() throws {
    let path = folder.file("attached.sqlite")
    try Database(path: path).makeItems(3, named: "attached")
    let source = try Database(
      path: folder.file("source.sqlite"),
      configuration: .with { $0.prepareConnection = { try $0.attach(path: path, as: "other") } })
    for suffix in ["", "-wal", "-journal"] { try expectRefusal(of: path + suffix, from: source) }
    #expect(try Database(path: path).itemCount() == 3)
  }

  @Test("what is no file: a folder, a pipe, a device, and a link to one")
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

  @Test("names that only look alike are good")
  func namesakes() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("other"), withIntermediateDirectories: false)
    for name in ["source.sqlite-copy", "source.sqlite-mj", "other/source.sqlite-wal", "source"] {
      try db.backup(to: folder.file(name))
      #expect(try Database(path: folder.file(name)).itemCount() == 50)
    }
  }

  @Test("a link that leads nowhere yet stays, and the copy comes where it leads")
  func linkToNothing() throws {
    let path = try link("link.sqlite", to: "new.sqlite")
    try db.backup(to: path)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: path) == "new.sqlite")
    #expect(try Database(path: folder.file("new.sqlite")).itemCount() == 50)
  }
}
