// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Apus never resolve what only the benchmarks need.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "Apus", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLiteBench",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .executableTarget(
      name: "ApusBenchmarks",
      dependencies: [
        "CSQLiteBench",
        .product(name: "Apus", package: "Apus"),
        .product(name: "ApusHistory", package: "Apus"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    // One model inserted and fetched, for the size of a program.
    .executableTarget(
      name: "SmallApus", dependencies: [.product(name: "Apus", package: "Apus")]),
    .executableTarget(name: "SmallC", dependencies: ["CSQLiteBench"]),
    // Searches by an index of vectors beside exact ones.
    .executableTarget(
      name: "VectorSearch", dependencies: [.product(name: "Apus", package: "Apus")]),
    // The faults of `Scripts/faults`, beneath GRDB: `Scripts/faults beside-grdb`. Its sources and
    // these C sources are links to what the trials of Apus are built of, so that both are the same.
    .target(name: "CFaults", dependencies: ["CSQLiteBench"]),
    .executableTarget(
      name: "GRDBFaults",
      dependencies: ["CFaults", "CSQLiteBench", .product(name: "GRDB", package: "GRDB.swift")]),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
