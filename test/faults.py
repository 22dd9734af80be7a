#!/usr/bin/env python3
"""faults.py - each call of the C library fails once: a right answer, or an error; nothing left over

    test/faults.py                   all faults of all cases (`make check-faults`)
    test/faults.py --faults N        a sample of N faults, drawn by --seed
    test/faults.py --seed S          another sample (default: 1)
    test/faults.py --most M          all faults of a kind up to M, of more a sample of M
    test/faults.py NAME...           cases whose names begin with one of these

A case is a command line of a program.  It is run once without a fault, by fault_shim.c, which counts
its calls; then again and again with the n-th call of a kind, or all from the n-th on, failing, short
or interrupted.  Each run must end in one of two ways:

    exit status 0    all outputs and standard output are those of the run without a fault, or those of a
                     run without OpenBLAS, where that or the memory to load it was not to be had
    exit status 1    the last line on standard error is a message of the program, and the files that
                     were there before are as they were

In both nothing else is left in the folder, and a second run without faults succeeds where the first
could have left a checkpoint.  A program that neither ends nor uses the processor is reported, too.

The programs are taken from PATH, or from bin/.  Prints a line for each fault that is not answered
well, then "faults: N checks, M failed".

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import json
import mmap
import os
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENOENT, EINTR, EIO, EAGAIN, ENOMEM, EACCES = 2, 4, 5, 11, 12, 13
EMFILE, EINVAL, ENOSPC, EPERM, ENOLCK = 24, 22, 28, 1, 37
FAILS, SHORT = 1, 2
FOR_EVER = 2**62

# Kinds of calls, in the order of enum call in fault_shim.c; with what each is made to do: how, the
# error, and whether calls after the n-th do so, too.
CALLS = [
    ("memory", [(FAILS, ENOMEM, False), (FAILS, ENOMEM, True)]),
    ("read", [(FAILS, EIO, False), (FAILS, EINTR, False), (SHORT, 0, False), (SHORT, 0, True)]),
    ("pread", [(FAILS, EIO, False), (FAILS, EINTR, False), (SHORT, 0, False), (SHORT, 0, True)]),
    ("write", [(FAILS, ENOSPC, False), (FAILS, ENOSPC, True), (FAILS, EINTR, False), (SHORT, 0, True)]),
    ("ftruncate", [(FAILS, ENOSPC, False)]),
    ("posix_fallocate", [(FAILS, ENOSPC, False), (FAILS, EINTR, False), (FAILS, EINVAL, False)]),
    ("fsync", [(FAILS, EIO, False), (FAILS, EINTR, False), (FAILS, EINVAL, False)]),
    ("rename", [(FAILS, EACCES, False)]),
    ("linkat", [(FAILS, EPERM, False), (FAILS, ENOSPC, True)]),
    ("unlink", [(FAILS, EIO, False)]),
    ("open", [(FAILS, EMFILE, False), (FAILS, EMFILE, True), (FAILS, EINTR, False), (FAILS, EACCES, False)]),
    ("close", [(FAILS, EIO, False), (FAILS, EINTR, False)]),
    ("stat", [(FAILS, EIO, False), (FAILS, ENOENT, False)]),
    ("mmap", [(FAILS, ENOMEM, False), (FAILS, ENOMEM, True)]),
    ("madvise", [(FAILS, EINVAL, True)]),
    ("flock", [(FAILS, ENOLCK, False), (FAILS, EINTR, False)]),
    ("dlopen", [(FAILS, ENOENT, False)]),
    ("pthread_create", [(FAILS, EAGAIN, False), (FAILS, EAGAIN, True)]),
    ("posix_spawnp", [(FAILS, ENOENT, False)]),
    ("fopen", [(FAILS, EMFILE, False)]),
]
NAMES = [name for name, _ in CALLS]

# Inputs of the cases, made once: a file, and the command that writes it to standard output.
INPUTS = """
heart       gzip -dc $T/heart_scale.gz | head -n 60
heart.gz    gzip -c heart
few         head -n 24 heart
bad         (cat few; echo '1 1:2 junk')
names       printf '1 good\\n-1 bad\\n'
labels      cut -d' ' -f1 heart
queries     awk '{ $1 = $1 " qid:" NR % 7; print }' heart
weights     seq 1 60
classes     head -n 60 $T/three_class
sinc        head -n 60 $T/sinc
words       svm-gen text -n 60 -d 300 -q
wide        svm-gen relevant -n 30 -d 60 -q
board       svm-gen checkerboard -n 300 --noise 0.05 -q
kernel      awk '{ printf "%d 0:%d", NR % 2, NR; for (i = 1; i <= 8; i++) printf " %d:%g", i, i == NR; print "" }' few | head -n 8
binary      rp-project -q -m none --binary heart
model       randsvm-train -q few -
linear      randsvm-train -q -t 0 heart -
compact     randsvm-train -q -t 0 --compact heart -
ovr.model   randsvm-train -q -t 0 --multiclass ovr classes -
probable    randsvm-train -q -b 1 heart -
map         rp-project -q -m cw -k 8 -s /dev/stdout heart /dev/null
rff.map     rp-project -q -m rff -k 8 -g 0.1 -s /dev/stdout heart /dev/null
ranges      rp-project -q -m scale -s /dev/stdout heart /dev/null
projected   rp-project -q -r map heart
small       randsvm-train -q -t 0 --sv-indices small.i projected -
choice      fs-select -q -m t -k 5 -s /dev/stdout heart /dev/null
chosen      fs-select -q -r choice heart
narrow      randsvm-train -q -t 0 chosen -
predicted   svm-eval -q --with-labels --scores heart linear -
table.csv   printf 'type,size,of\\ngood,1.5,a\\nbad,,b\\ngood,3,a\\nbad,2,c\\n'
table.arff  printf '@relation t\\n@attribute size numeric\\n@attribute of {a,b}\\n@attribute type {x,y}\\n@data\\n1,a,x\\n2,b,y\\n?,a,x\\n'
array.npy   svm-convert -q --from svmlight --to npy few -
matrix.mtx  svm-convert -q --from svmlight --to mtx few -
columns     svm-convert -q -l type --missing mean -s /dev/stdout table.csv /dev/null
points      randsvm-grid -q -log2c 0,2,2 -log2g -3,-3,1 -v 2 -png null -out /dev/stdout few
"""

# Cases: a name, then the words of a command.  Words that begin with "out" are files to write, which
# are there already; "state" in a name: the command keeps a state, and a second run goes on from it.
CASES = """
train               randsvm-train heart out
train/gz            randsvm-train -z --report out.json --sv-indices out.i heart.gz out
train/classes       randsvm-train -c 10 -g 1 classes out
train/regression    randsvm-train -s 3 -c 4 sinc out
train/nu            randsvm-train -s 1 -n 0.2 heart out
train/nu-regression randsvm-train -s 4 -c 4 sinc out
train/one-class     randsvm-train -s 2 heart out
train/linear        randsvm-train -t 0 --model-format liblinear heart out
train/squared       randsvm-train -t 0 --loss squared --compact heart out
train/text          randsvm-train -t 0 words out
train/ovr           randsvm-train -t 0 --multiclass ovr classes out
train/poly          randsvm-train -t 1 heart out
train/sigmoid       randsvm-train -t 3 -g 0.01 few out
train/precomputed   randsvm-train -t 4 kernel out
train/direct        randsvm-train --mode direct few out
train/probability   randsvm-train -b 1 few out
train/samples       randsvm-train --sample 40 --verbose -g 10 board out
train/libsvm        randsvm-train --solver libsvm --sample 40 heart out
train/paper         randsvm-train --mode paper -k 20 --sample 40 heart out
train/reweight      randsvm-train --mode reweight -k 2 --max-iter 3 few out
train/budget        randsvm-train --mode budget --budget 100 -g 10 board out
train/weights       randsvm-train -W weights -w1 2 heart out
train/start         randsvm-train --start model heart out
train/binary        randsvm-train binary out
train/cv            randsvm-train -q -v 3 --metrics --cv-predictions out heart
train/groups        randsvm-train -q -v 3 -b 1 --by-qid queries
train/bad           randsvm-train bad out
train/ovr-large     randsvm-train -t 0 --multiclass ovr -c 1e5 classes out
train/gap           randsvm-train --gap 1e-9 --fail-on-gap 1e-6 few out
train/state         randsvm-train --checkpoint state --checkpoint-every 0 --sample 40 -g 10 board out
train/memory        randsvm-train --memory 40 --spill . heart out
grid                randsvm-grid -q -log2c 0,2,2 -log2g -3,-3,1 -v 2 -png null -out state --model out --table out.t few
grid/linear         randsvm-grid -t 0 -log2c 0,2,2 -v 2 -png null -out state few
grid/nested         randsvm-grid -q -log2c 0,2,2 -log2g null -v 2 --nested 2 --measure auc -png null -out null heart
grid/race           randsvm-grid -q --race --refine -log2c 0,2,2 -log2g null -v 2 -png null -out null few
grid/merge          randsvm-grid -q -v 2 --merge -png null --data few --model out points
grid/resume         randsvm-grid -q -log2c 0,4,1 -log2g -3,-3,1 -v 2 -png null -out state -resume points few
grid/weights        randsvm-grid -q -W weights -log2c 0,2,2 -log2g null -v 2 -png null -out null heart
grid/groups         randsvm-grid -q --groups weights -log2c 0,2,2 -log2g null -v 2 --nested 2 -png null -out null heart
grid/nu             randsvm-grid -q -s 4 -log2c 0,2,2 -log2g null -log2n -2,-1,1 -v 2 -png null -out state sinc
grid/picture        randsvm-grid -q -log2c 0,2,2 -log2g -3,-1,2 -v 2 -out null -png out.svg few
project             rp-project -q -k 8 -s out.map heart out
project/rs          rp-project -m rs -k 8 heart out
project/fht         rp-project -q -m fht -k 8 --single heart out
project/gaussian    rp-project -q -m gaussian -k 8 --binary heart out
project/li          rp-project -q -m li -k 8 words out
project/pca         rp-project -q -m pca -k 3 -s out.map heart out
project/rff         rp-project -q -m rff -k 8 -g 0.1 -s out.map heart out
project/nystrom     rp-project -q -m nystrom -k 8 -g 0.1 -s out.map heart out
project/sketch      rp-project -q -m tensorsketch -k 8 -g 0.1 -s out.map heart out
project/leverage    rp-project -q -m nystrom --landmarks leverage -k 8 -g 0.1 heart out
project/laplace     rp-project -q -m rff --kernel laplace -k 8 -g 0.1 heart out.gz
project/scale       rp-project -q -m scale --range-y 0,1 -s out.ranges heart out
project/normalise   rp-project -q -m normalise heart out
project/restore     rp-project -q -r map heart out
project/restore-rff rp-project -q -r rff.map heart -
project/ranges      rp-project -q -r ranges heart out
project/fold        rp-project -q -r map --fold small out
project/recover     rp-project -q -r map --recover heart --sv-indices small.i --keep-sv small out
project/certificate rp-project -q -m rs -k 8 --certificate --report out.json heart out
select              fs-select -q -k 5 -s out.s heart out
select/bss          fs-select -q -m bss --unsupervised -k 15 --certificate heart out
select/approx-bss   fs-select -q -m approx-bss -k 15 heart out
select/leverage     fs-select -q -m leverage -k 15 --rows sv heart out
select/approx       fs-select -q -m approx-leverage --unsupervised -k 15 heart out
select/top          fs-select -q -m top -k 5 --renumber heart out
select/rrqr         fs-select -q -m rrqr --unsupervised -k 5 heart out
select/rmb          fs-select -q -m rmb -k 11 heart out
select/lpsvm        fs-select -q -m lpsvm -k 5 heart out
select/l1           fs-select -q -m l1 -k 5 heart out
select/t            fs-select -q -m t -k 5 --list --names labels heart out
select/f            fs-select -q -m f --regression -k 5 heart out
select/uniform      fs-select -q -m uniform -k 5 -s out.s wide out
select/restore      fs-select -q -r choice heart out
select/weights      fs-select -q -m rfe -W weights -k 5 heart out
select/epsilon      fs-select -q -m bss --epsilon 0.9 wide out
select/fold         fs-select -q -r choice --fold narrow out
eval                svm-eval heart model out
eval/linear         svm-eval --metrics --with-labels --scores heart linear out
eval/compact        svm-eval heart.gz compact out.gz
eval/ovr            svm-eval classes ovr.model out
eval/probability    svm-eval -b 1 --roc out.tsv --pr out.pr.tsv heart probable out
eval/plot           svm-eval -q --plot out.svg heart linear out
eval/measure        svm-eval --report out.json --measure predicted
eval/weights        svm-eval --weights --top 3 linear
eval/geometry       svm-eval --geometry heart linear
eval/reference      svm-eval --geometry projected --reference heart small linear
eval/reduce         svm-eval -q --reduce 5 few model out
eval/retrain        svm-eval -q --reduce 5 --retrain few model out
eval/labels         svm-eval -q --labels names --with-labels --plot out.svg few model out
eval/certify        svm-eval --repair out --certify few model
fold                svm-fold -q -v 3 -f 1 --train heart out
fold/stratified     svm-fold -q -v 3 -f 1 --test --stratified --lines labels --lines-output out.l heart out
fold/groups         svm-fold -q -v 3 --list --groups weights heart out
fold/classes        svm-fold -q -v 3 --list --stratified --groups weights heart out
fold/svm-train      svm-fold -q -v 3 -f 2 --test --svm-train-order heart out
fold/memory         svm-fold -q -v 3 -f 2 --test --by-qid --memory 30 --spill . queries out
gen/twonorm         svm-gen twonorm -n 50 -q -o out
gen/text            svm-gen text -n 50 -d 300 -q -z -o out --report out.json
gen/separable       svm-gen separable -n 20 -d 64 -q
convert             svm-convert -q -l type --missing mean -s out.columns table.csv out
convert/groups      svm-convert -q -l type --group of --missing mean table.csv out
convert/restore     svm-convert -q -r columns table.csv out
convert/pipe        svm-convert -q -l type --missing mark --memory 40 --spill . --names out.names --labels out.labels table.csv out
convert/arff        svm-convert -q -l -1 --missing drop table.arff out
convert/npy         svm-convert -q -l 1 array.npy out
convert/mtx         svm-convert -q -l 1 --to csv matrix.mtx out
convert/svmlight    svm-convert -q --from svmlight --positive 1 --to npy few out
"""


class Case:
    """A command with the answer it gives without a fault."""

    def __init__(self, name, words):
        self.name, self.words = name, words
        self.outputs = [w for w in words if w.startswith("out")]
        self.keeps_state = "state" in words
        self.expected, self.by_own_loops = {}, {1: [], 2: []}


class Runner:
    """Runs cases in a folder of its own, with a file FAULT_STATE."""

    FIELDS = "=8q%dq" % len(CALLS)

    def __init__(self, work, number, shim):
        self.folder = os.path.join(work, "run%d" % number)
        self.messages = self.folder + ".stderr"
        self.results = self.folder + ".stdout"
        path = self.folder + ".state"
        with open(path, "wb") as file:
            file.write(bytes(4096))
        with open(path, "r+b") as file:
            self.state = mmap.mmap(file.fileno(), 4096)
        self.environment = dict(os.environ, LD_PRELOAD=shim, FAULT_STATE=path, LC_ALL="C")
        self.inputs = work

    def prepare(self, case):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        for name in case.outputs:
            with open(os.path.join(self.folder, name), "w") as file:
                file.write("old\n")

    def run(self, case, threads, calls=0, first=0, last=0, how=0, error=0):
        """Exit status; or None where the process stands still."""
        self.state.seek(0)
        self.state.write(struct.pack(self.FIELDS, calls, first, last, how, error, 0, 0, 0, *[0] * len(CALLS)))
        words = [self.located(w) for w in case.words]
        at = 2 if words[0] == "svm-gen" else 1
        words[at:at] = ["--threads", str(threads)] if words[0] != "svm-convert" else []
        with open(self.messages, "wb") as err, open(self.results, "wb") as out:
            process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, start_new_session=True)
            return waited(process)

    def located(self, word):
        path = os.path.join(self.inputs, word)
        return os.path.join("..", word) if re.match(r"^[a-z]", word) and os.path.isfile(path) else word

    def counts(self):
        """Counted calls, faults among them, and calls of each kind."""
        fields = struct.unpack_from(self.FIELDS, self.state)
        return fields[6], fields[7], fields[8:]

    def files(self):
        """Contents of the files in the folder, and of standard output as the file '-'."""
        found = {"-": contents(self.results)}
        for name in os.listdir(self.folder):
            found[name] = contents(os.path.join(self.folder, name))
        return found


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def session_of(leader):
    """Processes of the session of one that was begun with start_new_session: {number: fields of its stat}"""
    found = {}
    for name in os.listdir("/proc"):
        try:
            fields = contents("/proc/%s/stat" % name).rsplit(b")", 1)[1].split() if name.isdigit() else []
        except (OSError, IndexError):
            continue
        if fields and int(fields[3]) == leader:
            found[int(name)] = fields
    return found


def waited(process):
    """Exit status of the leader of a session; None, and the session is ended, if it waits for ever: it used no
    processor time in many looks at it."""
    still, before = 0, None
    try:
        return process.wait(1)
    except subprocess.TimeoutExpired:
        pass
    while process.poll() is None:
        session = session_of(process.pid)
        used = sum(int(fields[11]) + int(fields[12]) for fields in session.values())
        sleeps = all(fields[0] == b"S" for fields in session.values())
        still = still + 1 if sleeps and used == before else 0
        # 5 minutes of processor time: an endless loop
        if still > 100 or used > 30000:
            for number in session:
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
            return None
        before = used
        time.sleep(0.2)
    return process.wait()


def comparable(files):
    """Outputs without what tells times."""
    kept = {}
    for name, text in files.items():
        if name.endswith(".json"):
            text = b"a report" if reads_as_json(text) else text
        kept[name] = re.sub(rb"(\t[-0-9.e]+)\t[-0-9.e]+\t0\trated", rb"\1", text)
    return kept


def reads_as_json(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def complaint(runner, case, status, kind, threads):
    """What is wrong with the end of a run, or None."""
    expected = case.expected[threads]
    files = comparable(runner.files())
    with open(runner.messages, errors="replace") as file:
        messages = file.read()
    if status is None:
        return "neither ends nor works"
    others = set(files) - set(expected)
    if kind == "unlink":
        others = {n for n in others if not re.search(r"\.tmp|\.lock$", n)}
    if case.keeps_state:
        others -= {"state"}
    if others:
        return "left behind: " + " ".join(sorted(others))
    if status == 0:
        wrong = [n for n in expected if files.get(n) != expected[n]]
        # without OpenBLAS, or memory to load it, other loops compute the same, but for the last digits
        if kind in ("dlopen", "memory") and files in case.by_own_loops[threads]:
            return None
        if kind == "memory" and as_good(files.get("-", b""), expected["-"]):
            return None
        return "exit status 0, but other outputs: " + " ".join(wrong) if wrong else None
    # the dynamic linker ends a program that has no memory for a library, or for variables of a thread
    if status == 127 and re.search("^(cannot allocate memory for thread-local data: ABORT|.*out of memory)$", messages,
                                   re.M):
        return None
    if status != 1:
        return "exit status %d" % status
    last = messages.rstrip("\n").rsplit("\n", 1)[-1]
    if not re.match(r"%s: .|can't (open|save) |Wrong input|ERROR: |randsvm-mpi: " % re.escape(case.words[0]), last):
        return "exit status 1 without a message"
    if not case.expected_status and "warning: " in last:
        return "exit status 1, but only a warning"
    # a rename that fails after others cannot undo them, and the state is what a run goes on from
    whole = [n for n in case.outputs if files.get(n) not in (b"old\n", expected[n] if kind == "rename" else b"old\n")]
    return "old files are not whole: " + " ".join(whole) if whole else None


def as_good(text, expected):
    """Is a result as good where memory was short?  A training may then do without the kernel matrix that all
    its folds share, and ends within the same tolerance; svm-eval --geometry leaves out one of its lines."""
    if b"measured epsilon: not to be had: out of memory" in text:
        return True
    objectives = [re.findall(rb"^obj = ([-0-9.e+]+)", t, re.M) for t in (text, expected)]
    return len(objectives[0]) == len(objectives[1]) > 0 and all(
        abs(float(a) - float(b)) <= 1e-3 * abs(float(b)) for a, b in zip(*objectives))


def described(kind, n, how):
    action, error, on = how
    what = "is short" if action == SHORT else os.strerror(error)
    return "%s %d%s: %s" % (kind, n, " and later" if on else "", what)


def check(runner, case, threads, kind, n, how):
    """Runs the case with the fault: (was there a fault, complaint or None)."""
    action, error, on = how
    runner.prepare(case)
    status = runner.run(case, threads, 1 << NAMES.index(kind), n, FOR_EVER if on else n, action, error)
    hit = runner.counts()[1] > 0
    status_text = complaint(runner, case, status, kind, threads)
    if status_text is None and case.keeps_state and status == 1:
        status = runner.run(case, threads)
        status_text = complaint(runner, case, status, kind, threads)
        if status_text or status != 0:
            status_text = "the run after it: %s" % (status_text or "exit status %d" % status)
    if status_text:
        with open(runner.messages, errors="replace") as file:
            status_text += "".join("\n    | " + line.rstrip("\n") for line in file.readlines()[-3:])
        status_text = "%s, --threads %d, %s: %s" % (case.name, threads, described(kind, n, how), status_text)
    return hit, status_text


def learn(runner, case, threads):
    """Runs the case without a fault: its outputs, and how many calls of each kind it makes."""
    runner.prepare(case)
    status = runner.run(case, threads)
    if status not in (0, 1) or (status == 1) != case.name.endswith("/bad"):
        sys.exit("faults.py: %s: exit status %s\n%s" % (case.name, status, contents(runner.messages).decode()))
    case.expected_status = status
    case.expected[threads] = comparable(runner.files())
    counts = runner.counts()[2]
    dlopen = NAMES.index("dlopen")
    for n in range(1, counts[dlopen] + 1):
        runner.prepare(case)
        if runner.run(case, threads, 1 << dlopen, n, FOR_EVER, FAILS, ENOENT) == 0:
            case.by_own_loops[threads].append(comparable(runner.files()))
    return counts


def faults_of(counts, most, draw):
    """All faults (kind, n, how) of a run with so many calls; of more than 'most' of a kind a sample."""
    for kind, (name, hows) in enumerate(CALLS):
        for how in hows:
            n = counts[kind]
            chosen = range(1, n + 1) if n <= most else sorted(draw.sample(range(1, n + 1), most))
            for i in chosen:
                yield name, i, how


def make_inputs(work):
    environment = dict(os.environ, T=os.path.join(TOP, "testdata"))
    for line in INPUTS.strip().splitlines():
        name, command = line.split(None, 1)
        subprocess.run(["bash", "-e", "-c", "set -o pipefail; %s >%s" % (command, name)], cwd=work, env=environment,
                       check=name == "few", stderr=subprocess.PIPE)
        if not os.path.getsize(os.path.join(work, name)):
            sys.exit("faults.py: no input %s by %s" % (name, command))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=1000000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.environ["PATH"] += os.pathsep + os.path.join(TOP, "bin")
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as work:
        shim = os.path.join(work, "fault_shim.so")
        subprocess.run(shlex.split(os.environ.get("CC", "cc")) + ["-D_GNU_SOURCE", "-std=gnu11", "-O1", "-shared",
                       "-fPIC", "-o", shim, os.path.join(TOP, "test", "fault_shim.c")], check=True)
        make_inputs(work)
        runners = [Runner(work, i, shim) for i in range(options.jobs)]
        cases = [Case(*(line.split()[0], line.split()[1:])) for line in CASES.strip().splitlines()]
        cases = [c for c in cases if not options.names or c.name.startswith(tuple(options.names))]
        faults = []
        for case in cases:
            for threads in (1, 2):
                for fault in faults_of(learn(runners[0], case, threads), options.most, draw):
                    faults.append((case, threads, *fault))
        if options.faults and options.faults < len(faults):
            faults = sample(faults, options.faults, draw)
        sys.exit(inject(runners, faults))


def sample(faults, n, draw):
    """n of the faults: as many of each kind of call, where there are so many."""
    by_kind = {}
    for fault in faults:
        by_kind.setdefault((fault[2], fault[4]), []).append(fault)
    chosen = []
    for i, group in enumerate(sorted(by_kind.values(), key=len)):
        share = (n - len(chosen)) // (len(by_kind) - i)
        chosen += group if len(group) <= share else draw.sample(group, share)
    return chosen


def inject(runners, faults):
    """Runs all faults, shared among the runners; prints complaints and sums; exit status."""

    def work(i):
        n_hit = n_failed = 0
        for fault in faults[i::len(runners)]:
            hit, text = check(runners[i], *fault)
            n_hit += hit
            if text:
                n_failed += 1
                print("FAIL", text, flush=True)
        return n_hit, n_failed

    with ThreadPoolExecutor(len(runners)) as pool:
        done = list(pool.map(work, range(len(runners))))
    n_failed = sum(f for _, f in done)
    print("%d faults, of which %d were met" % (len(faults), sum(h for h, _ in done)))
    print("faults: %d checks, %d failed" % (len(faults), n_failed))
    return n_failed > 0


if __name__ == "__main__":
    main()
