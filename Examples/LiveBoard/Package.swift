// swift-tools-version: 6.2
import PackageDescription

// The flag `-warnings-as-errors` cannot be used here, because it also reaches Hummingbird's packages.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "LiveBoard",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Apus", path: "../.."),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", .upToNextMinor(from: "2.28.1")),
  ],
  targets: [
    .executableTarget(
      name: "LiveBoard",
      dependencies: [
        .product(name: "Apus", package: "Apus"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      resources: [.copy("Public")],
      swiftSettings: strict
    ),
    .testTarget(name: "LiveBoardTests", dependencies: ["LiveBoard"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
