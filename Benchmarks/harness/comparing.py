"""Compares two results row by row, as parsed JSON, by key: comparing.py typed|plain OURS THEIRS ROWS.

Prints one line; exits with 1 where anything differs. Run with a Python that has orjson: a million rows take a while
without it.
"""
import sys

import orjson


def rows(path):
    with open(path, "rb") as file:
        for line in file:
            yield orjson.loads(line)


def typed_ours(row):
    return row.pop("key"), row


def typed_theirs(row):
    return row.pop("name").rsplit("/", 1)[1], row


def plain(row):
    return row.pop("_key"), row


def main():
    form, ours, theirs, expected = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    take_ours, take_theirs = (typed_ours, typed_theirs) if form == "typed" else (plain, plain)
    # Kept as text with sorted names: 1.0 and 1 differ, the order of members does not.
    want = {}
    for row in rows(theirs):
        key, row = take_theirs(row)
        want[key] = orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
    count = different = 0
    example = ""
    for row in rows(ours):
        key, row = take_ours(row)
        count += 1
        text = orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
        if want.pop(key, None) != text:
            different += 1
            example = example or f", first: {key}"
    complete = form != "typed" or count == expected
    print(f"{count} rows, {different} different, {len(want)} missing{example}")
    sys.exit(0 if different == 0 and not want and complete else 1)


main()
