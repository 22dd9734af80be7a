"""python_reference.py - the page of the Python package's classes and functions, of their docstrings

    LD_LIBRARY_PATH=lib PYTHONPATH=python python3 scripts/python_reference.py >doc/python-api.md

Docstrings are plain text, or in numpydoc's sections (Parameters, Returns, ...), whose entries become
lists.

SPDX-License-Identifier: BSD-3-Clause
"""
import inspect
import re
import textwrap

import randsvm

HEAD = """\
# Python: classes and functions

What `randsvm` has, from the docstrings of version {version}; [From Python](python.md) is the guide.
Wherever `X` is wanted it may be a 2-d array, a sparse matrix of scipy, a DataFrame, or `Rows`.
"""
GROUPS = {
    "Machines": ["SVC", "NuSVC", "OneClassSVM", "SVR", "NuSVR", "LinearSVC", "LinearSVR"],
    "Searches": ["GridSearchCV", "shared_search", "search", "cross_validate"],
    "Maps": ["RandomProjection", "PrincipalComponents", "RangeScaler", "FeatureSelector",
             "RBFSampler", "Nystroem", "PolynomialCountSketch"],
    "Rows, models and files": ["Rows", "read_rows", "Model", "Map"],
    "In the place of scikit-learn": ["patch_sklearn", "unpatch_sklearn", "library_version"],
    "Errors": ["RandsvmError", "RandsvmValueError", "RandsvmTypeError", "RandsvmArgumentError",
               "RandsvmMemoryError"],
}
SECTION = re.compile(r"(\w[\w ]*)\n-{3,}\n")


def literal(text):
    """Text in which nothing but ``code`` is taken for Markdown"""
    parts = re.split(r"``(.+?)``", text, flags=re.DOTALL)
    parts[::2] = [re.sub(r"([*_<|])", r"\\\1", part) for part in parts[::2]]
    return "".join(f"`{part}`" if k % 2 else part for k, part in enumerate(parts))


def entries(text):
    """A list of numpydoc's entries, which are a line `name : type` and lines that are indented"""
    found = []
    for line in text.strip("\n").split("\n"):
        if line and not line.startswith(" "):
            name, colon, kind = line.partition(" : ")
            found.append([f"- **{literal(name)}**{' ' + literal(kind) if colon else ''}", ""])
        elif line.strip():
            found[-1][1] += " " + line.strip()
    return "\n".join(textwrap.fill(f"{name}:{literal(meaning)}" if meaning else name, 100,
                                   subsequent_indent="  ", break_long_words=False,
                                   break_on_hyphens=False) for name, meaning in found)


def markdown(docstring):
    """A docstring as Markdown"""
    text, *sections = SECTION.split(inspect.cleandoc(docstring))
    paragraphs = [f"```\n{inspect.cleandoc(part)}\n```" if part.startswith("    ") else literal(part)
                  for part in text.strip("\n").split("\n\n")]
    for title, body in zip(sections[::2], sections[1::2]):
        plain = title in ("Notes", "Examples", "References")
        paragraphs += [f"*{title}*", literal(body.strip("\n")) if plain else entries(body)]
    return "\n\n".join(paragraphs)


def call(name, function):
    """How a function is called, without what is the caller's own object"""
    signature = inspect.signature(function)
    given = [one.replace(annotation=one.empty) for one in signature.parameters.values()
             if one.name not in ("self", "cls")]
    text = f"{name}{signature.replace(parameters=given, return_annotation=signature.empty)}"
    lines, indent = [], " " * (len(name) + 1)
    while len(text) > 92:
        cut = text.rindex(", ", 0, 92) + 1
        lines.append(text[:cut])
        text = indent + text[cut + 1:]
    return "```python\n" + "\n".join(lines + [text]) + "\n```"


def members(kind):
    """(name, function or property) of the public members that a class of ours has, in its order"""
    found = {}
    for owner in reversed(kind.__mro__):
        if owner.__module__.startswith("randsvm"):
            found.update({name: value for name, value in vars(owner).items()
                          if not name.startswith("_")})
    return found.items()


def write(name, thing):
    print(f"\n## {name}\n")
    if not inspect.isclass(thing):
        print(call(name, thing), markdown(thing.__doc__), sep="\n\n")
        return
    if "__init__" in vars(thing):
        print(call(name, thing.__init__), end="\n\n")
    print(markdown(thing.__doc__))
    if issubclass(thing, Exception):
        return
    for member, value in members(thing):
        function = getattr(value, "__func__", value)
        docstring = getattr(function, "__doc__", None)
        if isinstance(value, property) and docstring:
            print(f"\n### {name}.{member}\n\n{markdown(docstring)}")
        elif inspect.isfunction(function) and docstring:
            print(f"\n### {name}.{member}\n\n{call(member, function)}\n\n{markdown(docstring)}")


print(HEAD.format(version=randsvm.__version__), end="")
NAMES = sorted(randsvm.__all__ + ["GridSearchCV", "shared_search"])  # these need scikit-learn
assert sorted(sum(GROUPS.values(), [])) == NAMES, "GROUPS are not all names"
for title, names in GROUPS.items():
    print(f"\n# {title}")
    for one in names:
        write(one, getattr(randsvm, one))
