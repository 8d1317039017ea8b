/* SPDX-License-Identifier: MIT */
/* Error codes. */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_compat.h>
#include <doca_common_defines.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum doca_error - result of nearly every call, and status of tasks
 * @DOCA_SUCCESS: done
 * @DOCA_ERROR_UNKNOWN: none of the others
 * @DOCA_ERROR_NOT_PERMITTED: not allowed for this object, whatever its state
 * @DOCA_ERROR_IN_USE: something else still depends on the object
 * @DOCA_ERROR_NOT_SUPPORTED: the device, or the library, cannot do this
 * @DOCA_ERROR_AGAIN: no room right now: progress, then repeat
 * @DOCA_ERROR_INVALID_VALUE: an argument is out of its range, or NULL
 * @DOCA_ERROR_NO_MEMORY: out of memory, or out of pre-allocated objects
 * @DOCA_ERROR_INITIALIZATION: an object could not be set up
 * @DOCA_ERROR_TIME_OUT: it took too long
 * @DOCA_ERROR_SHUTDOWN: the object is being shut down
 * @DOCA_ERROR_CONNECTION_RESET: the peer reset the connection
 * @DOCA_ERROR_CONNECTION_ABORTED: the connection failed
 * @DOCA_ERROR_CONNECTION_INPROGRESS: the connection is being made
 * @DOCA_ERROR_NOT_CONNECTED: no connection, or no progress engine
 * @DOCA_ERROR_NO_LOCK: a lock could not be taken
 * @DOCA_ERROR_NOT_FOUND: no such thing
 * @DOCA_ERROR_IO_FAILED: the transfer failed
 * @DOCA_ERROR_BAD_STATE: not in the object's current state
 * @DOCA_ERROR_UNSUPPORTED_VERSION: the versions do not go together
 * @DOCA_ERROR_OPERATING_SYSTEM: a system call failed
 * @DOCA_ERROR_DRIVER: the kernel module, or the device, refused
 * @DOCA_ERROR_UNEXPECTED: something that cannot happen
 * @DOCA_ERROR_ALREADY_EXIST: it is there already
 * @DOCA_ERROR_FULL: no room for one more
 * @DOCA_ERROR_EMPTY: nothing there
 * @DOCA_ERROR_IN_PROGRESS: accepted; doca_pe_progress() completes it
 * @DOCA_ERROR_TOO_BIG: too large
 * @DOCA_ERROR_AUTHENTICATION: authentication failed
 * @DOCA_ERROR_BAD_CONFIG: the configuration is wrong
 * @DOCA_ERROR_SKIPPED: left out on purpose
 * @DOCA_ERROR_DEVICE_FATAL_ERROR: the device failed for good, or is gone
 */
enum doca_error {
	DOCA_SUCCESS = 0,
	DOCA_ERROR_UNKNOWN = 1,
	DOCA_ERROR_NOT_PERMITTED = 2,
	DOCA_ERROR_IN_USE = 3,
	DOCA_ERROR_NOT_SUPPORTED = 4,
	DOCA_ERROR_AGAIN = 5,
	DOCA_ERROR_INVALID_VALUE = 6,
	DOCA_ERROR_NO_MEMORY = 7,
	DOCA_ERROR_INITIALIZATION = 8,
	DOCA_ERROR_TIME_OUT = 9,
	DOCA_ERROR_SHUTDOWN = 10,
	DOCA_ERROR_CONNECTION_RESET = 11,
	DOCA_ERROR_CONNECTION_ABORTED = 12,
	DOCA_ERROR_CONNECTION_INPROGRESS = 13,
	DOCA_ERROR_NOT_CONNECTED = 14,
	DOCA_ERROR_NO_LOCK = 15,
	DOCA_ERROR_NOT_FOUND = 16,
	DOCA_ERROR_IO_FAILED = 17,
	DOCA_ERROR_BAD_STATE = 18,
	DOCA_ERROR_UNSUPPORTED_VERSION = 19,
	DOCA_ERROR_OPERATING_SYSTEM = 20,
	DOCA_ERROR_DRIVER = 21,
	DOCA_ERROR_UNEXPECTED = 22,
	DOCA_ERROR_ALREADY_EXIST = 23,
	DOCA_ERROR_FULL = 24,
	DOCA_ERROR_EMPTY = 25,
	DOCA_ERROR_IN_PROGRESS = 26,
	DOCA_ERROR_TOO_BIG = 27,
	DOCA_ERROR_AUTHENTICATION = 28,
	DOCA_ERROR_BAD_CONFIG = 29,
	DOCA_ERROR_SKIPPED = 30,
	DOCA_ERROR_DEVICE_FATAL_ERROR = 31,
};

typedef enum doca_error doca_error_t;

/* Anything but DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS included. SDK behaviour. */
#define DOCA_IS_ERROR(r)		((r) != DOCA_SUCCESS)

/* Keep the first error in r, of several steps whose results are t. */
#define DOCA_ERROR_PROPAGATE(r, t)					\
	do {								\
		if (!DOCA_IS_ERROR(r))					\
			(r) = (t);					\
	} while (0)

/**
 * doca_error_get_name() - the constant's name
 * @error: any value
 *
 * Any thread. SDK behaviour.
 *
 * Return: a constant string such as "DOCA_ERROR_AGAIN"; for a value that is
 * not in the enum, "DOCA_ERROR_UNKNOWN".
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/**
 * doca_error_get_descr() - what an error means, for people
 * @error: any value
 *
 * Any thread. SDK behaviour; the wording is this library's.
 *
 * Return: a constant English phrase; for a value that is not in the enum,
 * "Unknown error code".
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
