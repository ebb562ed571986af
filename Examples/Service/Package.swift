// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Service",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Apus", path: "../.."),
    .package(name: "ApusHummingbird", path: "../../Integrations/ApusHummingbird"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", .upToNextMinor(from: "2.28.1")),
  ],
  targets: [
    // The models are a library, so that tools and other services can open the file as well.
    .target(name: "OrderModels", dependencies: [.product(name: "Apus", package: "Apus")]),
    .executableTarget(
      name: "OrderService",
      dependencies: [
        "OrderModels",
        // A target names every product that it imports: it is compiled again only if one of these changes.
        .product(name: "Apus", package: "Apus"),
        .product(name: "ApusHummingbird", package: "ApusHummingbird"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]
    ),
    .testTarget(
      name: "OrderServiceTests",
      dependencies: ["OrderService", "OrderModels", .product(name: "Apus", package: "Apus")]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
