import Apus

extension ShownQuery {
  /// Joins each package with the dependencies that name it, and counts these dependencies for each
  /// package.
  static let mostWanted = ShownQuery(
    title: "The packages that others need most often",
    source: """
      Query { (package: Columns<Package>, dependency: Columns<Dependency>) in
        From(package)
        Join(dependency, on: dependency.$name == package.$name)
        Where { dependency.$kind != .recommends }
        GroupBy(package.$id)
        OrderBy(dependency.count(), .descending)
        Limit(8)
        Select(
          package.$name, package.$version, package.$architecture,
          dependency.count().as("times needed"))
      }
      """,
    query:
      Query { (package: Columns<Package>, dependency: Columns<Dependency>) in
        From(package)
        Join(dependency, on: dependency.$name == package.$name)
        Where { dependency.$kind != .recommends }
        GroupBy(package.$id)
        OrderBy(dependency.count(), .descending)
        Limit(8)
        Select(
          package.$name, package.$version, package.$architecture,
          dependency.count().as("times needed"))
      }
  )
}
