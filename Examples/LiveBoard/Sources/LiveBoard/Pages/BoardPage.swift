import Apus
import ApusHummingbird

/// The page of the board.
struct BoardPage: Sendable {
  var lists: [BoardList]
  var faces: [CardFace]
  var tagsOfCards: [Card.ID: [Tag]]
  var tags: [Tag]
  var people: [Person]
  var unreadCounts: [BoardList.ID: Int]
  var unreadCards: Set<Card.ID>
  var person: Person?
  var activity: Activity
  var steps: StepsChange
  /// The position in the feed after which the page needs the events.
  var position: EventPosition?
  var chosenTag: Tag.ID?
  var results: SearchResults?

  var html: HTML {
    Layout(
      title: title, position: position, person: person,
      content: """
        \(header)
        <p id="problem" role="alert" hidden></p>
        <main id="main" class="board">
        <h1 class="hidden">Board</h1>
        <nav class="filters" aria-label="Tags"><ul id="chips">\(TagChips(tags: tags, chosen: chosenTag).html)</ul></nav>
        <p class="empty-board">This board is empty. Add its first list, such as “To do”.</p>
        <form class="add-list row" method="post" action="/lists">
        <label class="hidden" for="new-list">Name of a new list</label>
        <input id="new-list" name="name" placeholder="Add a list…" maxlength="\(Limits.listName)" required \
        autocomplete="off" dir="auto">
        <button aria-label="Add the list">Add</button>
        </form>
        <div id="results" aria-live="polite">\(results?.html ?? "")</div>
        <p class="hidden" id="card-keys">Enter opens the card. Alt and an arrow key moves it.</p>
        <div class="lists" id="lists"\(" hidden", if: results != nil)>\(lists.map(listView))</div>
        <aside class="side" aria-labelledby="activity-heading">
        <h2 id="activity-heading">Activity</h2>
        <div id="activity" tabindex="0" role="group" aria-labelledby="activity-heading">\(activity.html)</div>
        </aside>
        </main>
        <dialog id="card-dialog" aria-labelledby="form-heading"></dialog>
        <div id="announcer" class="hidden" aria-live="polite"></div>
        <div id="toast" role="status"></div>
        """
    ).html
  }

  private var title: String {
    let unread = unreadCounts.values.reduce(0, +)
    return unread > 0 ? "(\(unread)) Live Board" : "Live Board"
  }

  private var header: HTML {
    """
    <header class="top">
    <a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Live Board</a>
    <form class="search" role="search" action="/" method="get">
    <label class="hidden" for="search">Search the cards</label>
    <input id="search" type="search" name="q" value="\(results?.text ?? "")" placeholder="Search…" \
    autocomplete="off" maxlength="200" dir="auto">
    <kbd aria-hidden="true">/</kbd>
    </form>
    <span id="status" class="status" role="status" data-state="waiting"><span class="dot"></span>\
    <span class="text">Not live</span></span>
    <div class="steps">
    <form method="post" action="/undo"><button id="undo" aria-keyshortcuts="Control+Z"\
    \(" disabled", if: !steps.canUndo)>Undo</button></form>
    <form method="post" action="/redo"><button id="redo" aria-keyshortcuts="Control+Shift+Z"\
    \(" disabled", if: !steps.canRedo)>Redo</button></form>
    </div>
    <form class="me row" method="post" action="/me">
    \(person.map { Avatar(person: $0, label: nil).html } ?? "")
    <label class="hidden" for="me">You are</label>
    <select id="me" name="person">\(people.map { other in
      "<option value=\"\(other.id)\"\(" selected", if: other.id == person?.id)>\(other.name)</option>"
        as HTML
    })</select>
    <button class="without-script">Change</button>
    </form>
    </header>
    """
  }

  private func listView(_ list: BoardList) -> HTML {
    let cards = faces.filter { $0.card.listID == list.id }.map { face in
      let tags = tagsOfCards[face.id, default: []]
      return CardView(
        face: face, tags: tags, isUnread: unreadCards.contains(face.id),
        isHidden: chosenTag.map { tag in !tags.contains { $0.id == tag } } ?? false)
    }
    return ListView(list: list, cards: cards, unread: unreadCounts[list.id, default: 0]).html
  }
}
