// swift-tools-version: 6.2
import PackageDescription

let librarySettings: [SwiftSetting] = [
  // An asynchronous function runs on the caller's actor unless it says `@concurrent`.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  // The linker leaves out the functions that a program does not use. Elsewhere it can do so anyway.
  .unsafeFlags(
    ["-Xfrontend", "-function-sections"],
    .when(platforms: [.linux, .android], configuration: .release)),
]
// Modules that mostly wait for SQLite are optimized for size. From tools version 6.2 on, a package that
// others depend on may have such flags.
let smallSettings = librarySettings + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

// A target names all modules that it can see, also those below its dependencies, and so does a
// product: if a module changes that is not named, SwiftPM does not compile the target again
// (`Scripts/Checks/clients`).
let queryDSL = ["QueryDSL", "SQLCore"]
let migration = ["SchemaMigration"] + queryDSL
let observation = ["ChangeObservation"] + queryDSL
let history = ["ApusHistory"] + observation
let remote = ["ApusRemote"] + migration
let apus = ["Apus", "ChangeObservation"] + migration

// What tests of queries share.
let fixtures = remote + ["QueryFixtures", "FileEngine", "GatewayEngine"]

func modules(_ names: [String], _ others: String...) -> [Target.Dependency] {
  (names + others).map { .byName(name: $0) }
}

let package = Package(
  name: "Apus",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Apus", targets: apus),
    .library(name: "SQLCore", targets: ["SQLCore"]),
    .library(name: "SQLFunctions", targets: ["SQLFunctions", "SQLCore"]),
    .library(name: "QueryDSL", targets: queryDSL),
    .library(name: "SchemaMigration", targets: migration),
    .library(name: "ChangeObservation", targets: observation),
    .library(name: "ApusHistory", targets: history),
    .library(name: "ApusRemote", targets: remote),
    .library(name: "DataFrames", targets: ["DataFrames"] + migration),
    .library(name: "ApusTestSupport", targets: ["ApusTestSupport"] + queryDSL),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .target(name: "SQLCore", dependencies: ["CSQLite"], swiftSettings: librarySettings),
    .target(name: "SQLFunctions", dependencies: ["SQLCore"], swiftSettings: librarySettings),
    .target(name: "QueryDSL", dependencies: ["SQLCore"], swiftSettings: librarySettings),
    // A program may have a type `Migration` of its own, which a module of that name would hide.
    .target(
      name: "SchemaMigration",
      dependencies: modules(queryDSL),
      path: "Sources/Migration",
      swiftSettings: smallSettings
    ),
    // The toolchain owns the module name `Observation`, which live queries import.
    .target(
      name: "ChangeObservation",
      dependencies: modules(queryDSL, "CSQLite"),
      path: "Sources/Observation",
      swiftSettings: librarySettings
    ),
    .target(
      name: "Apus", dependencies: modules(migration, "ChangeObservation"),
      swiftSettings: librarySettings
    ),
    // The change log, its exchange, and undo: imported beside `Apus` by those who use them.
    .target(
      name: "ApusHistory", dependencies: modules(observation), path: "Sources/History",
      swiftSettings: smallSettings
    ),
    // Databases that an engine keeps elsewhere, such as a cluster.
    .target(
      name: "ApusRemote", dependencies: modules(migration, "CSQLite"), path: "Sources/Remote",
      swiftSettings: smallSettings
    ),
    .target(name: "DataFrames", dependencies: modules(migration), swiftSettings: librarySettings),
    // For tests of those who use the library, with whatever framework.
    .target(
      name: "ApusTestSupport", dependencies: modules(queryDSL), swiftSettings: librarySettings
    ),

    // How long tests run, what they draw, and threads for those that block: all tests use it.
    .target(name: "TestRun", dependencies: ["SQLCore"], path: "Tests/Support/TestRun"),
    .testTarget(name: "SQLFunctionsTests", dependencies: ["SQLFunctions", "SQLCore", "TestRun"]),
    // What tests of several processes run beside themselves.
    .executableTarget(
      name: "DatabaseProcess", dependencies: ["SQLCore"], path: "Tests/Support/DatabaseProcess"
    ),
    .executableTarget(
      name: "MigrationProcess", dependencies: modules(migration, "MigrationSamples"),
      path: "Tests/Support/MigrationProcess"
    ),
    // One migration for each kind of step.
    .target(
      name: "MigrationSamples", dependencies: modules(migration),
      path: "Tests/Support/MigrationSamples"
    ),
    // Counts how often a file is forced to disk.
    .target(
      name: "CCountingVFS", dependencies: ["CSQLite"], path: "Tests/Support/CCountingVFS"
    ),
    // An engine elsewhere that is a file after all.
    .target(
      name: "FileEngine", dependencies: modules(remote), path: "Tests/Support/FileEngine"
    ),
    // An engine in another process, which reaches a cluster: `Cluster/Scripts/specifications`.
    .target(
      name: "GatewayEngine", dependencies: modules(remote), path: "Tests/Support/GatewayEngine"
    ),
    // Files that fail, a disk whose power is cut, memory that ends; and what is tried with them:
    // `Scripts/faults`.
    .target(name: "CFaults", dependencies: ["CSQLite"], path: "Tests/Support/CFaults"),
    .executableTarget(
      name: "Faults",
      dependencies: modules(apus, "ApusHistory", "CFaults", "CSQLite", "MigrationSamples"),
      path: "Tests/Support/Faults"
    ),
    .testTarget(
      name: "SQLCoreTests",
      dependencies: ["SQLCore", "DatabaseProcess", "CCountingVFS", "TestRun"]
    ),
    // The models, rows and expectations that tests of queries share.
    .target(
      name: "QueryFixtures",
      dependencies: modules(remote, "FileEngine", "GatewayEngine", "TestRun"),
      path: "Tests/Support/QueryFixtures"
    ),
    .testTarget(
      name: "QueryDSLTests",
      dependencies: modules(fixtures, "TestRun")
    ),
    .testTarget(
      name: "SpecificationTests",
      dependencies: modules(fixtures, "TestRun")
    ),
    .testTarget(
      name: "DifferentialTests",
      dependencies: modules(fixtures, "TestRun")
    ),
    .testTarget(
      name: "MigrationTests",
      dependencies: modules(fixtures, "MigrationProcess", "MigrationSamples", "TestRun")
    ),
    .testTarget(
      name: "ChangeObservationTests",
      dependencies: modules(observation, "SchemaMigration", "DatabaseProcess", "TestRun")
    ),
    .testTarget(
      name: "ChangeHistoryTests",
      dependencies: modules(fixtures, "ApusHistory", "ChangeObservation", "TestRun")
    ),
    // They also run under the thread sanitizer, and so see little.
    .testTarget(
      name: "ConcurrencyTests", dependencies: modules(migration, "CSQLite", "TestRun")
    ),
    .testTarget(
      name: "RemoteTests",
      dependencies: modules(remote, "ApusHistory", "ChangeObservation", "FileEngine", "TestRun")
    ),
    .testTarget(
      name: "ApusTests",
      dependencies: modules(apus, "ApusHistory", "MigrationSamples", "TestRun")
    ),
    .testTarget(name: "DataFramesTests", dependencies: modules(apus, "DataFrames", "TestRun")),
    .testTarget(
      name: "ApusTestSupportTests", dependencies: modules(apus, "ApusTestSupport", "TestRun")
    ),
    .testTarget(name: "TypeCheckingTests", dependencies: modules(apus, "TestRun")),
    .testTarget(name: "TestRunTests", dependencies: ["TestRun", "SQLCore"]),
  ],
  swiftLanguageModes: [.v6]
)

// The tests for a sanitizer need only some test targets: `.ci/run` names them.
if let names = Context.environment["APUS_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { target in
    target.type == .test && !names.contains(target.name) || target.name == "Faults"
  }
}

// Warnings are errors here, in every build, so that all scripts share one. Packages that depend on this
// one from elsewhere are not affected.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
