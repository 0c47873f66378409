# SPDX-License-Identifier: Apache-2.0
"""Swift source as text."""


def code_alone(text):
    """The text with comments and strings replaced by spaces. Interpolated code is kept."""
    out = list(text)
    # The open strings, innermost last: the closing quote, and the depth of parentheses at the start.
    strings, depth, at = [], 0, 0
    while at < len(text):
        rest = text[at:at + 3]
        if strings and strings[-1][1] is None:
            quote = strings[-1][0]
            if text.startswith(quote, at):
                strings.pop()
                at += len(quote)
            elif rest.startswith("\\("):
                strings[-1][1] = depth
                depth += 1
                at += 2
            else:
                length = 2 if text[at] == "\\" else 1
                out[at:at + length] = [" " if c != "\n" else c for c in text[at:at + length]]
                at += length
            continue
        if rest.startswith(("//", "/*")):
            end = text.find("\n" if rest.startswith("//") else "*/", at)
            end = len(text) if end < 0 else end + (0 if rest.startswith("//") else 2)
            out[at:end] = [" " if c != "\n" else c for c in text[at:end]]
            at = end
            continue
        if text[at] == '"':
            quote = '"""' if rest == '"""' else '"'
            strings.append([quote, None])
            at += len(quote)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if strings and depth == strings[-1][1]:
            strings[-1][1] = None
        at += 1
    return "".join(out)
