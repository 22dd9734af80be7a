"""sklearn_text.py - svm-convert --text beside scikit-learn's vectorizers

    sklearn_text.py CORPUS FOLDER...

CORPUS is `pages` (paragraphs of the documents in the folders), `code` (documentation of Python's own
modules) or `letters` (random words of all letters of Unicode).  For settings of each of
CountVectorizer, TfidfVectorizer and HashingVectorizer svm-convert --words sklearn has to make the
same names and, to 1e-12, the same rows, of the texts that it learns from and of others by -r.

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import glob
import importlib
import pkgutil
import random
import subprocess
import sys
import unicodedata

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import make_pipeline


def pages(folders):
    names = [name for folder in folders for name in sorted(glob.glob(folder + '/*.[md1-9]*'))]
    return [text for name in names for text in open(name, encoding='utf-8').read().split('\n\n') if text.strip()]


def code():
    texts = []
    for module in sorted(m.name for m in pkgutil.iter_modules() if m.name in sys.stdlib_module_names and m.name[0] != '_'):
        if module in ('antigravity', 'this', 'idlelib', 'turtledemo', 'lib2to3', 'tkinter', 'turtle'):
            continue
        try:
            found = importlib.import_module(module)
        except ImportError:
            continue
        texts += [str(getattr(found, name).__doc__) for name in dir(found)]
    return texts


def letters():
    # but for the two characters whose small letters depend on others, or are two
    draw = random.Random(1)
    usable = [chr(c) for c in range(32, 0x40000) if unicodedata.category(chr(c)) not in ('Cn', 'Co', 'Cs')
              and c not in (0x130, 0x3a3)]
    word = lambda: ''.join(draw.choice(usable) for _ in range(draw.randrange(1, 5)))
    known = [word() for _ in range(3000)]
    return [' '.join(draw.choice(known) for _ in range(draw.randrange(1, 40))) for _ in range(400)]


def convert(texts, *options):
    with open('texts.csv', 'w', encoding='utf-8', newline='') as f:
        csv.writer(f).writerows([('y', 'text')] + [(1, text.replace('\0', ' ')) for text in texts])
    subprocess.run(['svm-convert', '-q', *options, 'texts.csv', 'rows'], check=True)


def compare(what, expected):
    width = expected.shape[1]
    got = load_svmlight_file('rows', n_features=width, zero_based=False)[0]
    worst = abs(got - expected).max() if expected.nnz else 0
    assert worst < 1e-12, (what, worst)


STOP = ['the', 'of', 'is', 'and']
CASES = [
    (CountVectorizer(), '--norm none'),
    (CountVectorizer(ngram_range=(1, 2), min_df=3), '--norm none --ngrams 1,2 --min-count 3'),
    (CountVectorizer(binary=True, stop_words=STOP), '--norm none --counts once --stop stop'),
    (TfidfVectorizer(), '--tfidf'),
    (TfidfVectorizer(sublinear_tf=True, ngram_range=(2, 3), min_df=2, stop_words=STOP),
     '--tfidf --counts log --ngrams 2,3 --min-count 2 --stop stop'),
    (HashingVectorizer(n_features=2 ** 18), '--hash 18'),
    (HashingVectorizer(n_features=2 ** 6, ngram_range=(1, 2), norm=None), '--hash 6 --ngrams 1,2 --norm none'),
    (HashingVectorizer(n_features=2 ** 8, binary=True), '--hash 8 --counts once'),
    (make_pipeline(HashingVectorizer(n_features=2 ** 10, norm=None), TfidfTransformer()), '--hash 10 --tfidf'),
]

corpus = sys.argv[1]
texts = pages(sys.argv[2:]) if corpus == 'pages' else code() if corpus == 'code' else letters()
draw = numpy.random.RandomState(1)
draw.shuffle(texts)
half = len(texts) // 2
with open('stop', 'w') as f:
    f.write('\n'.join(STOP))
for vectorizer, options in CASES:
    convert(texts[:half], '-l', 'y', '--text', 'text', '--words', 'sklearn', '-s', 'columns', *options.split())
    compare((corpus, options, 'learned'), vectorizer.fit_transform(texts[:half]))
    convert(texts[half:], '-r', 'columns')
    compare((corpus, options, 'later'), vectorizer.transform(texts[half:]))
    if 'hash' not in options:
        convert(texts[:half], '-r', 'columns', '--names', 'names')
        assert open('names', encoding='utf-8').read().split('\n')[:-1] == list(vectorizer.get_feature_names_out())
print('%s: %d texts, %d settings' % (corpus, len(texts), len(CASES)))
