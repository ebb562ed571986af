import Apus
import Foundation
import Logging
import OrderModels
import ServiceLifecycle

/// A service that packs the placed orders while requests are answered. Several processes can share
/// the work. A single statement finds and changes the orders, so no order is packed twice.
struct Packer: Service {
  let db: Database
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await pack()
          // The observation also sees the orders that other processes place. It does not count the
          // orders, because the count could stay equal when some are packed and others placed, and
          // an equal value is not returned again.
          for try await id in db.observe({ try $0.first(Self.placed.select(\.$id)) })
          where id != nil {
            try await pack()
          }
          return
        } catch is CancellationError {
          return
        } catch {
          // The error may be temporary: another process may hold the lock, or the disk may be full.
          // So the next attempt may succeed.
          logger.error("orders cannot be packed", metadata: ["error": "\(error)"])
          try? await Task.sleep(for: .seconds(1))
        }
      }
    }
  }

  static var placed: TableQuery<Order, Order> {
    Order.where { $0.$state == .known(.placed) }.order(by: \.$placedAt)
  }

  /// Packs all orders that are placed. It does this in portions, so that requests can write between
  /// two portions.
  private func pack() async throws {
    while try await !packPortion().isEmpty {}
  }

  func packPortion(of size: Int = 50) async throws -> [Order.ID] {
    let portion = Self.placed.limit(size).select(\.$id)
    return try await db.fetch(
      Order.update { $0.$state = .known(.packed) }.where { $0.$id.isIn(portion) }.returning(\.$id))
  }
}

/// A service that copies the database at intervals while others write.
struct Backups: Service {
  let db: Database
  let path: String
  let interval: Duration
  let logger: Logger
  let health: Health

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: interval)) != nil {
        do {
          try await db.backup(to: path, overwriting: true)
          health.backupSucceeded()
        } catch {
          logger.error("the backup failed", metadata: ["error": "\(error)"])
        }
      }
    }
  }
}
