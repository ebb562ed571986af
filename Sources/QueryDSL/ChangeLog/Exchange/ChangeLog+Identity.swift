import SQLCore

extension ChangeLog {
  /// Gives the database an identity of its own, and returns it. Call it in a copy of a file before
  /// the copy is written, so that the file and its copy can exchange transactions.
  ///
  /// ```swift
  /// try db.backup(to: path)
  /// let copy = try Database(path: path, models: [Post.self])
  /// try copy.log.renewIdentity()
  /// ```
  /// The transactions that the copy has count as applied from the other file from then on: the copy
  /// does not send them, nor does it apply them again, and a `History` over its log begins after
  /// them. One transaction, whose cost grows with the entries of the log. Throws `LogError.noLog` if
  /// the database has no log.
  @discardableResult
  public func renewIdentity() throws -> String {
    try database.write { try $0.renewLogIdentity() }
  }

  /// Gives the database an identity of its own, from asynchronous code.
  @discardableResult
  public func renewIdentity() async throws -> String {
    try await database.write { try $0.renewLogIdentity() }
  }
}

extension Connection {
  fileprivate func renewLogIdentity() throws -> String {
    let former = try logIdentity()
    try endLogEntry()
    let position = try logPosition()
    try setAppliedLogPosition(position, of: former)
    let epochs = try logEpochs(from: 0, through: position.number)
    for (index, first) in epochs.enumerated() {
      let end = index + 1 < epochs.count ? epochs[index + 1].number - 1 : position.number
      try noteApplied(LogPosition(end, in: first.epoch), of: former)
      try execute(
        """
        UPDATE "apus_log_entry" SET "origin" = \(former), "originSequence" = "sequence", \
        "originEpoch" = \(first.epoch) WHERE "origin" IS NULL AND "gap" IS NULL \
        AND "sequence" BETWEEN \(first.number) AND \(end)
        """)
    }
    try execute(#"UPDATE "apus_log" SET "identity" = lower(hex(randomblob(16)))"#)
    return try logIdentity()
  }
}
