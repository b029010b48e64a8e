#!/usr/bin/env python3
"""Makes Sources/ClusterCore/Query/Filters/AccentTable+Groups.swift: letters with diacritics, and what is left of them without.

usage: accents.py OUT

From the Unicode data of this Python: letters whose canonical decomposition has nonspacing marks or is another letter, other
than syllables of Hangul and ideographs; Latin letters whose name says that they are another one WITH a stroke, a hook and
the like; and a few that people write with plain letters.
"""
import re
import sys
import unicodedata

PLAIN = {"Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "ẞ": "SS", "ß": "ss", "Ð": "D", "ð": "d", "Þ": "TH", "þ": "th", "ı": "i"}
HEAD = '''// Made by scripts/derive/accents.py.

extension AccentTable {
  /// Groups with spaces between: plain letters, a colon, and the letters that become these.
  static let groups = """
'''
FOOT = '''    """
}
'''


def struck(sign):
    """The letter that a Latin letter with a stroke and the like is by its name, or the sign itself."""
    match = re.fullmatch(r"LATIN (SMALL|CAPITAL) LETTER ([A-Z]) WITH (?!.*LETTER).*", unicodedata.name(sign, ""))
    if match:
        return match[2] if match[1] == "CAPITAL" else match[2].lower()
    # The capital of ɖ is called an African D.
    small = sign.lower()
    if sign in PLAIN or len(small) > 1 or small == sign or small in PLAIN or struck(small) == small:
        return PLAIN.get(sign, sign)
    return struck(small).upper()


def bare(sign):
    marks = (one for one in unicodedata.normalize("NFD", sign) if unicodedata.category(one) != "Mn")
    return "".join(struck(one) for one in marks)


def shown(text):
    """A text as a literal has it: what doesn't stand by itself, or runs from right to left, as a number."""
    return "".join(
        one if unicodedata.category(one)[0] == "L" and unicodedata.bidirectional(one) == "L" or one.isascii()
        else f"\\u{{{ord(one):X}}}" for one in text)


def main():
    groups = {}
    for number in range(0x80, sys.maxunicode + 1):
        sign = chr(number)
        kind = unicodedata.category(sign)
        if kind in ("Mn", "Cs", "Cn") or 0xAC00 <= number <= 0xD7A3 or "IDEOGRAPH" in unicodedata.name(sign, ""):
            continue
        if (without := bare(sign)) != sign:
            groups.setdefault(without, []).append(sign)
    lines, line = [], "   "
    for base, letters in groups.items():
        word = shown(base) + ":" + "".join(shown(one) for one in letters)
        if len(line) + len(word) + 3 > 100 and len(line) > 3:
            lines.append(line + " \\")
            line = "   "
        line += " " + word
    lines.append(line)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(HEAD + "\n".join(lines) + "\n" + FOOT)


main()
