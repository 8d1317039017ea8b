// SPDX-License-Identifier: MIT
/* Argument parser: the command line. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <doca_version.h>

#include "argp.h"

struct argp_item *argp_add_item(struct argp_list *list,
				struct doca_argp_param *param)
{
	struct argp_item *item = calloc(1, sizeof(*item));

	if (!item)
		return NULL;
	item->param = param;
	*list->end = item;
	list->end = &item->next;
	return item;
}

static void free_items(struct argp_list *list)
{
	struct argp_item *item;

	while ((item = list->first)) {
		list->first = item->next;
		free(item);
	}
	list->end = &list->first;
}

bool argp_parse_level(const char *text, int *level)
{
	static const char *const names[] = {
		"disable", "critical", "error", "warning", "info", "debug",
		"trace",
	};
	int found = -1;
	char *end;
	long number;
	int i;

	number = strtol(text, &end, 10);
	if (*text && !*end) {
		if (number % 10 || number < DOCA_LOG_LEVEL_DISABLE ||
		    number > DOCA_LOG_LEVEL_TRACE)
			return false;
		*level = number;
		return true;
	}

	/* Any beginning of a name will do that is of one only: "warn", "crit". */
	for (i = 0; *text && i < (int)(sizeof(names) / sizeof(names[0])); i++) {
		if (strncasecmp(text, names[i], strlen(text)))
			continue;
		if (found >= 0)
			return false;
		found = i;
	}
	if (found < 0)
		return false;
	*level = DOCA_LOG_LEVEL_DISABLE + 10 * found;
	return true;
}

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, text, len);
}

static struct doca_argp_param *find_in(const struct doca_argp_cmd *cmd,
				       const char *text, size_t len,
				       bool is_long, bool inherited_only)
{
	struct doca_argp_param *param;

	for (param = cmd->params; param; param = param->next)
		if (is_name(is_long ? param->long_name : param->short_name,
			    text, len) &&
		    (param->inherited || !inherited_only))
			return param;
	return NULL;
}

/* The option that an argument names; @value: what is behind its '=', or NULL. */
static struct doca_argp_param *find_param(const struct doca_argp_cmd *cmd,
					  const char *arg, const char **value)
{
	const struct doca_argp_cmd *above;
	struct doca_argp_param *param;
	bool is_long;
	size_t len;

	*value = NULL;
	if (arg[0] != '-' || !arg[1])
		return NULL;
	is_long = arg[1] == '-';
	arg += is_long ? 2 : 1;
	len = strcspn(arg, "=");
	if (!len)
		return NULL;
	if (arg[len])
		*value = arg + len + 1;

	param = find_in(cmd, arg, len, is_long, false);
	for (above = cmd->parent; above && !param; above = above->parent)
		param = find_in(above, arg, len, is_long, true);
	if (!param)
		param = find_in(&argp.general, arg, len, is_long, true);
	return param;
}

static bool parse_int(const char *text, int *number)
{
	const char *digits = text;
	long value;
	char *end;

	if (*digits == '-' || *digits == '+')
		digits++;
	if (!isdigit((unsigned char)*digits))
		return false;
	/* Not octal: 010 is ten. */
	errno = 0;
	value = strtol(text, &end,
		       digits[0] == '0' && (digits[1] | 0x20) == 'x' ? 16 : 10);
	if (*end || errno || value < INT_MIN || value > INT_MAX)
		return false;
	*number = value;
	return true;
}

static doca_error_t parse_value(struct argp_item *item, const char *value)
{
	const struct doca_argp_param *param = item->param;

	switch (param->type) {
	case DOCA_ARGP_TYPE_STRING:
		item->string = value;
		return DOCA_SUCCESS;
	case DOCA_ARGP_TYPE_INT:
		if (parse_int(value, &item->number))
			return DOCA_SUCCESS;
		argp_error("option %s: '%s' is not a number from %d to %d",
			   argp_name(param), value, INT_MIN, INT_MAX);
		return DOCA_ERROR_INVALID_VALUE;
	case DOCA_ARGP_TYPE_BOOLEAN:
		item->flag = !strcasecmp(value, "true") || !strcmp(value, "1");
		if (item->flag || !strcasecmp(value, "false") ||
		    !strcmp(value, "0"))
			return DOCA_SUCCESS;
		argp_error("option %s takes no value, or true or false, not '%s'",
			   argp_name(param), value);
		return DOCA_ERROR_INVALID_VALUE;
	default:
		argp_error("option %s can only be given in a JSON file (--json)",
			   argp_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
}

static void print_version(void)
{
	if (argp.version_cb)
		argp.version_cb(NULL, argp.config);
	else
		printf("%s, DOCA %s\n", argp.program.name,
		       doca_version_runtime());
	fflush(stdout);
}

/* An option, and its value. @i: its place in argv, moves on with the value. */
static doca_error_t read_option(struct doca_argp_cmd *cmd, int argc,
				char **argv, int *i, struct argp_list *list)
{
	struct doca_argp_param *param;
	struct argp_item *item;
	const char *value, *unused;

	param = find_param(cmd, argv[*i], &value);
	if (!param) {
		argp_error("unknown option '%s'", argv[*i]);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (param == &argp_general[ARGP_HELP]) {
		argp_print_usage(cmd);
		exit(EXIT_SUCCESS);
	}
	if (param == &argp_general[ARGP_VERSION]) {
		print_version();
		exit(EXIT_SUCCESS);
	}
	if (param->on_cli && !param->multiplicity) {
		argp_error("option %s is given twice", argp_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	param->on_cli = true;
	param->given = true;

	if (!value && param->type == DOCA_ARGP_TYPE_BOOLEAN) {
		value = "true";
	} else if (!value && param->type != DOCA_ARGP_TYPE_JSON_OBJ) {
		/* A value may begin with a dash, if it is not an option. */
		if (*i + 1 >= argc || !strcmp(argv[*i + 1], "--") ||
		    find_param(cmd, argv[*i + 1], &unused)) {
			argp_error("option %s needs a value%s%s",
				   argp_name(param),
				   param->arguments ? ": " : "",
				   param->arguments ? param->arguments : "");
			return DOCA_ERROR_INVALID_VALUE;
		}
		value = argv[++*i];
	}

	item = argp_add_item(list, param);
	if (!item)
		return DOCA_ERROR_NO_MEMORY;
	return parse_value(item, value);
}

static struct doca_argp_cmd *find_cmd(const struct doca_argp_cmd *cmd,
				      const char *name)
{
	struct doca_argp_cmd *sub;

	for (sub = cmd->cmds; sub; sub = sub->next)
		if (!strcmp(sub->name, name))
			return sub;
	return NULL;
}

/* @last: the innermost command */
static doca_error_t read_arguments(int argc, char **argv,
				   struct argp_list *list,
				   struct doca_argp_cmd **last)
{
	struct doca_argp_cmd *cmd = &argp.program;
	struct doca_argp_cmd *sub;
	doca_error_t err;
	int i;

	for (i = 1; i < argc; i++) {
		*last = cmd;
		if (argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--")) {
			err = read_option(cmd, argc, argv, &i, list);
			if (err)
				return err;
			continue;
		}
		if (!strcmp(argv[i], "--") && i + 1 == argc)
			break;
		sub = find_cmd(cmd, argv[i]);
		if (!sub) {
			argp_error(cmd->cmds ? "unknown command '%s'" :
				   "unexpected argument '%s'", argv[i]);
			return DOCA_ERROR_INVALID_VALUE;
		}
		cmd->chosen = sub;
		cmd = sub;
	}
	*last = cmd;
	return DOCA_SUCCESS;
}

static doca_error_t set_levels(const struct argp_list *list)
{
	const struct argp_item *item;
	int level;

	for (item = list->first; item; item = item->next) {
		if (item->param != &argp_general[ARGP_LOG_LEVEL] &&
		    item->param != &argp_general[ARGP_SDK_LOG_LEVEL])
			continue;
		if (!argp_parse_level(item->string, &level)) {
			argp_error("option %s: '%s' is not a level: use 10 (disable), 20 (critical), 30 (error), 40 (warning), 50 (info), 60 (debug) or 70 (trace)",
				   argp_name(item->param), item->string);
			return DOCA_ERROR_INVALID_VALUE;
		}
		if (item->param == &argp_general[ARGP_LOG_LEVEL]) {
			argp.log_level = level;
			doca_log_level_set_global_lower_limit(level);
		} else {
			argp.sdk_log_level = level;
			doca_log_level_set_global_sdk_limit(level);
		}
	}
	return DOCA_SUCCESS;
}

static doca_error_t check_complete(const struct argp_list *json,
				   const struct argp_list *cli)
{
	const struct argp_list *const lists[] = { json, cli };
	const struct doca_argp_param *alone = NULL;
	const struct doca_argp_param *param;
	const struct doca_argp_cmd *cmd;
	const struct argp_item *item;
	size_t i;

	for (i = 0; i < 2; i++)
		for (item = lists[i]->first; item; item = item->next)
			if (item->param->singular)
				alone = item->param;
	for (i = 0; alone && i < 2; i++) {
		for (item = lists[i]->first; item; item = item->next) {
			param = item->param;
			if (param == alone ||
			    (param >= argp_general &&
			     param < argp_general + ARGP_NUM_GENERAL))
				continue;
			argp_error("option %s cannot go with any other",
				   argp_name(alone));
			return DOCA_ERROR_INVALID_VALUE;
		}
	}
	if (alone)
		return DOCA_SUCCESS;

	for (cmd = &argp.program; cmd; cmd = cmd->chosen) {
		for (param = cmd->params; param; param = param->next) {
			if (!param->mandatory || param->given)
				continue;
			argp_error("option %s is missing: %.*s",
				   argp_name(param),
				   (int)strcspn(param->description, "\n"),
				   param->description);
			return DOCA_ERROR_INVALID_VALUE;
		}
	}
	return DOCA_SUCCESS;
}

static doca_error_t run_callbacks(const struct argp_list *list)
{
	const struct argp_item *item;
	doca_error_t err;
	void *value;
	bool flag;
	int number;

	for (item = list->first; item; item = item->next) {
		flag = item->flag;
		number = item->number;
		switch (item->param->type) {
		case DOCA_ARGP_TYPE_STRING:
			value = (void *)(uintptr_t)item->string;
			break;
		case DOCA_ARGP_TYPE_INT:
			value = &number;
			break;
		case DOCA_ARGP_TYPE_BOOLEAN:
			value = &flag;
			break;
		default:
			value = item->object;
		}
		err = item->param->callback(value, argp.config);
		if (err) {
			argp_error("option %s was not accepted: %s",
				   argp_name(item->param),
				   doca_error_get_descr(err));
			return err;
		}
	}
	return DOCA_SUCCESS;
}

static doca_error_t parse(int argc, char **argv, struct argp_list *json,
			  struct argp_list *cli)
{
	struct doca_argp_cmd *cmd = &argp.program;
	const struct argp_item *item;
	doca_error_t err;

	err = read_arguments(argc, argv, cli, &cmd);
	for (item = cli->first; item && !err; item = item->next) {
		if (item->param != &argp_general[ARGP_JSON])
			continue;
		argp.json_file = item->string;
		err = argp_read_json(json);
	}
	if (!err)
		err = set_levels(json);
	if (!err)
		err = set_levels(cli);
	if (!err)
		err = check_complete(json, cli);
	if (err == DOCA_ERROR_INVALID_VALUE && !argp.logger_cb) {
		argp_print_synopsis(stderr, cmd);
		fprintf(stderr, "Try '%s --help'.\n", argp.program.name);
	}
	return err;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
	struct argp_list json = { .end = &json.first };
	struct argp_list cli = { .end = &cli.first };
	const struct doca_argp_cmd *cmd;
	doca_error_t err = DOCA_SUCCESS;
	int split = 0;
	char *saved;

	if (!argp.ready || argp.started)
		return DOCA_ERROR_BAD_STATE;
	if (argc < 0 || (argc && !argv))
		return DOCA_ERROR_INVALID_VALUE;
	argp.started = true;

	if (argp.dpdk_cb) {
		for (split = 1; split < argc; split++)
			if (!strcmp(argv[split], "--"))
				break;
		if (split < argc)
			err = argp.dpdk_cb(split, argv);
		else
			split = 0;
	}
	if (err)
		return err;

	/* What is behind "--", with the program's name in front. */
	if (split) {
		saved = argv[split];
		argv[split] = argv[0];
		err = parse(argc - split, argv + split, &json, &cli);
		argv[split] = saved;
	} else {
		err = parse(argc, argv, &json, &cli);
	}

	if (!err)
		err = run_callbacks(&json);
	if (!err)
		err = run_callbacks(&cli);
	for (cmd = argp.program.chosen; cmd && !err; cmd = cmd->chosen)
		if (cmd->callback)
			err = cmd->callback(argp.config);
	if (!err && argp.validation_cb)
		err = argp.validation_cb(argp.config);
	free_items(&json);
	free_items(&cli);
	argp_free_json();
	return err;
}
