/* SPDX-License-Identifier: MIT */
/* What the parts of the argument parser know of each other. Not installed. */
#ifndef LIB_ARGP_H
#define LIB_ARGP_H

#include <stdbool.h>
#include <stddef.h>

#include <doca_argp.h>

/**
 * struct doca_argp_param - an option
 * @next: next option of the same command
 * @short_name: without the dash, or NULL
 * @long_name: without the dashes, or NULL
 * @arguments: what the usage calls the value, or NULL
 * @description: for the usage
 * @callback: gets the value
 * @type: of the value
 * @mandatory: must be given
 * @cli_only: not in a file
 * @multiplicity: may be given several times
 * @singular: stands alone
 * @inherited: commands below know it
 * @hidden: not in the usage
 * @registered: belongs to the parser or to a command
 * @on_cli: given on the command line
 * @given: given there or in a file
 */
struct doca_argp_param {
	struct doca_argp_param *next;
	const char *short_name;
	const char *long_name;
	const char *arguments;
	const char *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	bool mandatory;
	bool cli_only;
	bool multiplicity;
	bool singular;
	bool inherited;
	bool hidden;
	bool registered;
	bool on_cli;
	bool given;
};

/**
 * struct doca_argp_cmd - a command; the program is one, too
 * @next: next command of the same parent
 * @parent: command that it belongs to, NULL for the program
 * @chosen: command below it that was given
 * @name: word on the command line
 * @description: for the usage
 * @callback: called if it was given, or NULL
 * @hidden: not in the usage
 * @registered: belongs to the parser or to a command
 * @params: its options, in the order of registration
 * @cmds: commands below it, likewise
 */
struct doca_argp_cmd {
	struct doca_argp_cmd *next;
	struct doca_argp_cmd *parent;
	struct doca_argp_cmd *chosen;
	const char *name;
	const char *description;
	doca_argp_cmd_cb_t callback;
	bool hidden;
	bool registered;
	struct doca_argp_param *params;
	struct doca_argp_cmd *cmds;
};

/**
 * struct argp_item - an option with a value, as given by the user
 * @next: next in the order given
 * @param: the option
 * @string: value of type STRING, not owned
 * @number: value of type INT
 * @flag: value of type BOOLEAN
 * @object: value of type JSON_OBJ
 */
struct argp_item {
	struct argp_item *next;
	struct doca_argp_param *param;
	const char *string;
	int number;
	bool flag;
	void *object;
};

struct argp_list {
	struct argp_item *first;
	struct argp_item **end;
};

/**
 * struct argp - the parser
 * @program: name, options and commands of the program
 * @general: options that every program has
 * @config: handed to callbacks
 * @version_cb: prints the version, or NULL
 * @validation_cb: called last, or NULL
 * @logger_cb: takes messages, or NULL
 * @dpdk_cb: takes DPDK's arguments, or NULL
 * @json_file: argument of --json
 * @json: what is in it, a struct json_object
 * @log_level: that of --log-level
 * @sdk_log_level: that of --sdk-log-level
 * @ready: between init and destroy
 * @started: doca_argp_start() was called
 */
struct argp {
	struct doca_argp_cmd program;
	struct doca_argp_cmd general;
	void *config;
	doca_argp_param_cb_t version_cb;
	doca_argp_validation_cb_t validation_cb;
	doca_argp_logger_cb_t logger_cb;
	doca_argp_dpdk_cb_t dpdk_cb;
	const char *json_file;
	void *json;
	int log_level;
	int sdk_log_level;
	bool ready;
	bool started;
};

extern struct argp argp;

/* Options that every program has, in the order of argp.general. */
enum {
	ARGP_HELP,
	ARGP_VERSION,
	ARGP_LOG_LEVEL,
	ARGP_SDK_LOG_LEVEL,
	ARGP_JSON,
	ARGP_NUM_GENERAL,
};

extern struct doca_argp_param argp_general[ARGP_NUM_GENERAL];

/* Explains something to the user. */
void argp_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The value for an option, at the end of the list; NULL without memory. */
struct argp_item *argp_add_item(struct argp_list *list,
				struct doca_argp_param *param);

/* The option's name with its dashes. */
const char *argp_name(const struct doca_argp_param *param);

/* Puts the values of the file argp.json_file into the list. */
doca_error_t argp_read_json(struct argp_list *list);
void argp_free_json(void);

/* A level by number or name; false if it is none. */
bool argp_parse_level(const char *text, int *level);

/* Prints the usage of a command. */
void argp_print_usage(const struct doca_argp_cmd *cmd);
void argp_print_synopsis(FILE *file, const struct doca_argp_cmd *cmd);

#endif /* LIB_ARGP_H */
