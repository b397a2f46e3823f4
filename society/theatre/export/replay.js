"use strict";
(async () => {
  const $ = id => document.getElementById(id);
  const problem = words => { $("problem").textContent = words; $("problem").hidden = false; };
  // Everything that comes from a run enters the page as text.
  const make = (tag, words, className) => {
    const made = document.createElement(tag);
    if (words !== undefined) made.textContent = words;
    if (className) made.className = className;
    return made;
  };
  const button = (words, act, className) => {
    const made = make("button", words, className);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };

  let data;
  try {
    const packed = Uint8Array.from(atob($("data").textContent), sign => sign.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    data = await new Response(stream).json();
  } catch (error) {
    problem(`This browser cannot unpack the rounds of the page (${error.message}); take one of 2023 or newer.`);
    return;
  }

  const MOST_HITS = 100, MOST_SAID = 50;
  const { texts, lines, seats, styles, columns } = data;
  let shown, at = 0, life = null, playing = 0, drawn = [], allSaid = false;
  const last = () => shown.frames.length - 1;

  const showRound = number => {
    at = Math.max(0, Math.min(last(), number));
    const [title, words] = shown.rounds[at];
    $("slider").value = at;
    $("slider").setAttribute("aria-valuetext", texts[title]);
    $("title").textContent = texts[title];
    drawFrame(shown.frames[at]);
    const list = make("ul");
    list.append(...words.map(([label, items]) => {
      const head = texts[label], single = items.length === 1;
      const event = make("li", single ? [head, texts[items[0]]].filter(Boolean).join(": ") : head);
      if (!single) {
        const inner = make("ul");
        inner.append(...items.map(id => make("li", texts[id])));
        event.append(inner);
      }
      return event;
    }));
    $("words").replaceChildren(make("p", texts[title]), list);
    if (life !== null) showAgent();
  };

  const drawFrame = ([about, ...frame]) => {
    const screen = $("frame");
    if (screen.children.length !== frame.length) {
      screen.replaceChildren(...frame.map(() => make("div")));
      drawn = [];
    }
    frame.forEach((line, row) => {
      if (drawn[row] !== line) screen.children[row].replaceChildren(...drawLine(lines[line]));
      drawn[row] = line;
      screen.children[row].classList.toggle("agent", seats[about][row] !== null);
    });
  };

  const drawLine = parts => {
    const made = [];
    for (let place = 0; place < parts.length; place += 3) {
      const [words, style, cells] = parts.slice(place, place + 3);
      if (!styles[style] && !cells) { made.push(words); continue; }
      const run = make("span", words, styles[style]);
      if (cells) {
        run.classList.add("wide");
        run.style.width = `${cells}ch`;
      }
      made.push(run);
    }
    return made;
  };

  const pause = () => {
    clearInterval(playing);
    playing = 0;
    $("play").textContent = "Play";
    $("words").setAttribute("aria-live", "polite");
  };
  const play = () => {
    if (at === last()) showRound(0);
    clearInterval(playing);
    $("play").textContent = "Pause";
    $("words").setAttribute("aria-live", "off");
    playing = setInterval(() => {
      showRound(at + 1);
      if (at === last()) pause();
    }, 1000 / Number($("speed").value));
  };
  const go = number => { pause(); showRound(number); };
  const toggle = () => playing ? pause() : play();

  const marked = () => {
    const lane = $("lane").value;
    return shown.marks.filter(one => !lane || texts[one[1]] === lane).map(one => one[0]);
  };
  const nextMark = () => go(Math.min(...marked().filter(one => one > at), last()));
  const previousMark = () => go(Math.max(...marked().filter(one => one < at), 0));

  const number = value => value === null || value === undefined ? "–" : value.toLocaleString("en-US", { maximumFractionDigits: 4 });

  const curve = values => {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
    const known = values.filter(one => one !== null);
    const [low, high] = [Math.min(0, ...known), Math.max(...known, 1e-9)];
    const shape = document.createElementNS(space, "polyline"), here = document.createElementNS(space, "line");
    const width = Math.max(values.length - 1, 1);
    svg.setAttribute("viewBox", `0 0 ${width} 1`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    shape.setAttribute("points", values.map((one, place) => one === null ? "" : `${place},${1 - (one - low) / (high - low)}`).join(" "));
    const x = Math.min(Math.max(at - shown.agents[life].first, 0), width);
    for (const [name, value] of [["x1", x], ["x2", x], ["y1", 0], ["y2", 1]]) here.setAttribute(name, value);
    svg.append(here, shape);
    return svg;
  };

  const there = one => one.first <= at && at <= one.last;
  const label = one => one.type && !one.name.startsWith(one.type) ? `${one.name} (${one.type})` : one.name;

  const openAgent = (place, focus) => {
    life = place;
    allSaid = false;
    showAgent();
    listAgents();
    if (focus) { $("agent").focus(); $("agent").scrollIntoView({ block: "nearest" }); }
  };
  const openRow = event => {
    const row = [...$("frame").children].findIndex(one => one.contains(event.target));
    const seat = row < 0 ? null : seats[shown.frames[at][0]][row];
    const place = seat === null ? -1 : shown.agents.findIndex(one => one.seat === seat && there(one));
    if (place >= 0) openAgent(place, true);
  };
  const closeAgent = () => { life = null; $("agent").hidden = true; listAgents(); };

  const listAgents = () => {
    $("agents").replaceChildren(...shown.agents.map((one, place) => {
      const made = button(label(one), () => life === place ? closeAgent() : openAgent(place, true));
      made.setAttribute("aria-pressed", life === place);
      return made;
    }));
  };

  const roundButton = place => button(texts[shown.rounds[place][0]], () => go(place), "go");

  const showAgent = () => {
    const one = shown.agents[life], page = $("agent"), parts = [];
    const open = new Set([...page.querySelectorAll("details[open]")].map(fold => fold.dataset.key));
    const focused = document.activeElement && page.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    const head = make("div", undefined, "row");
    head.append(make("h3", label(one)), button("Close", closeAgent));
    parts.push(head);
    if (!there(one)) parts.push(make("p", `Not there in this round; ${texts[shown.rounds[one.first][0]]} to ${texts[shown.rounds[one.last][0]]}.`, "soft"));
    if (columns.length) {
      const table = make("table"), box = make("div", undefined, "scroll"), top = make("tr"), body = make("tbody");
      ["", "this round", "lowest", "highest", "over rounds"].forEach(words => { const cell = make("th", words); cell.scope = "col"; top.append(cell); });
      const thead = make("thead");
      thead.append(top);
      columns.forEach(([name, unit], column) => {
        const values = one.values[column], known = values.filter(value => value !== null);
        if (!known.length) return;
        const row = make("tr"), heading = make("th", unit ? `${name} (${unit})` : name), drawn = make("td");
        heading.scope = "row";
        drawn.append(curve(values));
        row.append(heading, make("td", number(values[at - one.first])), make("td", number(Math.min(...known))), make("td", number(Math.max(...known))), drawn);
        body.append(row);
      });
      table.append(thead, body);
      box.append(table);
      if (body.children.length) parts.push(box);
    }
    const said = one.said.filter(([round]) => round <= at).reverse();
    if (said.length) {
      parts.push(make("h3", "Words up to this round, the latest first"));
      const list = make("ul", undefined, "lines");
      for (const [round, words] of said.slice(0, allSaid ? said.length : MOST_SAID)) {
        const item = make("li");
        item.append(roundButton(round), ` ${texts[words]}`);
        list.append(item);
      }
      parts.push(list);
      if (list.children.length < said.length) parts.push(button(`Show all ${said.length}`, () => { allSaid = true; showAgent(); }));
    }
    const calls = shown.calls.filter(([round, whose]) => whose === life && round === at);
    if (calls.length) {
      parts.push(make("h3", `${calls.length === 1 ? "One exchange" : `${calls.length} exchanges`} with the model in this round`));
      calls.forEach(([, , heading, messages], place) => {
        const fold = make("details"), summary = make("summary", texts[heading]);
        fold.dataset.key = `${place} ${texts[heading].split(" · ")[0]}`;
        summary.dataset.key = fold.dataset.key;
        fold.append(summary);
        for (const [role, ids] of messages) fold.append(make("h4", role), make("pre", ids.map(id => texts[id]).join("\n")));
        fold.open = open.has(fold.dataset.key);
        parts.push(fold);
      });
    } else if (shown.calls.some(([, whose]) => whose === life)) {
      parts.push(make("p", "No exchange with the model in this round.", "soft"));
    }
    page.replaceChildren(...parts);
    page.hidden = false;
    page.setAttribute("aria-label", label(one));
    if (focused) page.querySelector(`summary[data-key="${CSS.escape(focused)}"]`)?.focus();
  };

  const hits = wanted => {
    const found = [], matching = new Set();
    texts.forEach((words, id) => { if (words.toLowerCase().includes(wanted)) matching.add(id); });
    shown.agents.forEach((one, place) => { if (label(one).toLowerCase().includes(wanted)) found.push([-1, "agent", label(one), place]); });
    shown.rounds.forEach(([, words], round) => words.flatMap(([label, items]) => [label, ...items]).forEach(id => { if (matching.has(id)) found.push([round, "", texts[id], null]); }));
    shown.calls.forEach(([round, whose, heading, messages]) => {
      const id = messages.flatMap(([, ids]) => ids).find(one => matching.has(one));
      if (id !== undefined) found.push([round, whose === null ? "" : label(shown.agents[whose]), texts[id], whose]);
    });
    return found.sort((one, other) => one[0] - other[0]);
  };

  const search = () => {
    const wanted = $("search").value.trim().toLowerCase(), box = $("found");
    box.hidden = !wanted;
    if (!wanted) { box.replaceChildren(); return; }
    const found = hits(wanted), list = make("ul", undefined, "lines");
    for (const [round, who, words, place] of found.slice(0, MOST_HITS)) {
      const item = make("li"), cut = words.toLowerCase().indexOf(wanted), from = Math.max(cut - 60, 0);
      const open = () => { if (round >= 0) go(round); if (place !== null) openAgent(place, true); };
      item.append(button(round < 0 ? "agent" : texts[shown.rounds[round][0]], open, "go"), who && round >= 0 ? ` ${who}: ` : " ");
      item.append(`${from ? "…" : ""}${words.slice(from, cut)}`, make("mark", words.slice(cut, cut + wanted.length)), words.slice(cut + wanted.length, cut + wanted.length + 120));
      list.append(item);
    }
    const more = found.length > MOST_HITS ? `; the first ${MOST_HITS} are shown` : "";
    box.replaceChildren(make("p", `${found.length === 1 ? "1 place" : `${found.length} places`}${more}`), list);
  };

  const showReplicate = place => {
    shown = data.replicates[place];
    $("people").hidden = !shown.agents.length;
    life = null;
    $("agent").hidden = true;
    $("slider").max = last();
    const lanes = [...new Set(shown.marks.map(one => texts[one[1]]))];
    $("lane").replaceChildren(new Option("all", ""), ...lanes.map(lane => new Option(lane, lane)));
    listAgents();
    go(at);
    search();
  };

  // The next choice of a list, or the one before, as if it had been taken by hand.
  const choose = (id, by) => {
    const list = $(id);
    list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + by));
    list.dispatchEvent(new Event("change"));
  };
  const keys = {
    " ": toggle, ArrowLeft: event => go(at - (event.shiftKey ? 10 : 1)), ArrowRight: event => go(at + (event.shiftKey ? 10 : 1)),
    n: nextMark, N: previousMark, p: previousMark, "+": () => choose("speed", 1), "-": () => choose("speed", -1),
    "]": () => choose("lane", 1), "[": () => choose("lane", -1), r: () => choose("replicate", 1), R: () => choose("replicate", -1), Home: () => go(0), End: () => go(last()), "/": () => $("search").focus(), Escape: closeAgent,
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const on = event.target, act = keys[event.key];
    if (on === $("search")) {
      if (event.key === "Escape") { on.value = ""; search(); on.blur(); }
      return;
    }
    if (!act || on.tagName === "SELECT") return;
    if (event.key === " " && ["BUTTON", "SUMMARY"].includes(on.tagName)) return;
    event.preventDefault();
    act(event);
  });

  for (const speed of [...new Set([1, 2, 4, 8, 16, 32, data.speed])].sort((one, other) => one - other)) {
    $("speed").append(new Option(`${speed} a second`, speed, false, speed === data.speed));
  }
  data.replicates.forEach((one, place) => $("replicate").append(new Option(one.name, place)));
  $("several").hidden = data.replicates.length === 1;
  $("play").addEventListener("click", toggle);
  $("back").addEventListener("click", () => go(at - 1));
  $("on").addEventListener("click", () => go(at + 1));
  $("previous").addEventListener("click", previousMark);
  $("next").addEventListener("click", nextMark);
  $("slider").addEventListener("input", event => go(Number(event.target.value)));
  $("speed").addEventListener("change", () => playing && play());
  $("replicate").addEventListener("change", event => showReplicate(Number(event.target.value)));
  $("frame").addEventListener("click", openRow);
  $("search").addEventListener("input", search);
  // A frame is as wide as the page, where its letters stay legible; else it scrolls in its box.
  const fit = () => {
    const room = $("screen").clientWidth - 20;
    const size = Math.min(15, Math.max(8, room / data.size[0] / 0.605));
    $("frame").style.fontSize = `${size}px`;
  };
  document.documentElement.style.setProperty("--columns", data.size[0]);
  addEventListener("resize", fit);
  fit();
  for (const id of ["controls", "told"]) $(id).hidden = false;
  showReplicate(0);
  document.documentElement.dataset.ready = "yes";
})();
