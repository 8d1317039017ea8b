/* SPDX-License-Identifier: MIT */
/*
 * Logging.
 *
 * There are two kinds of backends. Those of the application take what the
 * program logs with the DOCA_LOG_*() macros; those of the SDK (their names end
 * in _sdk) take the library's own messages, which say why a call failed. A
 * record goes to each backend of its kind whose limits let it through. Without
 * any backend nothing is printed anywhere, with one exception: if the
 * environment variable DOCA_SDK_LOG_LEVEL is set and there is no SDK backend,
 * the library's messages up to that level go to stderr. Its value is a number
 * or a name of enum doca_log_level: 40 or "warning", 60 or "debug", ...
 *
 * A level is the chattier the larger its number. A backend prints the records
 * between its upper limit (most severe, the small number) and its lower limit
 * (chattiest, the large number), both included. A new backend begins with the
 * global limits: CRIT and INFO for the application's, CRIT and WARNING for the
 * SDK's, if nobody changed them.
 *
 * Backends live until the process ends. All functions may be called from any
 * thread; lines of several threads do not mix.
 *
 * A line looks like this:
 * [HH:MM:SS:micros][process][DOCA][LEVEL][SOURCE][file:line][function] text
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_log_backend;

/**
 * enum doca_log_level - from silence to most chatty
 * @DOCA_LOG_LEVEL_DISABLE: nothing; a limit, not for records
 * @DOCA_LOG_LEVEL_CRIT: cannot go on
 * @DOCA_LOG_LEVEL_ERROR: something failed
 * @DOCA_LOG_LEVEL_WARNING: something looks wrong
 * @DOCA_LOG_LEVEL_INFO: what happens, for users
 * @DOCA_LOG_LEVEL_DEBUG: what happens, for developers
 * @DOCA_LOG_LEVEL_TRACE: all that happens; see DOCA_LOG_TRC()
 */
enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10,
	DOCA_LOG_LEVEL_CRIT = 20,
	DOCA_LOG_LEVEL_ERROR = 30,
	DOCA_LOG_LEVEL_WARNING = 40,
	DOCA_LOG_LEVEL_INFO = 50,
	DOCA_LOG_LEVEL_DEBUG = 60,
	DOCA_LOG_LEVEL_TRACE = 70,
};

/*
 * Called with each line of a buffer backend, NUL-terminated, in the buffer
 * that was given for it. Calls are never concurrent. What it logs itself is
 * dropped.
 */
typedef void (*log_flush_callback)(char *buf);

/**
 * doca_log_backend_set_level_lower_limit() - the chattiest level it prints
 * @backend: of either kind
 * @level: enum doca_log_level; DISABLE silences the backend
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: @backend is NULL or @level undefined
 * DOCA_ERROR_NOT_PERMITTED: the limit was made strict
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
				       uint32_t level);

/**
 * doca_log_backend_set_level_upper_limit() - the most severe level it prints
 * @backend: of either kind
 * @upper_limit: enum doca_log_level
 *
 * Return: as doca_log_backend_set_level_lower_limit().
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
				       uint32_t upper_limit);

/**
 * doca_log_backend_set_level_lower_limit_strict() - keep the lower limit
 * @backend: of either kind
 *
 * From now on neither doca_log_backend_set_level_lower_limit() nor the global
 * limit changes it. Cannot be undone. SDK behaviour.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: @backend is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * doca_log_backend_set_level_upper_limit_strict() - keep the upper limit
 * @backend: of either kind
 *
 * Return: as doca_log_backend_set_level_lower_limit_strict().
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * doca_log_level_set_global_lower_limit() - lower limit of all backends
 * @level: enum doca_log_level
 *
 * For the application backends that are there, unless their limit is strict,
 * and for those to come.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: @level is undefined
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * doca_log_level_set_global_upper_limit() - upper limit of all backends
 * @upper_limit: enum doca_log_level
 *
 * Return: as doca_log_level_set_global_lower_limit().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * doca_log_level_get_global_lower_limit() - what was set, at first INFO
 *
 * Return: enum doca_log_level.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * doca_log_level_get_global_upper_limit() - what was set, at first CRIT
 *
 * Return: enum doca_log_level.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * doca_log_register_source() - a name for the records of a part of a program
 * @source_name: name, copied; not NULL
 * @source: where to put the number for doca_log(); not NULL
 *
 * DOCA_LOG_REGISTER() does this before main().
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * doca_log_unregister_source() - give a source back
 * @source: from doca_log_register_source()
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: no such source
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/**
 * doca_log_backend_create_with_file() - log to a stream
 * @fptr: stream, not NULL; has to stay open
 * @backend: where to put the backend; not NULL
 *
 * Each line is flushed.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr,
					       struct doca_log_backend **backend);

/**
 * doca_log_backend_create_with_fd() - log to a file descriptor
 * @fd: file descriptor, open for writing; has to stay open
 * @backend: where to put the backend; not NULL
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, or @fd is not open
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd,
					     struct doca_log_backend **backend);

/**
 * doca_log_backend_create_with_buf() - hand each line to a function
 * @buf: memory for one line; not NULL
 * @capacity: its bytes, at least 2; longer lines are cut
 * @handler: called with @buf for each line; not NULL
 * @backend: where to put the backend; not NULL
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL, or @capacity too small
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
					      log_flush_callback handler,
					      struct doca_log_backend **backend);

/**
 * doca_log_backend_create_with_syslog() - log to the system's log
 * @name: program name in the records, copied; not NULL. A process has one:
 *	the last one given counts
 * @backend: where to put the backend; not NULL
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
						 struct doca_log_backend **backend);

/**
 * doca_log_backend_set_sdk_level() - the chattiest level an SDK backend prints
 * @backend: an SDK backend
 * @level: enum doca_log_level
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: @backend is NULL or the application's, or @level is
 *	undefined
 * DOCA_ERROR_NOT_PERMITTED: the limit was made strict
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend,
					    uint32_t level);

/**
 * doca_log_backend_create_with_file_sdk() - library messages to a stream
 * @fptr: as for doca_log_backend_create_with_file()
 * @backend: likewise
 *
 * Return: likewise.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_create_with_file_sdk(FILE *fptr,
				      struct doca_log_backend **backend);

/**
 * doca_log_backend_create_with_fd_sdk() - library messages to a descriptor
 * @fd: as for doca_log_backend_create_with_fd()
 * @backend: likewise
 *
 * Return: likewise.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * doca_log_backend_create_with_buf_sdk() - library messages to a function
 * @buf: as for doca_log_backend_create_with_buf()
 * @capacity: likewise
 * @handler: likewise; it must not call the library
 * @backend: likewise
 *
 * Return: likewise.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
				     log_flush_callback handler,
				     struct doca_log_backend **backend);

/**
 * doca_log_backend_create_with_syslog_sdk() - library messages to the syslog
 * @name: as for doca_log_backend_create_with_syslog()
 * @backend: likewise
 *
 * Return: likewise.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_log_backend_create_with_syslog_sdk(const char *name,
					struct doca_log_backend **backend);

/**
 * doca_log_level_set_global_sdk_limit() - lower limit of all SDK backends
 * @level: enum doca_log_level
 *
 * For the SDK backends that are there, unless their limit is strict, and for
 * those to come.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: @level is undefined
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * doca_log_level_get_global_sdk_limit() - what was set, at first WARNING
 *
 * Return: enum doca_log_level.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * doca_log_backend_create_standard() - what a program with a terminal wants
 *
 * Makes two application backends: stdout prints INFO and what is chattier, as
 * far as the global lower limit lets it through, stderr prints WARNING and what
 * is more severe. SDK behaviour. Doing it a second time changes nothing.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * doca_log() - log a record; programs use the macros below
 * @level: enum doca_log_level, not DISABLE
 * @source: from doca_log_register_source()
 * @fname: source file
 * @line: line in it
 * @func: function
 * @format: as for printf(), without a newline at the end
 *
 * Keeps errno.
 *
 * Return:
 * DOCA_SUCCESS, also when no backend prints it
 * DOCA_ERROR_INVALID_VALUE: @level is undefined, @format NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line,
		      const char *func, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

#ifdef __cplusplus
}
#endif

/**
 * DOCA_LOG_REGISTER() - the source of all records of this file
 * @SOURCE: any text: DOCA_LOG_REGISTER(MY_PROGRAM::MAIN)
 *
 * Once in each file that logs, outside of functions.
 */
#define DOCA_LOG_REGISTER(SOURCE)					\
	static int log_source;						\
	static void __attribute__((constructor(101), used))		\
	doca_log_register_file_source_(void)				\
	{								\
		doca_log_register_source(#SOURCE, &log_source);		\
	}

#define DOCA_LOG(level, format, ...)					\
	do {								\
		doca_log(level, log_source, __FILE__, __LINE__,		\
			 __func__, format, ##__VA_ARGS__);		\
	} while (0)

#define DOCA_LOG_CRIT(format, ...)					\
	DOCA_LOG(DOCA_LOG_LEVEL_CRIT, format, ##__VA_ARGS__)
#define DOCA_LOG_ERR(format, ...)					\
	DOCA_LOG(DOCA_LOG_LEVEL_ERROR, format, ##__VA_ARGS__)
#define DOCA_LOG_WARN(format, ...)					\
	DOCA_LOG(DOCA_LOG_LEVEL_WARNING, format, ##__VA_ARGS__)
#define DOCA_LOG_INFO(format, ...)					\
	DOCA_LOG(DOCA_LOG_LEVEL_INFO, format, ##__VA_ARGS__)
#define DOCA_LOG_DBG(format, ...)					\
	DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, format, ##__VA_ARGS__)

/*
 * Compiled in only if DOCA_LOGGING_ALLOW_TRACE is defined; the arguments are
 * checked, but not evaluated, without it. SDK behaviour.
 */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(format, ...)					\
	DOCA_LOG(DOCA_LOG_LEVEL_TRACE, format, ##__VA_ARGS__)
#else
#define DOCA_LOG_TRC(format, ...)					\
	do {								\
		if (0)							\
			DOCA_LOG(DOCA_LOG_LEVEL_TRACE, format,		\
				 ##__VA_ARGS__);			\
	} while (0)
#endif

#endif /* DOCA_LOG_H_ */
