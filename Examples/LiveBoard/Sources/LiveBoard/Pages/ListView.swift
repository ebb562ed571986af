import Apus

/// A list with its cards.
struct ListView {
  let list: BoardList
  let cards: [CardView]
  var unread = 0

  var html: HTML {
    """
    <section class="list" id="list-\(list.id)" data-id="\(list.id)" aria-labelledby="name-\(list.id)">
    <header class="list-head">
    <h2 id="name-\(list.id)" dir="auto">\(list.name)</h2>
    <span class="count"><span class="number">\(count)</span><span class="hidden"> cards</span></span>
    <form method="post" action="/lists/\(list.id)/read" class="badge-form"\(" hidden", if: unread == 0)>
    <button class="badge" title="Mark all cards of this list as read"><span class="number">\(unread)</span> \
    new<span class="hidden">: mark all as read</span></button>
    </form>
    <button class="menu" popovertarget="menu-\(list.id)" aria-label="Change the list \(list.name)">\
    <span aria-hidden="true">⋯</span></button>
    <div class="menu-body" id="menu-\(list.id)" popover>
    <form method="post" action="/lists/\(list.id)/rename" class="row">
    <label class="hidden" for="rename-\(list.id)">New name</label>
    <input id="rename-\(list.id)" name="name" value="\(list.name)" maxlength="\(Limits.listName)" \
    required dir="auto" autocomplete="off">
    <button>Rename</button>
    </form>
    <form method="post" action="/lists/\(list.id)/delete">
    <button class="danger">Delete the list and its cards</button>
    </form>
    </div>
    </header>
    <ol class="cards" data-list="\(list.id)" aria-labelledby="name-\(list.id)">\(cards.map(\.html))</ol>
    <form class="add" method="post" action="/lists/\(list.id)/cards">
    <label class="hidden" for="add-\(list.id)">Title of a new card in \(list.name)</label>
    <input id="add-\(list.id)" name="title" maxlength="\(Limits.title)" required \
    placeholder="Add a card…" autocomplete="off" dir="auto">
    <button aria-label="Add the card to \(list.name)">Add</button>
    </form>
    </section>
    """
  }

  /// The number of cards, such as `7`. If some are hidden, the number of shown cards comes first:
  /// `3 of 7`.
  private var count: String {
    let shown = cards.count { !$0.isHidden }
    return shown == cards.count ? "\(shown)" : "\(shown) of \(cards.count)"
  }
}
