// The board: the asked cell's arithmetic and its operand matrices. It keeps its DOM root, interprets
// no text (textContent only), links hover across numbers and matrices, and answers clicks and keys
// with the reference of a cell.
const FOLD = 8;

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".board");
  const held = parentElement.activeElement || root.getRootNode().activeElement;
  const [focused, button] = [held?.dataset?.ref, held?.dataset?.button];
  const opened = !root.childElementCount;
  const ask = (ref) => ref && setTriggerValue("asked", ref);
  // What is read aloud as it changes must itself stay: its content is replaced, the rest anew.
  const said = root.querySelector(".lines") || spoken();
  said.replaceChildren(...data.lines.map((line) => one(line, data, ask)));
  if (opened) root.append(said);
  while (said.previousSibling) said.previousSibling.remove();
  while (said.nextSibling) said.nextSibling.remove();
  said.before(bar(data, ask, () => setTriggerValue("closed", true)));
  said.after(notes(data), operands(data, ask));
  root.setAttribute("aria-label", data.title);
  link(root);
  if (opened) show(said);
  if (focused) root.querySelector(`[role="gridcell"][data-ref="${CSS.escape(focused)}"]`)?.focus();
  if (button) (root.querySelector(`[data-button="${button}"]:enabled`) || root.querySelector("[data-button]:enabled"))?.focus();
}

// It opens below the picture: on a low screen, below the fold.
function show(part) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const behavior = still ? "auto" : "smooth";
  const room = new ResizeObserver(() => {
    if (!part.offsetHeight) return; // the page has not made room for it yet
    room.disconnect();
    part.scrollIntoView({ block: "nearest", behavior });
  });
  room.observe(part);
}

function make(tag, style, text) {
  const element = document.createElement(tag);
  if (style) element.className = style;
  if (text !== undefined) element.textContent = text;
  return element;
}

// A matrix in front of a text: W_O with its letter raised, W_q with its letter lowered.
function named(tag, style, text) {
  const [whole, before, letter] = /^((?:O )?W)_([A-Za-z])/.exec(text) || [];
  if (!whole) return make(tag, style, text);
  const element = make(tag, style, before);
  element.append(make(letter < "a" ? "sup" : "sub", "", letter), text.slice(whole.length));
  return element;
}

function bar(data, ask, close) {
  const row = make("div", "bar");
  row.append(named("p", "title", data.title));
  row.append(step("back", data, data.sources[0], ask), step("on", data, data.targets[0], ask));
  const shut = make("button", "", data.words.close);
  shut.onclick = close;
  row.append(shut);
  return row;
}

function step(name, data, ref, ask) {
  const button = make("button", "", data.words[name]);
  button.dataset.button = name;
  button.disabled = !ref;
  button.onclick = () => ask(ref);
  return button;
}

function spoken() {
  const box = make("div", "lines");
  box.setAttribute("aria-live", "polite");
  return box;
}

function one(line, data, ask) {
  const row = make("div", "line");
  const left = make("span", "left");
  for (const part of line.left) left.append(piece(part, ask));
  row.append(left, " = ");
  if (line.open) row.append(line.open);
  const folded = line.terms.length > FOLD;
  const terms = line.terms.map((term, i) => {
    const span = make("span", "term");
    if (i) span.append(line.joiner);
    for (const part of term) span.append(piece(part, ask));
    return span;
  });
  if (folded) {
    const middle = terms.slice(FOLD - 2, -1);
    const more = make("button", "more", data.words.more.replace("{n}", middle.length));
    more.onclick = () => { middle.forEach((span) => (span.hidden = false)); gap.remove(); };
    const gap = make("span", "", line.joiner);
    gap.append(more);
    middle.forEach((span) => (span.hidden = true));
    row.append(...terms.slice(0, FOLD - 2), gap, ...terms.slice(FOLD - 2));
  } else row.append(...terms);
  if (line.close) row.append(line.close);
  if (line.result) {
    const result = piece(line.result, ask);
    result.classList.add("result");
    row.append(" = ", result);
  }
  return row;
}

function piece(part, ask) {
  const span = make("span", part.value === null ? part.role : `n ${part.role}`, part.text);
  if (part.value !== null) { span.dataset.value = part.value; span.title = part.value; }
  if (part.ref) { span.dataset.ref = part.ref; span.onclick = () => ask(part.ref); }
  return span;
}

function notes(data) {
  const box = make("div", "");
  for (const note of data.notes) box.append(make("p", "notes", note));
  return box;
}

function operands(data, ask) {
  const box = make("div", "operands");
  for (const operand of data.operands) box.append(figure(operand, ask));
  return box;
}

function figure(operand, ask) {
  const box = make("figure", "");
  const caption = named("figcaption", operand.role, operand.title);
  caption.append(make("span", "size", operand.size));
  const scroll = make("div", "scroll");
  const grid = make("div", "");
  grid.setAttribute("role", "grid");
  grid.setAttribute("aria-label", `${operand.title} ${operand.size}`);
  grid.style.gridTemplateColumns = `auto repeat(${operand.columns.length}, auto)`;
  if (operand.role) grid.style.setProperty("--mark", `var(--${operand.role})`);
  grid.append(make("span", "head"), ...operand.columns.map((name) => heading(name, "head col")));
  let first = null;
  operand.cells.forEach((row, r) => {
    const line = make("div", "");
    line.setAttribute("role", "row");
    line.style.display = "contents";
    line.append(heading(operand.rows[r], "head"));
    row.forEach((cell, c) => {
      const element = make("div", cell.on ? "on" : cell.text ? "" : "hidden", cell.text || "·");
      element.setAttribute("role", "gridcell");
      if (cell.edited) element.classList.add("edited");
      const edited = cell.edited ? `, ${operand.edited}` : "";
      element.setAttribute("aria-label", `${operand.title} ${operand.rows[r]} ${operand.columns[c]}: ${cell.text || operand.hidden}${edited}`);
      element.style.background = cell.fill;
      element.style.color = cell.ink;
      element.dataset.ref = cell.ref;
      element.dataset.place = `${r},${c}`;
      element.tabIndex = -1;
      element.onclick = () => ask(cell.ref);
      if (!first || (cell.on && !first.classList.contains("on"))) first = element;
      line.append(element);
    });
    grid.append(line);
  });
  if (first) first.tabIndex = 0;
  grid.onkeydown = (event) => move(event, grid, ask);
  scroll.append(grid);
  box.append(caption, scroll);
  if (operand.cut) box.append(make("span", "cut", operand.cut));
  return box;
}

function heading(text, style) {
  const span = make("span", style, text);
  span.title = text;
  return span;
}

function move(event, grid, ask) {
  const cell = event.target.closest('[role="gridcell"]');
  if (!cell) return;
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); ask(cell.dataset.ref); return; }
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!step) return;
  event.preventDefault();
  const [r, c] = cell.dataset.place.split(",").map(Number);
  const next = grid.querySelector(`[data-place="${r + step[0]},${c + step[1]}"]`);
  if (next) { cell.tabIndex = -1; next.tabIndex = 0; next.focus(); }
}

function link(root) {
  const light = (event, on) => {
    const ref = event.target.closest?.("[data-ref]")?.dataset.ref;
    if (ref) root.querySelectorAll(`[data-ref="${CSS.escape(ref)}"]`).forEach((e) => e.classList.toggle("hot", on));
  };
  root.onmouseover = (event) => light(event, true);
  root.onmouseout = (event) => light(event, false);
  root.onfocusin = (event) => light(event, true);
  root.onfocusout = (event) => light(event, false);
}
