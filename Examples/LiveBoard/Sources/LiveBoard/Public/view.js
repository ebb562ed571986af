// What the page shows: movement, unread cards, tags, times and the results of a search.

import { byID, calm, headers, lists, reasonOf, toast } from "/page.js";

// MARK: Movement

export function placesOfCards() {
  const places = new Map();
  if (calm.matches) return places;
  for (const card of document.querySelectorAll(".card")) {
    places.set(card.id, card.getBoundingClientRect());
  }
  return places;
}

// A list cuts what leaves it, so a card moves to another list as a copy above both.
export function slideFrom(places) {
  for (const [id, old] of places) {
    const card = byID(id);
    if (!card || card.hidden) continue;
    const now = card.getBoundingClientRect();
    const [x, y] = [old.left - now.left, old.top - now.top];
    if (!x && !y) continue;
    let moving = card;
    if (x) {
      moving = card.cloneNode(true);
      moving.removeAttribute("id");
      moving.classList.add("flying");
      moving.ariaHidden = "true";
      moving.inert = true;
      Object.assign(moving.style, {
        left: `${now.left}px`, top: `${now.top}px`, width: `${now.width}px`, height: `${now.height}px`,
      });
      byID("announcer").after(moving);
      card.classList.add("landing");
    }
    const animation = moving.animate(
      [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
      { duration: x ? 320 : 240, easing: "cubic-bezier(.2, .7, .2, 1)" });
    if (moving === card) continue;
    animation.onfinish = animation.oncancel = () => {
      moving.remove();
      card.classList.remove("landing");
    };
  }
}

export function flash(card) {
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

export function applyUnread(change) {
  unread = change;
  showUnread();
}

export function showUnread() {
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

export function filter() {
  for (const card of document.querySelectorAll(".card")) {
    card.hidden = chosenTag != null && !card.dataset.tags.split(" ").includes(chosenTag);
  }
  for (const list of document.querySelectorAll(".list")) {
    const all = list.querySelectorAll(".card").length;
    const shown = list.querySelectorAll(".card:not([hidden])").length;
    list.querySelector(".count .number").textContent = shown === all ? all : `${shown} of ${all}`;
  }
  for (const chip of document.querySelectorAll(".chip")) {
    if (chip.dataset.tag === chosenTag) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
}

export function choose(tag) {
  const places = placesOfCards();
  chosenTag = tag === chosenTag ? null : tag;
  history.replaceState(null, "", chosenTag ? `/?tag=${chosenTag}` : "/");
  filter();
  slideFrom(places);
}

// The name of the chosen tag, if a card with tags as a form has them does not show because of it.
export function hidingTag(tags = "") {
  const chip = document.querySelector(".chip[aria-current]");
  const names = tags.split(",").map((name) => name.trim().toLowerCase());
  return chip && !names.includes(chip.textContent.toLowerCase()) ? chip.textContent : null;
}

// MARK: Times

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const timeFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

function howLongAgo(date) {
  const minutes = Math.floor((Date.now() - date) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const time = timeFormat.format(date);
  return date.toDateString() === new Date().toDateString() ? time : `${dayFormat.format(date)}, ${time}`;
}

export function showTimes() {
  for (const time of document.querySelectorAll("time")) {
    const date = new Date(time.dateTime);
    time.textContent = howLongAgo(date);
    time.title = date.toLocaleString("en-GB");
  }
}

// MARK: Search

let searching = 0;
let searchTimer;

export async function search() {
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
  const focused = document.activeElement?.closest?.(".found")?.dataset.id;
  byID("results").innerHTML = await answer.text();
  lists.hidden = true;
  if (focused) document.querySelector(`.found[data-id="${focused}"] a`)?.focus();
}

byID("search")?.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});

byID("search")?.addEventListener("input", () => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(search, 120);
});
