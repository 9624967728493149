"use strict";
// The slider and the three tables. Numbers come from #numbers; text only ever becomes textContent.
(() => {
  const numbers = JSON.parse(document.getElementById("numbers").textContent);
  const byId = (id) => document.getElementById(id);
  const MINUS = "\u2212";
  const NONE = "\u2013";
  const fixed = (digits) => (value) =>
    value === null ? NONE : value.toFixed(digits).replace("-", MINUS);
  const whole = (value) => (value === null ? NONE : value.toLocaleString("en"));
  const brief = (value) => (value === null ? NONE : String(Number(value.toPrecision(6))).replace("-", MINUS));
  let view = numbers.views[0];

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // --- the threshold -----------------------------------------------------------------------

  const slider = byId("slider");
  const exact = byId("exact");

  function showPoint(index) {
    const curve = view.curve;
    const at = (name) => curve[name][index];
    slider.value = index;
    const shown = {
      threshold: brief(at("threshold")),
      twv: fixed(4)(at("twv")),
      p_miss: fixed(4)(at("p_miss")),
      p_fa: fixed(6)(at("p_fa")),
      correct: whole(at("correct")),
      missed: whole(view.targets - at("correct")),
      alarms: whole(at("alarms")),
    };
    for (const [name, text] of Object.entries(shown)) byId(`now-${name}`).textContent = text;
    slider.setAttribute(
      "aria-valuetext",
      `threshold ${shown.threshold}: TWV ${shown.twv}, P miss ${shown.p_miss}, P fa ${shown.p_fa}, ` +
        `${shown.correct} correct, ${shown.missed} missed, ${shown.alarms} false alarms`,
    );
    const cursor = byId("det-cursor");
    const [x, y] = [at("x"), at("y")];
    cursor.querySelector("circle").setAttribute("cx", x);
    cursor.querySelector("circle").setAttribute("cy", y);
    cursor.querySelector("path").setAttribute(
      "d", `M${numbers.det.left} ${y}H${x}V${numbers.det.bottom}`,
    );
    cursor.removeAttribute("hidden");
    for (const line of document.querySelectorAll(".threshold-cursor")) {
      line.setAttribute("transform", `translate(${at("at")} 0)`);
      line.removeAttribute("hidden");
    }
  }

  // The lowest point that accepts no score below the one asked for; the last one if none does.
  function pointAt(threshold) {
    const all = view.curve.threshold;
    const index = all.findIndex((one) => one !== null && one >= threshold);
    return index < 0 ? all.length - 1 : index;
  }

  function moveTo(index) {
    showPoint(index);
    const threshold = view.curve.threshold[index];
    exact.value = threshold === null ? "" : threshold;
  }

  slider.addEventListener("input", () => moveTo(Number(slider.value)));
  exact.addEventListener("input", () => {
    if (exact.value !== "" && Number.isFinite(exact.valueAsNumber)) {
      showPoint(pointAt(exact.valueAsNumber));
    }
  });
  byId("to-best").addEventListener("click", () => moveTo(view.best));
  byId("to-own").addEventListener("click", () => moveTo(pointAt(view.own)));

  function showCurve() {
    const points = view.curve.threshold.length;
    byId("control").hidden = byId("readout").hidden = points === 0;
    byId("to-own").hidden = view.own === null;
    byId("no-own").hidden = view.own !== null;
    if (points === 0) {
      byId("det-cursor").setAttribute("hidden", "hidden");
      return;
    }
    slider.max = points - 1;
    moveTo(view.best);
  }

  // --- tables --------------------------------------------------------------------------------

  // Columns: numbers have a way to be shown, text has a class. `order`: how rows are sorted at first.
  const NUMBER = (key, heading, show = whole) => ({ key, heading, show });
  const TEXT = (key, heading, kind = "text") => ({ key, heading, kind });
  const TABLES = {
    terms: {
      order: "loss",
      file: "terms.csv",
      noun: "terms",
      filters: [
        ["all terms", () => true],
        ["with misses", (c, i) => c.missed[i] > 0],
        ["with false alarms", (c, i) => c.alarms[i] > 0],
        ["without occurrences", (c, i) => c.targets[i] === 0],
      ],
      columns: [
        TEXT("text", "term"), TEXT("id", "id", "text short"), NUMBER("targets", "targets"),
        NUMBER("expected", "expected", fixed(1)), NUMBER("correct", "correct"),
        NUMBER("missed", "missed"), NUMBER("alarms", "false alarms"),
        NUMBER("twv", "TWV", fixed(4)), NUMBER("best", "best TWV", fixed(4)),
        NUMBER("threshold", "at threshold", brief), NUMBER("loss", "cost", fixed(5)),
      ],
    },
    misses: {
      order: "loss",
      file: "alignment.csv",
      noun: "misses",
      filters: [
        ["all misses", () => true],
        ["detected, decided NO", (c, i) => c.score[i] !== null],
        ["not detected", (c, i) => c.score[i] === null],
      ],
      columns: [
        TEXT("text", "term"), TEXT("file", "recording", "text short"), NUMBER("channel", "channel"),
        NUMBER("start", "start, s", fixed(2)), NUMBER("end", "end, s", fixed(2)),
        NUMBER("score", "score", brief), NUMBER("probability", "probability", brief),
        NUMBER("loss", "cost", fixed(5)),
        TEXT("why", "nearest detection", "text wide"),
      ],
    },
    alarms: {
      order: "score",
      file: "alignment.csv",
      noun: "false alarms",
      filters: null,
      columns: [
        TEXT("text", "term"), TEXT("file", "recording", "text short"), NUMBER("channel", "channel"),
        NUMBER("start", "start, s", fixed(2)), NUMBER("end", "end, s", fixed(2)),
        NUMBER("score", "score", brief), NUMBER("probability", "probability", brief),
        NUMBER("loss", "cost", fixed(5)),
        TEXT("why", "nearest occurrence", "text wide"),
      ],
    },
  };
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function compare(values, descending) {
    // What is undefined stands last, whichever way the rest is sorted.
    const text = values.some((one) => typeof one === "string");
    const sign = descending ? -1 : 1;
    return (a, b) => {
      const [x, y] = [values[a], values[b]];
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (text ? collator.compare(x, y) : x - y);
    };
  }

  function makeTable(place, name) {
    const table = TABLES[name];
    let found = [];
    let sorted = { key: table.order, descending: true };
    let first = 0;

    const filter = element("input", { type: "search", id: `${name}-filter`, autocomplete: "off" });
    const kinds = element("select", { id: `${name}-kind`, autocomplete: "off" });
    (table.filters || []).forEach(([label], i) => kinds.append(element("option", { value: i }, label)));
    const sizes = element("select", { id: `${name}-size`, autocomplete: "off" });
    for (const size of [25, 100, 500, 2000]) sizes.append(element("option", { value: size }, String(size)));
    const status = element("output", { "aria-live": "polite" });
    const previous = element("button", { type: "button" }, "Previous");
    const next = element("button", { type: "button" }, "Next");
    const head = element("tr");
    const body = element("tbody");
    const tools = element("div", { class: "tools" });
    tools.append(element("label", { for: filter.id }, "Filter"), filter);
    if (table.filters) tools.append(element("label", { for: kinds.id }, "Show"), kinds);
    const pager = element(
      "div", { class: "pager" }, status,
      element("label", { for: sizes.id, class: "quiet" }, "Rows"), sizes, previous, next,
    );
    const whole_table = element(
      "table", { "aria-labelledby": `${name}-title` }, element("thead", {}, head), body,
    );
    const scroll = element(
      "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table of ${table.noun}` },
      whole_table,
    );
    place.append(tools, pager, scroll);

    const source = () => (name === "terms" ? view.terms : view[name]);
    const columns = () => table.columns.filter((one) => one.key in source().columns);

    function showHead() {
      head.replaceChildren(
        ...columns().map(({ key, heading, kind }) => {
          const button = element("button", { type: "button" }, heading);
          const cell = element("th", { scope: "col", class: kind || "" }, button);
          button.addEventListener("click", () => {
            const again = sorted.key === key;
            sorted = { key, descending: again ? !sorted.descending : !kind };
            sortRows();
          });
          cell.dataset.key = key;
          return cell;
        }),
      );
    }

    function sortRows() {
      for (const cell of head.children) {
        const mine = cell.dataset.key === sorted.key;
        if (mine) cell.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      }
      found.sort(compare(source().columns[sorted.key], sorted.descending));
      first = 0;
      showRows();
    }

    function findRows() {
      const all = source().columns;
      const words = filter.value.toLocaleLowerCase().trim();
      const [, suits] = table.filters ? table.filters[Number(kinds.value)] : ["", () => true];
      const searched = columns().filter(({ kind }) => kind).map(({ key }) => all[key]);
      found = all.text.map((_, i) => i).filter(
        (i) => suits(all, i) &&
          (words === "" || searched.some((one) => one[i].toLocaleLowerCase().includes(words))),
      );
      sortRows();
    }

    function showRows() {
      const { columns: all, total } = source();
      const size = Number(sizes.value);
      const page = found.slice(first, first + size);
      body.replaceChildren(
        ...page.map((i) => element(
          "tr", {},
          ...columns().map(({ key, show, kind }, column) => {
            const attributes = column === 0 ? { scope: "row" } : {};
            if (kind) Object.assign(attributes, { class: kind, dir: "auto" });
            const text = kind ? all[key][i] : show(all[key][i]);
            return element(column === 0 ? "th" : "td", attributes, text);
          }),
        )),
      );
      const have = all.text.length;
      const capped = have < total
        ? ` The first ${whole(have)} of ${whole(total)} ${table.noun} are here; all are in ${table.file}.` : "";
      const which = found.length === have ? "" : `, filtered from ${whole(have)}`;
      status.textContent = found.length === 0
        ? `No ${table.noun}${which}.${capped}`
        : `Rows ${whole(first + 1)} to ${whole(first + page.length)} of ${whole(found.length)} ` +
          `${table.noun}${which}.${capped}`;
      previous.disabled = first === 0;
      next.disabled = first + size >= found.length;
      scroll.hidden = found.length === 0;
    }

    function turn(by) {
      first = Math.max(0, first + by * Number(sizes.value));
      showRows();
    }
    previous.addEventListener("click", () => turn(-1));
    next.addEventListener("click", () => turn(1));
    filter.addEventListener("input", findRows);
    kinds.addEventListener("change", findRows);
    sizes.addEventListener("change", () => { first = 0; showRows(); });

    return () => { showHead(); findRows(); };
  }

  const tables = [...document.querySelectorAll("[data-table]")].map(
    (place) => makeTable(place, place.dataset.table),
  );

  // --- which system is shown in detail ---------------------------------------------------------

  function showView(index) {
    view = numbers.views[index];
    for (const part of document.querySelectorAll(".of-view")) {
      part.hidden = Number(part.dataset.view) !== index;
    }
    showCurve();
    for (const show of tables) show();
  }
  byId("view").addEventListener("change", (event) => showView(Number(event.target.value)));
  showView(0);
})();
