import Apus
import CFaults
import MigrationSamples

/// R3: R1 and R2 for each kind of migration step, with rows that refer to the table ON DELETE
/// CASCADE.
enum MigrationFaults: Trial {
  static let name = "R3"
  static let title = "migration under faults and power cuts"
  static let unit = "faults and cuts"
  static let quick = kinds.count * perKind
  static let full = kinds.count * perKind * 3
  /// One kind of step for each part.
  static let partSize = perKind

  private static let kinds = Migrations.all.keys.sorted()
  private static let faultsPerKind = 40
  private static let momentsPerKind = 20
  private static let perKind = faultsPerKind + momentsPerKind * PowerCutRun.seedsPerMoment

  static func prepareProcess() throws { try InputOutputFaults.prepareProcess() }

  static func run(_ numbers: Range<Int>, seed: UInt64, tally: inout Tally) async throws {
    let part = numbers.lowerBound / perKind
    let kind = kinds[part % kinds.count]
    guard let migration = Migrations.all[kind] else {
      throw Violation("there is no migration \(kind)")
    }
    let reference = try await Reference(scenario(kind, migration))
    var random = SeededGenerator(seed: seed, number: part)
    for number in 0..<faultsPerKind {
      let fault = Fault.draw(from: reference.operations, using: &random)
      let run = FaultyRun(
        reference: reference, arm: fault.arm, failures: { faults_failed() },
        disarm: { faults_disarm() })
      try await run.run("R3 \(kind) \(number) seed \(seed): \(fault)", &tally)
      tally.count("points")
    }
    let run = PowerCutRun(reference: reference, synchronous: part % 2 == 0 ? .full : .normal) {
      part % 2 == 0 ? $0...$1 : 0...$1
    }
    let findings = try await run.run(
      moments: momentsPerKind, seed: seed, random: &random, &tally)
    for finding in findings { tally.fail("R3 \(kind) seed \(seed): \(finding)") }
    tally.count("kind \(kind)")
    tally.count(unit, numbers.count)
  }

  private static func scenario(_ kind: String, _ migration: Migrations) throws -> Scenario {
    let template = try Folder()
    try PlainConnection(creating: template.file(Scenario.file)).execute(tables)
    return Scenario(
      name: kind, template: template,
      steps: [
        Scenario.Step.sync("open and migrate") { session in
          try session.open {
            try Database(
              path: $0, models: migration.models, configuration: $1, migration: migration.options)
          }
        },
        Scenario.Step.sync("close") { try $0.close() },
      ])
  }

  private static let tables = """
    PRAGMA page_size = 1024;
    CREATE TABLE Item (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, size TEXT NOT NULL,
      old TEXT);
    CREATE TABLE Part (id INTEGER PRIMARY KEY NOT NULL,
      itemID INTEGER NOT NULL REFERENCES Item (id) ON DELETE CASCADE);
    CREATE INDEX mine ON Item (size) WHERE size <> '';
    CREATE TABLE log (id INTEGER PRIMARY KEY, text);
    CREATE TRIGGER t AFTER DELETE ON Item WHEN old.id > 0 BEGIN
      INSERT INTO log (text) VALUES (old.name); END;
    CREATE VIEW v AS SELECT id, size FROM Item;
    BEGIN;
    WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO Item SELECT i, 'name ' || i, CAST(i % 50 AS TEXT), 'old' FROM n
    UNION ALL SELECT 0, 'invalid', '0', 'old';
    WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO Part SELECT i, i FROM n;
    COMMIT;
    """
}
