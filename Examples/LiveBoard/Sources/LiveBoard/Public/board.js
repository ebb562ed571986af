// The page is complete without this script. With it, edits of others appear at once, and forms are
// sent without leaving the page.

import { noticeInDialog } from "/dialog.js";
import { restoreFields, restoreForm, showDrafts } from "/drafts.js";
import { byID, elementOf, lists, successor } from "/page.js";
import { own } from "/sending.js";
import {
  applyUnread, filter, flash, placesOfCards, search, showTimes, showUnread, slideFrom,
} from "/view.js";
import "/keys.js";

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
  on("steps", ({ canUndo, canRedo }) => {
    byID("undo").disabled = !canUndo;
    byID("redo").disabled = !canRedo;
  });
  on("activity", ({ html }) => {
    byID("activity").innerHTML = html;
    showTimes();
  });
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
  const focused = document.activeElement?.closest?.(".card");
  const list = focused?.dataset.list;
  const heir = focused && successor(focused);
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
  showDrafts();
  // Replacing a card, moving it or removing it takes the focus away.
  if (focused && document.activeElement === document.body) {
    const card = byID(focused.id);
    const isElsewhere = !card || card.dataset.list !== list;
    document.querySelector(card ? `#${card.id} a` : heir)?.focus({ preventScroll: !isElsewhere });
  }
  const added = own.card && change.orders[own.card] && byID(`card-${change.orders[own.card].at(-1)}`);
  if (added && change.cards[added.dataset.id]) {
    added.scrollIntoView({ block: "nearest" });
    own.card = null;
  }
  slideFrom(places);
  noticeInDialog();
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
    const isNew = !section;
    if (isNew) {
      section = fresh;
    } else if (section.querySelector("h2").textContent !== frame.name) {
      rename(section, fresh);
    }
    if (lists.children[index] !== section) lists.insertBefore(section, lists.children[index] ?? null);
    if (isNew) restoreFields(section);
    if (isNew && own.list) section.scrollIntoView({ inline: "end", block: "nearest" });
  });
  own.list = false;
}

// Takes the names from a fresh list. What is typed in its fields stays.
function rename(section, fresh) {
  for (const selector of ["h2", ".add label"]) {
    section.querySelector(selector).textContent = fresh.querySelector(selector).textContent;
  }
  for (const selector of [".menu", ".add button"]) {
    section.querySelector(selector).ariaLabel = fresh.querySelector(selector).ariaLabel;
  }
  const field = section.querySelector("[name=name]");
  const name = fresh.querySelector("[name=name]").defaultValue;
  if (field.value === field.defaultValue) field.value = name;
  field.defaultValue = name;
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

// MARK: Beginning

document.documentElement.classList.add("scripted");
for (const form of document.querySelectorAll("main .card-form")) restoreForm(form);
if (lists) {
  restoreFields(document);
  showDrafts();
  showTimes();
  setInterval(showTimes, 30_000);
  byID("me").addEventListener("change", (event) => event.target.form.requestSubmit());
  connect();
}
