"""Medians, quartiles, ratios."""
import statistics


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def spread(values, digits):
    low, middle, high = quartiles(values)
    return f"{middle:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def table(case, results):
    """Prints a case's rows: one for each contender. `results` has the runs by contender."""
    print(f"\n{case.name}: {case.documents:,} documents, {len(next(iter(results.values())))} runs each, "
          "median (quartiles)")
    print(f"| {'contender':16} | {'wall s':>20} | {'CPU s':>20} | {'peak MB':>18} | {'documents/s':>11} |")
    print(f"| {'-' * 16} | {'-' * 19}: | {'-' * 19}: | {'-' * 17}: | {'-' * 10}: |")
    for name, runs in results.items():
        wall = [run.wall for run in runs]
        print(f"| {name:16} | {spread(wall, 3):>20} | {spread([run.cpu for run in runs], 3):>20} "
              f"| {spread([run.peak for run in runs], 1):>18} | {case.documents / statistics.median(wall):>11,.0f} |")


def ratios(name, ours, theirs, target=None):
    """Prints how much faster `ours` is. The ratio of medians; in brackets the quartiles of the ratios pair by pair."""
    for what, value in (("wall", lambda run: run.wall), ("CPU", lambda run: run.cpu)):
        ratio = statistics.median(map(value, theirs)) / statistics.median(map(value, ours))
        low, _, high = quartiles([value(b) / value(a) for a, b in zip(ours, theirs)])
        verdict = ""
        if target and what == "wall":
            verdict = f"; target {target:g} ×: {'reached' if ratio >= target else 'NOT reached'}"
        print(f"{name} / sluice, {what}: {ratio:.2f} × (pairs {low:.2f}–{high:.2f}){verdict}")
