// Text of a picture: the few tags and entities that our labels have, and what a cell tells.

const TOKENS = /<(\/?)(b|sup|sub|span)(?: style="([^"]*)")?>|(<br>)|<extra><\/extra>|&(amp|lt|gt);|[^<&]+|[<&]/g;
const ENTITIES = { amp: "&", lt: "<", gt: ">" };
const LOOKS = {
  b: () => ({ "font-weight": "bold" }),
  sup: () => ({ "font-size": "70%", dy: "-0.6em" }),
  sub: () => ({ "font-size": "70%", dy: "0.3em" }),
  span: (style) => ({ fill: /(?:^|;)color:([^;]+)/.exec(style)?.[1], "font-size": /font-size:([^;]+)/.exec(style)?.[1] }),
};

// The text as tspans; where a tag begins or ends, or a line.
function spans(text) {
  const found = [], open = [];
  let line = 0;
  for (const [token, closes, tag, style, isBreak, entity] of text.matchAll(TOKENS)) {
    if (isBreak) line += 1;
    else if (tag) closes ? open.pop() : open.push(LOOKS[tag](style ?? ""));
    else if (!token.startsWith("<extra>")) found.push({ text: ENTITIES[entity] ?? token, line, look: Object.assign({}, ...open) });
  }
  let last = 0, back = "";
  return found.map(({ text, line, look }) => {
    const span = node("tspan");
    if (line > last) { span.setAttribute("x", 0); span.setAttribute("dy", "1.3em"); }
    else if (back && !look.dy) span.setAttribute("dy", back);
    for (const name in look) if (look[name]) span.setAttribute(name, look[name]);
    back = look.dy ? `${-parseFloat(look.dy) * 0.7}em` : "";
    last = line;
    span.textContent = text;
    return span;
  });
}

function plain(text) {
  return Array.from(text.matchAll(TOKENS), ([token, , tag, , isBreak, entity]) =>
    tag || isBreak || token.startsWith("<extra>") ? "" : (ENTITIES[entity] ?? token)).join("");
}

// What a cell tells, line by line: the map's template, or that of the hatch where the cell is hidden.
function told({ traces, axes }, { map, row, column }) {
  const z = map.z[row * map.columns + column];
  const hidden = traces.find((trace) => trace.mode === "markers" && trace.xaxis === map.xaxis && trace.hovertemplate);
  const template = Number.isNaN(z) ? hidden?.hovertemplate : map.hovertemplate;
  if (!template) return map.hovertemplate || !map.name ? [] : [plain(map.name)];
  const words = {
    x: label(axes[map.xaxis], column),
    y: label(axes[map.yaxis], row),
    z: (places) => (places === undefined ? String(z) : written(z, Number(places))),
  };
  const full = template.replace(/%\{(?:([xy])|z(?::\.(\d)f)?)\}/g, (_, axis, places) => (axis ? words[axis] : words.z(places)));
  return full.split("<br>").map(plain);
}

function label(axis, place) {
  const k = axis.tickvals ? axis.tickvals.indexOf(place) : -1;
  return k < 0 ? String(place) : axis.ticktext[k];
}

// With a true minus sign, and none before what rounds to 0.
function written(value, places) {
  const text = value.toFixed(places);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
