# What the tests of exported programs and graphs share: what runs them on rows.

# the exported m.c on ROWS, against the output of svm-eval --scores: bits of values, labels, digits of
# probabilities; in floats within 1e-3 of the largest value
cat >driver.c <<'EOF'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define M_DECLARATIONS
#include "m.c"

#ifndef REAL
#define REAL double
#define NEAR(a, b) ((a) == (b))
#else
#define NEAR(a, b) (fabs((a) - (b)) <= 1e-3 * (1 + fabs(b)))
#endif

int main(int argc, char **argv)
{
	static REAL x[M_FEATURES], values[M_VALUES], p[M_CLASSES];
	FILE *rows = fopen(argv[1], "r"), *told = fopen(argv[2], "r");
	char *line = NULL, *scores = NULL;
	size_t size = 0, room = 0;
	long n = 0, wrong = 0;

	if (argc < 3 || !rows || !told || getline(&scores, &room, told) < 0)
		return 2;
	while (getline(&line, &size, rows) > 0 && getline(&scores, &room, told) > 0) {
		char *at = line, *of = scores;
		double predicted = strtod(of, &of);
		int off = 0;

		memset(x, 0, sizeof(x));
		strtod(at, &at);
		for (char *end; ; at = end) {
			long feature = strtol(at, &end, 10);

			if (end == at || *end != ':')
				break;
			at = end + 1;
			if (feature <= M_FEATURES)
				x[feature - 1] = (REAL)strtod(at, &end);
		}
		m_values(x, values);
#ifdef P
		off |= m_probabilities(x, p) != predicted;
		for (int k = 0; k < M_CLASSES; k++)
			off |= !(fabs((double)p[k] - strtod(of, &of)) < 1e-5);
#else
		(void)p;
		off |= !NEAR((double)m_predict(x), predicted);
#endif
		for (int k = 0; k < M_VALUES; k++) {
			double value = values[k], expected = strtod(of, &of);

			off |= !NEAR(value, expected);
		}
		n++;
		if (off && wrong++ == 0)
			printf("row %ld: %.17g, %s", n, (double)values[0], scores);
	}
	printf("%ld rows, %ld differ\n", n, wrong);
	return wrong > 0 || n == 0;
}
EOF

# known ROWS: the features that x has, to the file rows
known()
{
	awk -v n="$(sed -n 's/#define M_FEATURES //p' m.c)" \
		'{ s = $1; for (i = 2; i <= NF; i++) if ($i + 0 <= n) s = s " " $i; print s }' "$1" >rows
}

# ---- ONNX ----

cat >run.js <<'EOF'
// run.js MODEL ROWS: a line for each row, the label and the other output
const ort = require('onnxruntime-node'), fs = require('fs');
(async () => {
	const s = await ort.InferenceSession.create(process.argv[2], { logSeverityLevel: 4 });
	const n = s.inputMetadata[0].shape[1];
	const rows = fs.readFileSync(process.argv[3], 'utf8').trim().split('\n');
	for (let first = 0; first < rows.length; first += 500) {
		const part = rows.slice(first, first + 500), x = new Float32Array(part.length * n);
		part.forEach((row, i) => row.trim().split(/\s+/).slice(1).forEach(entry => {
			const [k, v] = entry.split(':');
			if (+k <= n) x[i * n + +k - 1] = +v;
		}));
		const out = await s.run({ x: new ort.Tensor('float32', x, [part.length, n]) });
		const y = (out.values || out.probabilities).data, w = y.length / part.length;
		part.forEach((row, i) => console.log((out.label ? out.label.data[i] : y[i]) + ' ' +
			y.slice(i * w, (i + 1) * w).join(' ')));
	}
})();
EOF
# the same by onnx's checker and numpy, without a runtime; 3: the graph has an operator that couples probabilities
cat >run.py <<'EOF'
import sys
import numpy as np
import onnx
from onnx import helper, numpy_helper

model = onnx.load(sys.argv[1])
onnx.checker.check_model(model, full_check=True)
graph = model.graph
n = graph.input[0].type.tensor_type.shape.dim[1].dim_value
rows = open(sys.argv[2]).read().split("\n")[:-1]
x = np.zeros((len(rows), n), np.float32)
for i, row in enumerate(rows):
    for entry in row.split()[1:]:
        k, v = entry.split(":")
        x[i, int(k) - 1] = float(v)

def softmax(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

operators = {
    "Cast": lambda a, to: a.astype(np.float32 if to == 1 else np.float64),
    "Gather": lambda a, b, axis=0: np.take(a, b, axis=axis),
    "Concat": lambda a, b, axis: np.concatenate([a, b], axis=axis),
    "Mul": np.multiply, "Add": np.add, "Sub": np.subtract, "Div": np.divide, "Pow": np.power,
    "MatMul": np.matmul, "Transpose": np.transpose, "Exp": np.exp, "Tanh": np.tanh,
    "Sign": np.sign, "Softmax": softmax, "Sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "ReduceSumSquare": lambda a, axes: (a * a).sum(axis=tuple(axes), keepdims=True),
    "ReduceL1": lambda a, axes: abs(a).sum(axis=tuple(axes), keepdims=True),
    "ArgMax": lambda a, axis, keepdims: a.argmax(axis=axis),
}
value = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
value["x"] = x
for node in graph.node:
    if node.op_type not in operators:
        sys.exit(3)
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    value[node.output[0]] = operators[node.op_type](*[value[k] for k in node.input], **attributes)
y = value["values" if "values" in value else "probabilities"]
for i in range(len(rows)):
    print(value["label"][i] if "label" in value else y[i, 0], *y[i])
EOF
onnx_python=$(for p in $(command -v python3 /usr/bin/python3); do $p -c 'import onnx, numpy' 2>/dev/null && echo $p && break; done)
onnx_node=$(command -v node) && node -e 'require("onnxruntime-node")' 2>/dev/null || onnx_node=

# 'got' and 'expected', a label and values in a line: see graph()
near_expected()
{
	awk '
	NR == FNR { got[FNR] = $0; next }
	{ n = split(got[FNR], g); off = 0; least = 1e9
	for (k = 2; k <= n; k++) {
		d = g[k] - $k; d = d < 0 ? -d : d; size = $k < 0 ? -$k : $k
		worst = d > worst ? d : worst; most = size > most ? size : most
		least = size < least ? size : least
		for (j = 2; j < k && g[1] != $1; j++) { e = $k - $j; e = e < 0 ? -e : e; least = e < least ? e : least } }
	if (g[1] != $1 && $1 != $2 && least > 1e-4) { print FNR ": " got[FNR] " | " $0; wrong++ } }
	END { print FNR " rows, " wrong + 0 " labels differ, values by " worst
	exit wrong > 0 || FNR == 0 || worst > 1e-5 * (most > 1 ? most : 1) }' got expected
}
