# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/cluster/lib_slurm.sh - a Slurm of three nodes on this machine, for one test: no root, no systemd, no cgroups; all that it
# writes lies in $dir/slurm, and it is gone at the end. Without Slurm the test is skipped: ./dev setup cluster installs it.
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"
for program in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || skip "no $program here: ./dev setup cluster"
done
PATH=$PATH:/usr/sbin
slurm=$dir/slurm
export SLURM_CONF=$slurm/slurm.conf
nodes=(n1 n2 n3)

# So many ports that nobody listens at.
free_ports() {
    python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets:
    s.bind(("", 0))
print(*(s.getsockname()[1] for s in sockets))
PYTHON
}

slurm_conf() {
    local ports host user
    read -ra ports <<<"$(free_ports 4)"
    host=$(hostname -s) user=$(id -un)
    cat <<CONF
ClusterName=burin
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=cred_expire=5,socket=$slurm/munge.socket
SlurmctldPort=${ports[0]}
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmdSpoolDir=$slurm/spool.%n
StateSaveLocation=$slurm/state
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,sched_min_interval=0
SlurmdTimeout=10
KillWait=2
JobRequeue=1
ReturnToService=2
SlurmdParameters=config_overrides
MpiDefault=none
MaxArraySize=10001
MaxJobCount=20000
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=1
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[3]} CPUs=1
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

slurm_stop() {
    local file
    for file in "$slurm"/*.pid; do
        [ ! -s "$file" ] || kill -9 "$(cat "$file")" 2>/dev/null
    done
}

slurm_idle() {
    [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c idle)" = ${#nodes[@]} ]
}

slurm_start() {
    local node
    mkdir -p "$slurm/state"
    chmod 700 "$slurm"
    at_exit+=(slurm_stop)
    head -c 1024 /dev/urandom >"$slurm/munge.key"
    chmod 400 "$slurm/munge.key"
    munged --force --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" \
        --log-file="$slurm/munged.log" --seed-file="$slurm/munge.seed" || skip "munged does not start here"
    slurm_conf >"$SLURM_CONF"
    slurmctld 2>"$slurm/slurmctld.err" || skip "slurmctld does not start here: $(tail -1 "$slurm/slurmctld.err")"
    for node in "${nodes[@]}"; do
        mkdir -p "$slurm/spool.$node"
        slurmd -N "$node" 2>"$slurm/slurmd.err" || skip "slurmd does not start here: $(tail -1 "$slurm/slurmd.err")"
    done
    until_it slurm_idle
}

# Whether no job is in the queue any more.
slurm_done() {
    [ -z "$(squeue -h -o %i 2>/dev/null || echo busy)" ]
}
