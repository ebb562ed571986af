// swift-tools-version: 6.2
import PackageDescription

let apus = Target.Dependency.product(name: "Apus", package: "Apus")
let apusHistory = Target.Dependency.product(name: "ApusHistory", package: "Apus")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

// A package of its own, so that users of Apus never resolve what only the command-line tool needs.
let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "apus", targets: ["ApusCommand"]),
    .library(name: "ApusToolSupport", targets: ["ApusToolSupport"]),
  ],
  dependencies: [
    .package(name: "Apus", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // Results as tables, JSON and CSV, for people and programs.
    .target(name: "ToolOutput", dependencies: [apus]),
    // Faults of a file, and the differences of two.
    .target(name: "FileInspection", dependencies: ["ToolOutput", apus]),
    // From CSV and JSON to rows of a table.
    .target(
      name: "RowImport",
      dependencies: [
        "ToolOutput", apus, .product(name: "DataFrames", package: "Apus"),
      ]),
    // From the schema and the values of a file to the Swift text of its models.
    .target(name: "ModelGenerator", dependencies: ["ToolOutput", apus]),
    // The arguments and exit statuses that all commands share.
    .target(name: "CommandInterface", dependencies: ["ToolOutput", apus, argumentParser]),
    // The commands `plan`, `migrate` and `check` of a program that has models.
    .target(
      name: "ApusToolSupport",
      dependencies: ["CommandInterface", "FileInspection", "ToolOutput", apus, argumentParser]),
    .executableTarget(
      name: "ApusCommand",
      dependencies: [
        "CommandInterface", "FileInspection", "ModelGenerator", "RowImport", "ToolOutput", apus,
        apusHistory, argumentParser,
      ]
    ),
    // A program with models, as a user of ApusToolSupport writes it; for the tests.
    .executableTarget(name: "SampleTool", dependencies: ["ApusToolSupport", apus]),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "ApusCommand", "FileInspection", "ModelGenerator", "RowImport", "SampleTool", "ToolOutput",
        apus, apusHistory,
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
