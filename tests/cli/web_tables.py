"""A simulated web as the tables that commands read."""

import csv

from glassrank.studies.distillation.simulated_topics import simulate_topics


def write_web(folder):
    """Write pages.csv, links.csv, queries.csv and judged.txt of a small web into a folder, and return its topics."""
    web, topics = simulate_topics(3, 30, 330, random_state=1)
    pages, links = web.collection.pages, web.collection.links
    (folder / "web").mkdir()
    tables = {
        "web/pages.csv": (("url", "title", "text"), zip(pages.url, pages.title, pages.text, strict=True)),
        "web/links.csv": (("source", "target", "anchor"), zip(links.source, links.target, links.anchor, strict=True)),
        "queries.csv": (("topic", "query"), [(topic.name, topic.query) for topic in topics]),
    }
    for name, (head, rows) in tables.items():
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])
    lines = [
        f"{topic.name} 0 {url} {int(label)}\n"
        for topic in topics
        for url, label in zip(pages.url, topic.judgements, strict=True)
    ]
    (folder / "judged.txt").write_text("".join(lines))
    return topics
