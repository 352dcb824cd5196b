"""A shop's table as it comes from a spreadsheet: nothing is named as glassrank expects, and one column needs a word."""

import csv
import io
import random

N_ROWS, N_UNPRICED, PER_QUERY = 3_000, 173, 20
COLUMNS = ("suchwort", "Artikelnummer", "titel", "marke", "Preis (€)", "verfügbar", "seit", "leer", "note", "verkäufe")


def messy_shop():
    """Return the table as CSV; 173 of the 3,000 prices are ``n/a``."""
    rng = random.Random(5)
    unpriced = set(rng.sample(range(N_ROWS), N_UNPRICED))
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in range(N_ROWS):
        brand, stock = rng.choice(["Nike", "Puma", "Asics", "On"]), rng.random() < 0.8
        price = round(rng.lognormvariate(4, 0.5), 2)
        grade = min(2, max(0, round(2 - price / 60 + 0.5 * stock + rng.gauss(0, 0.3))))
        since = f"{rng.randrange(2019, 2025)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
        shown = "n/a" if row in unpriced else price
        named = (f"Suche {row // PER_QUERY:03d}", f"A{row:05d}", f"{brand} Schuh {row}", brand, shown)
        writer.writerow([*named, "ja" if stock else "nein", since, "", grade, rng.randrange(4_000)])
    return file.getvalue()
