"""Slow twin of the kernels of pages: every product and every co-citation counted one by one."""

import math
from collections import Counter


def word_rows(documents, unit):
    """One dict (word → weight) per document: (1 + ln tf) · ln(N / n), divided by the row's length if ``unit``."""
    rows = []
    for document in documents:
        row = {}
        for word, tf in Counter(document).items():
            containing = sum(word in other for other in documents)
            row[word] = (1 + math.log(tf)) * math.log(len(documents) / containing)
        length = math.sqrt(sum(weight**2 for weight in row.values()))
        rows.append({word: weight / length for word, weight in row.items()} if unit and length else row)
    return rows


def text_products(documents, unit):
    """K_ij = Σ_w D_iw D_jw."""
    rows = word_rows(documents, unit)
    return [[sum(weight * other.get(word, 0.0) for word, weight in row.items()) for other in rows] for row in rows]


def cocitations(n_pages, links):
    """K_ij = the number of pages that link to both i and j; ``links`` are pairs of different pages, each once."""
    citing = [{source for source, target in links if target == page} for page in range(n_pages)]
    return [[float(len(one & other)) for other in citing] for one in citing]


def unit_diagonal(K):
    """K_ij / √(K_ii K_jj); 1 on the diagonal of an empty page."""
    n = len(K)
    scaled = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i == j:
                scaled[i][j] = 1.0
            elif K[i][i] > 0 and K[j][j] > 0:
                scaled[i][j] = K[i][j] / math.sqrt(K[i][i] * K[j][j])
    return scaled


def kernel_parts(documents, links, kernel, text_rows):
    """K_text and K_cocitation, raw or of unit diagonal."""
    words, cited = text_products(documents, unit=text_rows == "unit"), cocitations(len(documents), links)
    return (words, cited) if kernel == "raw" else (unit_diagonal(words), unit_diagonal(cited))


def composite(documents, links, text_weight, kernel, text_rows):
    """μ K_text + (1 − μ) K_cocitation."""
    words, cited = kernel_parts(documents, links, kernel, text_rows)
    n = len(documents)
    return [[text_weight * words[i][j] + (1 - text_weight) * cited[i][j] for j in range(n)] for i in range(n)]
