/// A list that mostly has one element, or none, as most clauses of a query do: neither allocates.
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
      // The list lets go of the array, which is then the only owner of its elements.
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

  /// The index is one of `indices`.
  @inlinable
  package subscript(index: Int) -> Element {
    switch self {
    case .none: [][index]
    case .one(let element): element
    case .many(let elements): elements[index]
    }
  }
}
