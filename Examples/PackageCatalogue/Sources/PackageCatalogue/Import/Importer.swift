import Apus
import DebianControl

/// An importer that reads a list of packages and stores them in a database. A transaction stores
/// some thousand packages.
///
/// Each transaction has a key. If a cluster loses a node, it may be unknown whether a transaction
/// was committed. The transaction is then sent again, and its key prevents that it is executed
/// twice.
struct Importer {
  let database: Database
  var progress: ImportProgress
  var batchSize = 4_000

  private let id = Unique64()
  private var batchCount = 0
  private var summary = ImportSummary()
  /// The sections that are in the database or in the current batch.
  private var sections: [String: Section] = [:]

  init(database: Database, progress: ImportProgress) {
    self.database = database
    self.progress = progress
  }

  /// Reads the list to its end, and replaces the rows of the tables with its packages.
  ///
  /// Malformed stanzas are reported and skipped. Throws if the list cannot be read or the database
  /// cannot be written; the packages that were stored before remain.
  mutating func read(_ list: PackageList) async throws -> ImportSummary {
    var reader = try list.open()
    let byteCount = reader.byteCount
    try await clear()
    while let batch = try nextBatch(from: &reader) {
      batchCount += 1
      let written = try await database.write(id: "import \(id), batch \(batchCount)") {
        try batch.insert(into: $0)
      }
      summary.add(written.value)
      progress.update(summary, bytes: reader.bytesConsumed, of: byteCount)
    }
    progress.end(summary)
    return summary
  }

  private func clear() async throws {
    try await database.write(id: "import \(id)") { tx in
      try tx.run(Dependency.delete())
      try tx.run(Package.delete())
      try tx.run(Section.delete())
    }
  }

  /// Returns the next packages of the list; nil at its end.
  private mutating func nextBatch(from reader: inout StanzaReader) throws -> Batch? {
    var batch = Batch()
    while batch.stanzas.count < batchSize {
      do throws(ControlError) {
        guard let stanza = try reader.nextPackage() else { break }
        batch.stanzas.append((stanza, section(of: stanza, in: &batch).id))
      } catch {
        guard case .malformed = error else { throw error }
        summary.malformed += 1
        progress.report(error)
      }
    }
    return batch.stanzas.isEmpty ? nil : batch
  }

  private mutating func section(of stanza: PackageStanza, in batch: inout Batch) -> Section {
    if let known = sections[stanza.section] { return known }
    let section = Section(text: stanza.section)
    sections[stanza.section] = section
    batch.sections.append(section)
    return section
  }
}

/// The packages that are stored in one transaction.
private struct Batch: Sendable {
  var sections: [Section] = []
  var stanzas: [(stanza: PackageStanza, sectionID: Section.ID)] = []

  /// Inserts each package with its dependencies, except packages that the table has already.
  func insert(into tx: Connection) throws -> ImportSummary {
    var summary = ImportSummary()
    summary.sections = try tx.insert(sections).count
    for (stanza, sectionID) in stanzas {
      let package = Package(stanza, sectionID: sectionID)
      do {
        try tx.insert(package)
      } catch let error as DatabaseError where error.constraint?.kind == .unique {
        summary.duplicates += 1
        continue
      }
      summary.packages += 1
      let dependencies = stanza.relations.map { Dependency($0, of: package) }
      summary.dependencies += try tx.insert(dependencies).count
    }
    return summary
  }
}

extension ImportSummary {
  fileprivate mutating func add(_ other: ImportSummary) {
    sections += other.sections
    packages += other.packages
    dependencies += other.dependencies
    duplicates += other.duplicates
    malformed += other.malformed
  }
}
