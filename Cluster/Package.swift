// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ApusCluster",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "ApusCluster", targets: ["ApusCluster"])],
  dependencies: [
    .package(name: "Apus", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
  ],
  targets: [
    .target(
      name: "ApusCluster",
      dependencies: [
        .product(name: "Apus", package: "Apus"),
        .product(name: "SQLCore", package: "Apus"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    .testTarget(name: "ApusClusterTests", dependencies: ["ApusCluster"]),
  ],
  swiftLanguageModes: [.v6]
)
