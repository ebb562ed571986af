import Apus

extension ShownQuery {
  /// Pairs each package with its section, and sums up the pairs of each section.
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
    // Beside one `max`, SQLite takes the other columns from the row that has the greatest value:
    // https://www.sqlite.org/lang_select.html#bareagg
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
