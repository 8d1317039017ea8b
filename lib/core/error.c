// SPDX-License-Identifier: MIT
/* Names of errors. */
#include <doca_error.h>

#define ERROR(name, text)	[name] = { #name, text }

static const struct {
	const char *name;
	const char *descr;
} errors[] = {
	ERROR(DOCA_SUCCESS, "Success"),
	ERROR(DOCA_ERROR_UNKNOWN, "Unknown error"),
	ERROR(DOCA_ERROR_NOT_PERMITTED, "Operation not permitted"),
	ERROR(DOCA_ERROR_IN_USE, "Resource in use"),
	ERROR(DOCA_ERROR_NOT_SUPPORTED, "Operation not supported"),
	ERROR(DOCA_ERROR_AGAIN, "Resource temporarily unavailable, try again"),
	ERROR(DOCA_ERROR_INVALID_VALUE, "Invalid value"),
	ERROR(DOCA_ERROR_NO_MEMORY, "Out of memory"),
	ERROR(DOCA_ERROR_INITIALIZATION, "Initialization failed"),
	ERROR(DOCA_ERROR_TIME_OUT, "Timed out"),
	ERROR(DOCA_ERROR_SHUTDOWN, "Shut down"),
	ERROR(DOCA_ERROR_CONNECTION_RESET, "Connection reset by the peer"),
	ERROR(DOCA_ERROR_CONNECTION_ABORTED, "Connection aborted"),
	ERROR(DOCA_ERROR_CONNECTION_INPROGRESS, "Connection in progress"),
	ERROR(DOCA_ERROR_NOT_CONNECTED, "Not connected"),
	ERROR(DOCA_ERROR_NO_LOCK, "Lock not available"),
	ERROR(DOCA_ERROR_NOT_FOUND, "Not found"),
	ERROR(DOCA_ERROR_IO_FAILED, "Input/output failed"),
	ERROR(DOCA_ERROR_BAD_STATE, "Not possible in this state"),
	ERROR(DOCA_ERROR_UNSUPPORTED_VERSION, "Unsupported version"),
	ERROR(DOCA_ERROR_OPERATING_SYSTEM, "Operating system call failed"),
	ERROR(DOCA_ERROR_DRIVER, "Driver failed"),
	ERROR(DOCA_ERROR_UNEXPECTED, "Unexpected error"),
	ERROR(DOCA_ERROR_ALREADY_EXIST, "Already exists"),
	ERROR(DOCA_ERROR_FULL, "No more space"),
	ERROR(DOCA_ERROR_EMPTY, "Nothing there"),
	ERROR(DOCA_ERROR_IN_PROGRESS, "Operation in progress"),
	ERROR(DOCA_ERROR_TOO_BIG, "Too big"),
	ERROR(DOCA_ERROR_AUTHENTICATION, "Authentication failed"),
	ERROR(DOCA_ERROR_BAD_CONFIG, "Bad configuration"),
	ERROR(DOCA_ERROR_SKIPPED, "Skipped"),
	ERROR(DOCA_ERROR_DEVICE_FATAL_ERROR, "Device failed or is gone"),
};

#define NUM_ERRORS	(sizeof(errors) / sizeof(errors[0]))

const char *doca_error_get_name(doca_error_t error)
{
	if ((unsigned int)error >= NUM_ERRORS)
		return "DOCA_ERROR_UNKNOWN";
	return errors[error].name;
}

const char *doca_error_get_descr(doca_error_t error)
{
	if ((unsigned int)error >= NUM_ERRORS)
		return "Unknown error code";
	return errors[error].descr;
}
