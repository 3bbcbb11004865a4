// Draws what the page's data block holds. Every string in it comes from a repository: it is only ever set as text, never as HTML.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const TIERS = ["proved", "likely", "possible"];
  const WIDE = 208, HIGH = 42, ACROSS = 96, DOWN = 14, PER_COLUMN = 9, STEP = 60;

  function make(name, attributes = {}, ...children) {
    const made = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== "") made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  // "calls `price`: missing argument" -> text with names as code
  function sentence(text) {
    return text.split("`").map((piece, at) => (at % 2 ? make("code", {}, piece) : piece));
  }

  function place(path, line, url) {
    const text = `${path}:${line}`;
    return url ? make("a", { href: url, target: "_blank", rel: "noopener noreferrer", class: "code" }, text) : make("span", { class: "code" }, text);
  }

  const shorten = (text, most) => (text.length <= most ? text : `${text.slice(0, Math.floor(most / 2) - 1)}…${text.slice(-Math.ceil(most / 2))}`);

  // ---- theme

  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // ---- tables

  const parts = [...document.querySelectorAll("section.part")];
  const tabs = [...document.querySelectorAll("[data-tab]")];
  function show(name) {
    for (const part of parts) part.hidden = part.id !== name;
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.tab === name));
  }
  for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.tab));
  if (tabs.length) show(tabs[0].dataset.tab);
  const sift = byId("sift");
  if (sift) sift.addEventListener("input", () => {
    const wanted = sift.value.trim().toLowerCase();
    for (const row of document.querySelectorAll("section.part tbody tr, section.part li")) {
      row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
    }
  });

  // ---- the graph

  const canvas = byId("canvas");
  if (!canvas || !data.nodes.length) return;
  const svg = canvas.querySelector("svg");
  const world = svg.querySelector(".world");
  const panel = byId("panel");
  const search = byId("search");
  const boxes = TIERS.map((tier) => byId(`tier-${tier}`));
  const moreButton = byId("more");
  let limit = data.shown, chosen = -1, view = { x: 0, y: 0, scale: 1 }, drawn = { nodes: new Map(), edges: [] };

  const users = data.nodes.map(() => []); // edges into a node
  const uses = data.nodes.map(() => []);  // edges out of it
  data.edges.forEach((edge, at) => { users[edge.to].push(at); uses[edge.from].push(at); });

  // What breaks comes first, then what is at risk; within these, as in the data.
  const order = ["break", "risk", ""].flatMap((state) => data.nodes.flatMap((node, at) => (node.kind === "reached" && node.state === state ? [at] : [])));

  // Which nodes are there: tiers that are switched on, the first `limit`, and whatever their paths need.
  function visible() {
    const allowed = boxes.map((box) => box.checked);
    const edgeAllowed = (edge) => allowed[edge.tier];
    const wanted = new Set();
    let count = 0, possible = 0;
    order.forEach((at) => {
      const node = data.nodes[at];
      if (!node.path_edges.every((edge) => edgeAllowed(data.edges[edge]))) return;
      possible += 1;
      if (count >= limit) return;
      count += 1;
      wanted.add(at);
      for (const edge of node.path_edges) { wanted.add(data.edges[edge].from); wanted.add(data.edges[edge].to); }
    });
    if (!wanted.size) data.nodes.forEach((node, at) => { if (node.kind === "changed") wanted.add(at); });
    const edges = data.edges.filter((edge) => edge.from !== edge.to && wanted.has(edge.from) && wanted.has(edge.to) && edgeAllowed(edge));
    return { nodes: [...wanted].sort((a, b) => a - b), edges, left: possible - count };
  }

  // Columns by steps from the change; rows by the mean row of what a node uses, so that few lines cross.
  function layout(found) {
    const steps = new Map();
    for (const at of found.nodes) {
      const step = data.nodes[at].steps;
      if (!steps.has(step)) steps.set(step, []);
      steps.get(step).push(at);
    }
    const row = new Map();
    const columns = [...steps.keys()].sort((a, b) => a - b);
    for (const step of columns) steps.get(step).forEach((at, y) => row.set(at, y / Math.max(steps.get(step).length - 1, 1)));
    const linked = new Map(found.nodes.map((at) => [at, { ahead: [], behind: [] }]));
    for (const edge of found.edges) { linked.get(edge.from).ahead.push(edge.to); linked.get(edge.to).behind.push(edge.from); }
    for (let pass = 0; pass < 8; pass += 1) {
      const order = pass % 2 ? [...columns].reverse() : columns;
      for (const step of order) {
        const nodes = steps.get(step);
        const pull = new Map(nodes.map((at) => {
          const near = pass % 2 ? linked.get(at).behind : linked.get(at).ahead;
          return [at, near.length ? near.reduce((sum, other) => sum + row.get(other), 0) / near.length : row.get(at)];
        }));
        nodes.sort((a, b) => pull.get(a) - pull.get(b) || a - b);
        nodes.forEach((at, y) => row.set(at, y / Math.max(nodes.length - 1, 1)));
      }
    }
    const spots = new Map(), titles = [];
    let x = 0;
    const perColumn = Math.max(PER_COLUMN, Math.ceil(Math.sqrt(found.nodes.length * 3)));
    for (const step of columns) {
      const nodes = steps.get(step);
      const across = Math.ceil(nodes.length / perColumn), down = Math.ceil(nodes.length / across);
      const width = across * WIDE + (across - 1) * 18;
      titles.push({ x: x + width / 2, text: step === 0 ? "changed here" : step === 1 ? "uses it" : `${step} steps away`, down });
      nodes.forEach((at, number) => {
        const column = Math.floor(number / down), inColumn = Math.min(down, nodes.length - column * down);
        spots.set(at, { x: x + column * (WIDE + 18), y: ((number % down) - (inColumn - 1) / 2) * (HIGH + DOWN) - HIGH / 2 });
      });
      x += width + ACROSS;
    }
    // A column of its own moves to the height of what it uses, as far as its neighbours let it.
    for (const step of columns) {
      const nodes = steps.get(step);
      if (step === 0 || nodes.length > perColumn) continue;
      const wish = nodes.map((at) => {
        const near = linked.get(at).ahead.filter((other) => data.nodes[other].steps < step);
        return near.length ? near.reduce((sum, other) => sum + spots.get(other).y, 0) / near.length : spots.get(at).y;
      });
      const middle = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const put = [];
      wish.forEach((y, number) => put.push(number ? Math.max(y, put[number - 1] + HIGH + DOWN) : y));
      const shift = middle(wish) - middle(put);
      nodes.forEach((at, number) => { spots.get(at).y = put[number] + shift; });
    }
    return { spots, titles };
  }

  function draw(keepView) {
    const found = visible();
    const { spots, titles } = layout(found);
    world.replaceChildren();
    drawn = { nodes: new Map(), edges: [] };
    const lines = make("svg:g"), blocks = make("svg:g");
    for (const edge of found.edges) {
      const from = spots.get(edge.from), to = spots.get(edge.to);
      const x1 = from.x, y1 = from.y + HIGH / 2, x2 = to.x + WIDE, y2 = to.y + HIGH / 2;
      const bend = x1 > x2 ? Math.max((x1 - x2) / 2, 24) : 60;
      const kind = `${TIERS[edge.tier]}${edge.breaks ? " break" : ""}`;
      const line = make("svg:path", {
        class: `edge ${kind}`, d: `M${x1},${y1} C${x1 - bend},${y1} ${x2 + bend},${y2} ${x2 + 7},${y2}`,
      }, make("svg:title", {}, `${data.nodes[edge.from].name} ${edge.use} ${data.nodes[edge.to].name} (${edge.path}:${edge.line}, ${TIERS[edge.tier]})`));
      const arrow = make("svg:path", { class: `arrow${edge.breaks ? " break" : ""}`, d: `M${x2 + 1},${y2} l7,-3.5 v7 z` });
      lines.append(line, arrow);
      drawn.edges.push({ edge, line, arrow });
    }
    for (const at of found.nodes) {
      const node = data.nodes[at], spot = spots.get(at);
      const block = make("svg:g", {
        class: `node ${node.kind === "changed" ? "changed" : node.state}`, transform: `translate(${spot.x},${spot.y})`, tabindex: "0", role: "button",
        "data-node": at, "aria-label": `${node.name} in ${node.path}`,
      },
      make("svg:title", {}, `${node.name}\n${node.path}:${node.line}`),
      make("svg:rect", { width: WIDE, height: HIGH, rx: 8 }),
      make("svg:text", { class: "name", x: 12, y: 18 }, shorten(node.name, 25)),
      make("svg:text", { class: "place", x: 12, y: 33 }, shorten(`${node.path}:${node.line}`, 30)));
      block.addEventListener("click", () => { if (!dragged) choose(at, false); });
      block.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(at, false); }
      });
      blocks.append(block);
      drawn.nodes.set(at, { block, spot });
    }
    const top = Math.min(...[...spots.values()].map((spot) => spot.y));
    world.append(lines, blocks, ...titles.map((title) => make("svg:text", { class: "column", x: title.x, y: top - 16 }, title.text)));
    moreButton.hidden = found.left <= 0;
    moreButton.textContent = `Show ${Math.min(found.left, STEP)} more of ${found.left}`;
    if (!keepView) fit();
    light();
  }

  function fit() {
    const box = world.getBBox(), room = canvas.getBoundingClientRect();
    if (!box.width || !room.width) return;
    const scale = Math.min((room.width - 48) / box.width, (room.height - 72) / box.height, 1.25);
    view = { scale, x: (room.width - box.width * scale) / 2 - box.x * scale, y: (room.height - box.height * scale) / 2 - box.y * scale };
    move();
  }

  function move() {
    world.setAttribute("transform", `translate(${view.x.toFixed(2)},${view.y.toFixed(2)}) scale(${view.scale.toFixed(4)})`);
  }

  function zoom(factor, x, y) {
    const scale = Math.min(Math.max(view.scale * factor, 0.08), 4);
    view = { scale, x: x - (x - view.x) * (scale / view.scale), y: y - (y - view.y) * (scale / view.scale) };
    move();
  }

  const middle = () => { const room = canvas.getBoundingClientRect(); return [room.width / 2, room.height / 2]; };

  // What is dimmed: all that neither the search nor the chosen node's path is about.
  function light() {
    const wanted = search.value.trim().toLowerCase();
    const path = new Set(), onPath = new Set();
    if (chosen >= 0) {
      onPath.add(chosen);
      const follow = data.nodes[chosen].kind === "changed" ? users[chosen] : data.nodes[chosen].path_edges;
      for (const at of follow) { path.add(data.edges[at]); onPath.add(data.edges[at].from); onPath.add(data.edges[at].to); }
    }
    for (const [at, { block }] of drawn.nodes) {
      const node = data.nodes[at];
      const missed = wanted !== "" && !`${node.name} ${node.path}`.toLowerCase().includes(wanted);
      block.classList.toggle("dimmed", missed || (chosen >= 0 && !onPath.has(at)));
      block.classList.toggle("chosen", at === chosen);
      block.setAttribute("aria-pressed", String(at === chosen));
    }
    for (const { edge, line, arrow } of drawn.edges) {
      const lit = path.has(edge);
      line.classList.toggle("lit", lit);
      arrow.classList.toggle("lit", lit);
      for (const part of [line, arrow]) part.classList.toggle("dimmed", chosen >= 0 && !lit);
    }
  }

  function choose(at, centre) {
    chosen = at === chosen && !centre ? -1 : at;
    if (chosen >= 0 && !drawn.nodes.has(chosen)) { limit = Math.max(limit, data.nodes.length); for (const box of boxes) box.checked = true; draw(true); }
    if (centre && drawn.nodes.has(chosen)) {
      const { spot } = drawn.nodes.get(chosen), [x, y] = middle();
      view.scale = Math.max(view.scale, 0.7);
      view.x = x - (spot.x + WIDE / 2) * view.scale;
      view.y = y - (spot.y + HIGH / 2) * view.scale;
      move();
      canvas.scrollIntoView({ block: "nearest" });
    }
    light();
    tell();
  }

  const button = (at) => {
    const made = make("button", { class: "link", type: "button", "data-goes": at }, data.nodes[at].name);
    made.addEventListener("click", () => choose(at, true));
    return made;
  };

  const hop = (edge) => make("li", {}, button(edge.from), " ", edge.use, " ", button(edge.to),
    make("span", { class: "line" }, place(edge.path, edge.line, edge.url), ` · ${TIERS[edge.tier]}`));

  function tell() {
    if (chosen < 0) {
      panel.replaceChildren(make("p", { class: "hint" }, "Choose a node to see why it is impacted: the path of uses that leads from it to the change, with the line of each."));
      return;
    }
    const node = data.nodes[chosen];
    const tag = node.kind === "changed" ? ["changed", "changed here"] : node.state === "break" ? ["break", "will break"] : node.state === "risk" ? ["risk", "at risk"] : ["", "reached"];
    const out = [
      make("h2", {}, node.name),
      make("p", {}, place(node.path, node.line, node.url)),
      make("p", {}, make("span", { class: `tag ${tag[0]}` }, tag[1]), " ", node.kind === "changed" ? null : make("span", { class: "tag" }, `${TIERS[node.tier]}, ${node.steps} ${node.steps === 1 ? "step" : "steps"}`)),
    ];
    if (node.says.length) out.push(make("h3", {}, node.kind === "changed" ? "What changed" : "What becomes of it"));
    for (const one of node.says) {
      out.push(make("p", {}, ...sentence(one.text), one.line ? make("span", { class: "line" }, place(one.path, one.line, one.url)) : null,
        one.source ? make("span", { class: "source" }, one.source) : null));
    }
    if (node.path_edges.length) out.push(make("h3", {}, "Why it is impacted"), make("ol", {}, ...node.path_edges.map((at) => hop(data.edges[at]))));
    const known = users[chosen].slice(0, 30);
    if (known.length) out.push(make("h3", {}, `Used by (${users[chosen].length})`), make("ul", {}, ...known.map((at) => hop(data.edges[at]))));
    panel.replaceChildren(...out);
    panel.scrollTop = 0;
  }

  // ---- hands on it

  let dragged = false, held = null;
  svg.addEventListener("pointerdown", (event) => { held = { x: event.clientX, y: event.clientY }; dragged = false; });
  svg.addEventListener("pointermove", (event) => {
    if (!held || !(event.buttons & 1)) return;
    const x = event.clientX - held.x, y = event.clientY - held.y;
    if (!dragged && Math.hypot(x, y) < 4) return;
    if (!dragged) svg.setPointerCapture(event.pointerId);
    dragged = true;
    svg.classList.add("moving");
    view.x += x; view.y += y;
    held = { x: event.clientX, y: event.clientY };
    move();
  });
  svg.addEventListener("pointerup", () => { held = null; svg.classList.remove("moving"); });
  svg.addEventListener("click", (event) => { if (!dragged && !event.target.closest(".node") && chosen >= 0) choose(chosen, false); });
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const room = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX - room.left, event.clientY - room.top);
  }, { passive: false });
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (by) { view.x += by[0]; view.y += by[1]; move(); }
    else if (event.key === "+" || event.key === "=") zoom(1.25, ...middle());
    else if (event.key === "-") zoom(0.8, ...middle());
    else if (event.key === "0") fit();
    else if (event.key === "Escape" && chosen >= 0) choose(chosen, false);
    else return;
    event.preventDefault();
  });
  byId("closer").addEventListener("click", () => zoom(1.25, ...middle()));
  byId("further").addEventListener("click", () => zoom(0.8, ...middle()));
  byId("fit").addEventListener("click", fit);
  moreButton.addEventListener("click", () => { limit += STEP; draw(false); });
  search.addEventListener("input", light);
  for (const box of boxes) box.addEventListener("change", () => draw(false));
  for (const row of document.querySelectorAll("tr[data-node]")) {
    row.addEventListener("click", (event) => { if (!event.target.closest("a")) choose(Number(row.dataset.node), true); });
  }
  addEventListener("resize", fit);

  draw(false);
  tell();
})();
