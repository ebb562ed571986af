import Apus
import Foundation
import Hummingbird
import OrderModels
import Synchronization

/// Whether the service can answer requests.
///
/// There are two checks. The check of liveness only finds out whether the process answers. It does
/// not use the database, because a restart of the process would not help against a full disk or a
/// lock of another process. The check of readiness finds out whether the service can read and
/// write.
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
      // This write changes nothing, but it fails if another process keeps the write lock.
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
