"use strict";
// Makes a page react: tables sort and filter, figures read out, labels show one series alone, texts
// are searched. It only adds to what is there, and the page is whole without it. No request leaves.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const button = (label, act) => {
    const made = make("button", { type: "button", textContent: label });
    made.addEventListener("click", () => act(made));
    return made;
  };
  const plain = (text) => text.normalize("NFKC").toLowerCase();

  // What is said to those who do not see what has changed.
  const said = make("div", { className: "unseen" });
  said.setAttribute("role", "status");
  document.body.append(said);

  async function copy(made, text) {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch { // without permission, or not of a secure origin
      const area = make("textarea", { value: text, className: "unseen" });
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    const label = made.textContent;
    made.textContent = said.textContent = done ? "copied" : "the browser does not allow copying";
    setTimeout(() => (made.textContent = label), 1500);
  }

  // A spreadsheet takes a text that begins with one of these signs for a formula.
  const guarded = (text) => (/^[=+\-@\t\r]/.test(text) && isNaN(Number(text)) ? "'" + text : text);
  const csvCell = (value) => {
    const text = value === null || value === undefined ? "" : guarded(String(value));
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\n").join("");

  // ---- tables -------------------------------------------------------------------------------
  // Of a cell, without the button that copies it; the button in a head is its name.
  const ofCell = (node) => node.nodeName !== "BUTTON" || node.closest("thead");
  const words = (cell) => [...cell.childNodes].filter(ofCell)
    .map((node) => node.textContent).join("").replace(/\s+/g, " ").trim();

  // The number that a cell begins with: "1,234.5 [1, 2]", "<0.001", "62 %"; what is missing is last.
  // A day is a text: "2026-11-28".
  function order(text) {
    const found = /^[<>≤≥]?\s*([-−]?[\d,]*\.?\d+(?:e[-+]?\d+)?)(?![\w.]|-\d)/i.exec(text);
    if (found) return Number(found[1].replaceAll(",", "").replace("−", "-"));
    return text === "" || text.startsWith("–") || text === "unknown" ? null : text;
  }

  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  function sortTable(table, place, head) {
    const body = table.tBodies[0];
    table.first ??= [...body.rows];
    const next = { none: "ascending", ascending: "descending", descending: "none" };
    const turned = next[head.getAttribute("aria-sort") ?? "none"];
    for (const each of all("thead th", table)) each.removeAttribute("aria-sort");
    if (turned !== "none") head.setAttribute("aria-sort", turned);
    const sign = turned === "descending" ? -1 : 1;
    const keyed = table.first.map((row) => [order(words(row.cells[place])), row]);
    if (turned !== "none") keyed.sort((a, b) => compare(a[0], b[0], sign));
    body.append(...keyed.map(([, row]) => row));
    said.textContent = turned === "none" ? "in the original order" : `sorted: ${turned}`;
  }

  function readyTable(table) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length > 1) {
      all("thead th", table).forEach((head, place) => {
        const label = button("", () => sortTable(table, place, head));
        label.append(...head.childNodes);
        head.append(label);
      });
    }
    const figure = table.closest("figure");
    let tools = all(".files", figure)[0];
    if (!tools && rows.length < 12) return;
    // Above a table of many rows without files, and so without a row of links.
    if (!tools) figure.prepend((tools = make("p", { className: "files" })));
    tools.append(button("copy table", (made) => {
      const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden);
      const cells = [table.tHead.rows[0], ...shown].map((row) => [...row.cells].map(words));
      copy(made, cells.map((row) => row.map(guarded).join("\t") + "\n").join(""));
    }));
    if (rows.length < 12) return;
    const field = make("input", { type: "search", placeholder: "filter rows" });
    const name = words(table.caption);
    field.setAttribute("aria-label", `Filter the rows of: ${name}`);
    const count = make("span", { className: "count" });
    const texts = rows.map((row) => plain([...row.cells].map(words).join(" ")));
    field.addEventListener("input", () => {
      const wanted = plain(field.value).split(/\s+/).filter(Boolean);
      const kept = rows.filter((row, place) =>
        !(row.hidden = !wanted.every((word) => texts[place].includes(word))));
      count.textContent = wanted.length ? `${kept.length} of ${rows.length} rows` : "";
    });
    tools.prepend(make("span", { className: "filter" }, field, " ", count));
  }
  all("figure table").forEach(readyTable);

  // ---- figures ------------------------------------------------------------------------------
  const SVG = "http://www.w3.org/2000/svg";
  const NEAR = 14; // units of the drawing around a point
  const MOST_ROWS = 9; // of what is read out at once
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const tip = make("div", { className: "tip", hidden: true });
  document.body.append(tip);

  const scales = { linear: (v) => v, log: (v) => Math.log(v), logit: (v) => Math.log(v / (1 - v)) };
  const share = ([, scale, low, high], value) => {
    const f = scales[scale];
    return (f(value) - f(low)) / (f(high) - f(low));
  };
  function standsAt(frame, x, y) {
    const [, [left, top, width, height], across, upwards] = frame;
    return [left + share(across, x) * width, top + (1 - share(upwards, y)) * height];
  }
  // The word of a tick beside a value, if ticks are words.
  function word([, , , , ticks], value) {
    const found = ticks.find(([place]) => Math.abs(place - value) < 0.5);
    return found && found[1];
  }
  const told = (axis, value) => word(axis, value) ?? number.format(value);

  function interval(one, i) {
    const has = one.lo && one.hi && one.lo[i] !== null && one.hi[i] !== null;
    return has ? ` [${number.format(one.lo[i])}, ${number.format(one.hi[i])}]` : "";
  }

  class Reader {
    constructor(figure, data) {
      Object.assign(this, { figure, data, alone: null, stop: -1 });
      this.views = all("svg[data-view]", figure);
      for (const svg of this.views) this.ready(svg);
      if (data.series.length) this.readyKeys(this.views[0].parentElement);
      this.tools();
    }

    frames(svg) {
      return this.data.frames[svg.dataset.view] ?? [];
    }

    ready(svg) {
      const toPoint = (event) =>
        new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const read = (event) => this.readAt(svg, toPoint(event), event.clientX, event.clientY);
      svg.addEventListener("pointermove", read);
      svg.addEventListener("pointerdown", read);
      svg.addEventListener("pointerleave", () => this.hide());
      svg.addEventListener("click", (event) => {
        if (event.target.closest("a")) return;
        const hit = event.target.closest('[id*="-series-"]');
        if (hit && svg.contains(hit)) this.isolate(this.numberOf(hit));
      });
    }

    readyKeys(box) {
      box.tabIndex = 0;
      box.addEventListener("keydown", (event) => this.step(this.seen(), event));
      box.addEventListener("blur", () => this.hide());
    }

    // The drawing that a window of this width shows.
    seen() {
      return this.views.find((svg) => svg.getBoundingClientRect().width) ?? this.views[0];
    }

    numberOf(element) {
      return Number(/-series-(\d+)-/.exec(element.id)[1]);
    }

    tools() {
      const row = all(".files", this.figure)[0];
      const labels = this.data.labels;
      if (!row) return;
      row.append(button("copy SVG", (made) => copy(made, this.drawing())));
      if (this.data.series.length) row.append(button("copy data", (made) => copy(made, this.csv())));
      if (labels.filter(Boolean).length < 2) return;
      const pick = make("select", {}, new Option("all series", ""));
      labels.forEach((label, place) => pick.add(new Option(label || "others", String(place))));
      pick.setAttribute("aria-label", "Show one series alone");
      pick.addEventListener("change", () =>
        this.isolate(pick.value === "" ? null : Number(pick.value), true));
      this.pick = pick;
      row.append(pick);
    }

    isolate(place, chosen = false) {
      this.alone = place === null || (!chosen && place === this.alone) ? null : place;
      for (const svg of this.views) {
        for (const one of all('[id*="-series-"]', svg)) {
          const others = this.alone !== null && this.numberOf(one) !== this.alone;
          one.style.opacity = others ? 0.1 : "";
        }
      }
      if (this.pick) this.pick.value = this.alone === null ? "" : String(this.alone);
      this.figure.classList.toggle("alone", this.alone !== null);
      said.textContent = this.alone === null ? "all series" : `alone: ${this.data.labels[this.alone]}`;
    }

    shown(frame) {
      return this.data.series.filter(
        (one) => one.f === frame && (this.alone === null || one.n === this.alone));
    }

    readAt(svg, point, x, y) {
      const frames = this.frames(svg);
      const place = frames.findIndex(([, [left, top, width, height]]) =>
        point.x >= left - NEAR / 2 && point.x <= left + width + NEAR / 2 &&
        point.y >= top - NEAR / 2 && point.y <= top + height + NEAR / 2);
      const found = place < 0 ? null : this.nearest(frames, place, point);
      if (found) this.show(svg, found, x, y);
      else this.hide();
    }

    // What stands beside a point: a column of all curves, or a single point, bar or cell.
    nearest(frames, place, point) {
      const frame = frames[place];
      let best = null;
      for (const one of this.shown(place)) {
        const along = one.sort === "curve" || one.sort === "steps";
        one.x.forEach((x, i) => {
          const [px, py] = standsAt(frame, x, one.y[i]);
          const [dx, dy] = [Math.abs(px - point.x), Math.abs(py - point.y)];
          const far = along ? dx : one.sort === "bars" ? Math.min(dx, dy) : Math.hypot(dx, dy);
          const near = along || one.sort === "cells" || one.sort === "bars" || far < NEAR;
          if (near && (!best || far < best.far)) best = { far, one, i, along, place };
        });
      }
      if (!best) return null;
      return best.along ? this.column(frames, place, best.one.x[best.i], point.y) : this.single(frames, best);
    }

    column(frames, place, x, height = null) {
      const frame = frames[place];
      const rows = [];
      for (const one of this.shown(place)) {
        if (one.sort !== "curve" && one.sort !== "steps") continue;
        let i = one.x.indexOf(x);
        // A step holds from its time on.
        if (one.sort === "steps") i = one.x.findLastIndex((time) => time <= x);
        if (i < 0) continue;
        const at = standsAt(frame, x, one.y[i]);
        const value = one.v ? number.format(one.v[i]) : told(frame[3], one.y[i]);
        rows.push({ at, label: this.data.labels[one.n], text: value + interval(one, i), n: one.n });
      }
      if (height !== null && rows.length > MOST_ROWS) {
        rows.sort((a, b) => Math.abs(a.at[1] - height) - Math.abs(b.at[1] - height));
      }
      const shown = rows.slice(0, MOST_ROWS).sort((a, b) => a.at[1] - b.at[1]);
      const title = [frame[0], `${frame[2][0] || "x"}: ${told(frame[2], x)}`].filter(Boolean).join(", ");
      return { title, rows: shown, more: rows.length - shown.length, line: shown[0]?.at[0], frame };
    }

    single(frames, { one, i, place }) {
      const frame = frames[place];
      const [, , across, upwards] = frame;
      const [named, beside] = [word(across, one.x[i]), word(upwards, one.y[i])];
      const title = [frame[0], one.words?.[i] ?? [beside, named].filter(Boolean).join(" × ")];
      const rows = [];
      const at = standsAt(frame, one.x[i], one.y[i]);
      const add = (label, text) => rows.push({ at, label, text, n: one.n });
      if (one.v) {
        if (!one.words && named === undefined) add(across[0] || "x", number.format(one.x[i]));
        if (!one.words && beside === undefined && one.sort === "cells")
          add(upwards[0] || "y", number.format(one.y[i]));
        add(this.data.labels[one.n] || "value", number.format(one.v[i]) + interval(one, i));
      } else {
        const main = beside === undefined ? "y" : "x";
        if (named === undefined)
          add(across[0] || "x", number.format(one.x[i]) + (main === "x" ? interval(one, i) : ""));
        if (beside === undefined)
          add(upwards[0] || "y", number.format(one.y[i]) + interval(one, i));
        title.push(this.data.labels[one.n]);
      }
      return { title: title.filter(Boolean).join(", "), rows, more: 0, frame };
    }

    show(svg, found, x, y) {
      const rows = found.rows.map(({ label, text }) =>
        make("div", {}, make("span", { textContent: label }), make("b", { textContent: text })));
      if (found.more) rows.push(make("div", {}, `and ${found.more} more`));
      tip.replaceChildren(make("strong", { textContent: found.title }), ...rows);
      tip.hidden = false;
      const [width, height] = [tip.offsetWidth, tip.offsetHeight];
      tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 4))}px`;
      tip.style.top = `${y + 16 + height > innerHeight ? Math.max(4, y - height - 12) : y + 16}px`;
      this.mark(svg, found);
    }

    mark(svg, { rows, line, frame }) {
      svg.querySelector(".read")?.remove();
      const group = document.createElementNS(SVG, "g");
      group.setAttribute("class", "read");
      const [, [, top, , height]] = frame;
      if (line !== undefined) {
        const rule = document.createElementNS(SVG, "path");
        rule.setAttribute("d", `M${line} ${top}V${top + height}`);
        group.append(rule);
      }
      for (const { at } of rows) {
        const dot = document.createElementNS(SVG, "circle");
        for (const [name, value] of Object.entries({ cx: at[0], cy: at[1], r: 3 }))
          dot.setAttribute(name, value);
        group.append(dot);
      }
      svg.append(group);
    }

    hide() {
      tip.hidden = true;
      this.stop = -1;
      for (const svg of this.views) svg.querySelector(".read")?.remove();
    }

    // All places at which something is read out, for the arrow keys.
    stops(svg) {
      const frames = this.frames(svg);
      return frames.flatMap((frame, place) => {
        const shown = this.shown(place);
        const along = shown.filter((one) => one.sort === "curve" || one.sort === "steps");
        const xs = [...new Set(along.flatMap((one) => one.x))].sort((a, b) => a - b);
        const single = shown.filter((one) => !along.includes(one));
        return [
          ...xs.map((x) => () => this.column(frames, place, x)),
          ...single.flatMap((one) => one.x.map((_, i) => () => this.single(frames, { one, i, place }))),
        ];
      });
    }

    step(svg, event) {
      if (event.key === "Escape") {
        this.isolate(null);
        return this.hide();
      }
      const stops = this.stops(svg);
      const next = {
        ArrowRight: Math.min(this.stop + 1, stops.length - 1), ArrowLeft: Math.max(this.stop - 1, 0),
        Home: 0, End: stops.length - 1,
      }[event.key];
      if (next === undefined || !stops.length) return;
      event.preventDefault();
      const found = stops[next]();
      const at = found.rows[0]?.at ?? [0, 0];
      const { x, y } = new DOMPoint(...at).matrixTransform(svg.getScreenCTM());
      this.show(svg, found, x, y);
      this.stop = next;
      said.textContent = tip.innerText;
    }

    // A drawing that stands alone: colours of the page become colours.
    drawing() {
      const copied = this.seen().cloneNode(true);
      copied.querySelector(".read")?.remove();
      for (const one of all('[style*="opacity: 0.1"]', copied)) one.remove();
      copied.prepend(this.rules(copied));
      const style = getComputedStyle(document.documentElement);
      return new XMLSerializer().serializeToString(copied)
        .replace(/var\((--[\w-]+)(?:,\s*([^)]+))?\)/g, (_, name, usual) =>
          style.getPropertyValue(name).trim() || usual || "")
        .replaceAll("currentColor", getComputedStyle(document.body).color);
    }

    // The rules of the page's style sheet that a drawing uses.
    rules(drawing) {
      const used = new Set(all("[class]", drawing).map((one) => one.getAttribute("class")));
      const every = document.getElementById("drawings").textContent.split("\n");
      const made = document.createElementNS(SVG, "style");
      made.textContent = ["* { stroke-linejoin: round; stroke-linecap: butt }",
        ...every.filter((rule) => used.has(/^\.(\w+)/.exec(rule)?.[1]))].join("\n");
      return made;
    }

    csv() {
      const frames = this.data.frames.wide;
      const name = (axis, usual) => {
        const names = new Set(frames.map((frame) => frame[axis][0]).filter(Boolean));
        return names.size === 1 ? [...names][0] : usual;
      };
      const head = ["panel", "series", "point", name(2, "x"), name(3, "y"), "value", "low", "high"];
      const rows = this.data.series
        .filter((one) => this.alone === null || one.n === this.alone)
        .flatMap((one) => one.x.map((x, i) => {
          const [panel, , across, upwards] = frames[one.f];
          const point = one.words?.[i] ??
            [word(upwards, one.y[i]), word(across, x)].filter(Boolean).join(" × ");
          const values = [x, one.y[i], one.v?.[i], one.lo?.[i], one.hi?.[i]];
          return [panel, this.data.labels[one.n], point, ...values];
        }));
      const used = head.map((_, place) =>
        rows.some((row) => ![undefined, null, ""].includes(row[place])));
      return csv([head, ...rows].map((row) => row.filter((_, place) => used[place])));
    }
  }
  for (const figure of all("figure:has(> script)"))
    new Reader(figure, JSON.parse(figure.querySelector("script").textContent));

  // ---- texts --------------------------------------------------------------------------------
  // A chronicle is filtered by words, by agent, by round and by kind.
  function readyChronicle(box) {
    const entries = all("[data-round]", box);
    const groups = all("details", box);
    const field = make("input", { type: "search", placeholder: "search words" });
    field.setAttribute("aria-label", "Search the words");
    const choice = (name, key, ordered) => {
      const values = [...new Set(entries.map((one) => one.dataset[key]))];
      values.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
      if (values.length < 2) return null;
      const made = make("select", {}, new Option(`every ${name}`, ""));
      for (const value of values) made.add(new Option(`${ordered ? name + " " : ""}${value}`, value));
      made.setAttribute("aria-label", `Filter by ${name}`);
      return made;
    };
    const picks = { agent: choice("agent", "agent", false), round: choice("round", "round", true),
      kind: choice("kind", "kind", false) };
    const count = make("span", { className: "count" });
    const filter = () => {
      const wanted = plain(field.value).split(/\s+/).filter(Boolean);
      const chosen = Object.entries(picks).filter(([, pick]) => pick?.value);
      let kept = 0;
      for (const one of entries) {
        const text = plain(one.textContent);
        const fits = chosen.every(([key, pick]) => one.dataset[key] === pick.value) &&
          wanted.every((word) => text.includes(word));
        one.hidden = !fits;
        kept += fits;
      }
      const active = wanted.length || chosen.length;
      for (const group of groups) {
        const left = all("[data-round]", group).some((one) => !one.hidden);
        group.hidden = active && !left;
        if (active && left && kept <= 60) group.open = true;
      }
      for (const quiet of all(".quiet", box)) quiet.hidden = active;
      count.textContent = active ? `${kept} of ${entries.length}` : `${entries.length} texts`;
    };
    for (const part of [field, ...Object.values(picks)]) part?.addEventListener("input", filter);
    box.prepend(make("p", { className: "files" }, field, ...Object.values(picks).filter(Boolean), count));
    filter();
  }
  all(".chronicle").forEach(readyChronicle);

  // ---- commands, wide boxes, contents, keys ----------------------------------------------------
  for (const code of all("code.command"))
    code.after(" ", button("copy", (made) => copy(made, code.textContent)));

  // Only what scrolls is a stop for the keyboard, and says that it scrolls.
  const sizes = new ResizeObserver((changed) => {
    for (const { target } of changed) {
      const wide = target.scrollWidth > target.clientWidth + 1;
      target.classList.toggle("wide", wide);
      if (target.querySelector("table")) target.tabIndex = wide ? 0 : -1;
    }
  });
  all(".scroll").forEach((box) => sizes.observe(box));

  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const sections = all("main > section");
  const here = new IntersectionObserver(() => {
    const line = scrollY < 40 ? 0 : innerHeight * 0.3;
    const now = sections.findLast((one) => one.getBoundingClientRect().top <= line) ?? sections[0];
    for (const [anchor, link] of links) {
      const current = now?.getAttribute("aria-labelledby") === anchor;
      if (current === link.hasAttribute("aria-current")) continue;
      link.toggleAttribute("aria-current", current);
      if (current) link.setAttribute("aria-current", "true");
      const list = link.closest("ol");
      if (current) list.scrollTo({ left: link.offsetLeft - list.offsetLeft - 24 });
    }
  }, { rootMargin: "-30% 0px -69% 0px" });
  sections.forEach((section) => here.observe(section));

  const stops = () => all("main h2, main h3, main h4, main figure, main .stop")
    .filter((one) => one.getClientRects().length);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "j" || event.key === "k") {
      const bar = document.querySelector("nav");
      const top = bar && getComputedStyle(bar).position === "sticky" && innerWidth < 1184 ? bar.offsetHeight : 0;
      const places = stops().map((one) => [one, one.getBoundingClientRect().top - top - 12]);
      const found = event.key === "j"
        ? places.find(([, y]) => y > 4)
        : places.findLast(([, y]) => y < -4);
      if (!found) return;
      found[0].tabIndex = found[0].tabIndex < 0 ? -1 : found[0].tabIndex;
      scrollBy({ top: found[1] });
      found[0].focus({ preventScroll: true });
    } else if (event.key === "/") {
      const fields = all('input[type="search"]').filter((one) => one.getClientRects().length);
      const next = fields.find((one) => one.getBoundingClientRect().bottom > 0) ?? fields[0];
      if (!next) return;
      event.preventDefault();
      next.focus();
    }
  });
  document.documentElement.classList.add("reacts");
})();
