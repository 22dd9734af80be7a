# Bytes that are promised on any machine and with any number of threads, and features that are chosen
# by sums that differ in their last digits: checksums, which were made on x86-64; `make check-arch`
# runs this file on others.  A byte that changes breaks recorded results, and saved maps that are
# applied elsewhere.

gzip -dc "$T/heart_scale.gz" >heart
gzip -dc "$T/a1a.gz" | head -n 300 >a1a
cp "$T/three_class" .

# sum NAME COMMAND...: the checksum of what the command writes to standard output
sum()
{
	"${@:2}" >out || return
	printf '%s  %s\n' "$(md5sum <out | cut -c1-32)" "$1"
}

generated()
{
	local kind
	for kind in twonorm ringnorm checkerboard friedman; do
		sum "$kind" svm-gen $kind -n 3000 --seed 7 -q
	done
	sum separable svm-gen separable -n 40 -q
	sum relevant svm-gen relevant -n 100 --noise 0.1 -q
	sum text svm-gen text -n 300 -d 4000 -q
}

projected()
{
	local method
	for method in rs fht cw countsketch osnap gaussian uniform achlioptas li rff; do
		sum "$method" rp-project -q -m $method -k 16 --seed 5 heart
		sum "$method, sparse" rp-project -q -m $method -k 16 a1a
		sum "$method, map" rp-project -q -m $method -k 16 -s /dev/stdout heart /dev/null
	done
	for method in rs fht gaussian cw; do
		sum "$method, single" rp-project -q -m $method -k 16 --single heart
		sum "$method, binary" rp-project -q -m $method -k 16 --binary heart
	done
	sum 'rff, independent' rp-project -q -m rff -k 16 --frequencies independent heart
	sum 'rff, laplace' rp-project -q -m rff -k 16 --kernel laplace heart
	sum 'scale' rp-project -q -m scale heart
	sum 'scale, ranges' rp-project -q -m scale -s /dev/stdout heart /dev/null
	sum 'normalise' rp-project -q -m normalise a1a
	sum 'none, binary' rp-project -q -m none --binary a1a
}

folded()
{
	sum 'folds' svm-fold -q -v 5 --list heart
	sum 'stratified' svm-fold -q -v 5 --list --stratified three_class
	sum 'a fold' svm-fold -q -v 7 -f 3 --test heart
	sum 'folds of svm-train' svm-fold -q -v 5 --list --svm-train-order heart
}

# The features in order of choice, without warnings; scores differ in the last digits from machine to machine.
indices()
{
	fs-select -q --list "$@" 2>/dev/null | awk '{ print $1 }'
}

chosen()
{
	local method
	svm-gen relevant -n 12 -d 40 -q -o wide # 40 features with scores of 12 rows
	svm-gen relevant -n 3000 -d 45 -q -o long
	for method in bss leverage approx-leverage top rrqr; do
		sum "chosen by $method" indices --unsupervised -m $method -k 20 wide
	done
	sum 'chosen by approx-bss' indices --unsupervised -m approx-bss -k 20 long
	for method in rfe rmb lpsvm l1 t f; do
		sum "chosen by $method" indices -m $method -k 9 heart
	done
	sum 'chosen' fs-select -q --unsupervised -m uniform -k 9 --list a1a
	sum 'chosen, saved' fs-select -q --unsupervised -m uniform -k 9 -s /dev/stdout a1a /dev/null
}

all_sums() { set -e; generated; projected; folded; chosen; }
same 'checksums' bytes all_sums
