/// A list that allocates memory only for two or more elements. Most clauses of a query have at most
/// one element.
@usableFromInline
package enum ShortList<Element: Sendable>: Sendable {
  case none
  case one(Element)
  case many([Element])

  @inlinable
  package init(_ elements: some Collection<Element>) {
    switch elements.count {
    case 0: self = .none
    case 1: self = elements.first.map { .one($0) } ?? .none
    default: self = .many(Array(elements))
    }
  }

  @inlinable
  package mutating func append(_ element: consuming Element) {
    switch consume self {
    case .none: self = .one(element)
    case .one(let first): self = .many([first, element])
    case .many(var elements):
      // Empty the list first, so that the array is uniquely referenced and not copied.
      self = .none
      elements.append(element)
      self = .many(elements)
    }
  }

  @inlinable
  package mutating func append(contentsOf others: consuming ShortList) {
    switch others {
    case .none: break
    case .one(let element): append(element)
    case .many(let elements):
      if case .none = self { self = .many(elements) } else { self = .many(self + elements) }
    }
  }
}

extension ShortList: RandomAccessCollection {
  @inlinable package var startIndex: Int { 0 }

  @inlinable package var endIndex: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .many(let elements): elements.count
    }
  }

  /// The element at an index, which must be in `indices`.
  @inlinable
  package subscript(index: Int) -> Element {
    switch self {
    case .none: [][index]
    case .one(let element): element
    case .many(let elements): elements[index]
    }
  }
}
