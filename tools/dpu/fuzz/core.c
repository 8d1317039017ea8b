// SPDX-License-Identifier: MIT
/*
 * A hostile guest for the device core, made from the fuzzer's bytes: registers,
 * admin commands that are nearly right, descriptors, doorbells, memory that
 * changes in between, a bus that refuses.
 *
 * Each input runs on a new device without threads. What must not happen: a
 * sanitizer's report, a mapping that stays, an assertion of the core, or more
 * steps than there can be work.
 */
#include "../tests/rig.h"

#define NUM_PAGES	64		/* that addresses are chosen from */
#define NUM_QUEUES	4
#define MAX_STEPS	200000

struct input {
	const uint8_t *data;
	size_t left;
};

static uint8_t u8(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static uint32_t u32(struct input *in)
{
	uint32_t value = u8(in);

	value |= (uint32_t)u8(in) << 8;
	value |= (uint32_t)u8(in) << 16;
	return value | (uint32_t)u8(in) << 24;
}

/* Mostly a small number; now and then one from the edges, or anything. */
static uint32_t number(struct input *in, uint32_t below)
{
	uint8_t choice = u8(in);

	if (choice < 0xf0)
		return choice % below;
	switch (choice) {
	case 0xf0:
		return below;
	case 0xf1:
		return ~0U;
	case 0xf2:
		return 0x80000000;
	case 0xf3:
		return 0x7fffffff;
	case 0xf4:
		return 0x10000;
	default:
		return u32(in);
	}
}

static uint64_t address(struct input *in)
{
	uint64_t page = RIG_BASE + (uint64_t)number(in, NUM_PAGES) * RIG_PAGE;
	uint8_t choice = u8(in);

	if (choice < 0xc0)
		return page;
	if (choice < 0xe0)
		return page + u8(in) * 16;
	if (choice < 0xf0)
		return -(uint64_t)(u8(in) + 1);
	return (uint64_t)u32(in) << 32 | u32(in);
}

static uint32_t handle(struct input *in)
{
	uint32_t index = number(in, NUM_QUEUES);

	return index << 8 | (u8(in) & 1 ? 1 : u8(in));
}

static struct doca_hw_pages page_list(struct input *in)
{
	uint8_t levels = number(in, 3);

	return (struct doca_hw_pages) {
		.root = htole64(address(in)),
		.num_pages = htole32(levels ? 1 + number(in, 600) : 1),
		.page_shift = 12 + number(in, 3),
		.levels = levels,
	};
}

static void admin(struct rig *rig, struct input *in)
{
	static const uint16_t opcodes[] = {
		DOCA_ADMIN_QUERY_DEVICE, DOCA_ADMIN_CREATE_EQ, DOCA_ADMIN_DESTROY_EQ,
		DOCA_ADMIN_CREATE_KEY, DOCA_ADMIN_DESTROY_KEY, DOCA_ADMIN_CREATE_CQ,
		DOCA_ADMIN_DESTROY_CQ, DOCA_ADMIN_CREATE_QUEUE, DOCA_ADMIN_CONNECT_QUEUE,
		DOCA_ADMIN_STOP_QUEUE, DOCA_ADMIN_DESTROY_QUEUE, DOCA_ADMIN_SHARE_KEY,
		DOCA_ADMIN_IMPORT_KEY, DOCA_ADMIN_QUERY_FUNCTION,
	};
	uint16_t opcode = opcodes[u8(in) % (sizeof(opcodes) / sizeof(opcodes[0]))];
	struct doca_admin_sqe sqe = { .opcode = htole16(opcode) };
	unsigned int i;

	switch (opcode) {
	case DOCA_ADMIN_QUERY_DEVICE:
		sqe.query.addr = htole64(address(in));
		sqe.query.len = htole32(number(in, 2) ? 4096 : u32(in));
		break;
	case DOCA_ADMIN_CREATE_EQ:
		sqe.create_eq.id = htole32(number(in, 4));
		sqe.create_eq.vector = htole32(number(in, 4));
		sqe.create_eq.log_entries = htole32(number(in, 6));
		sqe.create_eq.pages = page_list(in);
		break;
	case DOCA_ADMIN_CREATE_KEY:
		sqe.create_key.mkey = htole32(handle(in));
		sqe.create_key.domain = htole32(number(in, 3));
		sqe.create_key.access = htole32(number(in, 0x80));
		sqe.create_key.addr = htole64(address(in));
		sqe.create_key.length = htole64(number(in, 0xf0) * 64ULL);
		sqe.create_key.offset = htole64(number(in, 2) ? u8(in) * 16 : 0);
		sqe.create_key.pages = page_list(in);
		break;
	case DOCA_ADMIN_CREATE_CQ:
		sqe.create_cq.id = htole32(number(in, 4));
		sqe.create_cq.domain = htole32(number(in, 3));
		sqe.create_cq.eq = htole32(number(in, 4));
		sqe.create_cq.log_entries = htole32(number(in, 7));
		sqe.create_cq.pages = page_list(in);
		break;
	case DOCA_ADMIN_CREATE_QUEUE:
		sqe.create_queue.queue = htole32(handle(in));
		sqe.create_queue.domain = htole32(number(in, 3));
		sqe.create_queue.cq = htole32(number(in, 4));
		sqe.create_queue.log_entries = htole32(number(in, 6));
		sqe.create_queue.tag = htole32(u8(in));
		sqe.create_queue.engine = number(in, 2);
		sqe.create_queue.pages = page_list(in);
		break;
	case DOCA_ADMIN_CONNECT_QUEUE:
		sqe.connect_queue.queue = htole32(handle(in));
		sqe.connect_queue.remote_queue = htole32(handle(in));
		sqe.connect_queue.remote_gid.raw[0] = 0xfe;
		sqe.connect_queue.remote_gid.raw[1] = 0x80;
		sqe.connect_queue.remote_gid.raw[15] = number(in, 2);
		sqe.connect_queue.retry_ms = htole32(number(in, 2));
		break;
	case DOCA_ADMIN_SHARE_KEY:
		sqe.share_key.mkey = htole32(handle(in));
		sqe.share_key.token[0] = number(in, 1);
		break;
	case DOCA_ADMIN_IMPORT_KEY:
		sqe.import_key.mkey = htole32(handle(in));
		sqe.import_key.domain = htole32(number(in, 3));
		sqe.import_key.remote_mkey = htole32(handle(in));
		sqe.import_key.function = number(in, 2);
		sqe.import_key.token[0] = number(in, 1);
		break;
	case DOCA_ADMIN_QUERY_FUNCTION:
		sqe.query_function.addr = htole64(address(in));
		sqe.query_function.len = htole32(number(in, 2) ? 64 : u32(in));
		sqe.query_function.function = htole32(number(in, 2));
		break;
	default:
		sqe.handle.id = htole32(number(in, 2) ? handle(in) : number(in, 4));
		break;
	}
	/* and a byte that is wrong */
	i = u8(in);
	if (i < sizeof(sqe))
		((uint8_t *)&sqe)[i] ^= u8(in);
	rig_admin_put(rig, &sqe);
	dpu_reg_write(rig->dpu, DOCA_REG_ADMIN_DOORBELL, rig->admin_pi);
}

/* A descriptor for the ring that lies in this page, if any does. */
static void descriptor(struct rig *rig, struct input *in)
{
	uint64_t at = RIG_BASE + (uint64_t)(u8(in) % NUM_PAGES) * RIG_PAGE +
		      u8(in) % (RIG_PAGE / DOCA_SQE_SIZE) * DOCA_SQE_SIZE;
	struct doca_sqe *sqe = rig_ptr(rig, at);
	struct doca_sge *pieces = sqe->sge;
	unsigned int i, num;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = number(in, 2) ? 1 : u8(in);
	sqe->num_src = number(in, 4);
	sqe->num_dst = number(in, 3);
	sqe->cookie = htole32(u8(in));
	if (u8(in) >= 0xf8)
		sqe->flags = u8(in);
	num = sqe->num_src + sqe->num_dst;
	for (i = 0; i < num && i < 12; i++)
		pieces[i] = sge(address(in), handle(in), number(in, 0xf0) * 32);
}

static void doorbell(struct rig *rig, struct input *in)
{
	static const uint32_t which[] = {
		DOCA_DB_SUBMIT, DOCA_DB_SUBMIT, DOCA_DB_ARM, DOCA_DB_EVENTS, 0x48,
	};
	uint64_t offset = (uint64_t)number(in, 3) << RIG_DB_SHIFT;
	uint32_t kind = which[u8(in) % 5];
	uint32_t object = kind == DOCA_DB_SUBMIT ? handle(in) : number(in, 4);

	dpu_doorbell(rig->dpu, offset + kind, u8(in) < 0xf8 ? 8 : u8(in),
		     (uint64_t)object << 32 | number(in, 64));
}

static void memory(struct rig *rig, struct input *in)
{
	uint64_t at = (uint64_t)(u8(in) % NUM_PAGES) * RIG_PAGE + u8(in) * 16;
	unsigned int len = u8(in) % 64, i;
	uint64_t entry;

	if (u8(in) & 1) {
		/* entries of a page list */
		for (i = 0; i < len % 32; i++) {
			entry = htole64(address(in));
			memcpy(rig->mem + (at & ~7ULL) + 8 * i, &entry, 8);
		}
		return;
	}
	for (i = 0; i < len; i++)
		rig->mem[at + i] = u8(in);
}

static void bus(struct rig *rig, struct input *in)
{
	switch (u8(in) % 4) {
	case 0:
		rig->refuse = RIG_BASE + (uint64_t)(u8(in) % NUM_PAGES) * RIG_PAGE;
		rig->refuse_end = rig->refuse + (u8(in) % 4) * RIG_PAGE;
		break;
	case 1:
		rig->contiguous = 1U << (4 + u8(in) % 9);
		break;
	case 2:
		rig->contiguous = 0;
		rig->refuse = rig->refuse_end = 0;
		break;
	case 3:
		dpu_set_delay_us(rig->dpu, u8(in) % 3);
		break;
	}
}

static unsigned int work(struct rig *rig, unsigned int most)
{
	unsigned int steps = 0;

	while (steps < most && dpu_step(rig->dpu))
		steps++;
	return steps;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct rig *rig = rig_new(&rig_config);

	while (in.left) {
		switch (u8(&in) % 9) {
		case 0:
			dpu_reg_write(rig->dpu, u8(&in) & ~3U, u32(&in));
			break;
		case 1:
		case 2:
			admin(rig, &in);
			break;
		case 3:
			descriptor(rig, &in);
			break;
		case 4:
			doorbell(rig, &in);
			break;
		case 5:
			memory(rig, &in);
			break;
		case 6:
			bus(rig, &in);
			break;
		case 7:
			work(rig, 1 + u8(&in));
			break;
		case 8:
			dpu_reg_read(rig->dpu, u8(&in));
			if (u8(&in) >= 0xf0) {
				dpu_reset(rig->dpu);
				rig_enable(rig);
			}
			break;
		}
	}
	if (work(rig, MAX_STEPS) == MAX_STEPS)
		abort();
	rig_free(rig);
	return 0;
}
