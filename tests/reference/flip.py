"""Slow twin of the flip value: a search from the present value in very small steps."""

import numpy as np


def flip_by_walking(effect, low, high, value, needed, n_steps=100_000):
    """Return the nearest value of a dense grid, in both directions, at which effect − needed is 0 or changes sign."""
    side = np.sign(effect(np.array([value]))[0] - needed)
    if side == 0:
        return value
    found = []
    for end in (min(low, value), max(high, value)):
        if end != value:
            places = np.linspace(value, end, n_steps + 1)
            turned = side * (effect(places) - needed) <= 0
            if turned.any():
                found.append(places[np.argmax(turned)])
    return min(found, key=lambda place: abs(place - value)) if found else None


def flip_by_listing(effects, needed, present):
    """Return the category that changes the effect least and still reaches the needed level."""
    if effects[present] == needed:
        return present
    down = effects[present] > needed
    reaching = [k for k, effect in enumerate(effects) if (effect <= needed if down else effect >= needed)]
    return min(reaching, key=lambda k: abs(effects[k] - effects[present])) if reaching else None


def flip_by_counting(effect, low, high, value, needed):
    """Return the whole number nearest to the value, at first below it, at which the level is reached or passed."""
    side = np.sign(float(effect(np.array([value]))[0]) - needed)
    if side == 0:
        return value
    reached = [
        whole
        for whole in range(int(np.ceil(min(low, value))), int(np.floor(max(high, value))) + 1)
        if side * (float(effect(np.array([float(whole)]))[0]) - needed) <= 0
    ]
    return min(reached, key=lambda whole: (abs(whole - value), whole)) if reached else None
