// The keyboard and dragging.

import { byID, lists, toast } from "/page.js";
import { move } from "/sending.js";
import { search } from "/view.js";

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
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.preventDefault();
    event.target.form.requestSubmit(event.target.form.querySelector(".primary"));
    return;
  }
  if (!lists) return;
  const isTyping = event.target.closest("input, textarea, select, dialog");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    byID("search").select();
    return;
  }
  if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !isTyping) {
    event.preventDefault();
    const button = byID(event.shiftKey ? "redo" : "undo");
    if (button.disabled) toast(`There is nothing to ${button.id}.`);
    else button.click();
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
