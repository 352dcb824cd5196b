"""Normalised text, tokens, string similarity, BM25 and language models, by textbook definitions."""

import math
import unicodedata
from functools import cache

K1, B = 1.2, 0.75
MU = 2000
LAMBDA = 0.1


@cache
def normal(text):
    """NFKC, lower case, single spaces and none at the ends."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def compact(text):
    """The normalised text without spaces."""
    return normal(text).replace(" ", "")


@cache
def terms(text):
    """The distinct tokens: T(x)."""
    return frozenset(tokens(text))


def tokens(text):
    """Longest runs of letters, digits and marks, joined by an apostrophe inside a word, in order: t(x)."""
    return list(words_of(text))


@cache
def words_of(text):
    words, word = [], ""
    for at, c in enumerate(shown := normal(text)):
        follows = shown[at + 1 : at + 2]
        if c.isalnum() or (word and in_word(c)) or (word and c in "'’" and follows.isalnum()):
            word += c
        elif word:
            words.append(word)
            word = ""
    return (*words, word) if word else tuple(words)


def in_word(c):
    """Whether a character is a combining mark, such as a vowel sign; not one that only selects a form."""
    return unicodedata.category(c) in ("Mn", "Mc") and not 0xFE00 <= ord(c) <= 0xFE0F


def ratio(above, below):
    """A quotient; missing if the divisor is 0."""
    return above / below if below else None


def coverage(query_terms, other_terms):
    """|T(q) ∩ T(x)| / |T(q)|."""
    return ratio(len(query_terms & other_terms), len(query_terms))


def jaccard(query_terms, other_terms):
    """|T(q) ∩ T(x)| / |T(q) ∪ T(x)|; missing for a query without terms."""
    return len(query_terms & other_terms) / len(query_terms | other_terms) if query_terms else None


@cache
def lcs(one, other):
    """Length of the longest common substring: try every substring of the first, the longest first."""
    for length in range(len(one), 0, -1):
        for start in range(len(one) - length + 1):
            if one[start : start + length] in other:
                return length
    return 0


@cache
def lev(one, other):
    """Least number of insertions, deletions and substitutions of one character."""
    row = list(range(len(other) + 1))
    for i, c in enumerate(one, start=1):
        above, row = row, [i]
        for j, d in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (c != d)))
    return row[-1]


def likeness(one, other):
    """1 − lev / length of the longer; missing for two empty strings."""
    longer = max(len(one), len(other))
    return 1 - lev(one, other) / longer if longer else None


def common_prefix(one, other):
    """Length of the common prefix."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return length


def trigrams(text):
    """Set of the character 3-grams."""
    return {text[i : i + 3] for i in range(len(text) - 2)}


def entropy(weights):
    """−Σ p ln p with p = weight / sum; missing without weight."""
    total = sum(weights)
    if not total:
        return None
    return 0.0 - sum(w / total * math.log(w / total) for w in weights if w > 0)


def count(words):
    """How often each word occurs."""
    result = {}
    for word in words:
        result[word] = result.get(word, 0) + 1
    return result


def add_counts(documents):
    """Occurrences of each word over all documents, each a dict of (weighted) counts."""
    result = {}
    for document in documents:
        for word, number in document.items():
            result[word] = result.get(word, 0) + number
    return result


def idf(documents, term):
    """ln(1 + (N − n + ½) / (n + ½))."""
    holding = sum(1 for document in documents if term in document)
    return math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))


def bm25(query_tokens, document, documents):
    """Σ_t idf(t) tf (k1 + 1) / (tf + k1 (1 − b + b |D| / mean |D|)); documents are dicts of (weighted) counts."""
    if not query_tokens:
        return None
    lengths = [sum(d.values()) for d in documents]
    score = 0.0
    for term in query_tokens:
        tf = document.get(term, 0)
        if tf:
            length = sum(document.values()) / (sum(lengths) / len(lengths))
            score += idf(documents, term) * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length))
    return score


def background(term, counts):
    """P(t | C) = (cf + 1) / (|C| + V + 1): add-one smoothing, with one count for all unknown words."""
    return (counts.get(term, 0) + 1) / (sum(counts.values()) + len(counts) + 1)


def dirichlet(query_tokens, document, collection):
    """Mean over the query's tokens of ln((tf + μ P(t|C)) / (|D| + μ)); missing for an empty query or document."""
    length = sum(document.values())
    if not query_tokens or not length:
        return None
    logs = [math.log((document.get(t, 0) + MU * background(t, collection)) / (length + MU)) for t in query_tokens]
    return sum(logs) / len(logs)


def jelinek_mercer(query_tokens, document, collection):
    """Mean over the query's tokens of ln((1 − λ) tf/|D| + λ P(t|C)); missing for an empty query or document."""
    length = sum(document.values())
    if not query_tokens or not length:
        return None
    logs = [
        math.log((1 - LAMBDA) * document.get(t, 0) / length + LAMBDA * background(t, collection)) for t in query_tokens
    ]
    return sum(logs) / len(logs)
