// The page is complete without this script. With it, edits of others appear at once, and forms are
// sent without leaving the page.

const byID = (id) => document.getElementById(id);
const lists = byID("lists");
const dialog = byID("card-dialog");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// HTML of the server, in which every text is escaped.
function elementOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
}

// MARK: Events of the server

let position = document.body.dataset.position;
let source;

function connect() {
  source = new EventSource(`/events?after=${encodeURIComponent(position)}`);
  source.onopen = () => setStatus("live", "Live");
  source.onerror = () => {
    setStatus("waiting", "Reconnecting…");
    // The browser connects again by itself, except after an answer that is not a stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 1000);
  };
  const on = (name, handle) =>
    source.addEventListener(name, (event) => {
      position = event.lastEventId || position;
      handle(JSON.parse(event.data));
    });
  on("board", applyBoard);
  on("unread", applyUnread);
  on("activity", ({ html }) => (byID("activity").innerHTML = html));
  on("problem", ({ message }) => {
    const problem = byID("problem");
    problem.hidden = !message;
    problem.textContent = message ? `Some of the data cannot be shown: ${message}` : "";
  });
}

function setStatus(state, text) {
  const status = byID("status");
  status.dataset.state = state;
  status.querySelector(".text").textContent = text;
}

// Changes the page to what an event says. Doing it twice changes nothing more.
function applyBoard(change) {
  const places = placesOfCards();
  const focused = document.activeElement?.closest?.(".card")?.id;
  if (change.lists) applyLists(change.lists);
  for (const [id, html] of Object.entries(change.cards)) applyCard(id, html);
  const gone = change.isComplete
    ? [...document.querySelectorAll(".card")].map((card) => card.dataset.id)
        .filter((id) => !(id in change.cards))
    : change.removed;
  for (const id of gone) byID(`card-${id}`)?.remove();
  for (const [list, order] of Object.entries(change.orders)) applyOrder(list, order);
  if (change.tags != null) byID("chips").innerHTML = change.tags;
  filter();
  showUnread();
  // Replacing a card, or moving it, takes the focus away.
  if (focused && document.activeElement === document.body) {
    byID(focused)?.querySelector(".card-link").focus({ preventScroll: true });
  }
  slideFrom(places);
  noticeInDialog(change);
  if (byID("search").value.trim()) search();
}

function applyLists(frames) {
  const present = new Set(frames.map((frame) => `list-${frame.id}`));
  for (const section of lists.querySelectorAll(".list")) {
    if (!present.has(section.id)) section.remove();
  }
  frames.forEach((frame, index) => {
    const fresh = elementOf(frame.html);
    let section = byID(fresh.id);
    if (!section) {
      section = fresh;
    } else if (section.querySelector("h2").textContent !== frame.name) {
      section.querySelector(".list-head").replaceWith(fresh.querySelector(".list-head"));
      section.querySelector(".add label").replaceWith(fresh.querySelector(".add label"));
    }
    if (lists.children[index] !== section) lists.insertBefore(section, lists.children[index] ?? null);
  });
}

// The order of the list places the card afterwards.
function applyCard(id, html) {
  const fresh = elementOf(html);
  const old = byID(fresh.id);
  if (old) {
    if (old.dataset.version !== fresh.dataset.version) flash(fresh);
    old.replaceWith(fresh);
  } else {
    flash(fresh);
    document.querySelector(`.cards[data-list="${fresh.dataset.list}"]`)?.append(fresh);
  }
}

function applyOrder(list, order) {
  const parent = document.querySelector(`.cards[data-list="${list}"]`);
  if (!parent) return;
  order.forEach((id, index) => {
    const card = byID(`card-${id}`);
    if (card && parent.children[index] !== card) {
      parent.insertBefore(card, parent.children[index] ?? null);
    }
  });
}

// MARK: Movement

function placesOfCards() {
  const places = new Map();
  if (calm.matches) return places;
  for (const card of document.querySelectorAll(".card")) {
    places.set(card.id, card.getBoundingClientRect());
  }
  return places;
}

function slideFrom(places) {
  for (const [id, old] of places) {
    const card = byID(id);
    if (!card || card.hidden) continue;
    const now = card.getBoundingClientRect();
    const [x, y] = [old.left - now.left, old.top - now.top];
    if (x || y) {
      card.animate(
        [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
        { duration: 240, easing: "cubic-bezier(.2, .7, .2, 1)" });
    }
  }
}

function flash(card) {
  card.classList.add("changed");
  card.addEventListener("animationend", () => card.classList.remove("changed"), { once: true });
}

// MARK: Unread cards

let unread = {
  lists: Object.fromEntries(
    [...document.querySelectorAll(".list")].map((list) => [
      list.dataset.id, Number(list.querySelector(".badge .number").textContent)])),
  cards: [...document.querySelectorAll(".card[data-unread]")].map((card) => card.dataset.id),
};

function applyUnread(change) {
  unread = change;
  showUnread();
}

function showUnread() {
  const cards = new Set(unread.cards);
  for (const card of document.querySelectorAll(".card")) {
    card.toggleAttribute("data-unread", cards.has(card.dataset.id));
  }
  let total = 0;
  for (const list of document.querySelectorAll(".list")) {
    const count = unread.lists[list.dataset.id] ?? 0;
    total += count;
    list.querySelector(".badge .number").textContent = count;
    list.querySelector(".badge-form").hidden = count === 0;
  }
  document.title = total ? `(${total}) Live Board` : "Live Board";
}

// MARK: Tags

let chosenTag = new URLSearchParams(location.search).get("tag");

function filter() {
  for (const card of document.querySelectorAll(".card")) {
    card.hidden = chosenTag != null && !card.dataset.tags.split(" ").includes(chosenTag);
  }
  for (const list of document.querySelectorAll(".list")) {
    list.querySelector(".count .number").textContent =
      list.querySelectorAll(".card:not([hidden])").length;
  }
  for (const chip of document.querySelectorAll(".chip")) {
    if (chip.dataset.tag === chosenTag) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
}

function choose(tag) {
  const places = placesOfCards();
  chosenTag = tag === chosenTag ? null : tag;
  history.replaceState(null, "", chosenTag ? `/?tag=${chosenTag}` : "/");
  filter();
  slideFrom(places);
}

// MARK: Search

let searching = 0;
let searchTimer;

async function search() {
  const text = byID("search").value.trim();
  const number = ++searching;
  if (!text) {
    byID("results").replaceChildren();
    lists.hidden = false;
    return;
  }
  const answer = await fetch(`/search?q=${encodeURIComponent(text)}`, { headers }).catch(() => null);
  // Only the answer to the newest question counts.
  if (number !== searching) return;
  if (!answer?.ok) return toast(await reasonOf(answer));
  byID("results").innerHTML = await answer.text();
  lists.hidden = true;
}

// MARK: Sending

const headers = { Accept: "application/json", "X-Requested-With": "board" };

async function post(path, fields = {}) {
  const body = fields instanceof URLSearchParams ? fields : new URLSearchParams(fields);
  return fetch(path, { method: "POST", body, headers }).catch(() => null);
}

async function reasonOf(answer) {
  if (!answer) return "The server does not answer. Nothing was saved.";
  try {
    return (await answer.json()).error.reason;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}

let toastTimer;

function toast(text) {
  const toast = byID("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toast.classList.remove("shown"), 6000);
}

function announce(text) {
  byID("announcer").textContent = text;
}

async function move(card, list, before) {
  const answer = await post(`/cards/${card.dataset.id}/move`, {
    list, before: before?.dataset.id ?? "",
  });
  if (!answer?.ok) return toast(await reasonOf(answer));
  const name = byID(`name-${list}`)?.textContent ?? "";
  announce(`Moved ${card.querySelector(".card-link").textContent} to ${name}`);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method !== "post" || form.matches(".me")) return;
  event.preventDefault();
  const submitter = event.submitter;
  const path = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  const answer = await post(path, new URLSearchParams(new FormData(form, submitter)));
  if (form.matches(".card-form")) return finishCardForm(form, answer);
  if (!answer?.ok) return toast(await reasonOf(answer));
  if (form.matches(".add, .add-list")) form.reset();
  form.closest("details")?.removeAttribute("open");
  const text = answer.headers.get("X-Done");
  if (text) toast(decodeURIComponent(text));
});

byID("search")?.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});

// MARK: The dialog of a card

let opener;

async function openCard(path, from) {
  const answer = await fetch(path, { headers }).catch(() => null);
  if (!answer?.ok) return toast(await reasonOf(answer));
  dialog.innerHTML = await answer.text();
  opener = from?.closest("[data-id]")?.id;
  if (!dialog.open) dialog.showModal();
  const title = dialog.querySelector("#f-title");
  title.focus();
  title.setSelectionRange(title.value.length, title.value.length);
  post(`${path}/read`);
}

async function finishCardForm(form, answer) {
  if (answer?.ok) {
    if (dialog.open) dialog.close();
    else location.assign("/");
    return;
  }
  if (answer?.status === 409 && answer.headers.get("Content-Type").startsWith("text/html")) {
    form.replaceWith(elementOf(await answer.text()));
    dialog.scrollTop = 0;
    return;
  }
  const error = form.querySelector(".form-error");
  error.textContent = await reasonOf(answer);
  error.hidden = false;
}

// Says in an open dialog that the card was changed by someone else meanwhile.
function noticeInDialog(change) {
  const form = dialog.open && dialog.querySelector(".card-form");
  if (!form) return;
  const error = form.querySelector(".form-error");
  const card = byID(`card-${form.dataset.card}`);
  if (!card) {
    error.textContent = "This card was deleted just now.";
  } else if (card.dataset.version !== form.elements.version.value) {
    error.textContent = "This card was changed just now. If you save, you will see both texts.";
  } else {
    return;
  }
  error.hidden = false;
}

if (dialog) {
  dialog.addEventListener("close", () => {
    if (opener) byID(opener)?.querySelector("a")?.focus();
    dialog.replaceChildren();
  });
  // A click beside the dialog.
  dialog.addEventListener("mousedown", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const link = event.target.closest("a");
  if (!link || !dialog) return;
  if (link.matches(".card-link, .reload")) {
    event.preventDefault();
    openCard(link.getAttribute("href"), link);
  } else if (link.matches(".cancel")) {
    event.preventDefault();
    dialog.close();
  } else if (link.matches(".chip")) {
    event.preventDefault();
    choose(link.dataset.tag);
  }
});

// MARK: The keyboard

const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

function visibleCards(list) {
  return [...list.querySelectorAll(".card:not([hidden])")];
}

// The list beside a card, and the card of it that is at the same height.
function neighbour(card, [x, y]) {
  const list = card.closest(".list");
  if (y) {
    const cards = visibleCards(list);
    return { list, target: cards[cards.indexOf(card) + y] };
  }
  const all = [...lists.querySelectorAll(".list")];
  const next = all[all.indexOf(list) + x];
  const index = visibleCards(list).indexOf(card);
  return { list: next, target: next && (visibleCards(next)[index] ?? visibleCards(next).at(-1)) };
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, dialog");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    byID("search").select();
    return;
  }
  if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !isTyping) {
    event.preventDefault();
    byID(event.shiftKey ? "redo" : "undo").click();
    return;
  }
  if (event.target.id === "search") {
    if (event.key === "Escape") {
      event.target.value = "";
      search();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      document.querySelector("#results .card-link, .card:not([hidden]) .card-link")?.focus();
    }
    return;
  }
  const direction = arrows[event.key];
  const card = event.target.closest(".card");
  if (!direction || !card || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const { list, target } = neighbour(card, direction);
  if (!event.altKey) {
    target?.querySelector(".card-link").focus();
    return;
  }
  if (!list) return;
  if (direction[0]) {
    move(card, list.dataset.id, visibleCards(list)[visibleCards(card.closest(".list")).indexOf(card)]);
  } else if (target) {
    move(card, list.dataset.id, direction[1] < 0 ? target : target.nextElementSibling);
  }
});

// MARK: Dragging

let dragged;

function cardAfter(list, y) {
  return visibleCards(list).find((card) => {
    if (card === dragged) return false;
    const { top, height } = card.getBoundingClientRect();
    return y < top + height / 2;
  });
}

function clearDropMarks() {
  for (const mark of document.querySelectorAll(".drop, .drop-before")) {
    mark.classList.remove("drop", "drop-before");
  }
}

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.(".card");
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.querySelector(".card-link").textContent);
  dragged.classList.add("dragged");
});

document.addEventListener("dragover", (event) => {
  const list = dragged && event.target.closest?.(".list");
  if (!list) return;
  event.preventDefault();
  clearDropMarks();
  list.classList.add("drop");
  cardAfter(list, event.clientY)?.classList.add("drop-before");
});

document.addEventListener("drop", (event) => {
  const list = dragged && event.target.closest?.(".list");
  if (!list) return;
  event.preventDefault();
  move(dragged, list.dataset.id, cardAfter(list, event.clientY));
});

document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
  clearDropMarks();
});

// MARK: Beginning

document.documentElement.classList.add("scripted");
if (lists) {
  byID("search").addEventListener("input", () => {
    clearTimeout(searchTimer);
    searchTimer = setTimeout(search, 120);
  });
  byID("me").addEventListener("change", (event) => event.target.form.requestSubmit());
  connect();
}
