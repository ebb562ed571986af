import Apus

/// A section of the archive: a subject of packages, such as `editors`, in one of the areas.
struct Section: Model, Hashable {
  /// The areas of Debian's archive: free software, free software that needs other software, and the
  /// rest.
  enum Area: String, ColumnValue {
    case main, contrib
    case nonFree = "non-free"
    case nonFreeFirmware = "non-free-firmware"
  }

  @PrimaryKey var id = Unique64()
  @Column var area: Area
  @Column var name: String

  static var schema: Schema<Section> {
    Unique(\.$area, \.$name)
  }
}

extension Section {
  /// Creates a section from the text of the field `Section`, such as `contrib/editors`. If the text
  /// has no area, as `editors`, the area is `main`.
  ///
  /// Different texts are different sections.
  init(text: String) {
    if let slash = text.firstIndex(of: "/"), let area = Area(rawValue: String(text[..<slash])),
      area != .main
    {
      self.init(area: area, name: String(text[text.index(after: slash)...]))
    } else {
      self.init(area: .main, name: text)
    }
  }
}
