// swift-tools-version: 6.2
import PackageDescription

// Arrows point one way: pure <- services <- shells <- node <- executable (Docs/Architecture.md).
// `--explicit-target-dependency-import-check error` and Tests/TidyTests hold every arrow drawn here.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, resources: resources,
        swiftSettings: strict)
}

let bindings: [Target] = [
    // No pkgConfig: a `link` line in each module map is enough and prints no warnings.
    .systemLibrary(name: "CZeroMQ"),
    .systemLibrary(name: "CNGHTTP2"),
    .systemLibrary(name: "COpenSSL"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CLinux"),
    .target(name: "CToml", linkerSettings: [.linkedLibrary("tomlplusplus")]),
]

let pure: [Target] = [
    module("Codes"),
    module("LiveActivity", ["Codes"]),
    module("Wire", ["Codes", "LiveActivity"]),
    module("Delivery", ["Codes", "LiveActivity"]),
    module("Cluster", ["Codes", "LiveActivity", "Wire", "Delivery"]),
    module("SimulatedAPNs", ["LiveActivity"]),
]

let services: [Target] = [
    module("Loops", ["CLinux"]),
    module("Telemetry", ["Codes", "Loops", "CLinux"]),
    module("Configuration", ["Codes", "CToml", "CLinux"]),
    module("Terminal", ["Codes", "LiveActivity", "CLinux"]),
]

let shells: [Target] = [
    module("Messaging", ["Codes", "Loops", "CZeroMQ", "CLinux"]),
    module("HTTP2", ["Codes", "Loops", "CNGHTTP2", "COpenSSL", "CLinux"]),
    module("Storage", ["Codes", "Loops", "CSQLite", "CLinux"]),
    module("APNs", ["Codes", "LiveActivity", "Delivery", "Loops", "Telemetry", "HTTP2", "COpenSSL", "CLinux"]),
    module("APNsSimulator", ["Codes", "LiveActivity", "SimulatedAPNs", "Loops", "HTTP2", "COpenSSL", "CLinux"]),
    module("CarillonClient", ["Codes", "LiveActivity", "Wire", "Loops", "Messaging"]),
]

let doubles: [Target] = [
    module("SimulatedCluster", ["Codes", "LiveActivity", "Wire", "Delivery", "Cluster", "SimulatedAPNs"]),
    module(
        "LocalCluster",
        [
            "Codes", "LiveActivity", "Wire", "Loops", "Configuration", "Messaging", "CarillonClient", "SimulatedAPNs",
            "APNsSimulator", "CLinux",
        ]),
]

let composition: [Target] = [
    module(
        "Node",
        [
            "Codes", "LiveActivity", "Wire", "Cluster", "Delivery", "Loops", "Telemetry", "Configuration",
            "Messaging", "HTTP2", "Storage", "APNs", "CLinux",
        ]),
    .executableTarget(
        name: "carillon",
        dependencies: [
            "Codes", "LiveActivity", "Wire", "Cluster", "Delivery", "Loops", "Telemetry", "Configuration",
            "Terminal", "Messaging", "CarillonClient", "SimulatedAPNs", "APNsSimulator", "LocalCluster",
            "SimulatedCluster", "Node", "CLinux",
        ],
        swiftSettings: strict,
        // Replaces malloc (Docs/Decisions/0010). Not in debug builds: sanitizers bring an allocator of their own.
        linkerSettings: [.linkedLibrary("jemalloc", .when(configuration: .release))]),
]

let suites: [Target] = [
    tests("Codes"),
    tests("LiveActivity", ["Codes"]),
    tests("Wire", ["Codes", "LiveActivity"], resources: [.copy("Golden"), .copy("Regressions")]),
    tests("Cluster", ["Codes", "LiveActivity", "Wire", "Delivery"]),
    tests("Delivery", ["Codes", "LiveActivity"]),
    tests("SimulatedAPNs", ["LiveActivity"]),
    tests("SimulatedCluster", ["Codes", "LiveActivity", "Wire", "Delivery", "Cluster"]),
    tests("Loops", ["CLinux"]),
    tests("Telemetry", ["Codes", "Loops", "CLinux"]),
    tests("Configuration", ["Codes", "CLinux"]),
    tests("Terminal", ["Codes", "LiveActivity", "CLinux"]),
    tests("Messaging", ["Codes", "Loops", "CZeroMQ", "CLinux"]),
    tests("HTTP2", ["Codes", "Loops", "COpenSSL", "CLinux"]),
    tests("Storage", ["Codes", "Loops", "CSQLite", "CLinux"]),
    tests(
        "APNs", ["Codes", "LiveActivity", "Delivery", "Loops", "Telemetry", "HTTP2", "COpenSSL", "CLinux"],
        resources: [.copy("Golden")]),
    tests(
        "APNsSimulator",
        ["Codes", "LiveActivity", "SimulatedAPNs", "Loops", "HTTP2", "COpenSSL", "CLinux"]),
    tests("CarillonClient", ["Codes", "LiveActivity", "Wire", "Loops", "Messaging"]),
    tests(
        "Node",
        [
            "Codes", "LiveActivity", "Wire", "Cluster", "Delivery", "Loops", "Telemetry", "Configuration",
            "Messaging", "HTTP2", "Storage", "APNs", "SimulatedAPNs", "APNsSimulator", "CarillonClient", "CLinux",
        ]),
    .testTarget(
        name: "CommandTests", dependencies: ["carillon", "Codes", "LiveActivity", "Wire", "Terminal"],
        swiftSettings: strict),
    .testTarget(name: "TidyTests", swiftSettings: strict),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "Codes", "LiveActivity", "Wire", "Loops", "Messaging", "CarillonClient", "SimulatedAPNs", "APNsSimulator",
            "LocalCluster", "CLinux",
        ],
        swiftSettings: strict),
]

// Benchmarks need rapidjson and a C server that no user needs; `Deploy/bench.sh` switches them on.
let benchmarks: [Target] =
    Context.environment["CARILLON_BENCHMARKS"] == nil
    ? []
    : [
        .target(name: "CBaseline", path: "Benchmarks/CBaseline"),
        .executableTarget(
            name: "carillon-bench",
            dependencies: [
                "Codes", "LiveActivity", "Wire", "Cluster", "Delivery", "Loops", "Telemetry", "Configuration",
                "Messaging", "HTTP2", "Storage", "APNs", "SimulatedAPNs", "APNsSimulator", "CarillonClient",
                "LocalCluster", "CLinux", "COpenSSL", "CBaseline",
            ],
            path: "Benchmarks/carillon-bench", swiftSettings: strict),
    ]

let package = Package(
    name: "carillon",
    products: [
        .executable(name: "carillon", targets: ["carillon"]),
        .library(name: "CarillonClient", targets: ["CarillonClient"]),
        .library(name: "LiveActivity", targets: ["LiveActivity"]),
    ],
    targets: bindings + pure + services + shells + doubles + composition + suites + benchmarks,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
