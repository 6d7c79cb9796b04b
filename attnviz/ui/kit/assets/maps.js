// A picture of matrices: heat maps with their numbers, hatches, outlines, labels and notes, in the words of Plotly that
// attnviz/figures/vocabulary.py lists. draw(element, figure, options) draws it into an element, and again into the same
// one as often as something changed: what is there is changed in place, so nothing flickers and focus and scroll stay.
//
// options: label (what the picture is called), ask(row, column, axes) (a cell was chosen; axes counts the subplots from
// 0), file and words {png, svg} (to save it), each of which may be missing. Text is only ever set as text.
const SVG = "http://www.w3.org/2000/svg";
const FONT = "Inter, 'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', sans-serif";
const MOST_RECTS = 2000; // cells; more are painted on a canvas, for a style each would take longer than the picture
const MOST_GLIDING = 600; // cells whose colours glide to the next ones
const PAD = 2; // pixels round a note
const ARRAYS = { f4: Float32Array, f8: Float64Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, i8: BigInt64Array };
const SHADES = 1024; // of a colour scale: finer than colours are
const pictures = new WeakMap(), scales = new Map();

function draw(element, figure, options = {}) {
  const picture = pictures.get(element) ?? begin(element);
  const traces = figure.data.map(read);
  Object.assign(picture, { layout: figure.layout, options, traces, maps: traces.filter((trace) => trace.type === "heatmap") });
  element.figure = figure; // for whoever looks at the page from outside
  element.style.height = `${figure.layout.height}px`;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", options.label ?? "");
  name(picture.savers, options.words);
  paint(picture);
}

function begin(element) {
  const picture = { element, canvas: make("canvas"), svg: node("svg"), tip: make("div", "tip"), at: null, holder: null };
  picture.svg.setAttribute("font-family", FONT);
  picture.svg.style.fontVariantNumeric = "tabular-nums";
  picture.groups = Object.fromEntries(
    ["images", "cells", "hatches", "numbers", "shapes", "ticks", "notes"].map((name) => {
      const group = node("g");
      group.setAttribute("class", name);
      picture.svg.append(group);
      return [name, group];
    }),
  );
  picture.tip.setAttribute("popover", "manual");
  picture.tip.setAttribute("aria-hidden", "true"); // the same words are the label of the cell
  element.append(picture.canvas, picture.svg, picture.tip, savers(picture));
  pictures.set(element, picture);
  listen(picture);
  new ResizeObserver(() => element.clientWidth !== picture.width && picture.layout && paint(picture)).observe(element);
  return picture;
}

// --- reading --------------------------------------------------------------------------------------------------------

function read(trace) {
  const read = { ...trace, xaxis: trace.xaxis ?? "x", yaxis: trace.yaxis ?? "y" };
  if (trace.type !== "heatmap") return { ...read, x: array(trace.x), y: array(trace.y) };
  const [rows, columns] = trace.z.shape.split(",").map(Number);
  return { ...read, z: array(trace.z), rows, columns, subplot: null };
}

function array(value) {
  if (!value?.bdata) return value ?? [];
  const bytes = Uint8Array.from(atob(value.bdata), (letter) => letter.charCodeAt(0));
  return new ARRAYS[value.dtype](bytes.buffer);
}

// Where axes lie, in pixels: at(value) is a place, [from, to] the domain (a y axis from bottom to top).
function places(layout, width) {
  const { l, r, t, b } = layout.margin;
  const inner = { x: l, y: t, wide: Math.max(width - l - r, 1), high: layout.height - t - b };
  const axes = { inner };
  for (const [name, axis] of Object.entries(layout)) {
    if (!/^[xy]axis\d*$/.test(name)) continue;
    const [low, high] = axis.domain;
    const ends = name[0] === "x"
      ? [inner.x + low * inner.wide, inner.x + high * inner.wide]
      : [inner.y + (1 - low) * inner.high, inner.y + (1 - high) * inner.high];
    axes[name.replace("axis", "")] = { ...axis, ends };
  }
  for (const axis of Object.values(axes)) if (axis.scaleanchor) square(axis, axes[axis.scaleanchor]);
  for (const axis of Object.values(axes)) {
    if (!axis.range) continue;
    const [first, last] = axis.range, [from, to] = axis.ends;
    axis.unit = (to - from) / (last - first);
    axis.at = (value) => from + (value - first) * axis.unit;
  }
  return axes;
}

// A unit of one axis as long as one of the other: the longer one is cut short, at the side it is not drawn towards.
function square(x, y) {
  const [wide, high] = [x, y].map(({ ends, range }) => Math.abs(ends[1] - ends[0]) / Math.abs(range[1] - range[0]));
  const unit = Math.min(wide, high);
  const [left, right] = x.ends, [bottom, top] = y.ends;
  const across = unit * Math.abs(x.range[1] - x.range[0]), down = unit * Math.abs(y.range[1] - y.range[0]);
  const start = x.constraintoward === "left" ? left : (left + right - across) / 2;
  const head = y.constraintoward === "top" ? top : (top + bottom - down) / 2;
  x.ends = [start, start + across];
  y.ends = [head + down, head];
}

// --- painting -------------------------------------------------------------------------------------------------------

function paint(picture) {
  const { element, layout, svg, groups, traces, maps } = picture;
  picture.width = element.clientWidth;
  const axes = (picture.axes = places(layout, picture.width));
  set(svg, { width: picture.width, height: layout.height });
  const of = (type) => traces.filter((trace) => trace.type === type || trace.mode === type);
  fill(groups.images, "image", of("image").map((trace) => image(trace, axes)));
  const count = maps.reduce((sum, map) => sum + map.z.length, 0);
  const isDense = count > MOST_RECTS && !groups.images.childElementCount;
  picture.canvas.hidden = !isDense;
  if (isDense) onCanvas(picture, axes);
  else glide(picture, count);
  fill(groups.cells, "g", isDense ? [] : maps.map((map) => ({ opacity: map.opacity ?? 1, "data-map": map.xaxis })));
  if (!isDense) maps.forEach((map, k) => fill(groups.cells.children[k], "rect", map.opacity === 0 ? [] : rects(map, axes)));
  fill(groups.hatches, "path", of("markers").map((trace) => strokes(trace, axes)));
  fill(groups.numbers, "text", of("text").flatMap((trace) => numbers(trace, axes)));
  fill(groups.shapes, "path", layout.shapes.map((shape) => outline(shape, axes)).filter(Boolean));
  fill(groups.ticks, "text", Object.values(axes).flatMap((axis) => ticks(axis, axes, layout)));
  fill(groups.notes, "text", layout.annotations.map((note) => noted(note, axes, layout)));
  hold(picture);
}

// The colour scale as SHADES + 1 colours (red, green, blue), worked out once for each scale.
function scale(colorscale) {
  const key = JSON.stringify(colorscale);
  if (!scales.has(key)) {
    const stops = colorscale.map(([place, colour]) => [place, [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16))]);
    const shades = Array.from({ length: SHADES + 1 }, (_, shade) => {
      const share = shade / SHADES, k = Math.max(stops.findIndex(([place]) => place >= share), 1);
      const [[low, from], [high, to]] = [stops[k - 1], stops[k]];
      return from.map((channel, c) => Math.round(channel + ((share - low) / (high - low)) * (to[c] - channel)));
    });
    scales.set(key, shades);
  }
  return scales.get(key);
}

// The shade of each cell; -1 where it is hidden.
function shades({ zmin, zmax, z }) {
  return Int16Array.from(z, (value) =>
    Number.isNaN(value) ? -1 : Math.round(Math.min(Math.max((value - zmin) / (zmax - zmin), 0), 1) * SHADES));
}

function rects(map, axes) {
  const [x, y] = [axes[map.xaxis], axes[map.yaxis]];
  const [left, top] = [edges(x, map.columns, map.xgap ?? 0), edges(y, map.rows, map.ygap ?? 0)];
  const colours = scale(map.colorscale);
  return Array.from(shades(map), (shade, cell) => {
    const [x, width] = left[cell % map.columns], [y, height] = top[Math.floor(cell / map.columns)];
    return { x, y, width, height, fill: shade < 0 ? "none" : `rgb(${colours[shade].join(",")})` };
  });
}

// Where each cell along an axis begins, and how long it is, in whole pixels where there is room for a gap.
function edges(axis, count, gap) {
  return Array.from({ length: count }, (_, k) => {
    const [from, to] = [axis.at(k - 0.5), axis.at(k + 0.5)].map(Math.round);
    return [from + Math.floor(gap / 2), Math.max(to - from - gap, 0.5)];
  });
}

function onCanvas({ canvas, layout, maps, width }, axes) {
  const ratio = globalThis.devicePixelRatio || 1;
  [canvas.width, canvas.height] = [width * ratio, layout.height * ratio];
  Object.assign(canvas.style, { width: `${width}px`, height: `${layout.height}px` });
  const brush = canvas.getContext("2d");
  brush.scale(ratio, ratio);
  brush.imageSmoothingEnabled = false;
  for (const map of maps) {
    const [x, y] = [axes[map.xaxis], axes[map.yaxis]], [left, top] = [Math.round(x.ends[0]), Math.round(y.ends[1])];
    const [wide, high] = [Math.round(x.ends[1]) - left, Math.round(y.ends[0]) - top];
    brush.globalAlpha = map.opacity ?? 1;
    brush.drawImage(onePixelACell(map), left, top, wide, high);
    if (map.xgap) for (const [from, long] of edges(x, map.columns, map.xgap)) brush.clearRect(from + long, top, map.xgap, high);
    if (map.ygap) for (const [from, long] of edges(y, map.rows, map.ygap)) brush.clearRect(left, from + long, wide, map.ygap);
  }
}

function onePixelACell(map) {
  const small = make("canvas"), colours = scale(map.colorscale);
  [small.width, small.height] = [map.columns, map.rows];
  const brush = small.getContext("2d"), pixels = brush.createImageData(map.columns, map.rows);
  shades(map).forEach((shade, cell) => shade >= 0 && pixels.data.set([...colours[shade], 255], 4 * cell));
  brush.putImageData(pixels, 0, 0);
  return small;
}

// Colours glide where the same cells have other values: not at first, not where the reader wants no motion.
function glide(picture, count) {
  const shape = JSON.stringify([picture.width, picture.maps.map((map) => [map.rows, map.columns, map.colorscale])]);
  picture.svg.classList.toggle("glides", shape === picture.shape && count <= MOST_GLIDING);
  picture.shape = shape;
}

function image(trace, axes) {
  const [x, y, [wide, high]] = [axes[trace.xaxis], axes[trace.yaxis], pixels(trace.source)];
  const { x0 = 0, y0 = 0, dx = 1, dy = 1 } = trace;
  const at = { x: x.at(x0 - dx / 2), y: y.at(y0 - dy / 2), width: wide * dx * x.unit, height: high * dy * y.unit };
  return { ...at, href: trace.source, preserveAspectRatio: "none", style: "image-rendering:pixelated" };
}

// The width and height of a PNG in a data URI: they stand in its first bytes.
function pixels(source) {
  const head = atob(source.split(",")[1].slice(0, 32));
  const at = (k) => [0, 1, 2, 3].reduce((sum, j) => sum * 256 + head.charCodeAt(k + j), 0);
  return [at(16), at(20)];
}

function strokes(trace, axes) {
  const { size, color, opacity } = trace.marker;
  const [x, y, half] = [axes[trace.xaxis], axes[trace.yaxis], size / 2];
  const lines = Array.from(trace.x, (column, k) => `M${x.at(column) + half} ${y.at(trace.y[k]) - half}l${-size} ${size}`);
  return { d: lines.join(""), stroke: color, "stroke-width": 1, opacity: opacity * (trace.opacity ?? 1), fill: "none" };
}

function numbers(trace, axes) {
  const [x, y, { size, color }] = [axes[trace.xaxis], axes[trace.yaxis], trace.textfont];
  return Array.from(trace.text, (text, k) => {
    const fill = Array.isArray(color) ? color[k] : color;
    const [left, base] = [x.at(trace.x[k]), y.at(trace.y[k]) + 0.31 * size];
    return { text, "font-size": size, fill, "text-anchor": "middle", transform: move(left, base) };
  });
}

// Pixels of a place on an axis ("x2"), on its domain ("x2 domain"), or on the whole picture ("paper").
function pixel(reference, letter, value, axes) {
  const { inner } = axes;
  if (reference === "paper") return letter === "x" ? inner.x + value * inner.wide : inner.y + (1 - value) * inner.high;
  const [name, domain] = reference.split(" ");
  const axis = axes[name];
  return domain ? axis.ends[0] + value * (axis.ends[1] - axis.ends[0]) : axis.at(value);
}

function outline(shape, axes) {
  const [x0, x1] = [shape.x0, shape.x1].map((x) => pixel(shape.xref, "x", x, axes));
  const hang = (y) => pixel(shape.yref, "y", shape.yanchor, axes) - y;
  const [y0, y1] = [shape.y0, shape.y1].map((y) => (shape.ysizemode === "pixel" ? hang(y) : pixel(shape.yref, "y", y, axes)));
  const box = axes[shape.xref], tall = axes[shape.yref];
  if (box && (x1 < box.ends[0] || x0 > box.ends[1])) return null; // a mark of what is not in the picture
  if (tall && (Math.max(y0, y1) < tall.ends[1] || Math.min(y0, y1) > tall.ends[0])) return null;
  const { color, width, dash } = shape.line, dot = Math.max(width, 3);
  return {
    d: shape.type === "line" ? `M${x0} ${y0}L${x1} ${y1}` : `M${x0} ${y0}H${x1}V${y1}H${x0}Z`,
    fill: "none",
    stroke: color,
    "stroke-width": width,
    ...(dash ? { "stroke-dasharray": `${dot} ${dot}` } : {}),
  };
}

function ticks(axis, axes, layout) {
  if (!axis.showticklabels) return [];
  const { size, color = layout.font.color } = axis.tickfont, stand = axis.ticklabelstandoff ?? 0;
  const isAbove = axis.side === "top", turned = axis.tickangle === -90;
  const other = axes[axis.anchor ?? (isAbove ? "y" : "x")];
  return axis.ticktext.map((text, k) => {
    const along = axis.at(axis.tickvals[k]);
    const font = { text, "font-size": size, fill: color };
    if (!isAbove) return { ...font, "text-anchor": "end", transform: move(other.ends[0] - stand - 1, along + 0.36 * size) };
    const above = other.ends[1] - stand - (turned ? 0 : 0.24 * size);
    if (!turned) return { ...font, "text-anchor": "middle", transform: move(along, above) };
    return { ...font, "text-anchor": "start", transform: `${move(along + 0.31 * size, above)} rotate(-90)` };
  });
}

function noted(note, axes, layout) {
  const { size = layout.font.size, color = layout.font.color } = note.font ?? {};
  const x = pixel(note.xref, "x", note.x, axes) + (note.xshift ?? 0);
  const y = pixel(note.yref, "y", note.y, axes) - (note.yshift ?? 0);
  const anchor = { left: "start", right: "end" }[note.xanchor] ?? "middle";
  const left = x + { start: PAD, middle: 0, end: -PAD }[anchor];
  const lines = note.text.split("<br>").length - 1;
  const base = { bottom: y - PAD - 0.26 * size - lines * 1.3 * size, top: y + PAD + 0.97 * size }[note.yanchor];
  return { text: note.text, "font-size": size, fill: color, "text-anchor": anchor, transform: move(left, base ?? y + 0.31 * size) };
}

// To a whole pixel in height, or the thin minus signs would blur.
const move = (x, y) => `translate(${Math.round(x * 100) / 100} ${Math.round(y)})`;

// The children of a group, one for each entry: kept from drawing to drawing, written to only where something changed.
function fill(group, tag, list) {
  while (group.childElementCount > list.length) group.lastElementChild.remove();
  list.forEach((wanted, k) => {
    const child = group.children[k] ?? group.appendChild(node(tag));
    set(child, wanted);
  });
}

function set(element, wanted) {
  const had = element.had ?? {};
  for (const name in had) if (!(name in wanted)) element.removeAttribute(name);
  for (const name in wanted) {
    if (had[name] === wanted[name]) continue;
    if (name === "text") element.replaceChildren(...spans(wanted.text));
    else element.setAttribute(name, wanted[name]);
  }
  element.had = wanted;
}
