// What a reader does with a picture: point, click, walk from cell to cell by the arrow keys, save.

function listen(picture) {
  const { element, svg } = picture;
  let pressed = null;
  element.addEventListener("mousemove", (event) => tell(picture, cellAt(picture, event)));
  element.addEventListener("mouseleave", () => tell(picture, null));
  element.addEventListener("mousedown", (event) => (pressed = [event.clientX, event.clientY]));
  element.addEventListener("click", (event) => {
    if (event.target.closest("button")) return;
    // Who draws the pointer over numbers selects them, and asks nothing.
    if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
    choose(picture, cellAt(picture, event));
  });
  element.addEventListener("keydown", (event) => {
    if (event.target !== picture.holder) return;
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) walk(picture, step);
    else if (event.key === "Escape") tell(picture, null);
    else if ((event.key === "Enter" || event.key === " ") && picture.options.ask) choose(picture, picture.at);
    else return;
    event.preventDefault();
  });
  element.addEventListener("focusin", (event) => event.target === picture.holder && tell(picture, picture.at));
  element.addEventListener("focusout", () => tell(picture, null));
  svg.addEventListener("dragstart", (event) => event.preventDefault());
}

// The cell under the pointer: of the last map drawn there.
function cellAt(picture, event) {
  if (event.target.closest?.("button")) return null;
  const box = picture.svg.getBoundingClientRect(), zoom = box.width / picture.width || 1;
  const [x, y] = [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
  for (const map of [...picture.maps].reverse()) {
    const [across, down] = [picture.axes[map.xaxis], picture.axes[map.yaxis]];
    const column = Math.floor((x - across.at(-0.5)) / across.unit), row = Math.floor((y - down.at(-0.5)) / down.unit);
    if (column >= 0 && column < map.columns && row >= 0 && row < map.rows) return { map, row, column };
  }
  return null;
}

function choose(picture, place) {
  if (!place || !picture.options.ask) return;
  const axis = picture.axes[place.map.xaxis], base = axis.overlaying ?? place.map.xaxis;
  picture.options.ask(place.row, place.column, Number(base.slice(1) || 1) - 1);
}

// A map whose cells tell nothing of their own is one place as a whole.
const isWhole = (map) => !map.hovertemplate;

function box({ axes }, { map, row, column }) {
  const [x, y] = [axes[map.xaxis], axes[map.yaxis]];
  const [r, rows, c, columns] = isWhole(map) ? [0, map.rows, 0, map.columns] : [row, 1, column, 1];
  return { left: x.at(c - 0.5), top: y.at(r - 0.5), width: columns * x.unit, height: rows * y.unit };
}

function tell(picture, place) {
  const { tip, svg } = picture;
  svg.style.cursor = place && picture.options.ask ? "pointer" : "";
  const lines = place ? told(picture, place) : [];
  if (!lines.length || (isWhole(place.map) && document.activeElement !== picture.holder)) return open(tip, false);
  tip.replaceChildren(...lines.map((line) => make("div", "", line)));
  open(tip, true);
  const { left, top, width, height } = box(picture, place), at = svg.getBoundingClientRect(), zoom = at.width / picture.width || 1;
  // Beside the cell, so that its number stays in sight: at its right, or where there is no room at its left.
  const right = at.left + (left + width) * zoom + 4, middle = at.top + (top + height / 2) * zoom;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 4;
  const x = right <= room ? right : Math.max(4, at.left + left * zoom - 4 - tip.offsetWidth);
  Object.assign(tip.style, { left: `${Math.min(x, Math.max(room, 4))}px`, top: `${Math.max(4, middle - tip.offsetHeight / 2)}px` });
}

// As a popover it lies over everything, and is cut off by nothing; a browser without them shows it in its place.
function open(tip, isOpen) {
  if (tip.classList.contains("open") === isOpen) return;
  tip.classList.toggle("open", isOpen);
  isOpen ? tip.showPopover?.() : tip.hidePopover?.();
}

// The one element that has the focus lies over the cell it stands on and is labelled with what the cell tells.
function hold(picture) {
  const { maps, at, element } = picture, isFocused = document.activeElement === picture.holder;
  const map = isFocused && maps.find((one) => one.xaxis === at.map.xaxis);
  picture.at = map ? { map, row: Math.min(at.row, map.rows - 1), column: Math.min(at.column, map.columns - 1) } : first(picture);
  if (!picture.at) return picture.holder?.remove();
  if (!picture.holder?.isConnected) element.append((picture.holder = make("div", "at")));
  lay(picture, picture.holder);
  if (isFocused && picture.tip.classList.contains("open")) tell(picture, picture.at);
}

function lay(picture, holder) {
  const pixels = Object.entries(box(picture, picture.at)).map(([name, value]) => [name, `${value}px`]);
  Object.assign(holder.style, Object.fromEntries(pixels));
  holder.tabIndex = 0;
  holder.setAttribute("role", picture.options.ask ? "button" : "img");
  holder.setAttribute("aria-label", told(picture, picture.at).join(", ") || picture.options.label || "");
}

// Where the focus enters: the cell that is outlined, else the first; nowhere in a picture whose maps tell nothing.
function first({ maps, layout, options }) {
  const map = maps.find((one) => one.hovertemplate || (options.ask && one.name));
  if (!map) return null;
  const marked = layout.shapes.findLast((shape) => shape.type === "rect" && shape.x1 - shape.x0 === 1 && shape.y1 - shape.y0 === 1);
  const [row, column] = marked ? [marked.y0 + 0.5, marked.x0 + 0.5] : [0, 0];
  return row >= 0 && row < map.rows && column >= 0 && column < map.columns ? { map, row, column } : { map, row: 0, column: 0 };
}

// A new element for each step: a label that changes is not read aloud, an element that gets the focus is.
function walk(picture, [down, across]) {
  const { map, row, column } = picture.at;
  const [r, c] = [row + down, column + across];
  const stays = !isWhole(map) && r >= 0 && r < map.rows && c >= 0 && c < map.columns;
  const next = stays ? { map, row: r, column: c } : beyond(picture, [down, across]);
  if (!next) return;
  const holder = make("div", "at"), before = picture.holder;
  picture.at = next;
  picture.holder = holder;
  lay(picture, holder);
  before.after(holder);
  holder.focus();
  before.remove();
}

// The nearest map in that direction, entered at the side one comes from.
function beyond(picture, [down, across]) {
  const here = box(picture, picture.at);
  const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2];
  const [x, y] = middle(here);
  let best = null, least = Infinity;
  for (const map of picture.maps) {
    if (map === picture.at.map || !(map.hovertemplate || map.name)) continue;
    const place = (row, column) => ({ map, row, column });
    const row = down > 0 ? 0 : down < 0 ? map.rows - 1 : Math.min(picture.at.row, map.rows - 1);
    const column = across > 0 ? 0 : across < 0 ? map.columns - 1 : Math.min(picture.at.column, map.columns - 1);
    const [mx, my] = middle(box(picture, place(row, column)));
    const ahead = (mx - x) * across + (my - y) * down, aside = Math.abs((mx - x) * down) + Math.abs((my - y) * across);
    const far = ahead + 2 * aside;
    if (ahead > 1 && aside <= ahead && far < least) [best, least] = [place(row, column), far];
  }
  return best;
}

// --- saving ---------------------------------------------------------------------------------------------------------

function savers(picture) {
  const bar = make("div", "save");
  for (const kind of ["png", "svg"]) {
    const button = make("button", "", kind.toUpperCase());
    button.type = "button";
    button.name = kind;
    button.onclick = () => save(picture, kind);
    bar.append(button);
  }
  picture.savers = bar;
  return bar;
}

// The buttons say what they do in the reader's language; without words there are none.
function name(bar, words) {
  bar.hidden = !words;
  for (const button of bar.children) if (words) button.ariaLabel = button.title = words[button.name];
}

async function save(picture, kind) {
  const text = asSvg(picture);
  const blob = kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await asPng(picture, text);
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${picture.options.file ?? "picture"}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function asSvg({ svg, canvas, width, layout, element }) {
  const copy = svg.cloneNode(true);
  copy.removeAttribute("class");
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("viewBox", `0 0 ${width} ${layout.height}`);
  if (!canvas.hidden) {
    const cells = node("image");
    set(cells, { href: canvas.toDataURL(), width, height: layout.height });
    copy.prepend(cells);
  }
  const ground = node("rect");
  set(ground, { width: "100%", height: "100%", fill: getComputedStyle(element).getPropertyValue("--surface") || "#fff" });
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

async function asPng({ width, layout }, text) {
  const picture = new Image(), canvas = make("canvas");
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  [canvas.width, canvas.height] = [2 * width, 2 * layout.height];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function make(tag, style, text) {
  const element = document.createElement(tag);
  if (style) element.className = style;
  if (text !== undefined) element.textContent = text;
  return element;
}

function node(tag) {
  return document.createElementNS(SVG, tag);
}
