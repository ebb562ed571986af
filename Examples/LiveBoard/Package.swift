// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "LiveBoard",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Apus", path: "../.."),
    .package(name: "ApusHummingbird", path: "../../Integrations/ApusHummingbird"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", .upToNextMinor(from: "2.28.1")),
  ],
  targets: [
    .executableTarget(
      name: "LiveBoard",
      dependencies: [
        .product(name: "Apus", package: "Apus"),
        .product(name: "ApusHistory", package: "Apus"),
        .product(name: "ApusHummingbird", package: "ApusHummingbird"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      resources: [.copy("Public")]
    ),
    .testTarget(
      name: "LiveBoardTests", dependencies: ["LiveBoard", .product(name: "Apus", package: "Apus")]),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
