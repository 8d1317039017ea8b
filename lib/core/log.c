// SPDX-License-Identifier: MIT
/*
 * Logging: the application's records and the library's own.
 *
 * A record that no backend wants costs one comparison. All else is done with
 * the lock held, so that lines do not mix.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

enum kind {
	KIND_APP,
	KIND_SDK,
	NUM_KINDS,
};

/**
 * struct doca_log_backend - where records go
 * @next: next backend of the same kind
 * @write: prints a line, which ends with a newline
 * @plain: @write wants the text alone, and the level
 * @file: stream, for a stream backend
 * @fd: descriptor, for a descriptor backend
 * @buf: memory of a buffer backend
 * @capacity: bytes of @buf
 * @handler: called with @buf
 * @ident: name in the syslog
 * @upper: most severe level that is printed
 * @lower: chattiest level that is printed
 * @keep_upper: @upper is strict
 * @keep_lower: @lower is strict
 * @least_severe: never more severe than this; 0 for no limit
 * @most_chatty: never chattier than this
 */
struct doca_log_backend {
	struct doca_log_backend *next;
	enum kind kind;
	void (*write)(struct doca_log_backend *backend, uint32_t level,
		      const char *line, size_t len);
	bool plain;
	FILE *file;
	int fd;
	char *buf;
	size_t capacity;
	log_flush_callback handler;
	char *ident;
	uint32_t upper;
	uint32_t lower;
	bool keep_upper;
	bool keep_lower;
	uint32_t least_severe;
	uint32_t most_chatty;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_log_backend *backends[NUM_KINDS];
static uint32_t global_upper = DOCA_LOG_LEVEL_CRIT;
static uint32_t global_lower = DOCA_LOG_LEVEL_INFO;
static uint32_t global_sdk = DOCA_LOG_LEVEL_WARNING;
static bool have_standard;

/* Chattiest level that any backend of the kind prints; read without the lock. */
static uint32_t wanted[NUM_KINDS];

/* What goes to stderr without any SDK backend, from the environment. */
static uint32_t fallback;

static char **sources;
static int num_sources;

/* Set while this thread is printing: backends may call what logs. */
static __thread bool printing;

static const struct {
	uint32_t level;
	int priority;
	const char *tag;
	const char *name;
} levels[] = {
	{ DOCA_LOG_LEVEL_DISABLE, LOG_DEBUG, "OFF", "disable" },
	{ DOCA_LOG_LEVEL_CRIT, LOG_CRIT, "CRT", "critical" },
	{ DOCA_LOG_LEVEL_ERROR, LOG_ERR, "ERR", "error" },
	{ DOCA_LOG_LEVEL_WARNING, LOG_WARNING, "WRN", "warning" },
	{ DOCA_LOG_LEVEL_INFO, LOG_INFO, "INF", "info" },
	{ DOCA_LOG_LEVEL_DEBUG, LOG_DEBUG, "DBG", "debug" },
	{ DOCA_LOG_LEVEL_TRACE, LOG_DEBUG, "TRC", "trace" },
};

#define NUM_LEVELS	(sizeof(levels) / sizeof(levels[0]))

/* Index in levels[], or -1. */
static int level_index(uint32_t level)
{
	if (level % 10 || level < DOCA_LOG_LEVEL_DISABLE ||
	    level > DOCA_LOG_LEVEL_TRACE)
		return -1;
	return level / 10 - 1;
}

static bool level_valid(uint32_t level)
{
	return level_index(level) >= 0;
}

static uint32_t effective_lower(const struct doca_log_backend *backend)
{
	return lib_min(backend->lower, backend->most_chatty);
}

static bool wants(const struct doca_log_backend *backend, uint32_t level)
{
	return level >= lib_max(backend->upper, backend->least_severe) &&
	       level <= effective_lower(backend);
}

/* Called with the lock held when a limit may have changed. */
static void update_wanted(void)
{
	const struct doca_log_backend *backend;
	uint32_t max;
	int kind;

	for (kind = 0; kind < NUM_KINDS; kind++) {
		max = 0;
		for (backend = backends[kind]; backend; backend = backend->next)
			max = lib_max(max, effective_lower(backend));
		if (kind == KIND_SDK && !backends[kind])
			max = fallback;
		__atomic_store_n(&wanted[kind], max, __ATOMIC_RELAXED);
	}
}

/* Before the constructors of programs, which may use the library already. */
static void __attribute__((constructor(101))) read_environment(void)
{
	const char *value = secure_getenv("DOCA_SDK_LOG_LEVEL");
	char *end;
	size_t i;

	if (!value || !*value)
		return;
	fallback = strtoul(value, &end, 10);
	if (*end || !level_valid(fallback)) {
		fallback = 0;
		for (i = 0; i < NUM_LEVELS; i++)
			if (!strncasecmp(value, levels[i].name, strlen(value)))
				fallback = levels[i].level;
		if (!fallback)
			fprintf(stderr,
				"DOCA_SDK_LOG_LEVEL=%s is not a level: use 10 (disable), 20 (critical), 30 (error), 40 (warning), 50 (info), 60 (debug) or 70 (trace)\n",
				value);
	}
	pthread_mutex_lock(&lock);
	update_wanted();
	pthread_mutex_unlock(&lock);
}

static void write_file(struct doca_log_backend *backend, uint32_t level,
		       const char *line, size_t len)
{
	(void)level;
	fwrite(line, 1, len, backend->file);
	fflush(backend->file);
}

static void write_all(int fd, const char *line, size_t len)
{
	ssize_t done;

	while (len) {
		done = write(fd, line, len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		line += done;
		len -= done;
	}
}

static void write_fd(struct doca_log_backend *backend, uint32_t level,
		     const char *line, size_t len)
{
	(void)level;
	write_all(backend->fd, line, len);
}

static void write_buf(struct doca_log_backend *backend, uint32_t level,
		      const char *line, size_t len)
{
	(void)level;
	len = lib_min(len, backend->capacity - 1);
	memcpy(backend->buf, line, len);
	backend->buf[len] = 0;
	backend->handler(backend->buf);
}

static void write_syslog(struct doca_log_backend *backend, uint32_t level,
			 const char *line, size_t len)
{
	(void)backend;
	syslog(levels[level_index(level)].priority, "%.*s", (int)len, line);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* Called with the lock held. */
static const char *source_name(int source)
{
	if (source == LIB_LOG_SOURCE)
		return "LIBDOCA";
	if (source >= 0 && source < num_sources && sources[source])
		return sources[source];
	return "?";
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line,
		      const char *func, const char *format, ...)
{
	enum kind kind = source == LIB_LOG_SOURCE ? KIND_SDK : KIND_APP;
	int saved_errno = errno;
	struct doca_log_backend *backend;
	struct timespec now;
	char small[1024];
	char *record = small;
	size_t size = sizeof(small);
	size_t prefix, len;
	struct tm tm;
	va_list args;
	int text;

	if (level == DOCA_LOG_LEVEL_DISABLE || !level_valid(level) || !format)
		return DOCA_ERROR_INVALID_VALUE;
	if (level > __atomic_load_n(&wanted[kind], __ATOMIC_RELAXED) ||
	    printing)
		return DOCA_SUCCESS;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm))
		memset(&tm, 0, sizeof(tm));

	pthread_mutex_lock(&lock);
	printing = true;

	/* The prefix is cut if its names are absurdly long; there is room. */
	text = snprintf(small, sizeof(small) / 2,
			"[%02d:%02d:%02d:%06ld][%d][DOCA][%s][%s][%s:%d][%s] ",
			tm.tm_hour, tm.tm_min, tm.tm_sec, now.tv_nsec / 1000,
			(int)getpid(), levels[level_index(level)].tag,
			source_name(source), base_name(fname), line,
			func ? func : "?");
	prefix = text < 0 ? 0 : lib_min((size_t)text, sizeof(small) / 2 - 1);

	errno = saved_errno;	/* for %m */
	va_start(args, format);
	text = vsnprintf(small + prefix, size - prefix - 1, format, args);
	va_end(args);
	if (text < 0)
		text = 0;
	if (prefix + text + 2 > size) {
		size = prefix + text + 2;
		record = malloc(size);
		if (record) {
			memcpy(record, small, prefix);
			errno = saved_errno;
			va_start(args, format);
			vsnprintf(record + prefix, size - prefix - 1, format,
				  args);
			va_end(args);
		} else {
			record = small;
			text = sizeof(small) - prefix - 2;
		}
	}
	len = prefix + text;
	record[len++] = '\n';
	record[len] = 0;

	for (backend = backends[kind]; backend; backend = backend->next) {
		if (!wants(backend, level))
			continue;
		if (backend->plain)
			backend->write(backend, level, record + prefix,
				       len - prefix - 1);
		else
			backend->write(backend, level, record, len);
	}
	if (kind == KIND_SDK && !backends[kind])
		write_all(STDERR_FILENO, record, len);

	if (record != small)
		free(record);
	printing = false;
	pthread_mutex_unlock(&lock);
	errno = saved_errno;
	return DOCA_SUCCESS;
}

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	char **table;
	char *copy;
	int i;

	if (!source_name || !source)
		return DOCA_ERROR_INVALID_VALUE;
	copy = strdup(source_name);
	if (!copy)
		return DOCA_ERROR_NO_MEMORY;

	pthread_mutex_lock(&lock);
	for (i = 0; i < num_sources; i++)
		if (!sources[i])
			break;
	if (i == num_sources) {
		table = realloc(sources, (num_sources + 1) * sizeof(*sources));
		if (!table) {
			pthread_mutex_unlock(&lock);
			free(copy);
			return DOCA_ERROR_NO_MEMORY;
		}
		sources = table;
		num_sources++;
	}
	sources[i] = copy;
	pthread_mutex_unlock(&lock);
	*source = i;
	return DOCA_SUCCESS;
}

doca_error_t doca_log_unregister_source(int source)
{
	doca_error_t err = DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	if (source >= 0 && source < num_sources && sources[source]) {
		free(sources[source]);
		sources[source] = NULL;
		err = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

/* A new backend with the global limits, not published yet. */
static struct doca_log_backend *new_backend(enum kind kind)
{
	struct doca_log_backend *backend = calloc(1, sizeof(*backend));

	if (!backend)
		return NULL;
	backend->kind = kind;
	backend->fd = -1;
	backend->most_chatty = DOCA_LOG_LEVEL_TRACE;
	return backend;
}

static void publish(struct doca_log_backend *backend)
{
	struct doca_log_backend **end;

	pthread_mutex_lock(&lock);
	if (backend->kind == KIND_APP) {
		backend->upper = global_upper;
		backend->lower = global_lower;
	} else {
		backend->upper = DOCA_LOG_LEVEL_CRIT;
		backend->lower = global_sdk;
	}
	for (end = &backends[backend->kind]; *end; end = &(*end)->next)
		;
	*end = backend;
	update_wanted();
	pthread_mutex_unlock(&lock);
}

static doca_error_t create_file(enum kind kind, FILE *fptr,
				struct doca_log_backend **backend)
{
	struct doca_log_backend *new;

	if (!fptr || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	new = new_backend(kind);
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->write = write_file;
	new->file = fptr;
	publish(new);
	*backend = new;
	return DOCA_SUCCESS;
}

static doca_error_t create_fd(enum kind kind, int fd,
			      struct doca_log_backend **backend)
{
	struct doca_log_backend *new;

	if (!backend || fcntl(fd, F_GETFD) < 0)
		return DOCA_ERROR_INVALID_VALUE;
	new = new_backend(kind);
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->write = write_fd;
	new->fd = fd;
	publish(new);
	*backend = new;
	return DOCA_SUCCESS;
}

static doca_error_t create_buf(enum kind kind, char *buf, size_t capacity,
			       log_flush_callback handler,
			       struct doca_log_backend **backend)
{
	struct doca_log_backend *new;

	if (!buf || capacity < 2 || !handler || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	new = new_backend(kind);
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->write = write_buf;
	new->buf = buf;
	new->capacity = capacity;
	new->handler = handler;
	publish(new);
	*backend = new;
	return DOCA_SUCCESS;
}

static doca_error_t create_syslog(enum kind kind, const char *name,
				  struct doca_log_backend **backend)
{
	struct doca_log_backend *new;

	if (!name || !backend)
		return DOCA_ERROR_INVALID_VALUE;
	new = new_backend(kind);
	if (!new)
		return DOCA_ERROR_NO_MEMORY;
	new->ident = strdup(name);
	if (!new->ident) {
		free(new);
		return DOCA_ERROR_NO_MEMORY;
	}
	new->write = write_syslog;
	new->plain = true;
	openlog(new->ident, LOG_PID, LOG_USER);
	publish(new);
	*backend = new;
	return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr,
					       struct doca_log_backend **backend)
{
	return create_file(KIND_APP, fptr, backend);
}

doca_error_t doca_log_backend_create_with_fd(int fd,
					     struct doca_log_backend **backend)
{
	return create_fd(KIND_APP, fd, backend);
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
					      log_flush_callback handler,
					      struct doca_log_backend **backend)
{
	return create_buf(KIND_APP, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_syslog(const char *name,
						 struct doca_log_backend **backend)
{
	return create_syslog(KIND_APP, name, backend);
}

doca_error_t
doca_log_backend_create_with_file_sdk(FILE *fptr,
				      struct doca_log_backend **backend)
{
	return create_file(KIND_SDK, fptr, backend);
}

doca_error_t
doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
	return create_fd(KIND_SDK, fd, backend);
}

doca_error_t
doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
				     log_flush_callback handler,
				     struct doca_log_backend **backend)
{
	return create_buf(KIND_SDK, buf, capacity, handler, backend);
}

doca_error_t
doca_log_backend_create_with_syslog_sdk(const char *name,
					struct doca_log_backend **backend)
{
	return create_syslog(KIND_SDK, name, backend);
}

doca_error_t doca_log_backend_create_standard(void)
{
	struct doca_log_backend *out, *err;

	pthread_mutex_lock(&lock);
	if (have_standard) {
		pthread_mutex_unlock(&lock);
		return DOCA_SUCCESS;
	}
	have_standard = true;
	pthread_mutex_unlock(&lock);

	out = new_backend(KIND_APP);
	err = new_backend(KIND_APP);
	if (!out || !err) {
		free(out);
		free(err);
		pthread_mutex_lock(&lock);
		have_standard = false;
		pthread_mutex_unlock(&lock);
		return DOCA_ERROR_NO_MEMORY;
	}

	out->write = write_file;
	out->file = stdout;
	out->least_severe = DOCA_LOG_LEVEL_INFO;
	err->write = write_file;
	err->file = stderr;
	err->most_chatty = DOCA_LOG_LEVEL_WARNING;
	publish(out);
	publish(err);
	return DOCA_SUCCESS;
}

static doca_error_t set_lower(struct doca_log_backend *backend, uint32_t level)
{
	doca_error_t ret = DOCA_ERROR_NOT_PERMITTED;

	pthread_mutex_lock(&lock);
	if (!backend->keep_lower) {
		backend->lower = level;
		update_wanted();
		ret = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

doca_error_t
doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
				       uint32_t level)
{
	if (!backend || !level_valid(level))
		return DOCA_ERROR_INVALID_VALUE;
	return set_lower(backend, level);
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend,
					    uint32_t level)
{
	if (!backend || backend->kind != KIND_SDK || !level_valid(level))
		return DOCA_ERROR_INVALID_VALUE;
	return set_lower(backend, level);
}

doca_error_t
doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
				       uint32_t upper_limit)
{
	doca_error_t ret = DOCA_ERROR_NOT_PERMITTED;

	if (!backend || !level_valid(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	if (!backend->keep_upper) {
		backend->upper = upper_limit;
		ret = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

doca_error_t
doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
	if (!backend)
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	backend->keep_lower = true;
	pthread_mutex_unlock(&lock);
	return DOCA_SUCCESS;
}

doca_error_t
doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
	if (!backend)
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	backend->keep_upper = true;
	pthread_mutex_unlock(&lock);
	return DOCA_SUCCESS;
}

/* Called with the lock held. */
static void set_all_lower(enum kind kind, uint32_t level)
{
	struct doca_log_backend *backend;

	for (backend = backends[kind]; backend; backend = backend->next)
		if (!backend->keep_lower)
			backend->lower = level;
	update_wanted();
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
	if (!level_valid(level))
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	global_lower = level;
	set_all_lower(KIND_APP, level);
	pthread_mutex_unlock(&lock);
	return DOCA_SUCCESS;
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
	struct doca_log_backend *backend;

	if (!level_valid(upper_limit))
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	global_upper = upper_limit;
	for (backend = backends[KIND_APP]; backend; backend = backend->next)
		if (!backend->keep_upper)
			backend->upper = upper_limit;
	pthread_mutex_unlock(&lock);
	return DOCA_SUCCESS;
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
	if (!level_valid(level))
		return DOCA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	global_sdk = level;
	set_all_lower(KIND_SDK, level);
	pthread_mutex_unlock(&lock);
	return DOCA_SUCCESS;
}

static uint32_t get_global(const uint32_t *limit)
{
	uint32_t level;

	pthread_mutex_lock(&lock);
	level = *limit;
	pthread_mutex_unlock(&lock);
	return level;
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
	return get_global(&global_lower);
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
	return get_global(&global_upper);
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
	return get_global(&global_sdk);
}
