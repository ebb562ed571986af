import Apus

extension ShownQuery {
  /// Finds the packages on which no other package depends. A left join has no dependency for them.
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
