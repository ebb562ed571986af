import Foundation
import SQLCore
import Testing

@Suite("Backup over a file")
struct ReplacementTests {
  let folder: TemporaryFolder
  let db: Database

  init() throws {
    folder = try TemporaryFolder()
    db = try Database(path: folder.file("source.sqlite"))
    try db.makeItems()
  }

  private var copy: String { folder.file("copy.sqlite") }

  @Test(
    "without `overwriting`, an existing file is refused and kept, whatever it holds",
    arguments: ["", "text"])
  func refused(_ text: String) throws {
    try text.write(toFile: copy, atomically: false, encoding: .utf8)
    #expect(code { try db.backup(to: copy) } == .cannotOpen)
    #expect(code { try db.vacuum(into: copy) } == .cannotOpen)
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == text)
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
  }

  @Test(
    "without `overwriting`, a log or journal without its file is refused too",
    arguments: ["-wal", "-journal"])
  func refusedCompanion(_ suffix: String) throws {
    try "text".write(toFile: copy + suffix, atomically: false, encoding: .utf8)
    #expect(code { try db.backup(to: copy) } == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: copy))
    try db.backup(to: copy, overwriting: true)
    #expect(try Database(path: copy).itemCount() == 500)
  }

  @Test("with `overwriting`, a copy replaces a database, and a file that is not a database")
  func overwriting() throws {
    try db.backup(to: copy)
    try db.makeItems(10)
    try db.backup(to: copy, overwriting: true)
    #expect(try Database(path: copy).content() == db.content())

    try "no database, but longer than sixteen bytes".write(
      toFile: copy, atomically: false, encoding: .utf8)
    try db.backup(to: copy, overwriting: true)
    #expect(try Database(path: copy).content() == db.content())
  }

  /// A crash left a log beside the old file. SQLite would apply it to the new one.
  @Test("the log of the old file is not applied to the new one")
  func oldLog() throws {
    let old = folder.file("old.sqlite")
    let crashed = try Database(path: old)
    try crashed.makeItems(700, named: "old")
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.copyItem(atPath: old + suffix, toPath: copy + suffix)
    }
    try db.backup(to: copy, overwriting: true)
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
    #expect(try Database(path: copy).content() == db.content())
  }

  @Test("a database that is open elsewhere is not replaced")
  func openElsewhere() throws {
    let other = try Database(path: copy)
    try other.makeItems(3, named: "other")
    #expect(code { try db.backup(to: copy, overwriting: true) } == .busy)
    #expect(try other.itemCount() == 3)
    try other.makeItems(1)
    #expect(try Database(path: copy).itemCount() == 4)
  }

  @Test("a symbolic link is kept, and its target is replaced")
  func symbolicLink() throws {
    let alias = folder.file("alias.sqlite")
    try db.backup(to: copy)
    try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: copy)
    try db.makeItems(10)
    try db.backup(to: alias, overwriting: true)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: alias) == copy)
    #expect(try Database(path: copy).itemCount() == 510)
  }

  @Test("the copy has the permissions of the file it replaces, or else those of its source")
  func permissions() throws {
    func permissions(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    let source = folder.file("source.sqlite")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: source)
    try db.backup(to: copy)
    #expect(try permissions(copy) == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: copy)
    try db.backup(to: copy, overwriting: true)
    #expect(try permissions(copy) == 0o640)
  }

  /// Guards against a backup that copies a corrupt file over a good one.
  @Test("a damaged source does not replace a good copy", arguments: [true, false])
  func damagedSource(vacuums: Bool) throws {
    try db.backup(to: copy)
    let good = try Data(contentsOf: URL(filePath: copy))
    let bad = folder.file("bad.sqlite")
    try db.backup(to: bad)
    try damage(bad)

    let damaged = try Database(path: bad)
    #expect(
      code {
        if vacuums {
          try damaged.vacuum(into: copy, overwriting: true)
        } else {
          try damaged.backup(to: copy, overwriting: true)
        }
      } == .corrupt)
    #expect(try Data(contentsOf: URL(filePath: copy)) == good)
    #expect(folder.fileNames.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
  }

  /// SQLite 3.40 looks for NULL in the wrong column of a table WITHOUT ROWID whose key comes last.
  @Test("values that SQLite's check complains about do not count as damage, and hide none")
  func values() throws {
    try db.execute(
      """
      CREATE TABLE last (note TEXT, size INT NOT NULL, key TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE typed (
        data BLOB NOT NULL DEFAULT 'x', key BLOB PRIMARY KEY
      ) STRICT, WITHOUT ROWID
      """)
    for number in 1...8 {
      try db.execute("INSERT INTO last VALUES (NULL, 1, \("key-\(number)"))")
      try db.execute("INSERT INTO typed VALUES (\(Data([1])), \(Data([UInt8(number)])))")
    }
    try db.backup(to: copy)
    #expect(try Database(path: copy).fetch(Int.self, "SELECT count(*) FROM last") == [8])

    let bad = folder.file("bad.sqlite")
    try db.backup(to: bad)
    try damage(bad)
    let good = try Data(contentsOf: URL(filePath: copy))
    #expect(code { try Database(path: bad).backup(to: copy, overwriting: true) } == .corrupt)
    #expect(try Data(contentsOf: URL(filePath: copy)) == good)
  }

  @Test("a row that violates a CHECK does not count as damage")
  func check() throws {
    try db.writeWithoutTransaction { connection in
      try connection.execute("CREATE TABLE odd (n CHECK (n % 2 = 1))")
      try connection.execute("PRAGMA ignore_check_constraints = ON")
      try connection.execute("INSERT INTO odd VALUES (2)")
      try connection.execute("PRAGMA ignore_check_constraints = OFF")
    }
    try db.backup(to: copy)
    #expect(try Database(path: copy).fetch(Int.self, "SELECT n FROM odd") == [2])
  }
}
