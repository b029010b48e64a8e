"""Puts other values of examples into the text of openapi.yaml, in its style, and leaves the rest as it is."""

import re

import yaml

# As long as the longest lines of the file are, more or less.
WIDTH = 150


def rewritten(source, document, others):
    """The text with the `value` of each example, a part of the document, replaced by the one paired with it."""
    marks = {}
    pair_up(document, yaml.compose(source), marks)
    lines = source.split("\n")
    found = {}
    for example, value in others:
        key, node = marks[id(example)]
        # Two media types may share an example through an alias; the first answer is as good.
        found.setdefault((key.start_mark.line, last_line(node)), (key.start_mark.column, value))
    for (first, last), (column, value) in sorted(found.items(), reverse=True):
        lines[first:last + 1] = entry("value", value, " " * column)
    return "\n".join(lines)


def pair_up(value, node, marks):
    """Notes where the `value` of each example stands."""
    if isinstance(value, dict):
        for key, part in node.value:
            if key.value == "value" and "value" in value:
                marks[id(value)] = (key, part)
            pair_up(value[yaml.safe_load(key.value) if key.value not in value else key.value], part, marks)
    elif isinstance(value, list):
        for one, part in zip(value, node.value):
            pair_up(one, part, marks)


def last_line(node):
    """The last line of a node; a block's own end mark is where the next thing begins."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        return node.end_mark.line - (node.end_mark.column == 0)
    last = node.value[-1]
    return last_line(last[1] if isinstance(last, tuple) else last)


def entry(name, value, indent):
    """The lines of a member of a mapping."""
    if fits(value, indent + scalar(name) + ": "):
        return [f"{indent}{scalar(name)}: {flow(value)}"]
    return [f"{indent}{scalar(name)}:", *block(value, indent + "  ")]


def block(value, indent):
    if isinstance(value, dict):
        return [line for name, part in value.items() for line in entry(name, part, indent)]
    lines = []
    for one in value:
        if fits(one, indent + "- "):
            lines.append(f"{indent}- {flow(one)}")
        else:
            first, *rest = block(one, indent + "  ")
            lines += [f"{indent}- {first.lstrip()}", *rest]
    return lines


def fits(value, before):
    """Whether a value goes into its line: scalars, and what holds only scalars or lists, not too long.
    What holds nothing can't be written otherwise."""
    if not isinstance(value, (dict, list)) or not value:
        return True
    parts = value.values() if isinstance(value, dict) else value
    return not any(map(holds_mapping, parts)) and len(before + flow(value)) <= WIDTH


def holds_mapping(value):
    if isinstance(value, list):
        return any(map(holds_mapping, value))
    return isinstance(value, dict) and bool(value)


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(name)}: {flow(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def scalar(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        # YAML 1.1 takes 1e-07 for a string.
        return re.sub(r"^(-?\d+)e", r"\1.0e", repr(value))
    if isinstance(value, int):
        return str(value)
    plain = re.fullmatch(r"([^\W_]|/(?=\w))([\w .()/+~…-]*[\w.)~…])?", value)
    if plain and yaml.safe_load(value) == value:
        return value
    if re.search(r"[\x00-\x1f\x7f-\x9f]", value):
        return yaml.dump(value, default_style='"', allow_unicode=True, width=10**9).strip()
    return "'" + value.replace("'", "''") + "'"
