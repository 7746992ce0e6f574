"""Judges texts by patterns with `re.search`.

Reads base64 lines: `p` and a pattern, or `t` and a text for the last pattern. Prints a line of `1` and `0` per pattern.
"""

import base64
import re
import sys

verdicts = []
for line in sys.stdin:
    value = base64.b64decode(line[1:]).decode()
    if line[0] == "p":
        search = re.compile(value).search
        verdicts.append([])
    else:
        verdicts[-1].append("1" if search(value) else "0")
print("\n".join("".join(each) for each in verdicts))
