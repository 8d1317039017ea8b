// SPDX-License-Identifier: MIT
/*
 * Argument parser: what is registered and what is refused, values and their
 * types, JSON files, commands, levels, and what the user is told. The leak
 * check of ASan looks at who owns the options and commands.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <cmocka.h>
#include <json-c/json.h>
#include <doca_argp.h>
#include <doca_version.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define STRING	DOCA_ARGP_TYPE_STRING
#define INT	DOCA_ARGP_TYPE_INT
#define BOOLEAN	DOCA_ARGP_TYPE_BOOLEAN
#define OBJECT	DOCA_ARGP_TYPE_JSON_OBJ

/* The configuration: a trace of all callbacks. */
struct config {
	char trace[1024];
	doca_error_t error;	/* that callbacks return */
};

static struct config config;
static char messages[4096];	/* that on_message() got */
static char folder[] = "/tmp/argp-test-XXXXXX";
static char json_path[sizeof(folder) + 16];
static int allocs_left;		/* the last of them fails; 0: all are good */

/*
 * The library's memory. Not that of the shared libraries: they do not see these
 * two functions.
 */
static bool alloc_fails(void)
{
	return allocs_left && !--allocs_left;
}

__attribute__((visibility("hidden"))) void *calloc(size_t num, size_t size)
{
	void *memory = alloc_fails() ? NULL : malloc(num * size);

	/* The compiler would make calloc() of malloc() and memset(). */
	if (memory)
		explicit_bzero(memory, num * size);
	return memory;
}

__attribute__((visibility("hidden"))) char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = alloc_fails() ? NULL : malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

__attribute__((format(printf, 2, 3)))
static doca_error_t traced(void *program, const char *format, ...)
{
	struct config *conf = program;
	size_t len = strlen(conf->trace);
	va_list args;

	va_start(args, format);
	vsnprintf(conf->trace + len, sizeof(conf->trace) - len, format, args);
	va_end(args);
	return conf->error;
}

static doca_error_t on_string(void *value, void *program)
{
	return traced(program, "s:%s ", (char *)value);
}

static doca_error_t on_int(void *value, void *program)
{
	return traced(program, "i:%d ", *(int *)value);
}

static doca_error_t on_bool(void *value, void *program)
{
	return traced(program, "b:%d ", *(bool *)value);
}

static doca_error_t on_object(void *value, void *program)
{
	return traced(program, "o:%s ", json_object_to_json_string_ext(value, 0));
}

static doca_error_t on_cmd(void *program)
{
	return traced(program, "cmd ");
}

static doca_error_t on_inner(void *program)
{
	return traced(program, "inner ");
}

static doca_error_t on_end(void *program)
{
	return traced(program, "end ");
}

static doca_error_t bad_end(void *program)
{
	traced(program, "end ");
	return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t on_version(void *value, void *program)
{
	printf("version 7, %s\n", !value && program == &config ? "good" : "bad");
	return DOCA_SUCCESS;
}

static doca_error_t on_dpdk(int argc, char **argv)
{
	int i;

	traced(&config, "dpdk:");
	for (i = 0; i < argc; i++)
		traced(&config, "%s,", argv[i]);
	return traced(&config, " ");
}

static doca_error_t on_message(enum doca_log_level level, const char *format,
			       va_list args)
{
	size_t len = strlen(messages);

	vsnprintf(messages + len, sizeof(messages) - len, format, args);
	return level == DOCA_LOG_LEVEL_ERROR ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

/* A parser as new, with its messages in messages[]. */
static void again(void)
{
	doca_argp_destroy();
	memset(&config, 0, sizeof(config));
	messages[0] = 0;
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
	doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING);
	assert_int_equal(doca_argp_init("prog", &config), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_logger_callback(on_message), DOCA_SUCCESS);
}

static int setup(void **state)
{
	again();
	return 0;
}

static int teardown(void **state)
{
	allocs_left = 0;
	doca_argp_destroy();
	doca_argp_set_dpdk_program(NULL);
	return 0;
}

enum {
	MANDATORY	= 1 << 0,
	CLI_ONLY	= 1 << 1,
	MULTIPLE	= 1 << 2,
	SINGULAR	= 1 << 3,
	INHERITED	= 1 << 4,
	HIDDEN		= 1 << 5,
};

static struct doca_argp_param *option(const char *short_name,
				      const char *long_name,
				      enum doca_argp_type type,
				      unsigned int flags)
{
	static const doca_argp_param_cb_t callbacks[] = {
		[STRING] = on_string, [INT] = on_int, [BOOLEAN] = on_bool,
		[OBJECT] = on_object,
	};
	struct doca_argp_param *param = NULL;

	assert_int_equal(doca_argp_param_create(&param), DOCA_SUCCESS);
	assert_non_null(param);
	if (short_name)
		doca_argp_param_set_short_name(param, short_name);
	if (long_name)
		doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, "what it is");
	doca_argp_param_set_callback(param, callbacks[type]);
	doca_argp_param_set_type(param, type);
	if (flags & MANDATORY)
		doca_argp_param_set_mandatory(param);
	if (flags & CLI_ONLY)
		doca_argp_param_set_cli_only(param);
	if (flags & MULTIPLE)
		doca_argp_param_set_multiplicity(param);
	if (flags & SINGULAR)
		doca_argp_param_set_singular(param);
	if (flags & INHERITED)
		doca_argp_param_set_inherited(param);
	if (flags & HIDDEN)
		doca_argp_param_set_hidden(param);
	return param;
}

static struct doca_argp_param *add(const char *short_name, const char *long_name,
				   enum doca_argp_type type, unsigned int flags)
{
	struct doca_argp_param *param = option(short_name, long_name, type, flags);

	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	return param;
}

/* The three that most tests are content with. */
static void add_usual(void)
{
	add("n", "number", INT, 0);
	add("s", "string", STRING, 0);
	add("f", "flag", BOOLEAN, 0);
}

static struct doca_argp_cmd *command(const char *name, doca_argp_cmd_cb_t callback)
{
	struct doca_argp_cmd *cmd = NULL;

	assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
	assert_non_null(cmd);
	doca_argp_cmd_set_name(cmd, name);
	doca_argp_cmd_set_description(cmd, "what it does");
	doca_argp_cmd_set_callback(cmd, callback);
	return cmd;
}

/* prog [-n] [-q, inherited] cmd [-c] [-i, inherited] inner [-d] */
static void add_commands(void)
{
	struct doca_argp_cmd *cmd = command("cmd", on_cmd);
	struct doca_argp_cmd *inner = command("inner", on_inner);

	add("n", "number", INT, 0);
	add("q", "quiet", BOOLEAN, INHERITED);
	assert_int_equal(doca_argp_cmd_register_param(cmd, option("c", "count", INT, 0)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_param(cmd, option("i", "in", STRING, INHERITED)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_param(inner, option("d", "deep", INT, MANDATORY)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, inner), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
}

static int count(char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return argc;
}

#define ARGV(...)	((char *[]){ "prog", ##__VA_ARGS__, NULL })

static doca_error_t start(char **argv)
{
	return doca_argp_start(count(argv), argv);
}

#define START(...)	start(ARGV(__VA_ARGS__))

#define assert_has(text, piece)						\
	do {								\
		if (!strstr(text, piece))				\
			fail_msg("'%s' is not in '%s'", piece, text);	\
	} while (0)
#define assert_lacks(text, piece)					\
	do {								\
		if (strstr(text, piece))				\
			fail_msg("'%s' is in '%s'", piece, text);	\
	} while (0)

/* It works, and these are the callbacks. */
#define assert_traced(text, ...)					\
	do {								\
		assert_int_equal(START(__VA_ARGS__), DOCA_SUCCESS);	\
		assert_string_equal(config.trace, text);		\
	} while (0)

/* The user's mistake: no callback is called, and there is a message. */
#define assert_mistake(piece, ...)					\
	do {								\
		assert_int_equal(START(__VA_ARGS__),			\
				 DOCA_ERROR_INVALID_VALUE);		\
		assert_string_equal(config.trace, "");			\
		assert_has(messages, piece);				\
	} while (0)

/* Status and output of a process. */
struct output {
	int status;
	char out[16384];
	char err[16384];
};

/* Status of a process that doca_argp_start() has not ended. */
#define CAME_BACK(error)	(64 + (error))

static void read_output(FILE *file, char *text, size_t size)
{
	rewind(file);
	text[fread(text, 1, size - 1, file)] = 0;
	fclose(file);
}

/* doca_argp_start() in a process of its own; without arguments: the usage. */
static const struct output *in_child(char **argv)
{
	static struct output output;
	FILE *out = tmpfile();
	FILE *err = tmpfile();
	doca_error_t error = DOCA_SUCCESS;
	int status;
	pid_t pid;

	assert_non_null(out);
	assert_non_null(err);
	fflush(NULL);
	pid = fork();
	assert_int_not_equal(pid, -1);
	if (!pid) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		if (argv)
			error = start(argv);
		else
			doca_argp_usage();
		fflush(NULL);
		_exit(CAME_BACK(error));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	output.status = WEXITSTATUS(status);
	read_output(out, output.out, sizeof(output.out));
	read_output(err, output.err, sizeof(output.err));
	return &output;
}

#define CHILD(...)	in_child(ARGV(__VA_ARGS__))

/* The line of a text that a piece is in. */
static const char *line_of(const char *text, const char *piece)
{
	static char line[4096];
	const char *found = strstr(text, piece);

	if (!found)
		fail_msg("'%s' is not in '%s'", piece, text);
	while (found > text && found[-1] != '\n')
		found--;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(found, "\n"), found);
	return line;
}

static char *json(const char *text)
{
	FILE *file = fopen(json_path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
	return json_path;
}

/* Begin and end */

static void begin_twice_is_refused(void **state)
{
	assert_int_equal(doca_argp_init("other", &config), DOCA_ERROR_BAD_STATE);
	/* the first one is still there */
	assert_traced("");
}

static void begin_needs_a_configuration(void **state)
{
	doca_argp_destroy();
	assert_int_equal(doca_argp_init("prog", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
}

static void nothing_works_before_begin(void **state)
{
	struct doca_argp_param *unregistered = option("n", NULL, INT, 0);
	struct doca_argp_param *param = option("n", NULL, INT, 0);
	struct doca_argp_cmd *idle = command("idle", NULL);
	struct doca_argp_cmd *cmd = command("cmd", NULL);
	const struct output *output;

	assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
	assert_int_equal(doca_argp_destroy(), DOCA_ERROR_BAD_STATE);
	assert_int_equal(START(), DOCA_ERROR_BAD_STATE);
	/* these two are freed */
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_ERROR_BAD_STATE);
	/* these are not */
	assert_int_equal(doca_argp_param_destroy(unregistered), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_destroy(idle), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_param_create(&param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_create(&cmd), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_version_callback(on_version),
			 DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_validation_callback(on_end),
			 DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_logger_callback(on_message),
			 DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE);
	output = in_child(NULL);
	assert_string_equal(output->out, "");
	assert_string_equal(output->err, "");

	assert_int_equal(doca_argp_init("prog", &config), DOCA_SUCCESS);
	assert_int_equal(doca_argp_param_destroy(unregistered), DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_destroy(idle), DOCA_SUCCESS);
}

static void null_is_refused(void **state)
{
	struct doca_argp_cmd *cmd = command("cmd", NULL);

	assert_int_equal(doca_argp_param_create(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_param_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_param(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_create(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_cmd(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_param(cmd, NULL),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, NULL),
			 DOCA_ERROR_INVALID_VALUE);
	/* what is below goes anyway */
	assert_int_equal(doca_argp_cmd_register_param(NULL, option("n", NULL, INT, 0)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_cmd(NULL, command("below", NULL)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_version_callback(NULL),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_validation_callback(NULL),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_logger_callback(NULL),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_get_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_get_sdk_log_level(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_destroy(cmd), DOCA_SUCCESS);
}

static void parser_begins_again_after_its_end(void **state)
{
	int round, level;

	for (round = 0; round < 3; round++) {
		again();
		assert_int_equal(doca_argp_get_log_level(&level), DOCA_SUCCESS);
		assert_int_equal(level, DOCA_LOG_LEVEL_INFO);
		assert_int_equal(doca_argp_get_sdk_log_level(&level), DOCA_SUCCESS);
		assert_int_equal(level, DOCA_LOG_LEVEL_WARNING);
		add_usual();
		assert_int_equal(doca_argp_register_cmd(command("cmd", on_cmd)),
				 DOCA_SUCCESS);
		assert_int_equal(doca_argp_register_validation_callback(on_end),
				 DOCA_SUCCESS);
		assert_int_equal(doca_argp_register_version_callback(on_version),
				 DOCA_SUCCESS);
		assert_traced("i:3 cmd end ", "-n", "3", "-l", "60",
			      "--sdk-log-level", "60", "cmd");
		assert_int_equal(doca_argp_destroy(), DOCA_SUCCESS);
	}
	/* and knows nothing any more */
	again();
	assert_mistake("-n", "-n", "3");
}

static void program_name_is_copied(void **state)
{
	const struct output *output;
	char name[] = "fancy-name";

	doca_argp_destroy();
	assert_int_equal(doca_argp_init(name, &config), DOCA_SUCCESS);
	memset(name, 'x', sizeof(name) - 1);
	output = in_child(NULL);
	assert_has(output->out, "fancy-name");
	assert_lacks(output->out, "xxx");
}

static void program_without_name_is_called_as_it_was(void **state)
{
	doca_argp_destroy();
	assert_int_equal(doca_argp_init(NULL, &config), DOCA_SUCCESS);
	assert_has(in_child(NULL)->out, program_invocation_short_name);
}

static void lack_of_memory_is_told_and_loses_nothing(void **state)
{
	char *path = json("{\"doca_program_flags\": {\"string\": \"x\"}}");
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd;
	doca_error_t err;
	int round;

	for (round = 1; round < 100; round++) {
		doca_argp_destroy();
		memset(&config, 0, sizeof(config));
		allocs_left = round;
		err = doca_argp_init("prog", &config);
		if (!err)
			err = doca_argp_param_create(&param);
		if (!err) {
			doca_argp_param_set_long_name(param, "string");
			doca_argp_param_set_description(param, "text");
			doca_argp_param_set_type(param, STRING);
			doca_argp_param_set_callback(param, on_string);
			doca_argp_param_set_multiplicity(param);
			err = doca_argp_register_param(param);
		}
		if (!err)
			err = doca_argp_cmd_create(&cmd);
		if (!err) {
			doca_argp_cmd_set_name(cmd, "cmd");
			doca_argp_cmd_set_description(cmd, "text");
			err = doca_argp_register_cmd(cmd);
		}
		if (!err)
			err = START("--string", "y", "--json", path, "cmd");
		if (!err)
			break;
		assert_int_equal(err, DOCA_ERROR_NO_MEMORY);
		assert_string_equal(config.trace, "");
	}
	/* name, option, command, three values */
	assert_in_range(round, 7, 99);
	assert_string_equal(config.trace, "s:x s:y ");
}

/* Registration */

static void option_needs_name_description_callback_and_type(void **state)
{
	struct doca_argp_param *param;

	assert_int_equal(doca_argp_register_param(option(NULL, NULL, INT, 0)),
			 DOCA_ERROR_INITIALIZATION);
	param = option("n", "number", INT, 0);
	doca_argp_param_set_description(param, NULL);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	param = option("n", "number", INT, 0);
	doca_argp_param_set_callback(param, NULL);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	param = option("n", "number", INT, 0);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_UNKNOWN);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	param = option("n", "number", INT, 0);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_JSON_OBJ + 1);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_param_create(&param), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION);
	/* none of them took the name */
	add("n", "number", INT, 0);
}

static void option_names_are_taken_once(void **state)
{
	static const char *const general[][2] = {
		{ "h", NULL }, { "v", NULL }, { "l", NULL }, { "j", NULL },
		{ NULL, "help" }, { NULL, "version" }, { NULL, "log-level" },
		{ NULL, "sdk-log-level" }, { NULL, "json" },
	};
	unsigned int i;

	add("n", "number", INT, 0);
	assert_int_equal(doca_argp_register_param(option("n", NULL, INT, 0)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_param(option("x", "number", INT, 0)),
			 DOCA_ERROR_INVALID_VALUE);
	for (i = 0; i < ARRAY_SIZE(general); i++)
		assert_int_equal(doca_argp_register_param(option(general[i][0],
								 general[i][1], INT, 0)),
				 DOCA_ERROR_INVALID_VALUE);
	/* behind another number of dashes it is another name */
	add("number", "n", STRING, 0);
	assert_traced("i:1 s:a ", "-n", "1", "--n", "a");
}

static void option_names_are_words(void **state)
{
	static const char *const bad[] = {
		"", "-", "-n", "--number", "a b", "a=b", "=", "a\t", "a\n",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(doca_argp_register_param(option(bad[i], NULL, INT, 0)),
				 DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(doca_argp_register_param(option("n", bad[i], INT, 0)),
				 DOCA_ERROR_INVALID_VALUE);
	}
}

static void option_is_registered_once(void **state)
{
	struct doca_argp_param *param = add("n", "number", INT, 0);
	struct doca_argp_cmd *cmd = command("cmd", NULL);

	assert_int_equal(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_register_param(cmd, param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_destroy(cmd), DOCA_SUCCESS);
	/* it is still the parser's */
	assert_traced("i:3 ", "-n", "3");
}

static void what_is_registered_is_not_freed_by_hand(void **state)
{
	struct doca_argp_param *param = add("n", "number", INT, 0);
	struct doca_argp_param *below = option("m", NULL, INT, 0);
	struct doca_argp_cmd *cmd = command("cmd", NULL);
	struct doca_argp_cmd *inner = command("inner", NULL);

	assert_int_equal(doca_argp_cmd_register_param(cmd, below), DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, inner), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
	assert_int_equal(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_param_destroy(below), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_destroy(cmd), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_destroy(inner), DOCA_ERROR_BAD_STATE);
	assert_traced("i:1 i:2 ", "-n", "1", "cmd", "-m", "2", "inner");
}

static void what_is_not_registered_is_freed_with_all_below(void **state)
{
	struct doca_argp_cmd *cmd = command("cmd", NULL);
	struct doca_argp_cmd *inner = command("inner", NULL);

	assert_int_equal(doca_argp_param_destroy(option("n", NULL, INT, 0)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_param(inner, option("n", NULL, INT, 0)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, inner), DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_destroy(cmd), DOCA_SUCCESS);
}

static void nothing_is_registered_behind_start(void **state)
{
	struct doca_argp_param *param = option("n", NULL, INT, 0);
	struct doca_argp_cmd *cmd = command("cmd", NULL);
	struct doca_argp_cmd *other = command("other", NULL);

	assert_int_equal(doca_argp_cmd_register_param(cmd, option("m", NULL, INT, 0)),
			 DOCA_SUCCESS);
	assert_traced("");
	assert_int_equal(doca_argp_cmd_register_param(other, param),
			 DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_param(option("n", NULL, INT, 0)),
			 DOCA_ERROR_BAD_STATE);
	/* with the option below it */
	assert_int_equal(doca_argp_cmd_register_cmd(other, cmd), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(other), DOCA_ERROR_BAD_STATE);
}

/* Values */

static void callbacks_get_values_of_their_types(void **state)
{
	add_usual();
	assert_traced("i:3 s:some text b:1 ", "-n", "3", "-s", "some text", "-f");
	again();
	add_usual();
	assert_traced("b:1 s:x i:-1 ", "--flag", "--string", "x", "--number", "-1");
	again();
	add_usual();
	assert_traced("");
}

static void short_names_may_have_several_letters(void **state)
{
	add("n", NULL, INT, 0);
	add("ns", NULL, INT, 0);
	add("s", NULL, BOOLEAN, 0);
	assert_traced("i:3 i:4 b:1 ", "-ns", "3", "-n", "4", "-s");
	again();
	add("n", NULL, INT, 0);
	add("s", NULL, BOOLEAN, 0);
	/* not two flags */
	assert_mistake("-sn", "-sn", "3");
	again();
	add("n", NULL, INT, 0);
	/* not a name and its value */
	assert_mistake("-n3", "-n3");
}

static void values_may_stand_behind_an_equals_sign(void **state)
{
	add_usual();
	assert_traced("i:3 s:a=b b:1 ", "-n=3", "--string=a=b", "-f");
	again();
	add_usual();
	assert_traced("s: i:-7 ", "-s=", "--number=-7");
	again();
	add_usual();
	assert_mistake("--number", "--number=");
}

static void one_name_is_enough(void **state)
{
	add("n", NULL, INT, 0);
	add(NULL, "string", STRING, 0);
	assert_traced("s:x i:2 ", "--string", "x", "-n", "2");
	again();
	add(NULL, "string", STRING, 0);
	assert_mistake("-string", "-string", "x");
	again();
	add("n", NULL, INT, 0);
	assert_mistake("--n", "--n", "1");
}

static void numbers_are_decimal_or_hexadecimal(void **state)
{
	static const struct { char *text; int number; } good[] = {
		{ "0", 0 }, { "-1", -1 }, { "010", 10 }, { "0x10", 16 },
		{ "0XfF", 255 }, { "-0x10", -16 }, { "2147483647", INT_MAX },
		{ "-2147483648", INT_MIN }, { "0x7fffffff", INT_MAX },
		{ "0000000000000000000000000001", 1 },
	};
	char trace[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		again();
		add("n", "number", INT, 0);
		snprintf(trace, sizeof(trace), "i:%d ", good[i].number);
		assert_traced(trace, "-n", good[i].text);
	}
}

static void what_is_no_number_is_refused(void **state)
{
	static char *bad[] = {
		"", " ", "x", "-", "+", "3x", "3 ", " 3", "3.0", "1e3", "0x", "0xg",
		"--3", "-+3", "0b1", "2147483648", "-2147483649", "0x80000000",
		"0xffffffff", "9223372036854775807", "9223372036854775808",
		"-99999999999999999999999999", "0x-1", "ten",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add("n", "number", INT, 0);
		assert_mistake("--number", "-n", bad[i]);
	}
}

static void strings_may_be_anything_but_an_option(void **state)
{
	static char *good[] = {
		"", " ", "-", "-5", "-x", "--what", "a\nb", "%s%n", "=", "\xff",
	};
	char trace[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		again();
		add("s", "string", STRING, 0);
		snprintf(trace, sizeof(trace), "s:%s ", good[i]);
		assert_traced(trace, "-s", good[i]);
	}
}

static void option_without_its_value_is_refused(void **state)
{
	static char *next[] = { NULL, "-f", "--flag", "-l", "--json=x", "-n", "--" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(next); i++) {
		again();
		add_usual();
		assert_mistake("--number", "-n", next[i]);
		again();
		add_usual();
		assert_mistake("--string", "--string", next[i]);
	}
}

static void flags_take_no_value(void **state)
{
	add("f", "flag", BOOLEAN, 0);
	assert_mistake("true", "-f", "true");
	again();
	add("f", "flag", BOOLEAN, 0);
	assert_mistake("--flag", "--flag=maybe");
	again();
	add("f", "flag", BOOLEAN, 0);
	assert_mistake("--flag", "--flag=");
}

/* What has to be given, and how often */

static void mandatory_options_have_to_be_given(void **state)
{
	add("n", "number", INT, MANDATORY);
	add("s", "string", STRING, 0);
	assert_mistake("--number", "-s", "x");
	again();
	add("n", "number", INT, MANDATORY);
	assert_traced("i:3 ", "-n", "3");
	again();
	add("n", NULL, INT, MANDATORY);
	assert_mistake("-n is missing");
}

static void unknown_options_are_refused(void **state)
{
	static char *bad[] = {
		"-x", "--x", "-number", "--n", "--numbe", "--numbers", "---number",
		"--Number", "-N", "--=3", "-=3", "--number ",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add_usual();
		assert_mistake(bad[i], "-f", bad[i], "3");
	}
}

static void words_that_belong_to_nothing_are_refused(void **state)
{
	static char *bad[] = { "word", "", "-", "3" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add_usual();
		assert_mistake(bad[i], "-n", "3", bad[i]);
	}
}

static void repeated_options_are_refused(void **state)
{
	add_usual();
	assert_mistake("--number", "-n", "3", "-n", "3");
	again();
	add_usual();
	/* also by the other name */
	assert_mistake("--flag", "-f", "--flag");
	again();
	assert_mistake("--log-level", "-l", "50", "--log-level", "60");
}

static void options_with_multiplicity_are_called_each_time(void **state)
{
	add("n", "number", INT, MULTIPLE);
	add("s", "string", STRING, MULTIPLE | MANDATORY);
	assert_traced("i:1 s:a i:2 s:b i:1 ", "-n", "1", "-s", "a", "--number", "2",
		      "--string=b", "-n", "1");
	again();
	add("s", "string", STRING, MULTIPLE | MANDATORY);
	assert_mistake("--string");
}

static void singular_option_stands_alone(void **state)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		again();
		add("o", "only", BOOLEAN, SINGULAR);
		add("n", "number", INT, MANDATORY);
		add("p", "pair", INT, SINGULAR);
		if (i == 0)	/* nothing is mandatory, and -l is not the program's */
			assert_traced("b:1 ", "-l", "60", "-o");
		else if (i == 1)
			assert_mistake("--only", "-n", "3", "-o");
		else if (i == 2)
			assert_mistake("cannot go with", "-o", "-p", "3");
		else
			assert_mistake("--only", "-o", "-j",
				       json("{\"doca_program_flags\": {\"number\": 3}}"));
	}
}

static void start_works_once(void **state)
{
	add_usual();
	assert_traced("i:3 ", "-n", "3");
	assert_int_equal(START("-n", "3"), DOCA_ERROR_BAD_STATE);
	assert_string_equal(config.trace, "i:3 ");
}

static void start_checks_what_it_gets(void **state)
{
	assert_int_equal(doca_argp_start(-1, ARGV()), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_start(1, NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_start(0, NULL), DOCA_SUCCESS);
}

/* Callbacks */

static void all_is_checked_before_the_first_callback(void **state)
{
	add_usual();
	assert_mistake("--number", "-s", "x", "-n", "y");
	again();
	add_usual();
	assert_mistake("'nope' is not a level", "-s", "x", "-l", "nope");
	again();
	add_usual();
	add("m", "must", INT, MANDATORY);
	assert_mistake("--must", "-s", "x");
}

static void error_of_a_callback_ends_start(void **state)
{
	add_usual();
	assert_int_equal(doca_argp_register_validation_callback(on_end), DOCA_SUCCESS);
	config.error = DOCA_ERROR_TIME_OUT;
	assert_int_equal(START("-n", "3", "-s", "x"), DOCA_ERROR_TIME_OUT);
	assert_string_equal(config.trace, "i:3 ");
	assert_has(messages, "--number");
}

static void validation_is_last_and_start_returns_what_it_returns(void **state)
{
	add_usual();
	assert_int_equal(doca_argp_register_cmd(command("cmd", on_cmd)), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_validation_callback(bad_end), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_validation_callback(on_end),
			 DOCA_ERROR_BAD_STATE);
	assert_int_equal(START("-f", "cmd"), DOCA_ERROR_NOT_SUPPORTED);
	assert_string_equal(config.trace, "b:1 cmd end ");
	again();
	assert_int_equal(doca_argp_register_validation_callback(on_end), DOCA_SUCCESS);
	assert_traced("end ");
	again();
	assert_int_equal(doca_argp_register_validation_callback(on_end), DOCA_SUCCESS);
	assert_mistake("--bad", "--bad");
}

/* What the user is told */

static void mistakes_are_explained_on_stderr(void **state)
{
	const struct output *output;

	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
	add_usual();
	output = CHILD("-n", "many");
	assert_int_equal(output->status, CAME_BACK(DOCA_ERROR_INVALID_VALUE));
	assert_string_equal(output->out, "");
	assert_has(line_of(output->err, "--number"), "prog");
	assert_has(line_of(output->err, "--number"), "many");
	assert_has(output->err, "Usage: prog");
	assert_has(output->err, "--help");
}

static void logger_callback_takes_the_messages(void **state)
{
	const struct output *output;

	assert_int_equal(doca_argp_register_logger_callback(on_message),
			 DOCA_ERROR_ALREADY_EXIST);
	output = CHILD("--bad");
	assert_int_equal(output->status, CAME_BACK(DOCA_ERROR_INVALID_VALUE));
	assert_string_equal(output->err, "");
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
	assert_has(CHILD("--bad")->err, "--bad");
	/* nothing to disable is no error */
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_logger_callback(on_message), DOCA_SUCCESS);
	assert_mistake("--bad", "--bad");
}

static void help_prints_the_usage_and_exits(void **state)
{
	static char *help[] = { "-h", "--help" };
	const struct output *output;
	unsigned int i;

	add("n", "number", INT, MANDATORY);
	for (i = 0; i < ARRAY_SIZE(help); i++) {
		/* before anything is called, and what is missing does not matter */
		output = CHILD(help[i]);
		assert_int_equal(output->status, 0);
		assert_string_equal(output->err, "");
		assert_has(output->out, "Usage: prog");
		assert_has(output->out, "--number");
	}
	output = CHILD("--bad", "--help");
	assert_int_equal(output->status, CAME_BACK(DOCA_ERROR_INVALID_VALUE));
}

static void version_prints_program_and_library_and_exits(void **state)
{
	static char *version[] = { "-v", "--version" };
	const struct output *output;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(version); i++) {
		output = CHILD(version[i]);
		assert_int_equal(output->status, 0);
		assert_has(line_of(output->out, "prog"), doca_version_runtime());
		assert_string_equal(output->err, "");
	}
}

static void version_callback_prints_instead(void **state)
{
	const struct output *output;

	assert_int_equal(doca_argp_register_version_callback(on_version), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_version_callback(on_version),
			 DOCA_ERROR_BAD_STATE);
	output = CHILD("--version");
	assert_int_equal(output->status, 0);
	assert_string_equal(output->out, "version 7, good\n");
}

static void usage_has_names_arguments_and_descriptions(void **state)
{
	struct doca_argp_param *param = option("ns", "number", INT, MANDATORY);
	const struct output *output;
	const char *line;

	doca_argp_param_set_arguments(param, "<how-many>");
	doca_argp_param_set_description(param, "first line\nsecond line");
	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	add(NULL, "long-alone", BOOLEAN, 0);
	add("sh", NULL, STRING, 0);
	add(NULL, "many", INT, MULTIPLE);
	assert_int_equal(doca_argp_register_cmd(command("order", NULL)), DOCA_SUCCESS);
	output = in_child(NULL);
	assert_int_equal(output->status, CAME_BACK(DOCA_SUCCESS));
	assert_string_equal(output->err, "");
	line_of(output->out, "Usage: prog [DOCA Flags] [Program Flags] COMMAND ...");
	line = line_of(output->out, "-ns, --number <how-many>");
	assert_has(line, "first line");
	assert_lacks(line, "second line");
	assert_has(output->out, "second line");
	assert_has(output->out, "(mandatory)");
	assert_has(line_of(output->out, "--long-alone"), "what it is");
	assert_has(line_of(output->out, "-sh <string>"), "what it is");
	assert_has(line_of(output->out, "--many <number>"), "(may be repeated)");
	assert_has(line_of(output->out, "order"), "what it does");
	line_of(output->out, "-h, --help");
	line_of(output->out, "-v, --version");
	line_of(output->out, "-l, --log-level");
	line_of(output->out, "--sdk-log-level");
	line_of(output->out, "-j, --json");
}

static void hidden_is_not_in_the_usage_but_works(void **state)
{
	struct doca_argp_cmd *cmd = command("secret", on_cmd);
	const struct output *output;

	doca_argp_cmd_set_hidden(cmd);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
	add("q", "quiet", INT, HIDDEN);
	output = in_child(NULL);
	assert_has(output->out, "Usage: prog");
	assert_lacks(output->out, "quiet");
	assert_lacks(output->out, "secret");
	assert_lacks(output->out, "Commands");
	assert_traced("i:3 cmd ", "-q", "3", "secret");
}

static void each_option_of_the_usage_has_its_line(void **state)
{
	struct doca_argp_param *param = option("n", "number", INT, 0);
	struct doca_argp_cmd *cmd = command("silent", NULL);

	doca_argp_param_set_description(param, "");
	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	add("s", "string", STRING, 0);
	doca_argp_cmd_set_description(cmd, "");
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(command("loud", NULL)), DOCA_SUCCESS);
	assert_lacks(line_of(in_child(NULL)->out, "--number"), "--string");
	assert_lacks(line_of(in_child(NULL)->out, "silent"), "loud");
}

static void long_texts_are_not_cut_in_the_usage(void **state)
{
	struct doca_argp_param *param = option("n", "number", INT, MANDATORY);
	static char name[201], arguments[201], description[3001];
	const struct output *output;

	memset(name, 'n', sizeof(name) - 1);
	memset(arguments, 'a', sizeof(arguments) - 1);
	memset(description, 'd', sizeof(description) - 1);
	doca_argp_param_set_long_name(param, name);
	doca_argp_param_set_arguments(param, arguments);
	doca_argp_param_set_description(param, description);
	assert_int_equal(doca_argp_register_param(param), DOCA_SUCCESS);
	output = in_child(NULL);
	assert_has(output->out, name);
	assert_has(output->out, arguments);
	assert_has(output->out, description);
	assert_has(output->out, "(mandatory)");
}

/* Levels */

static void check_levels(int level, int sdk_level)
{
	int got = 0;

	assert_int_equal(doca_argp_get_log_level(&got), DOCA_SUCCESS);
	assert_int_equal(got, level);
	assert_int_equal(doca_argp_get_sdk_log_level(&got), DOCA_SUCCESS);
	assert_int_equal(got, sdk_level);
}

static void levels_that_are_not_given_are_info_and_warning(void **state)
{
	check_levels(DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_WARNING);
	doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR);
	doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_TRACE);
	assert_traced("");
	check_levels(DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_WARNING);
	/* and limits stay */
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_ERROR);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_TRACE);
	doca_argp_destroy();
	check_levels(DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_WARNING);
}

static void levels_are_numbers_or_names_and_become_limits(void **state)
{
	static const struct { char *text; int level; } good[] = {
		{ "10", 10 }, { "20", 20 }, { "30", 30 }, { "40", 40 }, { "50", 50 },
		{ "60", 60 }, { "70", 70 }, { "disable", 10 }, { "critical", 20 },
		{ "crit", 20 }, { "error", 30 }, { "warning", 40 }, { "warn", 40 },
		{ "info", 50 }, { "debug", 60 }, { "trace", 70 }, { "TRACE", 70 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		again();
		assert_traced("", "-l", good[i].text);
		check_levels(good[i].level, DOCA_LOG_LEVEL_WARNING);
		assert_int_equal(doca_log_level_get_global_lower_limit(), good[i].level);
		assert_int_equal(doca_log_level_get_global_sdk_limit(),
				 DOCA_LOG_LEVEL_WARNING);
		again();
		assert_traced("", "--sdk-log-level", good[i].text);
		check_levels(DOCA_LOG_LEVEL_INFO, good[i].level);
		assert_int_equal(doca_log_level_get_global_lower_limit(),
				 DOCA_LOG_LEVEL_INFO);
		assert_int_equal(doca_log_level_get_global_sdk_limit(), good[i].level);
	}
	again();
	assert_traced("", "--log-level=debug", "--sdk-log-level=30");
	check_levels(60, 30);
}

static void what_is_no_level_is_refused(void **state)
{
	static char *bad[] = {
		"", "d", "0", "1", "5", "15", "55", "80", "-10", "50x", "0x32", "x", "infos",
		"warningx", "4294967346", "18446744073709551666", "50.0",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		assert_mistake("--log-level", "-l", bad[i]);
		check_levels(DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_WARNING);
		again();
		assert_mistake("--sdk-log-level", "--sdk-log-level", bad[i]);
		check_levels(DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_WARNING);
	}
}

/* JSON files */

static void json_file_has_options_by_long_names(void **state)
{
	static char *names[] = { "-j", "--json" };
	unsigned int i;
	char *path;

	path = json("{\n\"doca_general_flags\": {},\n\"doca_program_flags\":"
		    "{\"number\": -3, \"string\": \"a b\", \"flag\": true}}\n");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		again();
		add("n", "number", INT, MANDATORY);
		add("s", "string", STRING, 0);
		add("f", "flag", BOOLEAN, 0);
		assert_traced("i:-3 s:a b b:1 ", names[i], path);
	}
	again();
	add_usual();
	assert_traced("b:0 ", "-j", json("{\"doca_program_flags\": {\"flag\": false}}"));
	again();
	add("n", "number", INT, MULTIPLE);
	assert_traced("i:-2147483648 i:2147483647 ", "-j",
		      json("{\"doca_program_flags\": {\"number\": [-2147483648, 2147483647]}}"));
	again();
	add_usual();
	assert_traced("", "-j", json("{}"));
}

static void json_file_has_levels(void **state)
{
	assert_traced("", "-j", json("{\"doca_general_flags\":"
				     "{\"log-level\": 60, \"sdk-log-level\": \"trace\"}}"));
	check_levels(60, 70);
	assert_int_equal(doca_log_level_get_global_lower_limit(), 60);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), 70);
	again();
	assert_traced("", "-l", "30", "-j",
		      json("{\"doca_general_flags\": {\"log-level\": 60}}"));
	check_levels(30, 40);
	again();
	assert_mistake("level", "-j",
		       json("{\"doca_general_flags\": {\"log-level\": 55}}"));
	again();
	assert_mistake("level", "-j",
		       json("{\"doca_general_flags\": {\"log-level\": \"all\"}}"));
}

static void command_line_wins_over_the_json_file(void **state)
{
	char *path = json("{\"doca_program_flags\": {\"number\": 3, \"string\": \"file\"}}");

	add_usual();
	assert_traced("s:file i:4 ", "-n", "4", "-j", path);
	again();
	add_usual();
	assert_traced("i:3 s:cli ", "-j", path, "-s", "cli");
}

static void repeated_options_are_arrays_in_json(void **state)
{
	add("n", "number", INT, MULTIPLE);
	/* the file's come first */
	assert_traced("i:1 i:2 i:3 i:4 ", "-n", "3", "-n", "4", "-j",
		      json("{\"doca_program_flags\": {\"number\": [1, 2]}}"));
	again();
	add("n", "number", INT, MULTIPLE);
	assert_mistake("number", "-j",
		       json("{\"doca_program_flags\": {\"number\": [1, \"2\"]}}"));
	again();
	add("n", "number", INT, 0);
	assert_mistake("number", "-j",
		       json("{\"doca_program_flags\": {\"number\": [1, 2]}}"));
	again();
	/* nothing was given */
	add("n", "number", INT, MULTIPLE | MANDATORY);
	assert_mistake("--number", "-j",
		       json("{\"doca_program_flags\": {\"number\": []}}"));
}

static void json_values_have_the_types_of_their_options(void **state)
{
	static const char *const bad[] = {
		"\"number\": \"3\"", "\"number\": 3.0", "\"number\": true",
		"\"number\": null", "\"number\": {}", "\"number\": 2147483648",
		"\"number\": -2147483649", "\"number\": 99999999999999999999",
		"\"string\": 3", "\"string\": true", "\"string\": null",
		"\"string\": [\"x\"]", "\"flag\": 1", "\"flag\": \"true\"",
		"\"flag\": null", "\"object\": 3", "\"object\": \"{}\"",
		"\"object\": null",
	};
	char text[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add_usual();
		add(NULL, "object", OBJECT, 0);
		snprintf(text, sizeof(text), "{\"doca_program_flags\": {%s}}", bad[i]);
		assert_mistake("has to be", "-j", json(text));
	}
}

static void json_objects_are_only_in_files(void **state)
{
	add(NULL, "object", OBJECT, 0);
	assert_traced("o:{\"a\":[1]} ", "-j",
		      json("{\"doca_program_flags\": {\"object\": {\"a\": [1]}}}"));
	again();
	add("o", "object", OBJECT, 0);
	assert_mistake("--object", "-o");
	again();
	add("o", "object", OBJECT, 0);
	assert_mistake("--object", "--object={}");
}

static void json_file_has_no_unknown_options(void **state)
{
	static const char *const bad[] = {
		"{\"doca_program_flags\": {\"numbers\": 3}}",
		"{\"doca_program_flags\": {\"n\": 3}}",
		"{\"doca_program_flags\": {\"\": 3}}",
		"{\"doca_program_flags\": {\"log-level\": 30}}",
		"{\"doca_general_flags\": {\"number\": 3}}",
		"{\"doca_general_flags\": {\"help\": true}}",
		"{\"doca_general_flags\": {\"version\": true}}",
		"{\"doca_general_flags\": {\"json\": \"x\"}}",
		/* only on the command line */
		"{\"doca_program_flags\": {\"private\": 3}}",
		/* a command's */
		"{\"doca_program_flags\": {\"count\": 3}}",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add_commands();
		add(NULL, "private", INT, CLI_ONLY);
		assert_mistake("is not an option", "-j", json(bad[i]), "cmd");
	}
	again();
	add(NULL, "private", INT, CLI_ONLY);
	assert_traced("i:3 ", "--private", "3");
}

static void broken_json_files_are_refused(void **state)
{
	static const char *const bad[] = {
		"", " \n", "{", "{\"doca_program_flags\": {\"number\": 3}", "}", "x",
		"{\"doca_program_flags\": }", "{doca_program_flags: {}}", "[]", "3",
		"null", "{\"doca_program_flags\": []}", "{\"doca_program_flags\": null}",
		"{\"doca_general_flags\": 3}", "{\"doca_program_flags\": {\"number\" 3}}",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add_usual();
		assert_mistake(json_path, "-j", json(bad[i]));
	}
	again();
	assert_mistake("line 3", "-j", json("{\n\"doca_program_flags\":\n}\n"));
}

static void json_file_ends_with_its_object(void **state)
{
	static const char *const bad[] = {
		"{\"doca_general_flags\": {}}, {\"doca_program_flags\": {\"number\": 3}}",
		"{}}", "{} x", "{}{}", "{}{", "{} null", "{} 3", "{} / x",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add_usual();
		assert_mistake(json_path, "-j", json(bad[i]));
	}
}

static void json_file_may_have_comments(void **state)
{
	/* those of the SDK's programs have them */
	add_usual();
	assert_traced("i:3 ", "-j",
		      json("// mine\n{\n/* for the program */ \"doca_program_flags\": {\n"
			   "// -n: a number\n\"number\": 3 // three\n}\n}\n\n// end\n/* x */\n"));
}

static void json_file_that_cannot_be_read_is_told(void **state)
{
	char missing[sizeof(folder) + 16];

	snprintf(missing, sizeof(missing), "%s/missing", folder);
	add_usual();
	assert_int_equal(START("-n", "3", "-j", missing), DOCA_ERROR_IO_FAILED);
	assert_string_equal(config.trace, "");
	assert_has(messages, missing);
	assert_has(messages, "No such file");
	again();
	assert_int_equal(START("-j", folder), DOCA_ERROR_IO_FAILED);
	assert_has(messages, "Is a directory");
	again();
	assert_int_equal(START("--json="), DOCA_ERROR_IO_FAILED);
	/* without a logger, too */
	again();
	assert_int_equal(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
	assert_has(CHILD("-j", missing)->err, "No such file");
}

/* Commands */

static void commands_have_options_of_their_own(void **state)
{
	add_commands();
	assert_traced("i:1 i:2 s:x cmd ", "-n", "1", "cmd", "-c", "2", "--in", "x");
	again();
	add_commands();
	assert_traced("cmd ", "cmd");
	again();
	/* without the command */
	add_commands();
	assert_traced("i:1 ", "-n", "1");
	again();
	add_commands();
	assert_mistake("-c", "-c", "2", "cmd");
	again();
	/* general options are known everywhere */
	add_commands();
	assert_traced("cmd ", "cmd", "-l", "60");
	check_levels(60, DOCA_LOG_LEVEL_WARNING);
}

static void commands_below_know_inherited_options(void **state)
{
	add_commands();
	assert_traced("b:1 cmd ", "-q", "cmd");
	again();
	add_commands();
	assert_traced("b:1 cmd ", "cmd", "--quiet");
	again();
	add_commands();
	assert_traced("i:1 s:x b:1 cmd inner ", "cmd", "inner", "-d", "1", "-i", "x", "-q");
	again();
	add_commands();
	assert_mistake("--quiet", "-q", "cmd", "-q");
	again();
	/* these are not inherited */
	add_commands();
	assert_mistake("-n", "cmd", "-n", "1");
	again();
	add_commands();
	assert_mistake("-c", "cmd", "inner", "-d", "1", "-c", "1");
}

static void unknown_commands_are_refused(void **state)
{
	static char *bad[] = { "cm", "cmds", "CMD", "inner", "", "-" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		again();
		add_commands();
		assert_mistake(bad[i], "-n", "1", bad[i]);
	}
	again();
	add_commands();
	/* one command per level */
	assert_mistake("cmd", "cmd", "cmd");
	again();
	add_commands();
	assert_mistake("cmd", "cmd", "inner", "-d", "1", "cmd");
}

static void mandatory_options_of_a_command_need_the_command(void **state)
{
	add_commands();
	assert_traced("cmd ", "cmd");
	again();
	add_commands();
	assert_mistake("--deep", "cmd", "inner");
	again();
	add_commands();
	/* inherited: it counts wherever it is given */
	add("m", "must", INT, INHERITED | MANDATORY);
	assert_mistake("--must", "cmd");
	again();
	add_commands();
	add("m", "must", INT, INHERITED | MANDATORY);
	assert_traced("i:5 cmd ", "cmd", "-m", "5");
}

static doca_error_t failing_cmd(void *program)
{
	traced(program, "failing ");
	return DOCA_ERROR_NOT_PERMITTED;
}

static void error_of_a_command_ends_start(void **state)
{
	struct doca_argp_cmd *cmd = command("cmd", failing_cmd);

	assert_int_equal(doca_argp_cmd_register_param(cmd, option("n", NULL, INT, 0)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, command("inner", on_inner)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_validation_callback(on_end), DOCA_SUCCESS);
	assert_int_equal(START("cmd", "-n", "1", "inner"), DOCA_ERROR_NOT_PERMITTED);
	assert_string_equal(config.trace, "i:1 failing ");
}

static void commands_need_a_name_and_a_description(void **state)
{
	struct doca_argp_cmd *cmd, *parent = command("parent", NULL);

	assert_int_equal(doca_argp_register_cmd(command(NULL, on_cmd)),
			 DOCA_ERROR_INITIALIZATION);
	cmd = command("cmd", on_cmd);
	doca_argp_cmd_set_description(cmd, NULL);
	assert_int_equal(doca_argp_register_cmd(cmd), DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_cmd_register_cmd(parent, command(NULL, on_cmd)),
			 DOCA_ERROR_INITIALIZATION);
	/* with what is below it */
	cmd = command(NULL, on_cmd);
	assert_int_equal(doca_argp_cmd_register_param(cmd, option("n", NULL, INT, 0)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(parent, cmd),
			 DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_cmd_register_param(parent, option(NULL, NULL, INT, 0)),
			 DOCA_ERROR_INITIALIZATION);
	assert_int_equal(doca_argp_register_cmd(parent), DOCA_SUCCESS);
	assert_traced("", "parent");
}

static void command_names_are_words_and_taken_once(void **state)
{
	struct doca_argp_cmd *parent = command("parent", NULL);

	assert_int_equal(doca_argp_register_cmd(parent), DOCA_SUCCESS);
	assert_int_equal(doca_argp_register_cmd(parent), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_register_cmd(command("parent", NULL)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_cmd(command("", NULL)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_cmd(command("-x", NULL)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_traced("", "parent");

	again();
	parent = command("parent", NULL);
	assert_int_equal(doca_argp_cmd_register_param(parent, option("n", NULL, INT, 0)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_param(parent, option("n", NULL, INT, 0)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_cmd_register_param(parent, option("h", NULL, INT, 0)),
			 DOCA_ERROR_INVALID_VALUE);
	/* below another command the name is free */
	assert_int_equal(doca_argp_cmd_register_cmd(parent, command("parent", on_inner)),
			 DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(parent, command("parent", NULL)),
			 DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(doca_argp_register_cmd(parent), DOCA_SUCCESS);
	assert_traced("inner ", "parent", "parent");
}

static void command_is_not_below_itself(void **state)
{
	struct doca_argp_cmd *cmd = command("cmd", NULL);
	struct doca_argp_cmd *inner = command("inner", NULL);

	assert_int_equal(doca_argp_cmd_register_cmd(cmd, cmd), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_register_cmd(cmd, inner), DOCA_SUCCESS);
	assert_int_equal(doca_argp_cmd_register_cmd(inner, cmd), DOCA_ERROR_BAD_STATE);
	assert_int_equal(doca_argp_cmd_destroy(cmd), DOCA_SUCCESS);
}

static void help_of_a_command_tells_what_it_knows(void **state)
{
	const struct output *output;

	add_commands();
	output = CHILD("cmd", "--help");
	assert_int_equal(output->status, 0);
	assert_has(output->out, "Usage: prog cmd");
	assert_has(output->out, "what it does");
	assert_has(output->out, "--count");
	assert_has(output->out, "--quiet");
	assert_has(output->out, "inner");
	assert_has(output->out, "--log-level");
	assert_lacks(output->out, "--number");
	assert_lacks(output->out, "--deep");
	output = CHILD("cmd", "inner", "-h");
	assert_has(output->out, "Usage: prog cmd inner");
	assert_has(output->out, "--deep");
	assert_has(output->out, "--in ");
	assert_lacks(output->out, "--count");
}

/* Programs with DPDK */

static void dpdk_gets_what_is_in_front_of_two_dashes(void **state)
{
	char *argv[] = { "prog", "-a", "0:1", "--", "-n", "3", NULL };
	char *copy[ARRAY_SIZE(argv)];

	memcpy(copy, argv, sizeof(argv));
	add_usual();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_has(line_of(in_child(NULL)->out, "Usage: "), " -- ");
	assert_int_equal(start(argv), DOCA_SUCCESS);
	assert_string_equal(config.trace, "dpdk:prog,-a,0:1, i:3 ");
	assert_memory_equal(argv, copy, sizeof(argv));
	again();
	add_usual();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_traced("dpdk:prog, i:3 ", "--", "-n", "3");
	again();
	add_usual();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_traced("dpdk:prog,-n, ", "-n", "--");
	again();
	add_usual();
	doca_argp_set_dpdk_program(on_dpdk);
	/* the first ones, where DPDK stops reading, too */
	assert_traced("dpdk:prog,-a, i:3 ", "-a", "--", "-n", "3", "--");
	again();
	/* what is behind is checked as ever */
	doca_argp_set_dpdk_program(on_dpdk);
	assert_int_equal(START("-n", "3", "--", "-n", "3"), DOCA_ERROR_INVALID_VALUE);
	assert_has(messages, "-n");
}

static void dpdk_may_be_told_before_begin(void **state)
{
	doca_argp_destroy();
	doca_argp_set_dpdk_program(on_dpdk);
	again();
	assert_traced("dpdk:prog,-a, ", "-a", "--");
	again();
	/* the end has forgotten it */
	assert_mistake("-a", "-a", "--");
}

static void without_two_dashes_all_is_the_programs(void **state)
{
	add_usual();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_traced("i:3 ", "-n", "3");
	again();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_mistake("-a", "-a", "0:1");
	again();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_int_equal(doca_argp_start(0, NULL), DOCA_SUCCESS);
	assert_string_equal(config.trace, "");
}

static void error_of_dpdk_ends_start(void **state)
{
	add_usual();
	doca_argp_set_dpdk_program(on_dpdk);
	config.error = DOCA_ERROR_DRIVER;
	assert_int_equal(START("-a", "--", "-n", "3"), DOCA_ERROR_DRIVER);
	assert_string_equal(config.trace, "dpdk:prog,-a, ");
}

static void two_dashes_without_dpdk_are_no_argument(void **state)
{
	add_usual();
	assert_mistake("--", "--", "-n", "3");
	again();
	add_usual();
	assert_traced("i:3 ", "-n", "3", "--");
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(json_path, sizeof(json_path), "%s/options.json", folder);
	return 0;
}

static int remove_folder(void **state)
{
	unlink(json_path);
	return rmdir(folder);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(begin_twice_is_refused),
		TEST(begin_needs_a_configuration),
		TEST(nothing_works_before_begin),
		TEST(null_is_refused),
		TEST(parser_begins_again_after_its_end),
		TEST(program_name_is_copied),
		TEST(program_without_name_is_called_as_it_was),
		TEST(lack_of_memory_is_told_and_loses_nothing),
		TEST(option_needs_name_description_callback_and_type),
		TEST(option_names_are_taken_once),
		TEST(option_names_are_words),
		TEST(option_is_registered_once),
		TEST(what_is_registered_is_not_freed_by_hand),
		TEST(what_is_not_registered_is_freed_with_all_below),
		TEST(nothing_is_registered_behind_start),
		TEST(callbacks_get_values_of_their_types),
		TEST(short_names_may_have_several_letters),
		TEST(values_may_stand_behind_an_equals_sign),
		TEST(one_name_is_enough),
		TEST(numbers_are_decimal_or_hexadecimal),
		TEST(what_is_no_number_is_refused),
		TEST(strings_may_be_anything_but_an_option),
		TEST(option_without_its_value_is_refused),
		TEST(flags_take_no_value),
		TEST(mandatory_options_have_to_be_given),
		TEST(unknown_options_are_refused),
		TEST(words_that_belong_to_nothing_are_refused),
		TEST(repeated_options_are_refused),
		TEST(options_with_multiplicity_are_called_each_time),
		TEST(singular_option_stands_alone),
		TEST(start_works_once),
		TEST(start_checks_what_it_gets),
		TEST(all_is_checked_before_the_first_callback),
		TEST(error_of_a_callback_ends_start),
		TEST(validation_is_last_and_start_returns_what_it_returns),
		TEST(mistakes_are_explained_on_stderr),
		TEST(logger_callback_takes_the_messages),
		TEST(help_prints_the_usage_and_exits),
		TEST(version_prints_program_and_library_and_exits),
		TEST(version_callback_prints_instead),
		TEST(usage_has_names_arguments_and_descriptions),
		TEST(hidden_is_not_in_the_usage_but_works),
		TEST(each_option_of_the_usage_has_its_line),
		TEST(long_texts_are_not_cut_in_the_usage),
		TEST(levels_that_are_not_given_are_info_and_warning),
		TEST(levels_are_numbers_or_names_and_become_limits),
		TEST(what_is_no_level_is_refused),
		TEST(json_file_has_options_by_long_names),
		TEST(json_file_has_levels),
		TEST(command_line_wins_over_the_json_file),
		TEST(repeated_options_are_arrays_in_json),
		TEST(json_values_have_the_types_of_their_options),
		TEST(json_objects_are_only_in_files),
		TEST(json_file_has_no_unknown_options),
		TEST(broken_json_files_are_refused),
		TEST(json_file_ends_with_its_object),
		TEST(json_file_may_have_comments),
		TEST(json_file_that_cannot_be_read_is_told),
		TEST(commands_have_options_of_their_own),
		TEST(commands_below_know_inherited_options),
		TEST(unknown_commands_are_refused),
		TEST(mandatory_options_of_a_command_need_the_command),
		TEST(error_of_a_command_ends_start),
		TEST(commands_need_a_name_and_a_description),
		TEST(command_names_are_words_and_taken_once),
		TEST(help_of_a_command_tells_what_it_knows),
		TEST(dpdk_gets_what_is_in_front_of_two_dashes),
		TEST(dpdk_may_be_told_before_begin),
		TEST(without_two_dashes_all_is_the_programs),
		TEST(error_of_dpdk_ends_start),
		TEST(two_dashes_without_dpdk_are_no_argument),
		TEST(command_is_not_below_itself),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("argp", tests, make_folder, remove_folder);
}
