// swift-tools-version: 6.2
import PackageDescription

// A package of its own: SwiftPM fetches every dependency of a package, whatever the products that are
// used, and Hummingbird has twenty.
let package = Package(
  name: "ApusHummingbird",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [.library(name: "ApusHummingbird", targets: ["ApusHummingbird"])],
  dependencies: [
    .package(name: "Apus", path: "../.."),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", .upToNextMinor(from: "2.28.1")),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // Hummingbird's protocols are those of modules without `NonisolatedNonsendingByDefault`.
    .target(
      name: "ApusHummingbird",
      dependencies: [
        .product(name: "Apus", package: "Apus"),
        .product(name: "ApusHistory", package: "Apus"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    .testTarget(
      name: "ApusHummingbirdTests",
      dependencies: [
        "ApusHummingbird", .product(name: "Apus", package: "Apus"),
        .product(name: "InMemoryLogging", package: "swift-log"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
