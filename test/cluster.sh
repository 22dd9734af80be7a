# doc/cluster.md: its script for Slurm, its manifest for Kubernetes and its image.

. "$TOP/test/helpers.bash"
. "$TOP/test/examples.bash"

page=$TOP/doc/cluster.md

# ---- the image ----

# image_packages: what apt-get installs in it, one a line
image_packages()
{
	block dockerfile | sed -e ':a' -e '/\\$/ { N; s/\\\n//; ba' -e '}' |
		sed -n 's/^RUN apt-get update && apt-get install -y --no-install-recommends//p' | xargs -n 1 | sort
}
# debian_packages: those that doc/install.md names for a build with everything
debian_packages()
{
	awk -F '|' '/^\| library /, /^$/ { print $4 }' "$TOP/doc/install.md" | grep -o '`[^`]*`' | tr -d '`' | xargs -n 1
}
ok 'the image has all packages of a build' \
	'debian_packages | grep -x libisal-dev && image_packages >image && debian_packages | sort | comm -23 - image >missing &&
	[ ! -s missing ]'
ok 'its commands are for a shell' \
	'block dockerfile | sed -e ":a" -e "/\\\\$/ { N; s/\\\\\n//; ba" -e "}" | sed -n "s/^RUN //p" >commands && sh -n commands &&
	[ "$(wc -l <commands)" = 3 ]'

# ---- what starts ranks ----

. "$TOP/test/mpi.bash"

mkdir slurm data scratch
cp "$T/heart_scale.gz" data/big.gz
randsvm-train -q -c 10 -g 0.05 data/big.gz alone.model
cat >slurm/srun <<-'END'
	#!/bin/bash
	# two ranks here; the status that the test wants
	[ "$1" = --mpi=pmix ] && timeout 300 "$mpirun" -n 2 "${@:2}" && exit "$srun_status"
END
printf '#!/bin/sh\necho "$@" >requeued\n' >slurm/scontrol
chmod +x slurm/*
# slurm STATUS: the script of the page, where srun ends with STATUS
slurm()
{
	block sh >script && (cd data && PATH=$PWD/../slurm:$PATH mpirun=$mpirun srun_status=$1 SLURM_JOB_ID=7 sh ../script) &&
		same_files alone.model data/big.model && rm data/big.model
}
ok 'Slurm: the model'               'slurm 0 && [ ! -e data/requeued ]'
ok 'Slurm: queued again'            'slurm 143 && grep -x "requeue 7" data/requeued'

python=$(python_with 'yaml, jsonschema')
if [ -z "$python" ]; then
	skip 'Python has no yaml or no jsonschema'
	finish
fi
manifest() { "$python" "$TOP/test/mpijob.py" "${1:-$TOP/doc/mpijob.yaml}"; }
# launched: the command of the manifest, with folders here
launched()
{
	manifest >command &&
		sed -i "s# /usr/local/bin/# #; s#/data/#$PWD/data/#g; s#/scratch#$PWD/scratch#; s#^mpirun #timeout 300 $mpirun #" command &&
		sh -e command && same_files alone.model data/big.model && json_has data/big.report ranks
}
ok 'Kubernetes: the model'          launched

# spoilt SED: the manifest with a change
spoilt()
{
	sed "$1" "$TOP/doc/mpijob.yaml" >spoilt.yaml && ! cmp -s "$TOP/doc/mpijob.yaml" spoilt.yaml && manifest spoilt.yaml
}
fail 1 "v2beta1' was expected"                      spoilt 's/v2beta1/v2/'
fail 1 "'slotPerWorker' was unexpected"             spoilt 's/slotsPerWorker/slotPerWorker/'
fail 1 "Worker.replicas: '8' is not of type"        spoilt 's/replicas: 8/replicas: "8"/'
fail 1 '8 ranks in 4 slots'                         spoilt 's/replicas: 8/replicas: 4/'
fail 1 'are not all among'                          spoilt 's/^ \{12\}- name: scratch/            - name: disk/'
fail 1 'no less than the limit'                     spoilt 's/32Gi/24Gi/'
