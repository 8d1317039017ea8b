// SPDX-License-Identifier: MIT
/* Argument parser: what it tells the user. */
#include <stdio.h>
#include <string.h>

#include "argp.h"

/* Where descriptions begin, in columns. */
#define DESCRIPTION_COLUMN	36

const char *argp_name(const struct doca_argp_param *param)
{
	static char text[80];

	if (param->long_name)
		snprintf(text, sizeof(text), "--%s", param->long_name);
	else if (param->short_name)
		snprintf(text, sizeof(text), "-%s", param->short_name);
	else
		return "(unnamed)";
	return text;
}

void argp_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (argp.logger_cb) {
		argp.logger_cb(DOCA_LOG_LEVEL_ERROR, format, args);
	} else {
		fflush(stdout);
		fprintf(stderr, "%s: ",
			argp.program.name ? argp.program.name : "argp");
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
	}
	va_end(args);
}

/*
 * Two columns: behind a left side of @len characters, the description and a remark. A left
 * side that is too long gets a line of its own.
 */
static void print_description(int len, const char *description, const char *remark)
{
	const char *end = strchrnul(description, '\n');

	if (len >= DESCRIPTION_COLUMN) {
		putchar('\n');
		len = 0;
	}
	while (*end) {
		printf("%*s%.*s\n", DESCRIPTION_COLUMN - len, "",
		       (int)(end - description), description);
		len = 0;
		description = end + 1;
		end = strchrnul(description, '\n');
	}
	printf("%*s%s%s\n", DESCRIPTION_COLUMN - len, "", description, remark);
}

static void print_param(const struct doca_argp_param *param)
{
	const char *value = "";
	int len;

	if (param->arguments)
		value = param->arguments;
	else if (param->type == DOCA_ARGP_TYPE_STRING)
		value = "<string>";
	else if (param->type == DOCA_ARGP_TYPE_INT)
		value = "<number>";
	else if (param->type == DOCA_ARGP_TYPE_JSON_OBJ)
		value = "(in a JSON file)";

	len = printf("  %s%s%s%s%s%s%s",
		     param->short_name ? "-" : "    ",
		     param->short_name ? param->short_name : "",
		     param->short_name && param->long_name ? ", " : "",
		     param->long_name ? "--" : "",
		     param->long_name ? param->long_name : "",
		     *value ? " " : "", value);
	print_description(len, param->description,
			  param->mandatory && param->multiplicity ?
			  " (mandatory, may be repeated)" :
			  param->mandatory ? " (mandatory)" :
			  param->multiplicity ? " (may be repeated)" : "");
}

static bool any_param(const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_param *param;

	for (param = cmd->params; param; param = param->next)
		if (!param->hidden)
			return true;
	return false;
}

static bool any_cmd(const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *sub;

	for (sub = cmd->cmds; sub; sub = sub->next)
		if (!sub->hidden)
			return true;
	return false;
}

static void print_names(FILE *file, const struct doca_argp_cmd *cmd)
{
	if (cmd->parent) {
		print_names(file, cmd->parent);
		fputc(' ', file);
	}
	fputs(cmd->name, file);
}

void argp_print_synopsis(FILE *file, const struct doca_argp_cmd *cmd)
{
	fputs("Usage: ", file);
	print_names(file, cmd);
	if (argp.dpdk_cb)
		fputs(" [DPDK Flags] --", file);
	fputs(" [DOCA Flags]", file);
	if (any_param(cmd))
		fputs(cmd->parent ? " [Command Flags]" : " [Program Flags]",
		      file);
	if (any_cmd(cmd))
		fputs(" COMMAND ...", file);
	fputc('\n', file);
}

static void print_params(const struct doca_argp_cmd *cmd, const char *title)
{
	const struct doca_argp_param *param;

	if (!any_param(cmd))
		return;
	printf("\n%s:\n", title);
	for (param = cmd->params; param; param = param->next)
		if (!param->hidden)
			print_param(param);
}

void argp_print_usage(const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *sub, *above;
	const struct doca_argp_param *param;
	bool first = true;

	argp_print_synopsis(stdout, cmd);
	if (cmd->parent && cmd->description)
		printf("\n%s\n", cmd->description);
	print_params(&argp.general, "DOCA Flags");
	for (above = cmd->parent; above; above = above->parent) {
		for (param = above->params; param; param = param->next) {
			if (param->hidden || !param->inherited)
				continue;
			if (first)
				printf("\nInherited Flags:\n");
			first = false;
			print_param(param);
		}
	}
	print_params(cmd, cmd->parent ? "Command Flags" : "Program Flags");
	if (any_cmd(cmd)) {
		printf("\nCommands:\n");
		for (sub = cmd->cmds; sub; sub = sub->next)
			if (!sub->hidden)
				print_description(printf("  %s", sub->name),
						  sub->description, "");
	}
	fflush(stdout);
}

void doca_argp_usage(void)
{
	if (argp.ready)
		argp_print_usage(&argp.program);
}
