import SQLCore

extension TableDefinition {
  /// A line that gives a model another table.
  ///
  /// - Parameter isTaken: whether something has a name already.
  func otherNameLine(_ isTaken: (String) -> Bool = { _ in false }) -> String {
    "static let tableName = \(name.numbered(isTaken).swiftLiteral)"
  }

  /// A line that declares a column which the table has. Where the column is not called as the
  /// property, a second line names it.
  ///
  /// - Parameter undeclared: the names of all columns that no model declares: each gets another
  ///   property, so that their lines can be pasted together.
  func propertyLine(forColumn name: String, type: String, among undeclared: [String]) -> String {
    let property = propertyNames(forColumns: undeclared)[name] ?? name.propertyName
    let line = "@Column var \(property.escapedName): \(type)"
    return columnNaming.name(of: property) == name
      ? line : "\(line)\nNamed(\(property.columnPath), \(name.swiftLiteral))"
  }

  /// The properties of columns that no model declares, by the names of the columns.
  private func propertyNames(forColumns names: [String]) -> [String: String] {
    // Each model has an `id`, and a type `ID`.
    let declared = columns.compactMap { $0.type.property.propertiesOfGroups.first }
    var taken = Set(declared + ["id", "ID"])
    func isFree(_ property: String) -> Bool {
      // A property wrapper stores its value under the property's name with an underscore before it.
      !taken.contains(property) && !taken.contains("_\(property)")
        && !(property.hasPrefix("_") && taken.contains(String(property.dropFirst())))
    }
    var properties: [String: String] = [:]
    // A column whose name is a property's comes before one whose name has to be changed.
    let same = names.filter { $0.propertyName == $0 }
    for name in same + names.filter({ $0.propertyName != $0 }) {
      var property = name.propertyName
      if !isFree(property) {
        property = "stored" + property.prefix(1).uppercased() + property.dropFirst()
      }
      while !isFree(property) { property += "2" }
      taken.insert(property)
      properties[name] = property
    }
    return properties
  }
}

extension String {
  /// The name with the first number from 2 on that makes a name which is free.
  func numbered(separator: String = "", _ isTaken: (String) -> Bool) -> String {
    var number = 2
    while isTaken("\(self)\(separator)\(number)") { number += 1 }
    return "\(self)\(separator)\(number)"
  }
}
