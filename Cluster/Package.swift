// swift-tools-version: 6.2
import PackageDescription

// A target names every product that it imports: it is compiled again only if one of these changes.
let databases: [Target.Dependency] = [
  .product(name: "Apus", package: "Apus"), .product(name: "ApusRemote", package: "Apus"),
]

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
        .product(name: "ApusRemote", package: "Apus"),
        .product(name: "SQLCore", package: "Apus"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    // Nodes on this machine, which can be killed, paused and cut off.
    .target(
      name: "ClusterNodes", dependencies: ["ApusCluster"], path: "Tests/Support/ClusterNodes"),
    // Lets the tests of the root package, which has no dependencies, run on a cluster:
    // `Cluster/Scripts/specifications`.
    .executableTarget(
      name: "ClusterGateway",
      dependencies: [
        "ApusCluster", "ClusterNodes", .product(name: "ApusRemote", package: "Apus"),
        .product(name: "SQLCore", package: "Apus"),
      ],
      path: "Tests/Support/ClusterGateway"),
    // What holds when nodes fail: `Cluster/Scripts/faults`.
    .executableTarget(
      name: "ClusterFaults", dependencies: ["ApusCluster", "ClusterNodes"] + databases,
      path: "Tests/Support/ClusterFaults"),
    // The package catalogue of the examples, on a cluster: `Cluster/Scripts/run`.
    .target(name: "DebianControl", path: "Examples/DebianControl"),
    .executableTarget(
      name: "ClusterCatalogue",
      dependencies: ["ApusCluster", "ClusterNodes", "DebianControl"] + databases,
      path: "Examples/ClusterCatalogue"),
    // Figures beside dqlite's Go client: `Cluster/Scripts/bench`.
    .executableTarget(
      name: "ClusterBench", dependencies: ["ApusCluster", "ClusterNodes"] + databases,
      path: "Tests/Support/ClusterBench"),
    .testTarget(
      name: "ApusClusterTests",
      dependencies: [
        "ApusCluster", "ClusterNodes", .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ] + databases),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
