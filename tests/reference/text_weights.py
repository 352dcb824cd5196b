"""Plain-Python twins of the text weights; they import nothing from the package."""

import math
from collections import Counter


def bm25(query, documents, k1=1.2, b=0.75):
    """Score of each document (a list of words) for a query (a list of words)."""
    mean_length = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for word in query:
            holding = sum(word in other for other in documents)
            idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            tf = counts[word]
            score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / mean_length))
        scores.append(score)
    return scores


def tfidf(documents):
    """One dict (word → weight) of length 1 for each document."""
    rows = []
    for document in documents:
        row = {}
        for word, tf in Counter(document).items():
            holding = sum(word in other for other in documents)
            row[word] = (1 + math.log(tf)) * math.log(len(documents) / holding)
        length = math.sqrt(sum(weight**2 for weight in row.values()))
        rows.append({word: weight / length for word, weight in row.items() if length and weight})
    return rows
