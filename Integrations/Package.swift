// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Apus never resolve what only its integrations need. Each
// product links only the library that it connects Apus with.
let package = Package(
  name: "Integrations",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ApusCombine", targets: ["ApusCombine"]),
  ],
  dependencies: [
    .package(name: "Apus", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    .target(
      name: "ApusCombine",
      dependencies: [
        .product(name: "Apus", package: "Apus"),
        // Where the system has no Combine.
        .product(
          name: "OpenCombine", package: "OpenCombine",
          condition: .when(platforms: [.linux, .android, .windows])),
        .product(
          name: "OpenCombineDispatch", package: "OpenCombine",
          condition: .when(platforms: [.linux, .android, .windows])),
      ]
    ),
    .testTarget(name: "ApusCombineTests", dependencies: ["ApusCombine"]),
  ],
  swiftLanguageModes: [.v6]
)
