// swift-tools-version: 6.2
import PackageDescription

// An asynchronous function of the library runs on the caller's actor unless it says `@concurrent`.
let librarySettings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
  name: "Apus",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Apus", targets: ["Apus"]),
    .library(name: "SQLCore", targets: ["SQLCore"]),
    .library(name: "SQLFunctions", targets: ["SQLFunctions"]),
    .library(name: "QueryDSL", targets: ["QueryDSL"]),
    .library(name: "ChangeObservation", targets: ["ChangeObservation"]),
    .library(name: "DataFrames", targets: ["DataFrames"]),
    .library(name: "ApusTestSupport", targets: ["ApusTestSupport"]),
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
    // The toolchain owns the module name `Observation`, which live queries import.
    .target(
      name: "ChangeObservation",
      dependencies: ["SQLCore", "QueryDSL"],
      path: "Sources/Observation",
      swiftSettings: librarySettings
    ),
    .target(
      name: "Apus", dependencies: ["SQLCore", "QueryDSL", "ChangeObservation"],
      swiftSettings: librarySettings
    ),
    .target(
      name: "DataFrames", dependencies: ["SQLCore", "QueryDSL"], swiftSettings: librarySettings
    ),
    // For tests of those who use the library, with whatever framework.
    .target(
      name: "ApusTestSupport", dependencies: ["SQLCore", "QueryDSL"], swiftSettings: librarySettings
    ),

    // How long tests run, what they draw, and threads for those that block: all tests use it.
    .target(name: "TestRun", path: "Tests/Support/TestRun"),
    .testTarget(name: "SQLFunctionsTests", dependencies: ["SQLFunctions", "TestRun"]),
    // What tests of several processes run beside themselves.
    .executableTarget(
      name: "DatabaseProcess", dependencies: ["SQLCore"], path: "Tests/Support/DatabaseProcess"
    ),
    .executableTarget(
      name: "MigrationProcess", dependencies: ["QueryDSL", "MigrationSamples"],
      path: "Tests/Support/MigrationProcess"
    ),
    // One migration for each kind of step.
    .target(
      name: "MigrationSamples", dependencies: ["QueryDSL"], path: "Tests/Support/MigrationSamples"
    ),
    // Counts how often a file is forced to disk.
    .target(
      name: "CCountingVFS", dependencies: ["CSQLite"], path: "Tests/Support/CCountingVFS"
    ),
    // An engine elsewhere that is a file after all.
    .target(name: "FileEngine", dependencies: ["SQLCore"], path: "Tests/Support/FileEngine"),
    // An engine in another process, which reaches a cluster: `Scripts/cluster-specifications`.
    .target(
      name: "GatewayEngine", dependencies: ["SQLCore"], path: "Tests/Support/GatewayEngine"
    ),
    // Files that fail, a disk whose power is cut, memory that ends; and what is tried with them:
    // `Scripts/faults`.
    .target(name: "CFaults", dependencies: ["CSQLite"], path: "Tests/Support/CFaults"),
    .executableTarget(
      name: "Faults", dependencies: ["Apus", "CFaults", "CSQLite", "MigrationSamples"],
      path: "Tests/Support/Faults"
    ),
    .testTarget(
      name: "SQLCoreTests",
      dependencies: ["SQLCore", "DatabaseProcess", "CCountingVFS", "FileEngine", "TestRun"]
    ),
    .testTarget(
      name: "QueryDSLTests",
      dependencies: [
        "QueryDSL", "FileEngine", "GatewayEngine", "MigrationProcess", "MigrationSamples",
        "TestRun",
      ]
    ),
    .testTarget(
      name: "ChangeObservationTests",
      dependencies: ["ChangeObservation", "DatabaseProcess", "FileEngine", "TestRun"]
    ),
    .testTarget(name: "ApusTests", dependencies: ["Apus", "MigrationSamples", "TestRun"]),
    .testTarget(name: "DataFramesTests", dependencies: ["Apus", "DataFrames", "TestRun"]),
    .testTarget(
      name: "ApusTestSupportTests", dependencies: ["Apus", "ApusTestSupport", "TestRun"]
    ),
    .testTarget(name: "TypeCheckingTests", dependencies: ["Apus", "TestRun"]),
    .testTarget(name: "TestRunTests", dependencies: ["TestRun"]),
  ],
  swiftLanguageModes: [.v6]
)
