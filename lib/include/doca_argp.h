/* SPDX-License-Identifier: MIT */
/*
 * Parser for the arguments of a program.
 *
 * init -> for each option: param_create, param_set_*(), register_param
 * -> start (parses, and calls the callbacks) -> destroy
 *
 * Each option has a short name, a long name or both, and is written
 *
 *   -x VALUE   -x=VALUE   --name VALUE   --name=VALUE
 *
 * Short names may have several letters, all behind one dash: -sa VALUE. Options
 * of type BOOLEAN are true when they are there; --name=false says the opposite. The parser adds -h/--help, -v/--version,
 * -l/--log-level LEVEL, --sdk-log-level LEVEL and -j/--json FILE to each
 * program. A level is a number of enum doca_log_level, or a name such as
 * "warning", or a beginning of one. The file of --json holds long names and values:
 *
 *   { "doca_general_flags": { "log-level": 50 },
 *     "doca_program_flags": { "name": "value", "flag": true } }
 *
 * What the command line gives wins over the file, unless the option may be
 * repeated: then the file's values come first.
 *
 * A program may have commands (prog [options] command [options]), and those may
 * have commands; the JSON file serves the program's own options alone.
 *
 * Mistakes of the user are explained on stderr, with a pointer to --help. There
 * is one parser per process; none of this is thread safe.
 *
 * SDK behaviour, unless said otherwise.
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_argp_cmd;
struct doca_argp_param;

/**
 * enum doca_argp_type - type of an option's value, and what callbacks get
 * @DOCA_ARGP_TYPE_UNKNOWN: not set; such an option cannot be registered
 * @DOCA_ARGP_TYPE_STRING: char *, NUL-terminated, valid during the callback
 * @DOCA_ARGP_TYPE_INT: int *; decimal, or hexadecimal with 0x
 * @DOCA_ARGP_TYPE_BOOLEAN: bool *; true if the option is there
 * @DOCA_ARGP_TYPE_JSON_OBJ: struct json_object * of json-c; only in a file
 */
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0,
	DOCA_ARGP_TYPE_STRING = 1,
	DOCA_ARGP_TYPE_INT = 2,
	DOCA_ARGP_TYPE_BOOLEAN = 3,
	DOCA_ARGP_TYPE_JSON_OBJ = 4,
};

/*
 * Called with an option's value and the program's configuration. What it
 * returns ends the parsing, unless it is DOCA_SUCCESS.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/* Called with the program's configuration when the command was given. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/* Called with the arguments in front of "--", behind the program's name. */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/* Called with the program's configuration when all options were read. */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/* Called with messages, for the log. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level,
					      const char *format, va_list args);

/**
 * doca_argp_usage() - print the usage on stdout
 *
 * Hidden options and commands are left out. Nothing without doca_argp_init().
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * doca_argp_init() - begin
 * @program_name: for messages and usage, copied; NULL: as it was called
 * @program_config: handed to callbacks; not NULL
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: begun already
 * DOCA_ERROR_INVALID_VALUE: @program_config is NULL
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * doca_argp_register_param() - add an option to the program
 * @input_param: option; the parser's from now on, also if this fails (then it
 *	is freed)
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: not between doca_argp_init() and doca_argp_start(), or
 *	registered already
 * DOCA_ERROR_INITIALIZATION: it has no name, no description, no callback or no
 *	type
 * DOCA_ERROR_INVALID_VALUE: NULL, or its name is taken
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * doca_argp_register_cmd() - add a command to the program
 * @input_cmd: command; the parser's from now on, also if this fails, unless it was
 *	registered before, or is above the command that it is to be added to
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: not between doca_argp_init() and doca_argp_start(), registered
 * already, or it would be below itself
 * DOCA_ERROR_INITIALIZATION: it has no name or no description
 * DOCA_ERROR_INVALID_VALUE: NULL, or its name is taken
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * doca_argp_register_version_callback() - say what --version prints
 * @callback: called with NULL and the program's configuration; the process ends
 *	afterwards. Without it the name and the library's version are printed
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: no doca_argp_init(), or registered already
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * doca_argp_register_validation_callback() - check all options together
 * @callback: called last in doca_argp_start(), which returns what it returns
 *
 * Return: as doca_argp_register_version_callback().
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * doca_argp_register_logger_callback() - take the parser's messages
 * @callback: called with them; they do not go to stderr any more
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: no doca_argp_init()
 * DOCA_ERROR_ALREADY_EXIST: there is one
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * doca_argp_disable_logger_callback() - messages go to stderr again
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: no doca_argp_init()
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * doca_argp_start() - parse
 * @argc: number of arguments
 * @argv: arguments; the first is skipped
 *
 * First everything is read and checked, then the callbacks are called: those of
 * the program in the order of the arguments, then those of the command. --help
 * and --version end the process with status 0.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: no doca_argp_init(), or done already
 * DOCA_ERROR_INVALID_VALUE: the user gave something wrong, or left out what is
 *	mandatory
 * DOCA_ERROR_IO_FAILED: the JSON file cannot be read
 * DOCA_ERROR_NO_MEMORY: out of memory
 * what a callback returned
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * doca_argp_destroy() - end
 *
 * Frees all registered options and commands; doca_argp_init() may follow.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: no doca_argp_init()
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * doca_argp_set_dpdk_program() - the program takes DPDK's arguments as well
 * @callback: called with the arguments in front of "--"; those behind it are
 *	the program's. Without "--" all of them are the program's
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * doca_argp_param_create() - make an option
 * @param: where to put it
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: no doca_argp_init()
 * DOCA_ERROR_INVALID_VALUE: NULL
 * DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * doca_argp_param_set_short_name() - name behind one dash
 * @param: option, not registered yet
 * @name: without the dash; has to stay valid
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param,
				    const char *name);

/**
 * doca_argp_param_set_long_name() - name behind two dashes, and in JSON
 * @param: option, not registered yet
 * @name: without the dashes; has to stay valid
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param,
				   const char *name);

/**
 * doca_argp_param_set_arguments() - what the usage calls the value
 * @param: option, not registered yet
 * @arguments: such as "<file>"; has to stay valid
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param,
				   const char *arguments);

/**
 * doca_argp_param_set_description() - what the usage says of it
 * @param: option, not registered yet
 * @description: text; has to stay valid
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param,
				     const char *description);

/**
 * doca_argp_param_set_callback() - what gets the value
 * @param: option, not registered yet
 * @callback: called by doca_argp_start() for each time the option is given
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param,
				  doca_argp_param_cb_t callback);

/**
 * doca_argp_param_set_type() - type of the value
 * @param: option, not registered yet
 * @type: not DOCA_ARGP_TYPE_UNKNOWN
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param,
			      enum doca_argp_type type);

/**
 * doca_argp_param_set_mandatory() - it must be given
 * @param: option, not registered yet
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * doca_argp_param_set_cli_only() - not in a JSON file
 * @param: option, not registered yet
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * doca_argp_param_set_multiplicity() - it may be given several times
 * @param: option, not registered yet
 *
 * In a JSON file, the values are an array.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * doca_argp_param_set_singular() - it stands alone
 * @param: option, not registered yet
 *
 * If it is given, no other option of the program may be given, and none is
 * mandatory. (This library's reading of the SDK's name.)
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * doca_argp_param_set_inherited() - commands below know it as well
 * @param: option, not registered yet
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * doca_argp_param_set_hidden() - not in the usage
 * @param: option, not registered yet
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * doca_argp_param_destroy() - free an option that was not registered
 * @param: option
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_BAD_STATE: no doca_argp_init(), or registered
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * doca_argp_cmd_create() - make a command
 * @cmd: where to put it
 *
 * Return: as doca_argp_param_create().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * doca_argp_cmd_set_name() - the word on the command line
 * @cmd: command, not registered yet
 * @name: word; has to stay valid
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * doca_argp_cmd_set_description() - what the usage says of it
 * @cmd: command, not registered yet
 * @description: text; has to stay valid
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd,
				   const char *description);

/**
 * doca_argp_cmd_set_callback() - what to call when it is given
 * @cmd: command, not registered yet
 * @callback: called behind the callbacks of its options; may be NULL
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd,
				doca_argp_cmd_cb_t callback);

/**
 * doca_argp_cmd_set_hidden() - not in the usage
 * @cmd: command, not registered yet
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * doca_argp_cmd_register_param() - add an option to a command
 * @cmd: command, not registered yet
 * @input_param: option; the command's from now on, also if this fails
 *
 * Return: as doca_argp_register_param().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
					  struct doca_argp_param *input_param);

/**
 * doca_argp_cmd_register_cmd() - add a command to a command
 * @cmd: command, not registered yet
 * @input_cmd: command below it; its from now on, also if this fails
 *
 * Return: as doca_argp_register_cmd().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd,
					struct doca_argp_cmd *input_cmd);

/**
 * doca_argp_cmd_destroy() - free a command that was not registered
 * @cmd: command; goes with its options and commands
 *
 * Return: as doca_argp_param_destroy().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * doca_argp_get_log_level() - what --log-level said
 * @log_level: where to put it: enum doca_log_level, INFO if it was not given
 *
 * doca_argp_start() has made it the global lower limit, if it was given.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * doca_argp_get_sdk_log_level() - what --sdk-log-level said
 * @log_level: where to put it: enum doca_log_level, WARNING if it was not given
 *
 * doca_argp_start() has made it the limit of all SDK backends, if it was given.
 *
 * Return:
 * DOCA_SUCCESS
 * DOCA_ERROR_INVALID_VALUE: NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
