#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The skeleton program as its users meet it: both modes, a normal user, and what
# it says when something is missing. Each failure has to name its cause with the
# figures, exit with 1, and leave the machine so that the next run works.
#
# Output: TAP. Needs root, as it takes devices, huge pages and the module away.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
build=${DOCA_BUILD:-$here/../../.build}
skeleton=$build/examples/skeleton
shim=${DOCA_TESTS:-$build/selftests/doca}/abi_shim.so
module=${DOCA_MODULE:-$build/kernel-$(uname -r)/kernel/doca.ko}
driver=/sys/bus/pci/drivers/doca
pages=/proc/sys/vm/nr_hugepages
small="--size 6M --chunk 64K"
user="setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all --"

num=0 failed=0
output=

result() { # PASSED NAME
	num=$((num + 1))
	if [ "$1" = 0 ]; then
		echo "ok $num skeleton.$2"
	else
		sed 's/^/# skeleton.sh: /' <<< "$output"
		echo "not ok $num skeleton.$2"
		failed=1
	fi
}

# works NAME COMMAND...
works() {
	local name=$1

	shift
	output=$("$@" 2>&1)
	[ $? = 0 ] && tail -1 <<< "$output" |
		grep -Eq '^skeleton: OK, [0-9]+ bytes written in [0-9]+ tasks, sha256 match$'
	result $? "$name"
}

# fails NAME PATTERN COMMAND...: the pattern is what the last line gives as reason
fails() {
	local name=$1 pattern=$2

	shift 2
	output=$("$@" 2>&1)
	[ $? = 1 ] && tail -1 <<< "$output" | grep -Eq "^skeleton: FAILED: .*($pattern)"
	result $? "$name"
}

with_limit() { # KIB COMMAND...
	(ulimit -l "$1" && shift && exec "$@")
}

echo "TAP version 13"
if [ ! -x "$skeleton" ] || [ ! -e "$shim" ]; then
	echo "1..1"
	echo "not ok 1 skeleton: $skeleton or $shim is missing: run make"
	exit 1
fi
echo "1..17"

# shellcheck disable=SC2086
{
works polling "$skeleton" $small
works with_events "$skeleton" $small --mode event
works tasks_of_a_megabyte_one_at_a_time "$skeleton" --size 4M --depth 1
works size_that_is_no_multiple_of_anything "$skeleton" --size 5000001 --chunk 70001
works normal_user with_limit unlimited $user "$skeleton" $small

before=$(cat $pages)
echo 1 > $pages
fails no_huge_pages_free 'not enough huge pages: 6 of 2 MiB needed, 1 free; .* echo [0-9]+ > /proc/sys/vm/nr_hugepages' \
	"$skeleton" $small
echo "$before" > $pages
fails memlock_limit_too_low 'the memlock limit is too low: 6144 KiB needed, 1024 KiB allowed; .*ulimit -l 6144' \
	with_limit 1024 $user "$skeleton" $small
fails no_such_file "cannot open '/nowhere': No such file" "$skeleton" --file /nowhere
fails file_too_short "'$0' is too short: 67108864 bytes needed, it has [0-9]+" \
	"$skeleton" --file "$0"
fails no_such_device "none of the [0-9]+ DPUs is 'doca77'" "$skeleton" --device doca77
fails target_that_is_not_there "no target at '/run/nobody': No such file" \
	timeout 60 "$skeleton" --writer /run/nobody

# A node that lets nobody in is passed over, and with all of them like that it is said.
chmod 600 /dev/doca/*
fails node_not_permitted '/dev/doca/[0-9]+ cannot be opened: Permission denied' \
	with_limit unlimited $user "$skeleton" $small
chmod 666 /dev/doca/*

fails other_abi_version 'doca.ko has ABI version 4711, libdoca needs [0-9]+' \
	env LD_PRELOAD="$shim" "$skeleton" $small

devices=$(cd $driver && echo 0*)
for device in $devices; do
	echo "$device" > $driver/unbind
done
fails no_dpu 'no DPU found: doca.ko is loaded, but there is no device' "$skeleton" $small
for device in $devices; do
	echo "$device" > $driver/bind
done
works after_the_dpu_is_back "$skeleton" $small

rmmod doca
fails module_not_loaded 'the kernel module is not loaded; load it with: modprobe doca' \
	"$skeleton" $small
insmod "$module"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ ! -e /dev/doca/0 ] || break
	sleep 0.5
done
works after_the_module_is_back "$skeleton" $small
}
exit $failed
