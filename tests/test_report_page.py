"""The weekly report opened in a browser: offline, quiet, drawn to the end, readable everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import report_traffic as traffic
from headless_chromium import Browser, browser, executable

from analyzer import report
from analyzer.report import html
from analyzer.store import reader

CHROMIUM = executable()
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

WATCH = """
window.seen = {violations: [], alarms: []};
addEventListener("securitypolicyviolation", (e) => seen.violations.push(e.violatedDirective));
window.hacked = window.alert = () => seen.alarms.push("ran");
"""
DRAWN = """new Promise((done) => {
  const look = () => document.documentElement.dataset.drawn ? done(1) : setTimeout(look, 20);
  look();
})"""
CROWDED = """(() => {
  const bad = [];
  for (const chart of document.querySelectorAll(".chart")) {
    const room = chart.getBoundingClientRect();
    const words = [...chart.querySelectorAll("svg text")].filter((t) => t.textContent.trim());
    const boxes = words.map((t) => [t.textContent, t.getBoundingClientRect()]);
    boxes.forEach(([text, box], at) => {
      if (box.left < room.left - 1 || box.right > room.right + 1) bad.push([chart.id, text]);
      for (const [other, its] of boxes.slice(at + 1)) {
        const wide = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const high = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (wide > 1 && high > 3) bad.push([chart.id, text, other]);
      }
    });
  }
  return JSON.stringify(bad);
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    with reader(traffic.store(folder)) as con:
        made = report.build(con, week=traffic.MONDAY.date(), version="1.2.3")
    file = folder / "report.html"
    file.write_text(html.render(made), encoding="utf-8")
    return file


@pytest.fixture
def chromium() -> Iterator[Browser]:
    assert CHROMIUM is not None
    with browser(CHROMIUM) as opened:
        yield opened


@pytest.fixture(scope="module")
def wide(page: Path) -> Iterator[Browser]:
    """The page at 1400 pixels, opened once for every test that only looks."""
    assert CHROMIUM is not None
    with browser(CHROMIUM) as chromium:
        yield opened(chromium, page)


def opened(chromium: Browser, page: Path, width: int = 1400, *, dark: bool = False) -> Browser:
    """The page drawn to its end at that width."""
    chromium.call("Page.enable")
    chromium.resize(width, 900, dark)
    chromium.load(page, WATCH)
    chromium.evaluate(DRAWN)
    return chromium


def count(chromium: Browser, selector: str) -> int:
    return int(chromium.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length"))


def seen(chromium: Browser) -> dict[str, Any]:
    watched: dict[str, Any] = json.loads(chromium.evaluate("JSON.stringify(seen)"))
    return watched


def test_everything_is_drawn_and_nothing_complains(wide: Browser) -> None:
    assert count(wide, ".chart") == count(wide, ".chart svg.marks") > 50
    assert count(wide, ".chart svg :is(path, line, rect, text)") > 1000
    assert wide.complaints() == []
    assert seen(wide) == {"violations": [], "alarms": []}


def test_nothing_is_requested_but_the_page_itself(wide: Browser, page: Path) -> None:
    assert wide.requests() == [page.resolve().as_uri()]


def test_hostile_names_do_nothing_and_can_be_read(wide: Browser) -> None:
    assert count(wide, "img, iframe, object, .chart script, main b, main i, main u") == 0
    names = wide.evaluate("[...document.querySelectorAll('bdi')].map((e) => e.textContent)")
    assert traffic.HOSTILE[0] in names
    assert seen(wide)["alarms"] == []


def test_the_watch_would_see_a_violation(chromium: Browser, page: Path, tmp_path: Path) -> None:
    """The control: the same page with one more script, which its policy does not name."""
    spoilt = tmp_path / "spoilt.html"
    spoilt.write_text(page.read_text().replace("</main>", "<script>hacked()</script></main>"))
    opened(chromium, spoilt)
    assert seen(chromium) == {"violations": ["script-src-elem"], "alarms": []}
    assert chromium.complaints()


@pytest.mark.parametrize("width", [1400, 900, 390])
def test_no_words_overlap_or_leave_the_page(chromium: Browser, page: Path, width: int) -> None:
    opened(chromium, page, width)
    assert json.loads(chromium.evaluate(CROWDED)) == []
    assert chromium.evaluate("innerWidth") == width
    assert chromium.evaluate("document.documentElement.scrollWidth") == width


def test_every_drawing_says_itself_and_stands_before_its_numbers(wide: Browser) -> None:
    said = wide.evaluate("[...document.querySelectorAll('.chart')].map((e) => e.ariaLabel)")
    assert [words for words in said if not re.fullmatch(r"(?s).+, .+: .*\d.*", words)] == []
    roles = wide.evaluate("[...document.querySelectorAll('.chart')].map((e) => e.role)")
    assert set(roles) == {"img"}
    groups = "[...document.querySelectorAll('.group:has(.chart)')]"
    assert wide.evaluate(f"{groups}.every((group) => group.querySelector('table'))")


def test_colours_follow_the_reader_at_once(wide: Browser) -> None:
    colour = "getComputedStyle(document.querySelector('#cited_by_depth-0-0 svg text')).fill"
    light = wide.evaluate(colour)
    wide.resize(1400, 900, dark=True)
    dark = wide.evaluate(colour)
    wide.resize(1400, 900)
    assert (light, dark) == ("rgb(101, 108, 117)", "rgb(152, 160, 169)")


def test_a_chart_answers_the_mouse_with_numbers_of_its_table(wide: Browser) -> None:
    spot = wide.evaluate("""(() => {
      const point = document.querySelector("#cited_by_depth-0-0 svg .mark-symbol path");
      point.scrollIntoView({block: "center"});
      const box = point.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    })()""")
    wide.call("Input.dispatchMouseEvent", type="mouseMoved", x=spot[0], y=spot[1])
    told = wide.evaluate("""new Promise((done) => setTimeout(() => {
      const tip = document.querySelector("#vg-tooltip-element.visible");
      done(tip ? tip.innerText : "");
    }, 200))""")
    assert "cited" in told
    assert "n, packed" in told
    assert seen(wide)["violations"] == []


def test_numbers_open_by_keyboard(wide: Browser) -> None:
    wide.evaluate("document.querySelector('#funnel summary').focus()")
    for kind in ("keyDown", "keyUp"):
        wide.call(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r",
            windowsVirtualKeyCode=13,
        )  # fmt: skip
    assert wide.evaluate("document.querySelector('#funnel details').open")
    focusable = "[...document.querySelectorAll('.scroll')].every((e) => e.tabIndex === 0)"
    assert wide.evaluate(focusable)


def test_paper_shows_every_drawing_in_light_colours(
    chromium: Browser, page: Path, tmp_path: Path
) -> None:
    opened(chromium, page, 1000, dark=True)
    chromium.call("Emulation.setEmulatedMedia", media="print", features=[])
    wide = "[...document.querySelectorAll('.chart svg')].filter((e) => e.clientWidth > 760).length"
    assert chromium.evaluate(wide) == 0
    assert chromium.evaluate("getComputedStyle(document.body).color") == "rgb(26, 29, 33)"
    assert (
        chromium.evaluate("getComputedStyle(document.querySelector('details')).display") == "none"
    )
    chromium.pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_a_chart_that_cannot_be_drawn_says_so(
    chromium: Browser, page: Path, tmp_path: Path
) -> None:
    """The first mark of the first drawing becomes one that Vega does not know."""
    broken = tmp_path / "broken.html"
    broken.write_text(page.read_text().replace('"type":"bar"', '"type":"barn"', 1))
    opened(chromium, broken)
    said = chromium.evaluate("document.querySelector('#funnel .failed').textContent")
    assert said.startswith("This chart could not be drawn (")
    assert said.endswith("its numbers are in the table below.")
    assert count(chromium, "#cited_by_depth .chart svg") > 0
