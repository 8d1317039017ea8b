// SPDX-License-Identifier: MIT
/* Argument parser: options in a JSON file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "argp.h"

static const char *type_name(enum doca_argp_type type)
{
	switch (type) {
	case DOCA_ARGP_TYPE_STRING:
		return "a string";
	case DOCA_ARGP_TYPE_INT:
		return "a whole number";
	case DOCA_ARGP_TYPE_BOOLEAN:
		return "true or false";
	default:
		return "an object";
	}
}

static bool is_level(const struct doca_argp_param *param)
{
	return param == &argp_general[ARGP_LOG_LEVEL] ||
	       param == &argp_general[ARGP_SDK_LOG_LEVEL];
}

static doca_error_t add_value(struct argp_list *list,
			      struct doca_argp_param *param,
			      struct json_object *value)
{
	enum json_type type = json_object_get_type(value);
	struct argp_item *item;
	int64_t number;
	bool good;

	item = argp_add_item(list, param);
	if (!item)
		return DOCA_ERROR_NO_MEMORY;

	switch (param->type) {
	case DOCA_ARGP_TYPE_STRING:
		good = type == json_type_string ||
		       (is_level(param) && type == json_type_int);
		item->string = json_object_get_string(value);
		break;
	case DOCA_ARGP_TYPE_INT:
		number = json_object_get_int64(value);
		good = type == json_type_int && number >= INT_MIN &&
		       number <= INT_MAX;
		item->number = number;
		break;
	case DOCA_ARGP_TYPE_BOOLEAN:
		good = type == json_type_boolean;
		item->flag = json_object_get_boolean(value);
		break;
	default:
		good = type == json_type_object || type == json_type_array;
		item->object = value;
	}
	if (!good) {
		argp_error("%s: \"%s\" has to be %s", argp.json_file,
			   param->long_name, type_name(param->type));
		return DOCA_ERROR_INVALID_VALUE;
	}
	param->given = true;
	return DOCA_SUCCESS;
}

static struct doca_argp_param *find(const struct doca_argp_cmd *cmd,
				    const char *key)
{
	struct doca_argp_param *param;

	for (param = cmd->params; param; param = param->next)
		if (param->long_name && !strcmp(param->long_name, key))
			return param;
	return NULL;
}

/* One of the two sections. */
static doca_error_t read_section(struct argp_list *list,
				 struct json_object *root, const char *section,
				 const struct doca_argp_cmd *cmd)
{
	struct doca_argp_param *param;
	struct json_object *object;
	doca_error_t err;
	size_t i;

	if (!json_object_object_get_ex(root, section, &object))
		return DOCA_SUCCESS;
	if (!json_object_is_type(object, json_type_object)) {
		argp_error("%s: \"%s\" has to be an object", argp.json_file,
			   section);
		return DOCA_ERROR_INVALID_VALUE;
	}

	json_object_object_foreach(object, key, value) {
		param = find(cmd, key);
		if (!param || param->cli_only ||
		    (cmd == &argp.general && !is_level(param))) {
			argp_error("%s: \"%s\" is not an option%s in \"%s\"",
				   argp.json_file, key,
				   param ? " that can be" : "", section);
			return DOCA_ERROR_INVALID_VALUE;
		}
		if (param->on_cli && !param->multiplicity)
			continue;
		if (!param->multiplicity ||
		    !json_object_is_type(value, json_type_array)) {
			err = add_value(list, param, value);
			if (err)
				return err;
			continue;
		}
		for (i = 0; i < json_object_array_length(value); i++) {
			err = add_value(list, param,
					json_object_array_get_idx(value, i));
			if (err)
				return err;
		}
	}
	return DOCA_SUCCESS;
}

/* Behind blanks and comments, which json-c also skips. */
static const char *skip_blank(const char *text)
{
	const char *end;

	for (;;) {
		text += strspn(text, " \t\r\n");
		if (!strncmp(text, "//", 2)) {
			text = strchrnul(text, '\n');
			continue;
		}
		end = strncmp(text, "/*", 2) ? NULL : strstr(text + 2, "*/");
		if (!end)
			return text;
		text = end + 2;
	}
}

static doca_error_t load(struct json_object **root)
{
	enum json_tokener_error error = json_tokener_success;
	struct json_tokener *tokener;
	const char *reason = NULL;
	char *text = NULL;
	size_t len = 0;
	ssize_t got;
	size_t end;
	FILE *file;

	file = fopen(argp.json_file, "re");
	if (!file) {
		argp_error("cannot open '%s': %m", argp.json_file);
		return DOCA_ERROR_IO_FAILED;
	}
	got = getdelim(&text, &len, EOF, file);
	if (got < 0 && ferror(file)) {
		argp_error("cannot read '%s': %m", argp.json_file);
		fclose(file);
		free(text);
		return DOCA_ERROR_IO_FAILED;
	}
	fclose(file);
	if (got < 0)
		got = 0;
	if (got > INT_MAX) {
		argp_error("%s has %zd bytes, more than %d", argp.json_file, got, INT_MAX);
		free(text);
		return DOCA_ERROR_TOO_BIG;
	}

	tokener = json_tokener_new();
	if (!tokener) {
		free(text);
		return DOCA_ERROR_NO_MEMORY;
	}
	*root = json_tokener_parse_ex(tokener, text ? text : "", got);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (error == json_tokener_continue)
		reason = "the file ends too early";
	else if (error != json_tokener_success)
		reason = json_tokener_error_desc(error);
	else if (!json_object_is_type(*root, json_type_object))
		reason = "not an object";
	else if (skip_blank(text + end) != text + got)
		reason = "there is more behind the object";
	if (reason) {
		unsigned int line = 1;
		size_t i;

		for (i = 0; i < end && i < (size_t)got; i++)
			line += text[i] == '\n';
		argp_error("%s, line %u: %s", argp.json_file, line, reason);
		json_object_put(*root);
		*root = NULL;
		free(text);
		return DOCA_ERROR_INVALID_VALUE;
	}
	free(text);
	return DOCA_SUCCESS;
}

doca_error_t argp_read_json(struct argp_list *list)
{
	struct json_object *root = NULL;
	doca_error_t err;

	err = load(&root);
	if (err)
		return err;
	argp.json = root;
	err = read_section(list, root, "doca_general_flags", &argp.general);
	if (err)
		return err;
	return read_section(list, root, "doca_program_flags", &argp.program);
}

void argp_free_json(void)
{
	json_object_put(argp.json);
	argp.json = NULL;
}
