import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// Two programs that keep their databases equal over a socket. Each asks the other for what
/// happened after the position that it has reached, so that nothing depends on the connection: it
/// may end at any time, and go on later.
@Suite("Databases that exchange their logs over a socket", .blocking)
struct SocketExchangeTests {
  private struct Note: Model, Equatable {
    @PrimaryKey var id = Unique64()
    @Column var text: String
    @Column var stars = 0

    static var schema: Schema<Note> { Logged() }
  }

  /// The question for a batch, and the answer. Each is a line of JSON.
  private struct Question: Codable {
    /// The position that was reached; nil to ask only for the identity.
    var position: LogPosition?
  }

  private struct Answer: Codable {
    var identity: String
    var batch: LogBatch?
  }

  /// An end of a stream of lines.
  private final class Lines {
    private let descriptor: Int32
    private var received = Data()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func send(_ message: some Encodable) throws {
      let data = try JSONEncoder().encode(message) + Data([0x0A])
      var sent = 0
      while sent < data.count {
        let count = data.withUnsafeBytes {
          write(descriptor, $0.baseAddress?.advanced(by: sent), data.count - sent)
        }
        guard count > 0 else { return }
        sent += count
      }
    }

    /// Returns the next message; nil at the end.
    func receive<Message: Decodable>(_ type: Message.Type) throws -> Message? {
      while true {
        if let end = received.firstIndex(of: 0x0A) {
          let line = Data(received[..<end])
          received = Data(received[received.index(after: end)...])
          return try JSONDecoder().decode(type, from: line)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        received += buffer[..<count]
      }
    }
  }

  /// Answers questions until the other side ends the connection.
  private static func serve(_ db: Database, _ descriptor: Int32) throws {
    let lines = Lines(descriptor)
    while let question = try lines.receive(Question.self) {
      let batch = try question.position.map { try db.log.batch(after: $0, limit: 3) }
      try lines.send(Answer(identity: db.log.identity, batch: batch))
    }
  }

  /// Applies what the other side has, at most `count` batches.
  private static func pull(_ db: Database, _ descriptor: Int32, count: Int = .max) throws {
    let lines = Lines(descriptor)
    try lines.send(Question())
    guard let peer = try lines.receive(Answer.self)?.identity else { return }
    for _ in 0..<count {
      try lines.send(Question(position: db.log.appliedPosition(of: peer)))
      guard let batch = try lines.receive(Answer.self)?.batch, batch.end != batch.start else {
        return
      }
      try db.log.apply(batch, resolving: .newer)
    }
  }

  /// Connects two databases; the first one pulls from the second.
  private func pull(
    _ db: Database, from other: Database, count: Int = .max
  ) async throws {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let (own, others) = (ends[0], ends[1])
    async let served: Void = onThread { try Self.serve(other, others) }
    try await onThread { try Self.pull(db, own, count: count) }
    try await served
  }

  @Test("both edit offline, the connection ends in between, and they end equal")
  func socket() async throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let databases = try (0..<2).map { _ in try Database.temporary(models: [Note.self]) }
    for round in 0..<TestSize.count(small: 10, full: 100) {
      for db in databases {
        for _ in 0..<Int.random(in: 0...8, using: &random) {
          let notes = try await db.fetch(Note.order { $0.$id })
          let note = notes.randomElement(using: &random)
          switch (Int.random(in: 0..<4, using: &random), note) {
          case (0, _), (_, nil): try await db.insert(Note(text: "new in \(round)"))
          case (1, let note?): try await db.delete(note)
          case (2, var note?):
            note.text = "edited in \(round)"
            try await db.update(note)
          case (_, var note?):
            note.stars += 1
            try await db.update(note)
          }
        }
      }
      // The connection may end after a few batches.
      try await pull(databases[0], from: databases[1], count: .random(in: 0...2, using: &random))
      try await pull(databases[1], from: databases[0], count: .random(in: 0...2, using: &random))
    }
    try await pull(databases[0], from: databases[1])
    try await pull(databases[1], from: databases[0])
    let first = try await databases[0].fetch(Note.order { $0.$id })
    let second = try await databases[1].fetch(Note.order { $0.$id })
    #expect(first == second && !first.isEmpty, "seed \(seed)")
  }
}
