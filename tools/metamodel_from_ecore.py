#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes amalthea/metamodel/metamodel.txt from a folder of Ecore files.

Usage: metamodel_from_ecore.py FOLDER [OUT]

FOLDER holds one file `amalthea-<version>.ecore` per AMALTHEA version; OUT is
standard output by default. For maintainers: run it when a new version of
AMALTHEA appears, add the version to `enum class Version` in
amalthea/metamodel.hpp and look at the difference. The form of the table is
described at the head of the table itself (HEADER below).
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
MAP_ENTRY = "java.util.Map$Entry"

# A version whose Ecore file is not to be had, and its neighbours. The second
# neighbour wins where both define the same thing differently.
GUESSED = "0.9.6"
GUESSED_FROM = ("0.9.5", "0.9.7")

HEADER = """\
# The AMALTHEA metamodel, every version in one table.
#
# Written by tools/metamodel_from_ecore.py, checked in because people read and
# diff it, turned into C++ tables by compile_metamodel.cpp at build time.
#
# Form. One fact a line; `#` starts a comment; leading blanks are for the eye
# only. A line may end in a list of version ranges:
#
#   [0.8.0]          that version          [0.8.0..0.9.2]  from .. to, both included
#   [0.9.3..]        from there to the newest              [..0.8.3]  up to there
#   [0.8.0 0.9.3..]  several ranges, a blank between them
#
# A line without a range holds in every version of the class or enum it stands
# in; for `class`, `enum` and `datatype` lines that is every version.
#
#   versions V...            all versions, oldest first. First line of the table.
#   builtin NAME...          types that belong to Ecore itself
#   datatype NAME JAVA       a data type and its Java class;
#       `min >= N`, `min > N`  the least value it allows
#   enum NAME                an enumeration, followed by
#     literals TEXT...       its literals in order, as they are written in a
#                            model. TEXT(NAME) where the literal's name differs.
#                            Several lines: those of one version, one after the
#                            other, give the order. The first literal is the
#                            value of an unset attribute.
#   class NAME               a class, followed by
#     abstract               it has no instances
#     interface              a Java interface; always abstract too
#     map-entry              an entry of a map: key and value
#     extends NAME...        its supertypes in order. At most one line a version.
#     attribute NAME TYPE LOWER..UPPER FLAG...
#     contains  NAME TYPE LOWER..UPPER FLAG...    a containment reference
#     refers    NAME TYPE LOWER..UPPER FLAG...    a reference to what stands elsewhere
#
# UPPER is `*` for no limit. The flags of a feature:
#
#   = "TEXT"      explicit default. (EMF writes an attribute with an explicit
#                 default even when it has that value.)
#   id            the identity of the object
#   derived transient volatile unchangeable    as in Ecore
#   opposite NAME    the feature of TYPE that is the other direction
#
# A feature that changed has several lines of the same name with disjoint ranges.
# The lines of one class that hold in a version stand in the declaration order of
# that version; if two features changed places, one of them is there twice.
#
# What is left out. Every list is ordered and, as no attribute has many values,
# unique. Type parameters (0.9.3, 0.9.4) are erased: such a feature has the type
# EObject. Operations, annotations, proxy resolution and the integer values of
# literals say nothing about a model file.
#
# No definition of 0.9.6 is to be had. It is taken to have what 0.9.5 or 0.9.7
# has (the union); where both define the same thing differently (a feature's
# type, a class's supertypes, ...) 0.9.7 holds.
"""


def version_key(text):
    return tuple(int(part) for part in text.split("."))


def flag(element, name):
    return element.get(name) == "true"


def type_name(element):
    """The name of a feature's type without the package it lives in."""
    text = element.get("eType")
    if text is None:
        generic = element.find("eGenericType")
        text = generic.get("eClassifier")
        if text is None:
            # A type parameter; nothing bounds it, so its erasure is EObject.
            assert generic.get("eTypeParameter"), element.attrib
            return "EObject"
    return text.rsplit("#//", 1)[1]


def read_feature(element):
    """(name, the rest of its line without the range)"""
    name = element.get("name")
    if element.get(XSI_TYPE) == "ecore:EAttribute":
        kind = "attribute"
    elif flag(element, "containment"):
        kind = "contains"
    else:
        kind = "refers"
    upper = element.get("upperBound", "1")
    assert element.get("ordered", "true") == "true", name
    assert element.get("unique", "true") == "true" or (kind == "attribute" and upper == "1"), name
    line = [
        kind,
        name,
        type_name(element),
        "%s..%s" % (element.get("lowerBound", "0"), "*" if upper == "-1" else upper),
    ]
    default = element.get("defaultValueLiteral")
    if default is not None:
        assert not re.search(r'["\\\n]', default), name
        line.append('= "%s"' % default)
    for attribute, word in (("iD", "id"), ("derived",) * 2, ("transient",) * 2, ("volatile",) * 2):
        if flag(element, attribute):
            line.append(word)
    if element.get("changeable") == "false":
        line.append("unchangeable")
    opposite = element.get("eOpposite")
    if opposite is not None:
        owner, other = opposite[len("#//"):].split("/")
        assert owner == type_name(element), name
        line.append("opposite " + other)
    return name, " ".join(line)


def read_data_type(element):
    line = element.get("instanceClassName")
    for details in element.iter("details"):
        if details.get("key") == "minInclusive":
            line += " min >= " + details.get("value")
        elif details.get("key") == "minExclusive":
            line += " min > " + details.get("value")
    return line


def read_literal(element):
    name = element.get("name")
    literal = element.get("literal", name)
    return (literal, literal if literal == name else "%s(%s)" % (literal, name))


def read_ecore(path):
    """What one version defines: {"class"|"enum"|"datatype": {name: facts}}."""
    model = {"class": {}, "enum": {}, "datatype": {}}
    for element in ElementTree.parse(path).getroot().findall("eClassifiers"):
        name = element.get("name")
        kind = element.get(XSI_TYPE)
        if kind == "ecore:EDataType":
            model["datatype"][name] = read_data_type(element)
        elif kind == "ecore:EEnum":
            model["enum"][name] = [read_literal(one) for one in element.findall("eLiterals")]
        else:
            assert kind == "ecore:EClass", kind
            flags = set()
            if flag(element, "abstract"):
                flags.add("abstract")
            if flag(element, "interface"):
                flags.add("interface")
            if element.get("instanceClassName") == MAP_ENTRY:
                flags.add("map-entry")
            supertypes = [
                one[len("#//"):] for one in element.get("eSuperTypes", "").split()
            ]
            model["class"][name] = {
                "flags": flags,
                "extends": " ".join(supertypes),
                "features": [read_feature(one) for one in element.findall("eStructuralFeatures")],
            }
    return model


def align(left, right):
    """Pairs (i, j), both rising, of equal items: a longest common subsequence."""
    length = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            if left[i] == right[j]:
                length[i][j] = length[i + 1][j + 1] + 1
            else:
                length[i][j] = max(length[i + 1][j], length[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def union(older, newer):
    """The entries of both lists [(name, facts)]; `newer` wins, and sets the order."""
    names = [name for name, _ in newer]
    result, i, j = [], 0, 0
    pairs = align([name for name, _ in older], names)
    for to_i, to_j in pairs + [(len(older), len(newer))]:
        result += [one for one in older[i:to_i] if one[0] not in names]
        result += newer[j:to_j + 1]
        i, j = to_i + 1, to_j + 1
    return result


def guess(older, newer):
    model = {}
    for kind in newer:
        model[kind] = {**older[kind], **newer[kind]}
    for name in older["enum"].keys() & newer["enum"].keys():
        model["enum"][name] = union(older["enum"][name], newer["enum"][name])
    for name in older["class"].keys() & newer["class"].keys():
        merged = dict(newer["class"][name])
        merged["features"] = union(
            older["class"][name]["features"], newer["class"][name]["features"]
        )
        model["class"][name] = merged
    return model


def merge(sequences):
    """Merges {version: [(name, line)]} into [(line, versions)].

    The lines that hold in a version give its sequence exactly. Names are aligned
    first, so that the forms a feature had over time stand together.
    """
    slots = []  # [name, {version: line}]
    for version, sequence in sequences.items():
        pairs = align([slot[0] for slot in slots], [name for name, _ in sequence])
        merged, i, j = [], 0, 0
        for to_i, to_j in pairs + [(len(slots), len(sequence))]:
            merged += slots[i:to_i]
            merged += [[name, {version: line}] for name, line in sequence[j:to_j]]
            if to_i < len(slots):
                slots[to_i][1][version] = sequence[to_j][1]
                merged.append(slots[to_i])
            i, j = to_i + 1, to_j + 1
        slots = merged
    result = []
    for _, lines in slots:
        for line in dict.fromkeys(lines.values()):
            result.append((line, [version for version in lines if lines[version] == line]))
    return result


class Writer:
    def __init__(self, versions):
        self.versions = versions
        self.lines = []

    def range_text(self, held, whole):
        """The range at the end of a line; empty if it holds as long as its class."""
        if list(held) == list(whole):
            return ""
        ranges, start = [], None
        ordinals = {self.versions.index(version) for version in held}
        last = len(self.versions) - 1
        for ordinal in range(len(self.versions)):
            if ordinal not in ordinals:
                continue
            if ordinal - 1 not in ordinals:
                start = ordinal
            if ordinal + 1 in ordinals:
                continue
            if start == ordinal:
                ranges.append(self.versions[ordinal])
            else:
                from_text = "" if start == 0 else self.versions[start]
                to_text = "" if ordinal == last else self.versions[ordinal]
                ranges.append(from_text + ".." + to_text)
        return " [" + " ".join(ranges) + "]"

    def add(self, text, held, whole):
        self.lines.append(text + self.range_text(held, whole))


def write(models):
    versions = list(models)
    writer = Writer(versions)
    lines = writer.lines
    lines.append("versions " + " ".join(versions))

    def names(kind):
        return sorted({name for model in models.values() for name in model[kind]})

    def held(kind, name):
        return {v: model[kind][name] for v, model in models.items() if name in model[kind]}

    def distinct(values):
        """{value: versions} in order of first appearance"""
        result = {}
        for version, value in values.items():
            result.setdefault(value, []).append(version)
        return result

    own = set(names("class") + names("enum") + names("datatype"))
    used = {
        line.split()[2]
        for model in models.values()
        for one in model["class"].values()
        for _, line in one["features"]
    }
    lines.append("builtin " + " ".join(sorted(used - own)))
    lines.append("")
    for name in names("datatype"):
        for line, where in distinct(held("datatype", name)).items():
            writer.add("datatype %s %s" % (name, line), where, versions)
    for name in names("enum"):
        there = held("enum", name)
        lines.append("")
        writer.add("enum " + name, there, versions)
        row, row_versions = [], None
        for line, where in merge(there) + [(None, None)]:
            if where != row_versions and row:
                writer.add("  literals " + " ".join(row), row_versions, there)
                row = []
            row.append(line)
            row_versions = where
    for name in names("class"):
        there = held("class", name)
        lines.append("")
        writer.add("class " + name, there, versions)
        for word in ("abstract", "interface", "map-entry"):
            where = [version for version, one in there.items() if word in one["flags"]]
            if where:
                writer.add("  " + word, where, there)
        for line, where in distinct({v: one["extends"] for v, one in there.items()}).items():
            if line:
                writer.add("  extends " + line, where, there)
        for line, where in merge({v: one["features"] for v, one in there.items()}):
            writer.add("  " + line, where, there)
    return HEADER + "\n" + "\n".join(lines) + "\n"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = sys.argv[1]
    found = {}
    for file in os.listdir(folder):
        match = re.fullmatch(r"amalthea-(\d+\.\d+\.\d+)\.ecore", file)
        if match:
            found[match.group(1)] = read_ecore(os.path.join(folder, file))
    if not found:
        sys.exit("%s: no file amalthea-<version>.ecore" % folder)
    if GUESSED not in found and all(one in found for one in GUESSED_FROM):
        found[GUESSED] = guess(*(found[one] for one in GUESSED_FROM))
    text = write({version: found[version] for version in sorted(found, key=version_key)})
    if len(sys.argv) == 3:
        with open(sys.argv[2], "w", encoding="utf-8") as out:
            out.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
