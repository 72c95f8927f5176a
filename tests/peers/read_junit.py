"""Reads JUnit XML with `junitparser`, and prints as JSON how many tests have each result, and how many are flaky.

Argument: the file.
"""

import json
import sys
from collections import Counter

from junitparser import Error, Failure, JUnitXml, Skipped
from junitparser.xunit2 import JUnitXml as JUnitXml2

results = {Error: "error", Failure: "failed", Skipped: "skipped"}
counts = Counter()
messages = []
for suite in JUnitXml.fromfile(sys.argv[1]):
    for case in suite:
        [result] = case.result or [None]
        counts["passed" if result is None else results[type(result)]] += 1
        if result is not None:
            messages.append(result.message)
flaky = sum(bool(case.flaky_failures()) for suite in JUnitXml2.fromfile(sys.argv[1]) for case in suite)
print(json.dumps({"counts": counts, "messages": messages, "flaky": flaky}))
