import Apus
import Foundation
import Hummingbird
import OrderModels
import Synchronization

/// Whether the service can answer requests.
///
/// Liveness means that the process answers at all. Its check uses no database, since a restart
/// repairs no full disk and no lock of another process. Readiness means that the service can read
/// and write.
final class Health: Sendable {
  struct Report: ResponseCodable {
    var orders: Int
    var waitingWrites: Int
    var walBytes: Int
    var backupAgeSeconds: Int?
  }

  private let db: Database
  private let lastBackup = Mutex<ContinuousClock.Instant?>(nil)

  init(_ db: Database) { self.db = db }

  func backupSucceeded() { lastBackup.withLock { $0 = .now } }

  /// Throws `HTTPError` with the status 503 if the database is closed, damaged, or locked for
  /// longer than a second. A full disk is not noticed, because the check writes nothing.
  func isReady() async throws -> Report {
    let count: Int
    do {
      count = try await db.read(deadline: .seconds(1)) { try $0.count(Order.all) }
      // A lock that another process keeps would stop every write.
      try await db.write(deadline: .seconds(1)) { _ in }
    } catch {
      throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: "not ready")
    }
    let attributes = db.path.flatMap {
      try? FileManager.default.attributesOfItem(atPath: $0 + "-wal")
    }
    return Report(
      orders: count, waitingWrites: db.poolStatus.writer.waiting,
      walBytes: attributes?[.size] as? Int ?? 0,
      backupAgeSeconds: lastBackup.withLock { $0 }
        .map { Int($0.duration(to: .now).components.seconds) })
  }
}
