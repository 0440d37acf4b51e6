// Draws every chart of the page, first things first, and stops for the reader in between.
// In a function of its own, because the chart script leaves short names in the window.
(function () {
  "use strict";
  const { config, drawings } = JSON.parse(document.getElementById("drawings").textContent);
  const options = {
    ast: true, // expressions are interpreted, never compiled, as the page's policy demands
    renderer: "svg",
    actions: false,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };

  // Values of a column: whole numbers as steps from one to the next, or a few by their places.
  function summed(stored) {
    let sum = 0;
    const next = (step) => (step == null ? null : (sum += step));
    return Array.isArray(stored) ? stored.map(next) : stored;
  }

  function meant({ words, days, by }, value) {
    if (value == null) return null;
    return words ? words[value - 1] : days ? value * days : value / by;
  }

  function rows({ columns }, [length, ...stored]) {
    const values = stored.map(summed);
    const pairs = (row) => columns.map((column, at) => [column.name, meant(column, values[at][row])]);
    return Array.from({ length }, (_, row) => Object.fromEntries(pairs(row)));
  }

  // The first drawing of a kind is translated from Vega-Lite; the others reuse what came out.
  function withRows(translated, data) {
    const own = (set) => (set.name === "rows" ? { ...set, values: data } : set);
    return { ...translated, data: translated.data.map(own) };
  }

  function withData(spec, data) {
    return { ...spec, config, data: { name: "rows", values: data } };
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
