// Lines: queries at the left, keys at the right, a line for each weight: width and opacity = weight,
// colour and dash = head. Hover or focus a token to see its weights in numbers; no server is asked.
const NS = "http://www.w3.org/2000/svg";
const off = new Set(); // heads switched off, kept over reruns of this page

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".lines");
  const active = root.getRootNode().activeElement?.dataset?.token;
  const weights = decode(data.weights);
  const at = (h, i, j) => weights[(h * data.n + i) * data.m + j];
  let pointed = null; // {side, index}
  const left = side("left", data.queries, data.words.looks);
  const right = side("right", data.keys, data.words.looked);
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("class", "links");
  svg.setAttribute("height", data.height + 26);
  svg.setAttribute("viewBox", `0 0 100 ${data.height + 26}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const stage = make("div", "stage");
  stage.append(left, svg, right);
  root.replaceChildren(heads(), stage);
  draw();
  if (active) root.querySelector(`[data-token="${active}"]`)?.focus();

  function heads() {
    const box = make("div", "heads");
    data.heads.forEach((head, h) => {
      const button = make("button", "", head.name);
      button.prepend(sample(head));
      button.setAttribute("aria-pressed", String(!off.has(h)));
      button.onclick = () => {
        off.has(h) ? off.delete(h) : off.add(h);
        button.setAttribute("aria-pressed", String(!off.has(h)));
        draw();
      };
      box.append(button);
    });
    return box;
  }

  function side(where, names, title) {
    const box = make("div", `side ${where}`);
    box.append(make("div", "name", title));
    names.forEach((name, i) => {
      const token = make("div", "token", "");
      token.append(make("span", "t", name));
      token.title = name;
      token.dataset.token = `${where}-${i}`;
      token.tabIndex = 0;
      token.setAttribute("role", "button");
      token.style.height = token.style.lineHeight = `${data.height / names.length}px`;
      const enter = () => { pointed = { where, i }; draw(); };
      const leave = () => { pointed = null; draw(); };
      token.onmouseenter = token.onfocus = enter;
      token.onmouseleave = token.onblur = leave;
      const pick = () => setTriggerValue(where === "left" ? "query" : "key", i);
      token.onclick = pick;
      token.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(); } };
      box.append(token);
    });
    return box;
  }

  function draw() {
    const at_ = pointed ?? { where: "left", i: data.query };
    svg.replaceChildren();
    const shown = data.heads.map((_, h) => h).filter((h) => !off.has(h));
    for (const h of shown)
      for (let i = 0; i < data.n; i++)
        for (let j = 0; j < data.m; j++) {
          const w = at(h, i, j);
          const mine = at_.where === "left" ? i === at_.i : j === at_.i;
          if (!(w >= 0.02) || (pointed && !mine)) continue; // hidden ones are NaN
          svg.append(line(h, i, j, w, mine));
        }
    number(left, data.n, "left", at_, shown);
    number(right, data.m, "right", at_, shown);
  }

  function line(h, i, j, w, mine) {
    const y0 = 26 + ((i + 0.5) * data.height) / data.n, y1 = 26 + ((j + 0.5) * data.height) / data.m;
    const path = document.createElementNS(NS, "path");
    path.setAttribute("d", `M0 ${y0} C 40 ${y0}, 60 ${y1}, 100 ${y1}`);
    path.setAttribute("stroke", data.heads[h].colour);
    path.setAttribute("stroke-width", 0.5 + 5 * w);
    path.setAttribute("stroke-dasharray", data.heads[h].dash);
    path.setAttribute("stroke-opacity", Math.min(1, mine ? 0.35 + 0.65 * w : 0.08 + 0.4 * w));
    path.setAttribute("vector-effect", "non-scaling-stroke");
    return path;
  }

  function number(box, count, where, at_, shown) {
    box.querySelectorAll(".token").forEach((token, index) => {
      token.querySelector(".w")?.remove();
      token.classList.toggle("on", where === at_.where && index === at_.i);
      let spoken = "";
      if (where !== at_.where && shown.length <= 4) {
        const values = shown.map((h) => written(where === "right" ? at(h, at_.i, index) : at(h, index, at_.i)));
        spoken = values.join(" ");
        const w = make("span", "w", spoken);
        where === "right" ? token.append(w) : token.prepend(w);
      }
      token.setAttribute("aria-label", `${token.title} ${spoken}`);
    });
  }
}

function written(w) {
  return Number.isNaN(w) ? "∕" : w.toFixed(2);
}

function make(tag, style, text) {
  const element = document.createElement(tag);
  if (style) element.className = style;
  if (text !== undefined) element.textContent = text;
  return element;
}

function sample(head) {
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 22 8");
  const path = document.createElementNS(NS, "path");
  path.setAttribute("d", "M0 4 H22");
  path.setAttribute("stroke", head.colour);
  path.setAttribute("stroke-width", "3");
  path.setAttribute("stroke-dasharray", head.dash);
  svg.append(path);
  return svg;
}

function decode(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}
