import SQLCore

/// One line of a model's schema.
public struct SchemaElement<M: ResultRow> {
  enum Kind {
    case index(IndexLine<M>)
    case foreignKey(ForeignKeyLine<M>)
    case check(name: String?, () -> PredicateLines)
    /// The value is encoded on demand, when the form of the column is known.
    case `default`(PartialKeyPath<M>, (StoredForm) -> BoundValue)
    case defaultSQL(PartialKeyPath<M>, SQL)
    case stored(PartialKeyPath<M>, StoredForm)
    case named(PartialKeyPath<M>, String)
    case prefixed(PartialKeyPath<M>, String)
    case collated(PartialKeyPath<M>, Collation)
    case generated(PartialKeyPath<M>, GeneratedStorage, () -> ExpressionNode)
    case rowID(isLeftOut: Bool)
    case trigger(TriggerLine<M>)
    case fullText(FullTextLine<M>)
    /// The table is an FTS5 table that exists already.
    case existingFullText
    case logged
    case cached(CacheLimits)
    case cachedResults(CacheLimits)
    case renamed(PartialKeyPath<M>, from: String)
    case renamedTable(from: String)
    case dropped(Removal)
    case droppedAttribute(PartialKeyPath<M>, Removal.Attribute)
    case converted(PartialKeyPath<M>, (StoredForm) -> DeclaredConversion)
  }

  let kind: Kind
}
