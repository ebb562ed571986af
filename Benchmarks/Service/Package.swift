// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because only the load of the example needs both Hummingbird and GRDB.
let package = Package(
  name: "ServiceBenchmark",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "ApusHummingbird", path: "../../Integrations/ApusHummingbird"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", .upToNextMinor(from: "2.28.1")),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "GRDBService",
      dependencies: [
        .product(name: "ApusHummingbird", package: "ApusHummingbird"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
