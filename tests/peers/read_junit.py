"""Reads JUnit XML with `junitparser`, and prints how many tests have each result as JSON. Argument: the file."""

import json
import sys
from collections import Counter

from junitparser import Error, Failure, JUnitXml, Skipped

results = {Error: "error", Failure: "failed", Skipped: "skipped"}
counts = Counter()
messages = []
for suite in JUnitXml.fromfile(sys.argv[1]):
    for case in suite:
        [result] = case.result or [None]
        counts["passed" if result is None else results[type(result)]] += 1
        if result is not None:
            messages.append(result.message)
print(json.dumps({"counts": counts, "messages": messages}))
