// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "my-sluice",
  platforms: [.macOS("26.0")],
  dependencies: [.package(name: "sluice", path: "../..")],
  targets: [
    .executableTarget(
      name: "my-sluice",
      dependencies: [.product(name: "SluiceCore", package: "sluice"), .product(name: "SluiceCLI", package: "sluice")]),
    .testTarget(
      name: "my-sluiceTests",
      dependencies: ["my-sluice", .product(name: "SluiceTesting", package: "sluice")]),
  ]
)
