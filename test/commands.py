#!/usr/bin/env python3
"""commands.py - whole command lines drawn from a grammar: a right end, whatever is asked

    test/commands.py                  those drawn in 60 seconds (`make fuzz-commands`)
    test/commands.py --seconds S      in S seconds
    test/commands.py --seed N         beginning with another one (default: 1)
    test/commands.py --only SEED      this one, which is printed

A command is drawn by its seed.  Most begin as a case of faults.py, which is right; then come options
of the program, as its --help lists them, with words that it lists for them, numbers or files, and other
files in place of some: short, compressed, cut off, empty, of another kind.  So some 25 per cent are
taken, and the others fail at the first, second or last check.  Each must end in one of two ways:

    exit status 0    no nan or inf on standard output or in text that is written, but where
                     --allow-nonfinite asks for it, or --mode direct for what svm-train writes
    exit status 1    a message of the program on standard error; old outputs as they were

One that is taken is run once more, with another number of threads, with --memory, on two ranks, or with
its inputs compressed under the same names.  It must be taken again, but for a bound of memory that is too
small and for what is not done on ranks, and its outputs must have the same bytes.

In both no sanitizer has anything to report, inputs are as they were, and nothing is left behind but
what a name on the command line stands for.  A program that stands still, or takes two minutes of
processor time or 3 GB, is reported, too.

The programs are those of $BIN (build-asan/bin).  Prints the seed and the command of each wrong end,
then "commands: N checks, M failed".

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import collections
import gzip
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import faults

TOP = faults.TOP
CPU_SECONDS = 120
MEMORY_MB = 3072  # of pages that are in use, as a sanitizer's shadow takes all addresses
NUMBERS = "0 1 2 3 4 5 8 10 0.1 0.5 0.9 1.5".split()
STRANGE = ["-1", "1e-300", "1e-20", "1e300", "nan", "inf", "-0", "", "x", "007", "0x10", "1e3", "2147483648",
           "99999999999999999999", "1,2", "3 4", "-"]
# extra words, where the help names none
WORDS = {"-log2c": ["0,2,2", "null", "2,0,-1", "0,0,1", "0,2,0", "1,2"], "-log2g": ["-3,-1,1", "null"],
         "-log2p": ["-3,-1,1", "null"], "-log2n": ["-3,-1,1", "null"], "--shard": ["1/2", "2/2", "3/2"],
         "--memory": ["20", "40", "1G", "500k"], "--spill": [".", "nowhere"], "--rank": ["3", "20"],
         "-w": ["-w1", "-w-1", "-w7"], "--gap": ["1e-6"], "-e": ["0.001", "0.1"]}
OPTION = re.compile(r"^  (-[^\s,]+)(?:, (--\S+))?(?: ([A-Z][\w,/]*|[a-z]\w*(?: [a-z]+)?))?(?:  +(\S.*))?$")

Option = collections.namedtuple("Option", "words value text choices")


def options_of(program):
    """The options that the --help of a program lists."""
    text = subprocess.run([program, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    found = []
    for line in text.split("\n"):
        if m := OPTION.match(line):
            found.append(Option([w for w in m.groups()[:2] if w], m.group(3), m.group(4) or "", []))
        elif found and (m := re.match(r"^        (\S+) +-- ", line)):
            found[-1].choices.append(m.group(1))
        elif found and line.startswith("    "):
            found[-1] = found[-1]._replace(text=found[-1].text + " " + line.strip())
        elif line.startswith("Examples:"):
            break
    if len(found) < 10:
        sys.exit("commands.py: %s --help lists %d options" % (program, len(found)))
    return [o for o in found if o.words[-1] not in ("--help", "--version")]


def make_files(work):
    """Files that are no input of faults.py: names."""
    with open(os.path.join(work, "heart"), "rb") as file:
        heart = file.read()
    compressed = gzip.compress(heart, mtime=0)
    texts = {"empty": b"", "blank": b"\n\n \n", "cut.gz": compressed[:len(compressed) // 2], "one": b"1 1:1\n",
             "cut": heart[:len(heart) // 2 + 3], "zeros": bytes(100), "two.gz": compressed + compressed,
             "nans": b"1 1:nan\n-1 1:inf\n", "huge": b"1 1:1e308 2:1e-320\n-1 1:-1e308 2:5e-324\n" * 4,
             "same": b"1 1:1\n-1 1:1\n" * 4, "sparse": b"1 2147483647:1\n-1 2:1\n1\n", "bare": b"1\n-1\n2\n",
             "long": b"1 " + b" ".join(b"%d:1" % j for j in range(1, 3000)) + b"\n-1 5:1\n",
             "returns": heart.replace(b"\n", b"\r\n"), "many": b"".join(b"%d 1:%d\n" % (i, i) for i in range(150))}
    for name, text in texts.items():
        with open(os.path.join(work, name), "wb") as file:
            file.write(text)
    return list(texts) + ["missing", ".", "/dev/null"]


class Grammar:
    def __init__(self, files, strange_files):
        self.files, self.strange_files = files, strange_files
        self.cases = [line.split()[1:] for line in faults.CASES.strip().splitlines()]
        self.options = {name: options_of(name) for name in sorted({words[0] for words in self.cases})}

    def file(self, draw):
        return draw.choice(self.files if draw.random() < 0.7 else self.strange_files)

    def value(self, draw, option):
        known = option.choices + WORDS.get(option.words[-1], [])
        if draw.random() < 0.1:
            return draw.choice(STRANGE)
        if known:
            return draw.choice(known)
        if re.search(r"FILE|OUT|DATA|TRAIN|MODEL|DIR", option.value):
            if re.search(r"\b(write|save|draw|picture|gets|output_file)\b", option.text):
                return draw.choice(["out", "out2", "out3"]) + draw.choice(["", "", ".gz", ".svg", ".tsv"])
            return self.file(draw)
        if re.search(r"NAME|COLUMN", option.value):
            return draw.choice(["type", "size", "1", "2", "of,type"])
        return draw.choice(NUMBERS)

    def option(self, draw, option):
        word = draw.choice(option.words)
        if word == "-wi":
            word = draw.choice(WORDS["-w"] + ["-w"])
            return [word, draw.choice(NUMBERS + ["auto"])]
        if option.value is None:
            return [word]
        value = self.value(draw, option)
        return [word + "=" + value] if word.startswith("--") and draw.random() < 0.2 else [word, value]

    def command(self, seed):
        draw = random.Random(seed)
        words = list(draw.choice(self.cases))
        options = self.options[words[0]]
        if draw.random() < 0.15:  # nothing but files
            words = words[:1] + [w for w in words[1:] if w in self.files or w.startswith("out")]
        for i in range(1, len(words)):
            if words[i] in self.files and draw.random() < 0.15:
                words[i] = self.file(draw)
            elif re.match(r"-?[\d.]+$", words[i]) and draw.random() < 0.15:
                words[i] = draw.choice(NUMBERS + STRANGE)
        for _ in range(draw.choice([0, 1, 1, 2, 2, 3, 5])):
            words[1:1] = self.option(draw, draw.choice(options))
        if words[0] == "svm-gen":  # the kind comes first; to write 2^31 rows takes long
            words = ["2000" if w == "2147483648" else w for w in words]
            kind = next((w for w in words if w in ("twonorm", "text", "separable")), "relevant")
            words = ["svm-gen", kind] + [w for w in words[1:] if w != kind]
        if draw.random() < 0.03:
            del words[draw.randrange(1, len(words))]
        return words

    def otherwise(self, seed, words):
        """The same command in another way: words, whether its inputs are to be compressed, and whether it may be
        refused; or None."""
        given = {re.sub("=.*", "", w) for w in words}
        ways = [["--memory", m] for m in ("64", "100") if not given & {"--memory", "--spill"}]
        ways += [["--threads", n] for n in "13" if not given & {"--threads", "-T"}]
        listed = {w for o in self.options[words[0]] for w in o.words}
        ways = [way for way in ways if way[0] in listed]
        ways += [["ranks"]] if words[0] == "randsvm-train" and shutil.which("mpirun") else []
        if given & {"--time-limit", "--checkpoint"}:  # other steps in the same time, or another program's state
            return None
        way = random.Random(seed).choice(ways + [["gzip"]])
        if way == ["ranks"]:
            return ["mpirun", "-n", "2", "randsvm-train-mpi"] + words[1:], False, True
        kind = 2 if words[0] == "svm-gen" else 1
        if way == ["gzip"]:
            return words, True, False
        return words[:kind] + way + words[kind:], False, way[0] == "--memory"


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def unfit(text):
    """The first nan or inf of an output."""
    text = re.sub(r"Squared correlation coefficient = -?nan|squared margin: 0 to inf times|rate=nan outcome=skipped|"
                  r"^threshold\t.*\ninf\t", "", text)  # a curve begins above all examples
    return re.search(r"(^|[^A-Za-z_/.])[-+]?(nan|inf)([^A-Za-z_.]|$)", text, re.M | re.I)


class Runner:
    """Runs commands in folders of its own, beside the inputs."""

    def __init__(self, work, number):
        self.inputs = os.path.join(work, "inputs%d" % number)
        self.folder = os.path.join(self.inputs, "run")
        shutil.copytree(os.path.join(work, "inputs"), self.inputs)
        self.before = self.inputs_now()
        self.reports = os.path.join(work, "report%d" % number)
        self.streams = [os.path.join(work, "%s%d" % (name, number)) for name in ("stdout", "stderr")]
        common = "exitcode=99:log_path=%s:allocator_may_return_null=1:hard_rss_limit_mb=%d:detect_leaks=0" % (
            self.reports, MEMORY_MB)
        self.environment = dict(os.environ, LC_ALL="C", OPENBLAS_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                                ASAN_OPTIONS=common,
                                UBSAN_OPTIONS="print_stacktrace=1:exitcode=99:log_path=" + self.reports)

    def inputs_now(self):
        return {name: faults.contents(os.path.join(self.inputs, name)) for name in os.listdir(self.inputs)
                if name != "run"}

    def located(self, word):
        """An input as it is named from the folder, also behind --option=."""
        option, equals, name = word.rpartition("=")
        return option + equals + "../" + name if name in self.before or name == "missing" else word

    def run(self, words):
        """(exit status, complaint or None)"""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        named = {re.sub("^.*=", "", w) for w in words}
        old = {name for name in named if re.match(r"out[\w.]*$", name)}
        for name in old:
            with open(os.path.join(self.folder, name), "w") as file:
                file.write("old\n")
        out, err = (open(name, "wb") for name in self.streams)
        with out, err:
            process = subprocess.Popen([self.located(w) for w in words], cwd=self.folder, env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limited,
                                       start_new_session=True)
            status = faults.waited(process)
        return status, self.complaint(words, status, named, old)

    def complaint(self, words, status, named, old):
        folder, name = os.path.split(self.reports)
        for report in [r for r in os.listdir(folder) if r.startswith(name + ".")]:
            text = faults.contents(os.path.join(folder, report)).decode(errors="replace")
            os.remove(os.path.join(folder, report))
            if re.search("ERROR: |runtime error: |hard rss limit", text):
                return "a report\n" + text
        if self.inputs_now() != self.before:
            shutil.rmtree(self.inputs)
            shutil.copytree(os.path.join(os.path.dirname(self.inputs), "inputs"), self.inputs)
            return "inputs are not as they were"
        if status is None:
            return "neither ends nor works"
        if status not in (0, 1):
            return "exit status %d" % status
        files = {name: faults.contents(os.path.join(self.folder, name)) for name in os.listdir(self.folder)}
        # names that are given, or made of the data's
        stems = tuple(named - {"", "-"}) + tuple(n + "." for n in self.before) + ("state", "out.")
        left = [n for n in files if not n.startswith(stems) or re.search(r"\.tmp|\.lock$", n)]
        if left:
            return "left behind: " + " ".join(left)
        return self.of_success(words, files) if status == 0 else self.of_failure(words, files, old)

    def outputs(self):
        """Standard output and the files written, as they are to be compared."""
        files = {"standard output": faults.contents(self.streams[0])}
        for name in os.listdir(self.folder):
            text = faults.contents(os.path.join(self.folder, name))
            if text[:2] == b"\x1f\x8b":
                text = gzip.decompress(text)
            files[name] = b"a report" if faults.reads_as_json(text) else text
        return faults.comparable(files)

    def compare(self, otherwise, compressed, may_fail):
        """Run a command that was taken in another way: (exit status, complaint or None)."""
        expected = self.outputs()
        for name, text in self.before.items() if compressed else ():
            with open(os.path.join(self.inputs, name), "wb") as file:
                file.write(text if text[:2] == b"\x1f\x8b" else gzip.compress(text, mtime=0))
        as_given, self.before = self.before, self.inputs_now()
        status, complaint = self.run(otherwise)
        for name, text in as_given.items() if compressed else ():
            with open(os.path.join(self.inputs, name), "wb") as file:
                file.write(text)
        self.before = as_given
        if status == 1 and not complaint and not may_fail:
            complaint = "is refused"
        if status == 0 and not complaint:
            found = self.outputs()
            other = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
            complaint = "other bytes in " + " ".join(other) if other else None
        return status, complaint and "run as %s%s: %s" % (
            shlex.join(otherwise), " with compressed inputs" if compressed else "", complaint)

    def of_success(self, words, files):
        if any(w.startswith("--allow-nonfinite") for w in words) or "direct" in words or "--mode=direct" in words:
            return None
        own = [re.escape(name) for word in words for name in (word, word.partition("=")[2]) if unfit(name)]
        for name, text in [("-", faults.contents(self.streams[0]))] + list(files.items()):
            if b"\0" in text or name.endswith(".svg"):
                continue
            text = text.decode(errors="replace")
            if own:  # a report has the words of its command
                text = re.sub('"(%s)"' % "|".join(own), "", text)
            if m := unfit(text):
                return "exit status 0, but in %s: %r" % (name, m.group())
        return None

    def of_failure(self, words, files, old):
        messages = b"\n".join(map(faults.contents, self.streams)).decode(errors="replace")
        # a program's own, or those of svm-train, svm-predict and grid.py, which prints usage on standard output
        usual = r"%s(-mpi)?: .|can't (open|save) |Wrong input|ERROR: |Usage: |[Uu]nknown |Model does not support|n-fold " \
            % re.escape("randsvm-train" if words[0] == "mpirun" else words[0])
        if not re.search("^(%s)" % usual, messages, re.M):
            return "exit status 1 without a message"
        # a search writes each of its results at once
        keeps = words[0] == "randsvm-grid"
        changed = [n for n in old if files.get(n) != b"old\n" and not keeps]
        return "old files are not whole: " + " ".join(changed) if changed else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    o = parser.parse_args()
    os.environ["PATH"] = os.path.abspath(os.environ.get("BIN", os.path.join(TOP, "build-asan", "bin"))) + ":" + \
        os.environ["PATH"]
    with tempfile.TemporaryDirectory(prefix="randsvm-commands.") as work:
        inputs = os.path.join(work, "inputs")
        os.mkdir(inputs)
        faults.make_inputs(inputs)
        known = os.listdir(inputs)
        grammar = Grammar(known, make_files(inputs))
        end = time.monotonic() + o.seconds
        ends = collections.Counter()

        def some(k):
            runner, seed = Runner(work, k), o.seed + k
            while time.monotonic() < end:
                words = grammar.command(o.only or seed)
                status, complaint = runner.run(words)
                otherwise = status == 0 and not complaint and grammar.otherwise(o.only or seed, words)
                if otherwise:
                    again, complaint = runner.compare(*otherwise)
                    ends["compared"] += again == 0 and not complaint
                ends["failed" if complaint else status] += 1
                if complaint or o.only:
                    print("%s %d: %s: %s" % ("FAIL" if complaint else "ok", o.only or seed, shlex.join(words),
                                             complaint or "exit status %d" % status))
                    print("".join("    | %s\n" % s for s in
                                  faults.contents(runner.streams[1]).decode(errors="replace").split("\n")[-6:] if s),
                          end="", flush=True)
                if o.only:
                    break
                seed += o.jobs

        if o.only:
            o.jobs = 1
        with ThreadPoolExecutor(o.jobs) as pool:
            list(pool.map(some, range(o.jobs)))
    print("%d were taken, %d of them in another way as well; %d refused" % (ends[0], ends["compared"], ends[1]))
    print("commands: %d checks, %d failed" % (ends[0] + ends[1] + ends["failed"], ends["failed"]))
    sys.exit(ends["failed"] > 0)


main()
