import Foundation
import SQLCore

/// The progress reports of a backup, collected from any thread.
final class ProgressLog: Sendable {
  private let seen = Lock<[BackupProgress]>([])

  var all: [BackupProgress] { seen.withLock { $0 } }

  func add(_ progress: BackupProgress) {
    seen.withLock { $0.append(progress) }
  }
}

/// Runs synchronous code where an asynchronous overload would be chosen.
func synchronously<Result>(_ body: () throws -> Result) rethrows -> Result {
  try body()
}

struct Abandoned: Error {}

extension Database {
  /// Fills a table with rows, so that the file has some dozens of pages.
  func makeItems(_ count: Int = 500, named name: String = "first") throws {
    try write { tx in
      try tx.execute("CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, name, filler)")
      for _ in 0..<count {
        try tx.execute("INSERT INTO item (name, filler) VALUES (\(name), zeroblob(300))")
      }
    }
  }

  func itemCount() throws -> Int {
    try fetch(Int.self, "SELECT count(*) FROM item").first ?? -1
  }

  /// Every row, in the order of the keys.
  func content() throws -> [String] {
    try fetch(String.self, "SELECT id || name || quote(filler) FROM item ORDER BY id")
  }
}

/// Writes zeros over the pages of a file from the third on, and keeps its length.
func damage(_ path: String) throws {
  var bytes = try Data(contentsOf: URL(filePath: path))
  bytes.replaceSubrange(8192..<bytes.count, with: Data(count: bytes.count - 8192))
  try bytes.write(to: URL(filePath: path))
}
