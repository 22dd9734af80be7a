# Faults: a call of the C library fails, is short or is interrupted, a sample of all such faults; `make
# check-faults` runs them all

need python3
if [ "$SANITIZE$WRAP" ]; then
	skip 'sanitizers and valgrind have a malloc() of their own'
	return
fi
counted "$TOP/test/faults.py" --jobs 1 --faults 800
