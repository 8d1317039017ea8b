# SPDX-License-Identifier: MIT
#
# Everything is built into $(O); see "make help".

O ?= .build
override O := $(abspath $(O))
KVER ?= stock
KVERS := stock 6.12
DOCA_CACHE ?= /var/cache/doca
export DOCA_CACHE
export DOCA_BUILD := $(O)

TOP := $(CURDIR)
KSELFTEST_DIR := $(DOCA_CACHE)/linux-6.1/tools/testing/selftests
CHECKPATCH := $(DOCA_CACHE)/linux-6.1/scripts/checkpatch.pl

CFLAGS ?= -O2 -g
EXAMPLES := $(patsubst tools/examples/%.c,$(O)/examples/%,$(wildcard tools/examples/*.c))

all: kernel lib dpu examples selftests

help:
	@echo 'On Debian 12, as root, the whole way:'
	@echo '  make run            builds all, and runs the example in a VM with an emulated DPU'
	@echo '  make check          builds all, and runs all tests; ends with "N passed, N failed"'
	@echo '  make check-debug    builds kernels that show bugs, and runs the tests on them: hours'
	@echo
	@echo 'Steps:'
	@echo '  make deps           installs and fetches what is missing (root)'
	@echo '  make                kernel lib dpu examples selftests'
	@echo '  make kernel         doca.ko for KVER: stock (Debian 6.1; default), 6.12, debug, kcsan,'
	@echo '                      host (the kernel that runs here), or the folder of a kernel'
	@echo '  make lib            libdoca'
	@echo '  make dpu            the emulated DPU'
	@echo '  make examples       tools/examples'
	@echo '  make selftests      the test programs'
	@echo '  make debug-kernel   two kernels that show bugs, debug and kcsan, once per machine:'
	@echo '                      40 minutes'
	@echo
	@echo 'Parts of the check:'
	@echo '  make unit           tests of the emulated DPU and of libdoca that need no VM'
	@echo '  make unit-fuzz      the corpus of the fuzzer of the emulated DPU'
	@echo '  make static         kernel-check, lint, lib-check'
	@echo '  make kernel-check   W=1 and sparse for the kernels $(KVERS)'
	@echo '  make lint           checkpatch on kernel/ and uapi/'
	@echo '  make lib-check      headers and symbols of libdoca'
	@echo
	@echo 'Fuzzers, for FUZZ_TIME seconds:'
	@echo '  make fuzz-dpu       the emulated DPU, by a hostile guest'
	@echo '  make fuzz-ioctl     doca.ko on the debug kernel, by a hostile process'
	@echo
	@echo '  make install        libdoca, headers, .pc files, to $$(DESTDIR)$$(prefix)'
	@echo '  make modules_install  doca.ko for KVER (default: host)'
	@echo '  make clean'
	@echo
	@echo 'tools/dpu-vm runs any command in the VM: tools/dpu-vm --help'

deps:
	@tools/deps

# kbuild works in a copy, so that the sources stay clean. uapi/ is next to kernel/ there too.
kernel:
	@set -e; settings=$$(tools/vm/kernel "$(KVER)"); eval "$$settings"; \
	$(call build_kernel,$(O)/kernel-$$release,W=1)

# $(call build_kernel,FOLDER,ARGUMENTS): needs $release and $kbuild of tools/vm/kernel. No BTF:
# it wants the pahole that the kernel was built with, and is for BPF programs that look inside.
build_kernel = dir=$(1); mkdir -p $$dir; echo "  KBUILD  doca.ko for $$release"; \
	rsync -rlpt kernel uapi $$dir/; \
	$(MAKE) -s --no-print-directory -C $$kbuild M=$$dir/kernel \
		CONFIG_DEBUG_INFO_BTF_MODULES= $(2) modules

lib:
	@$(MAKE) -s --no-print-directory -C lib O=$(O)

dpu:
	@$(MAKE) -s --no-print-directory -C tools/dpu O=$(O)

examples: $(EXAMPLES)

$(O)/examples/%: tools/examples/%.c $(wildcard tools/examples/*.h lib/include/*.h) | lib
	@echo "  CC      examples/$*"
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -Wall -Wextra -Wno-unused-parameter -Ilib/include -o $@ $< -pthread \
		-L$(O)/lib -Wl,-rpath,'$$ORIGIN/../lib' -ldoca -Wl,--as-needed -lcrypto

selftests: lib
	@test -d $(KSELFTEST_DIR) || { echo "no kselftest in $(DOCA_CACHE): run make deps" >&2; false; }
	@$(MAKE) -s --no-print-directory -C selftests/doca KSELFTEST_DIR=$(KSELFTEST_DIR) \
		OUTPUT=$(O)/selftests/doca BUILD=$(O)

debug-kernel:
	@for name in debug kcsan; do tools/vm/debug-kernel $$name || exit 1; done

run: deps
	@$(MAKE) --no-print-directory kernel lib dpu examples
	@tools/dpu-vm $(O)/examples/skeleton

check-debug: deps debug-kernel
	@$(MAKE) --no-print-directory all
	@for name in debug kcsan; do $(MAKE) --no-print-directory kernel KVER=$$name || exit 1; done
	@selftests/run-all debug debug-iommu debug-race debug-chaos kcsan

check: deps
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory kernel KVER=6.12
	@selftests/run-all

static: kernel-check lint lib-check

kernel-check: $(KVERS:%=kernel-check-%)

kernel-check-%:
	@set -e; settings=$$(tools/vm/kernel $*); eval "$$settings"; \
	rm -rf $(O)/check/kernel-$$release; \
	( $(call build_kernel,$(O)/check/kernel-$$release,W=1 C=2) ) > $(O)/check-$*.log 2>&1 || \
		{ cat $(O)/check-$*.log; exit 1; }; \
	if grep -E 'warning|WARNING|error:' $(O)/check-$*.log; then \
		exit 1; \
	fi; \
	echo "doca.ko for $$release: no warning from W=1 and sparse"

# Exceptions are in .checkpatch.conf.
lint:
	@$(CHECKPATCH) --terse --no-summary --file kernel/*.[ch] uapi/linux/*.h && \
		echo "checkpatch --strict: nothing but what .checkpatch.conf allows"

lib-check:
	@$(MAKE) -s --no-print-directory -C lib O=$(O) check-headers

unit:
	@$(MAKE) -s --no-print-directory -C tools/dpu O=$(O) check
	@$(MAKE) -s --no-print-directory -C tools/dpu O=$(O) check-races
	@$(MAKE) -s --no-print-directory -C lib O=$(O) check

unit-fuzz:
	@$(MAKE) -s --no-print-directory -C tools/dpu O=$(O) check-fuzz

fuzz-dpu:
	@$(MAKE) -s --no-print-directory -C tools/dpu O=$(O) fuzz

$(O)/ioctl-fuzz: tools/fuzz/ioctl-fuzz.c uapi/linux/doca.h
	@echo '  CC      ioctl-fuzz'
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) -Wall -Wextra -isystem uapi -pthread -o $@ $<

# The corpus grows in the VM; what it has found is copied out through its output.
FUZZ_TIME ?= 60
fuzz-ioctl: dpu $(O)/ioctl-fuzz
	@$(MAKE) -s --no-print-directory kernel KVER=debug
	@tools/fuzz/run $(FUZZ_TIME)

install:
	@$(MAKE) -s --no-print-directory -C lib O=$(O) install

modules_install: KVER = host
modules_install:
	@set -e; settings=$$(tools/vm/kernel "$(KVER)"); eval "$$settings"; \
	$(call build_kernel,$(O)/kernel-$$release,); \
	$(MAKE) -s --no-print-directory -C $$kbuild M=$$dir/kernel \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install

clean:
	rm -rf $(O)

.PHONY: all help deps kernel lib dpu examples selftests debug-kernel run check check-debug static kernel-check \
	lint lib-check unit unit-fuzz fuzz-dpu fuzz-ioctl install modules_install clean
