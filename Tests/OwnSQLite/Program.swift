import Apus
import Foundation

// A program that `Scripts/Checks/own-sqlite` builds with SQLCipher in place of the system's SQLite.

struct Secret: Model {
  @PrimaryKey var id: Int
  @Column var word: String
}

struct Failure: Error {
  let message: String
}

func expect(_ condition: Bool, _ message: String) throws {
  guard condition else { throw Failure(message: message) }
}

/// Returns the settings with a key, as a program would take it from the system's key store.
func settings(key: String) -> Configuration {
  var configuration = Configuration()
  configuration.unlockConnection = { try $0.setEncryptionKey(key.utf8) }
  return configuration
}

@main
struct Program {
  static func main() async throws {
    let folder = CommandLine.arguments[1]
    func open(_ name: String, _ configuration: Configuration) throws -> Database {
      try Database(path: "\(folder)/\(name)", models: [Secret.self], configuration: configuration)
    }
    func requireRefusal(_ name: String, _ configuration: Configuration, _ text: String) throws {
      do {
        _ = try open(name, configuration)
      } catch let error as DatabaseError where error.code == .notADatabase {
        try expect(error.message.contains(text), error.message)
        return
      }
      throw Failure(message: "\(name) was opened")
    }
    try expect(SQLiteLibrary.Feature.encryption.isAvailable, "this SQLite cannot encrypt")

    let db = try open("secret.sqlite", settings(key: "open sesame"))
    // A live query has connections of its own.
    var results = db.observe(Secret.where { $0.$id > 0 }).makeAsyncIterator()
    try expect(try await results.next()?.isEmpty == true, "the live query has rows")
    try await db.insert((1...100).map { Secret(id: $0, word: "plainword \($0)") })
    try expect(try await results.next()?.count == 100, "the live query has not 100 rows")

    // Eight tasks read on several connections.
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { try await db.count(Secret.all) } }
      var counts: [Int] = []
      for try await count in group { counts.append(count) }
      return counts
    }
    try expect(counts == Array(repeating: 100, count: 8), "\(counts)")
    var streamed = 0
    for try await _ in db.stream(Secret.all) { streamed += 1 }
    try expect(streamed == 100, "the stream has \(streamed) rows")
    let snapshot = try await db.makeSnapshot()
    try expect(try await snapshot.count(Secret.all) == 100, "the snapshot has not 100 rows")
    try await snapshot.close()

    try await db.backup(to: "\(folder)/backup.sqlite")
    try await db.vacuum(into: "\(folder)/compact.sqlite")
    try await db.close()

    for name in ["secret.sqlite", "backup.sqlite", "compact.sqlite"] {
      let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      try expect(bytes.range(of: Data("plainword".utf8)) == nil, "\(name) is readable")
      let copy = try open(name, settings(key: "open sesame"))
      try expect(try await copy.count(Secret.all) == 100, "\(name) has not 100 rows")
      try await copy.close()
      try requireRefusal(name, settings(key: "guess"), "the key is wrong")
      try requireRefusal(name, Configuration(), "it is encrypted")
    }
    print("SQLite \(SQLiteLibrary.version): written, read and copied with a key; refused without")
  }
}
