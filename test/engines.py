#!/usr/bin/env python3
"""Run a script of doc/shards.md with stand-ins for pandas, pyspark and ray.

    engines.py SCRIPT

The stand-ins have what the scripts use, with the signatures that the engines document.  Tasks run one
after another in this process, batches have 1,000 rows, and a DataFrame is a file of lines in three
partitions, which become the files part-00000 and so on.

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
import os
import runpy
import sys
import types


def module(name, **names):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(names)


# ---- pandas ----

class Frame(dict):
    """pandas.DataFrame: columns by name, all of one length."""

    def __init__(self, data):
        super().__init__(data)
        assert len({len(column) for column in self.values()}) == 1


module("pandas", DataFrame=Frame)


# ---- ray ----

def remote(*, num_cpus):
    assert num_cpus > 0

    def decorated(function):
        return types.SimpleNamespace(remote=lambda *arguments: (function, arguments))
    return decorated


module("ray", init=lambda: None, remote=remote, get=lambda tasks: [function(*a) for function, a in tasks])


# ---- pyspark ----

class Rdd:
    def __init__(self, elements):
        self.elements = list(elements)

    def map(self, function):
        return Rdd(map(function, self.elements))

    def collect(self):
        return self.elements


class SparkFrame:
    """One column, value; a list of lines for each partition."""

    def __init__(self, partitions):
        self.partitions = partitions
        self.write = types.SimpleNamespace(text=self.write_text)

    def mapInPandas(self, func, schema):
        assert schema == "value string"

        def batches(lines):
            lines = iter(lines)
            while batch := list(itertools.islice(lines, 1000)):
                yield Frame({"value": batch})
        return SparkFrame([[line for frame in func(batches(lines)) for line in frame["value"]]
                           for lines in self.partitions])

    def write_text(self, path):
        os.mkdir(path)
        for i, lines in enumerate(self.partitions):
            with open(f"{path}/part-{i:05}", "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines)


def read_text(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    third = -(-len(lines) // 3)
    return SparkFrame([lines[:third], lines[third:2 * third], lines[2 * third:]])


session = types.SimpleNamespace(
    read=types.SimpleNamespace(text=read_text),
    sparkContext=types.SimpleNamespace(parallelize=lambda c, numSlices: Rdd(c)))
module("pyspark")
module("pyspark.sql", SparkSession=types.SimpleNamespace(
    builder=types.SimpleNamespace(getOrCreate=lambda: session)))

runpy.run_path(sys.argv[1])
