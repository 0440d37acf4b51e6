// Draws every chart of the page, first things first, and stops for the reader in between.
// In a function of its own, because the chart script leaves short names in the window.
(function () {
  "use strict";
  const drawings = JSON.parse(document.getElementById("drawings").textContent);
  const options = {
    ast: true, // expressions are interpreted, never compiled, as the page's policy demands
    renderer: "svg",
    actions: false,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };

  const DAY = 86400000; // milliseconds

  function rows({ columns, days }, values) {
    const whole = (name, value) => (days.includes(name) && value != null ? value * DAY : value);
    const pairs = (row) => columns.map((name, at) => [name, whole(name, row[at] ?? null)]);
    return values.map((row) => Object.fromEntries(pairs(row)));
  }

  // The first drawing of a kind is translated from Vega-Lite; the others reuse what came out.
  function withRows(translated, data) {
    const own = (set) => (set.name === "rows" ? { ...set, values: data } : set);
    return { ...translated, data: translated.data.map(own) };
  }

  function withData(spec, data) {
    return { ...spec, data: { name: "rows", values: data } };
  }

  function failed(place, fault) {
    const said = document.createElement("p");
    said.className = "nothing failed";
    said.textContent = `This chart could not be drawn (${fault.message}); its numbers are in the table below.`;
    place.replaceChildren(said);
  }

  function pause() {
    return new Promise((resume) => setTimeout(resume, 0));
  }

  // Drawn one element further in, because Vega writes a role and a name of its own on its element.
  async function draw(drawing) {
    let translated = null;
    for (const [id, values] of Object.entries(drawing.rows)) {
      const place = document.getElementById(id).firstElementChild;
      const data = rows(drawing, values);
      try {
        const made = translated
          ? await vegaEmbed(place, withRows(translated, data), { ...options, mode: "vega" })
          : await vegaEmbed(place, withData(drawing.spec, data), { ...options, mode: "vega-lite" });
        translated = translated || made.vgSpec;
      } catch (fault) {
        failed(place, fault);
      }
      await pause();
    }
  }

  async function drawAll() {
    for (const drawing of drawings) await draw(drawing);
    document.documentElement.dataset.drawn = "all";
  }

  drawAll();
})();
