import Apus

extension ShownQuery {
  /// Joins each package with its section, and computes the count, the sum and the maximum for each
  /// section.
  static let heaviestSections = ShownQuery(
    title: "The heaviest sections, and the heaviest package of each",
    source: """
      Query { (package: Columns<Package>, section: Columns<Section>) in
        From(package)
        Join(section, on: package.$sectionID == section.$id)
        GroupBy(section.$id)
        OrderBy(package.$sizeInKiB.sum(), .descending)
        Limit(8)
        Select(
          section.$area, section.$name, package.count().as("packages"),
          package.$sizeInKiB.sum().as("KiB"), package.$name.as("heaviest"),
          package.$sizeInKiB.max().as("its KiB"))
      }
      """,
    // The name is not an aggregate. If a query has one `max`, SQLite takes the values of such
    // columns from the row with the greatest value: https://www.sqlite.org/lang_select.html#bareagg
    query:
      Query { (package: Columns<Package>, section: Columns<Section>) in
        From(package)
        Join(section, on: package.$sectionID == section.$id)
        GroupBy(section.$id)
        OrderBy(package.$sizeInKiB.sum(), .descending)
        Limit(8)
        Select(
          section.$area, section.$name, package.count().as("packages"),
          package.$sizeInKiB.sum().as("KiB"), package.$name.as("heaviest"),
          package.$sizeInKiB.max().as("its KiB"))
      }
  )
}
