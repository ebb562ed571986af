// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Apus never resolve what only the command-line tool needs.
let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "apus", targets: ["ApusCommand"])
  ],
  dependencies: [
    .package(name: "Apus", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // Results as tables, JSON and CSV, for people and programs.
    .target(name: "ToolOutput", dependencies: [.product(name: "Apus", package: "Apus")]),
    // From the schema and the values of a file to the Swift text of its models.
    .target(name: "ModelGenerator", dependencies: [.product(name: "Apus", package: "Apus")]),
    .executableTarget(
      name: "ApusCommand",
      dependencies: [
        "ModelGenerator", "ToolOutput",
        .product(name: "Apus", package: "Apus"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "ApusCommand", "ModelGenerator", "ToolOutput", .product(name: "Apus", package: "Apus"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
