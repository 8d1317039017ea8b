// SPDX-License-Identifier: MIT
/* Argument parser: the objects. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_version.h>

#include "argp.h"

struct argp argp;

static doca_error_t no_callback(void *value, void *config)
{
	(void)value;
	(void)config;
	return DOCA_SUCCESS;
}

/* The parser knows itself what to do with them. */
struct doca_argp_param argp_general[ARGP_NUM_GENERAL] = {
	[ARGP_HELP] = {
		.short_name = "h",
		.long_name = "help",
		.description = "Print this text and exit",
		.type = DOCA_ARGP_TYPE_BOOLEAN,
	},
	[ARGP_VERSION] = {
		.short_name = "v",
		.long_name = "version",
		.description = "Print the version and exit",
		.type = DOCA_ARGP_TYPE_BOOLEAN,
	},
	[ARGP_LOG_LEVEL] = {
		.short_name = "l",
		.long_name = "log-level",
		.arguments = "<level>",
		.description = "What the program logs: 10=disable, 20=critical, 30=error,\n"
			       "40=warning, 50=info, 60=debug, 70=trace",
		.type = DOCA_ARGP_TYPE_STRING,
	},
	[ARGP_SDK_LOG_LEVEL] = {
		.long_name = "sdk-log-level",
		.arguments = "<level>",
		.description = "What the library logs, likewise",
		.type = DOCA_ARGP_TYPE_STRING,
	},
	[ARGP_JSON] = {
		.short_name = "j",
		.long_name = "json",
		.arguments = "<file>",
		.description = "Read options from a JSON file",
		.type = DOCA_ARGP_TYPE_STRING,
	},
};

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
	struct doca_argp_param **end = &argp.general.params;
	doca_argp_dpdk_cb_t dpdk_cb = argp.dpdk_cb;
	int i;

	if (argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (!program_config)
		return DOCA_ERROR_INVALID_VALUE;
	if (!program_name)
		program_name = program_invocation_short_name;

	memset(&argp, 0, sizeof(argp));
	argp.program.name = strdup(program_name);
	if (!argp.program.name)
		return DOCA_ERROR_NO_MEMORY;
	argp.program.registered = true;
	for (i = 0; i < ARGP_NUM_GENERAL; i++) {
		argp_general[i].callback = no_callback;
		argp_general[i].registered = true;
		argp_general[i].inherited = true;
		argp_general[i].on_cli = false;
		argp_general[i].given = false;
		argp_general[i].next = NULL;
		*end = &argp_general[i];
		end = &argp_general[i].next;
	}
	argp.config = program_config;
	argp.dpdk_cb = dpdk_cb;
	argp.log_level = DOCA_LOG_LEVEL_INFO;
	argp.sdk_log_level = DOCA_LOG_LEVEL_WARNING;
	argp.ready = true;
	return DOCA_SUCCESS;
}

static void free_contents(struct doca_argp_cmd *cmd)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *sub;

	while ((param = cmd->params)) {
		cmd->params = param->next;
		free(param);
	}
	while ((sub = cmd->cmds)) {
		cmd->cmds = sub->next;
		free_contents(sub);
		free(sub);
	}
}

doca_error_t doca_argp_destroy(void)
{
	if (!argp.ready)
		return DOCA_ERROR_BAD_STATE;

	argp_free_json();
	free_contents(&argp.program);
	free((char *)(uintptr_t)argp.program.name);
	memset(&argp, 0, sizeof(argp));
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
	if (!argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (!param)
		return DOCA_ERROR_INVALID_VALUE;

	*param = calloc(1, sizeof(**param));
	return *param ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
	if (!param)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp.ready || param->registered)
		return DOCA_ERROR_BAD_STATE;

	free(param);
	return DOCA_SUCCESS;
}

void doca_argp_param_set_short_name(struct doca_argp_param *param,
				    const char *name)
{
	param->short_name = name;
}

void doca_argp_param_set_long_name(struct doca_argp_param *param,
				   const char *name)
{
	param->long_name = name;
}

void doca_argp_param_set_arguments(struct doca_argp_param *param,
				   const char *arguments)
{
	param->arguments = arguments;
}

void doca_argp_param_set_description(struct doca_argp_param *param,
				     const char *description)
{
	param->description = description;
}

void doca_argp_param_set_callback(struct doca_argp_param *param,
				  doca_argp_param_cb_t callback)
{
	param->callback = callback;
}

void doca_argp_param_set_type(struct doca_argp_param *param,
			      enum doca_argp_type type)
{
	param->type = type;
}

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
	param->mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
	param->cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
	param->multiplicity = true;
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
	param->singular = true;
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
	param->inherited = true;
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
	param->hidden = true;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool name_taken(const struct doca_argp_cmd *cmd,
		       const struct doca_argp_param *new)
{
	const struct doca_argp_param *param;

	for (param = cmd->params; param; param = param->next)
		if (same(param->short_name, new->short_name) ||
		    same(param->long_name, new->long_name))
			return true;
	return false;
}

static bool name_valid(const char *name)
{
	return !name || (*name && *name != '-' && !strpbrk(name, "= \t\n"));
}

static doca_error_t check_param(const struct doca_argp_cmd *cmd,
				const struct doca_argp_param *param)
{
	const char *what = NULL;

	if (!param->short_name && !param->long_name)
		what = "name";
	else if (!param->description)
		what = "description";
	else if (!param->callback)
		what = "callback";
	else if (param->type <= DOCA_ARGP_TYPE_UNKNOWN ||
		 param->type > DOCA_ARGP_TYPE_JSON_OBJ)
		what = "type";
	if (what) {
		argp_error("option %s cannot be registered: it has no %s",
			   argp_name(param), what);
		return DOCA_ERROR_INITIALIZATION;
	}

	if (!name_valid(param->short_name) || !name_valid(param->long_name)) {
		argp_error("option %s cannot be registered: not a name",
			   argp_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (name_taken(&argp.general, param) || name_taken(cmd, param)) {
		argp_error("option %s cannot be registered: the name is taken",
			   argp_name(param));
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t add_param(struct doca_argp_cmd *cmd,
			      struct doca_argp_param *param)
{
	struct doca_argp_param **end;
	doca_error_t err;

	if (!param)
		return DOCA_ERROR_INVALID_VALUE;
	/* Somebody else's already: not to be freed. */
	if (param->registered)
		return DOCA_ERROR_BAD_STATE;
	if (!cmd)
		err = DOCA_ERROR_INVALID_VALUE;
	else if (!argp.ready || argp.started)
		err = DOCA_ERROR_BAD_STATE;
	else
		err = check_param(cmd, param);
	if (err) {
		free(param);
		return err;
	}

	for (end = &cmd->params; *end; end = &(*end)->next)
		;
	*end = param;
	param->registered = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
	return add_param(&argp.program, input_param);
}

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
	if (!argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (!cmd)
		return DOCA_ERROR_INVALID_VALUE;

	*cmd = calloc(1, sizeof(**cmd));
	return *cmd ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
	if (!cmd)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp.ready || cmd->registered)
		return DOCA_ERROR_BAD_STATE;

	free_contents(cmd);
	free(cmd);
	return DOCA_SUCCESS;
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
	cmd->name = name;
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd,
				   const char *description)
{
	cmd->description = description;
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd,
				doca_argp_cmd_cb_t callback)
{
	cmd->callback = callback;
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
	cmd->hidden = true;
}

static doca_error_t check_cmd(const struct doca_argp_cmd *parent,
			      const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *other;

	if (!cmd->name || !cmd->description) {
		argp_error("command %s cannot be registered: it has no %s",
			   cmd->name ? cmd->name : "(unnamed)",
			   cmd->name ? "description" : "name");
		return DOCA_ERROR_INITIALIZATION;
	}

	for (other = parent->cmds; other; other = other->next)
		if (!strcmp(other->name, cmd->name))
			break;
	if (other || !*cmd->name || *cmd->name == '-') {
		argp_error("command '%s' cannot be registered: the name is %s",
			   cmd->name, other ? "taken" : "not a word");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t add_cmd(struct doca_argp_cmd *parent,
			    struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *above;
	struct doca_argp_cmd **end;
	doca_error_t err;

	if (!cmd)
		return DOCA_ERROR_INVALID_VALUE;
	/* In use elsewhere: not to be freed. */
	if (cmd->registered)
		return DOCA_ERROR_BAD_STATE;
	for (above = parent; above; above = above->parent)
		if (above == cmd)
			return DOCA_ERROR_BAD_STATE;
	if (!parent)
		err = DOCA_ERROR_INVALID_VALUE;
	else if (!argp.ready || argp.started)
		err = DOCA_ERROR_BAD_STATE;
	else
		err = check_cmd(parent, cmd);
	if (err) {
		free_contents(cmd);
		free(cmd);
		return err;
	}

	for (end = &parent->cmds; *end; end = &(*end)->next)
		;
	*end = cmd;
	cmd->parent = parent;
	cmd->registered = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
	return add_cmd(&argp.program, input_cmd);
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
					  struct doca_argp_param *input_param)
{
	return add_param(cmd, input_param);
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd,
					struct doca_argp_cmd *input_cmd)
{
	return add_cmd(cmd, input_cmd);
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
	if (!callback)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp.ready || argp.version_cb)
		return DOCA_ERROR_BAD_STATE;

	argp.version_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t
doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
	if (!callback)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp.ready || argp.validation_cb)
		return DOCA_ERROR_BAD_STATE;

	argp.validation_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
	if (!callback)
		return DOCA_ERROR_INVALID_VALUE;
	if (!argp.ready)
		return DOCA_ERROR_BAD_STATE;
	if (argp.logger_cb)
		return DOCA_ERROR_ALREADY_EXIST;

	argp.logger_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
	if (!argp.ready)
		return DOCA_ERROR_BAD_STATE;

	argp.logger_cb = NULL;
	return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
	argp.dpdk_cb = callback;
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
	if (!log_level)
		return DOCA_ERROR_INVALID_VALUE;

	*log_level = argp.ready ? argp.log_level : DOCA_LOG_LEVEL_INFO;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
	if (!log_level)
		return DOCA_ERROR_INVALID_VALUE;

	*log_level = argp.ready ? argp.sdk_log_level : DOCA_LOG_LEVEL_WARNING;
	return DOCA_SUCCESS;
}
