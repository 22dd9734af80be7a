# mpi.bash - what the tests of randsvm-train-mpi share: ranks on this machine, or the rest is left out
#
# SPDX-License-Identifier: BSD-3-Clause
if [ ! -x "$BIN/randsvm-train-mpi" ]; then
	skip 'randsvm-train-mpi is not built: there is no mpicc'
	finish
fi
# the mpirun of the MPI that the program was built with
mpirun=mpirun.openmpi
ldd "$BIN/randsvm-train-mpi" | grep -q mpich && mpirun=mpirun.mpich
command -v $mpirun >/dev/null || mpirun=mpirun
need $mpirun
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS	# MPI's own

# the program with blocks of 64 rows, which leaves no training to rank 0
small=$BUILD/test/small_work_mpi

# ranks N PROGRAM...: on N ranks
ranks() { timeout 300 $mpirun -n "$@"; }

# requests REPORT: how many sums were shared
requests() { sed -n 's/.*"requests":[[:blank:]]*\([0-9]*\).*/\1/p' "$1"; }
