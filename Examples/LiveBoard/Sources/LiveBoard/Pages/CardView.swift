import Apus

/// A card as the board shows it.
struct CardView {
  /// The greatest number of characters of the notes that the board shows on a card.
  static let shownNotes = 140

  let face: CardFace
  let tags: [Tag]
  var isUnread = false
  /// Whether the card is hidden, because it lacks the tag that the person has chosen.
  var isHidden = false

  var html: HTML {
    let card = face.card
    return """
      <li class="card" id="card-\(card.id)" data-id="\(card.id)" data-version="\(card.version)" \
      data-list="\(card.listID)" data-tags="\(tags.map(\.id.text).joined(separator: " "))" \
      data-person="\(face.assignee?.id.text ?? "")" draggable="true"\
      \(" data-unread", if: isUnread)\(" hidden", if: isHidden)>
      <h3><a class="card-link" href="/cards/\(card.id)" dir="auto" \
      aria-describedby="card-keys">\(card.title)</a></h3>
      \(notes)<div class="card-foot">\(TagList(tags: tags).html)\(assignee)</div>
      <span class="unread-mark"><span class="hidden">Unread</span></span>
      </li>
      """
  }

  private var notes: HTML {
    let notes = face.card.notes
    guard let line = notes.split(whereSeparator: \.isNewline).first else { return "" }
    let isCut = line.count > Self.shownNotes || line.endIndex != notes.endIndex
    return "<p class=\"notes\" dir=\"auto\">\(line.prefix(Self.shownNotes))\(" …", if: isCut)</p>\n"
  }

  private var assignee: HTML {
    guard let person = face.assignee else { return "" }
    return "\(Avatar(person: person, label: "Assigned to \(person.name)").html)"
  }
}

/// The initials of a person in a coloured circle.
struct Avatar {
  let person: Person
  /// The text for screen readers; nil if the name stands beside the circle.
  var label: String?

  var html: HTML {
    guard let label else {
      return
        "<span class=\"avatar hue-\(person.hue.rawValue)\" aria-hidden=\"true\">\(initials)</span>"
    }
    return """
      <span class="avatar hue-\(person.hue.rawValue)" role="img" aria-label="\(label)" \
      title="\(person.name)">\(initials)</span>
      """
  }

  private var initials: String {
    let words = person.name.split(separator: " ")
    let letters = [words.first, words.count > 1 ? words.last : nil].compactMap { $0?.first }
    return String(letters).uppercased()
  }
}

/// The tags of a card.
struct TagList {
  let tags: [Tag]

  var html: HTML {
    guard !tags.isEmpty else { return "<ul class=\"tags\" aria-label=\"Tags\" hidden></ul>" }
    return """
      <ul class="tags" aria-label="Tags">\(tags.map { tag in
        "<li class=\"tag hue-\(tag.hue.rawValue)\" dir=\"auto\">\(tag.name)</li>" as HTML
      })</ul>
      """
  }
}

/// The chips above the board, one for each tag. A chip is a link that shows only the cards with its
/// tag.
struct TagChips {
  let tags: [Tag]
  let chosen: Tag.ID?

  var html: HTML {
    HTML(
      tags.map { tag in
        let isChosen = tag.id == chosen
        return """
          <li><a class="chip hue-\(tag.hue.rawValue)" href="\(isChosen ? "/" : "/?tag=\(tag.id.text)")" \
          data-tag="\(tag.id)"\(" aria-current=\"true\"", if: isChosen) dir="auto">\(tag.name)</a></li>
          """
      })
  }
}
