"""A live nomogram in a page: its dots are dragged and pressed, and its numbers read."""

from dataclasses import dataclass
from typing import Any

READ = "host => host.glassrank.view"
SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class LiveNomogram:
    """The figure of a page that holds one."""

    page: Any

    @property
    def host(self):
        return self.page.locator(".nomogram")

    def signal(self, name):
        return self.host.evaluate(f"(host, name) => ({READ})(host).signal(name)", name)

    def rows(self, name):
        """Rows of a data set, as plain values."""
        return self.host.evaluate(f"(host, name) => JSON.parse(JSON.stringify(({READ})(host).data(name)))", name)

    def dot(self, feature, document="A"):
        """The slider of one feature; its words begin with what a screen reader calls it."""
        dots = [(row["f"]["name"], row["doc"]) for row in self.rows("sliders")]
        return self.page.locator(".handles path").nth(dots.index((feature, document)))

    def values(self, document="A"):
        """Values now, in the model's order."""
        rows = [row for row in self.rows("known") if row["doc"] == document]
        return [row["v"] for row in sorted(rows, key=lambda row: row["k"])]

    def drag(self, dot, dx, dy=0.0):
        """Pull a dot with the mouse."""
        dot.scroll_into_view_if_needed()
        box = dot.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=3)
        self.page.mouse.up()
        self.settle()

    def press(self, dot, *keys):
        dot.focus()
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def settle(self):
        """Wait until the view has drawn what was last asked of it."""
        self.host.evaluate(f"async host => {{ await ({READ})(host).runAsync(); }}")
        self.page.evaluate(SETTLED)

    def sentence(self):
        span = self.host.locator(".what-if span")
        return span.inner_text() if span.count() else ""

    def text(self, beginning):
        """The first text of the picture that begins so."""
        found = [
            text for text in self.page.locator(".nomogram svg text").all_text_contents() if text.startswith(beginning)
        ]
        return found[0] if found else None

    def badges(self):
        """How many rows say "changed"."""
        return self.page.locator(".nomogram svg text").all_text_contents().count("changed")
