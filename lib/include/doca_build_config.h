/* SPDX-License-Identifier: MIT */
/*
 * Which side of the PCIe link a program is compiled for.
 *
 * SDK behaviour: the host and the DPU package differ in this header, and
 * programs choose their code with #ifdef DOCA_ARCH_DPU or DOCA_ARCH_HOST
 * without including it themselves. Here one header serves both: a program is
 * compiled for the host unless -DDOCA_ARCH_DPU is given.
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#ifdef DOCA_ARCH_DPU
#undef DOCA_ARCH_HOST
#undef DOCA_ARCH_X86
#ifndef DOCA_ARCH_ARM
#define DOCA_ARCH_ARM
#endif
#else
#undef DOCA_ARCH_ARM
#ifndef DOCA_ARCH_HOST
#define DOCA_ARCH_HOST
#endif
#ifndef DOCA_ARCH_X86
#define DOCA_ARCH_X86
#endif
#endif

#undef DOCA_ARCH_DPU_BF2
#define DOCA_ARCH_DPU_BF2		false

#endif /* DOCA_BUILD_CONFIG_H_ */
