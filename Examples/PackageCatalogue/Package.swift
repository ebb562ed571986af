// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "PackageCatalogue",
  platforms: [.macOS(.v15)],
  products: [.library(name: "DebianControl", targets: ["DebianControl"])],
  dependencies: [
    .package(name: "Apus", path: "../..")
  ],
  targets: [
    .target(name: "DebianControl"),
    .executableTarget(
      name: "PackageCatalogue",
      dependencies: ["DebianControl", .product(name: "Apus", package: "Apus")]
    ),
    .testTarget(name: "DebianControlTests", dependencies: ["DebianControl"]),
    .testTarget(
      name: "PackageCatalogueTests",
      dependencies: ["PackageCatalogue", .product(name: "Apus", package: "Apus")]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors, in every build.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
