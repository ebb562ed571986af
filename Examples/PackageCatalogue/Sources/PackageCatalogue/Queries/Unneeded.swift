import Apus

extension ShownQuery {
  /// Finds the packages that no other one depends on: in a left join, their dependency is missing.
  static let unneeded = ShownQuery(
    title: "The heaviest packages that no other package depends on",
    source: """
      Query { (package: Columns<Package>, dependency: OptionalColumns<Dependency>) in
        From(package)
        LeftJoin(dependency, on: dependency.$name == package.$name.optional)
        Where { dependency.$id == nil }
        OrderBy(package.$sizeInKiB, .descending)
        Limit(8)
        Select(package.$name, package.$priority, package.$sizeInKiB, package.$homepage)
      }
      """,
    query:
      Query { (package: Columns<Package>, dependency: OptionalColumns<Dependency>) in
        From(package)
        LeftJoin(dependency, on: dependency.$name == package.$name.optional)
        Where { dependency.$id == nil }
        OrderBy(package.$sizeInKiB, .descending)
        Limit(8)
        Select(package.$name, package.$priority, package.$sizeInKiB, package.$homepage)
      }
  )
}
