// SPDX-License-Identifier: MIT
/*
 * nnactl load and unload: kernel modules through libkmod, as modprobe does it, but from a file that
 * is not installed.
 */
#include "tools/nnactl/nnactl.h"

#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static void quiet(void *data, int priority, const char *file, int line, const char *function,
		  const char *format, va_list args)
{
}

static const char *release(struct utsname *name)
{
	return uname(name) ? "?" : name->release;
}

/* Load an installed module and those that it depends on. */
static int load_dependency(struct kmod_ctx *kmod, const char *name)
{
	struct kmod_list *list = NULL, *at;
	struct utsname uts;
	int ret;

	ret = kmod_module_new_from_lookup(kmod, name, &list);
	if (ret < 0 || !list)
		return nnactl_error("module %s, which is needed, is not in /lib/modules/%s: "
				    "install the modules of this kernel, or run depmod",
				    name, release(&uts));
	kmod_list_foreach(at, list) {
		struct kmod_module *module = kmod_module_get_module(at);

		ret = kmod_module_probe_insert_module(module, 0, NULL, NULL, NULL, NULL);
		kmod_module_unref(module);
		if (ret < 0)
			break;
	}
	kmod_module_unref_list(list);
	if (ret < 0 && ret != -EEXIST)
		return nnactl_error("cannot load module %s, which is needed: %s", name,
				    strerror(-ret));
	return 0;
}

static int load_dependencies(struct kmod_ctx *kmod, struct kmod_module *module, const char *path)
{
	struct kmod_list *list = NULL, *at;
	char *names, *name, *rest;
	int ret;

	ret = kmod_module_get_info(module, &list);
	if (ret < 0)
		return nnactl_error("%s is not a kernel module: %s", path, strerror(-ret));
	ret = 0;
	kmod_list_foreach(at, list) {
		if (strcmp(kmod_module_info_get_key(at), "depends"))
			continue;
		names = strdup(kmod_module_info_get_value(at));
		if (!names) {
			ret = nnactl_error("out of memory");
			break;
		}
		for (name = strtok_r(names, ",", &rest); name && !ret;
		     name = strtok_r(NULL, ",", &rest))
			ret = load_dependency(kmod, name);
		free(names);
	}
	kmod_module_info_free_list(list);
	return ret;
}

/* What the kernel takes for every module. */
static const char *const COMMON[] = { "dyndbg", "async_probe" };

/* Whether NAME of @parameter, "NAME=VALUE", has the length and the text of @name. */
static bool is_named(const char *parameter, const char *name, size_t length)
{
	if (strcspn(parameter, "=") != length)
		return false;
	/* The kernel takes a dash for an underscore. */
	for (size_t i = 0; i < length; i++)
		if (parameter[i] != name[i] && !(parameter[i] == '-' && name[i] == '_'))
			return false;
	return true;
}

/*
 * The kernel ignores a parameter that a module does not have. Names are those of "parmtype" in the
 * file, NAME:TYPE. Return: 0, or 1 with the error printed.
 */
static int check_parameter(const struct kmod_list *list, const char *path, const char *parameter)
{
	const int length = (int)strcspn(parameter, "=");
	const struct kmod_list *at;
	char names[256] = "none";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(COMMON) / sizeof(COMMON[0]); i++)
		if (is_named(parameter, COMMON[i], strlen(COMMON[i])))
			return 0;
	kmod_list_foreach(at, list) {
		const char *name = kmod_module_info_get_value(at);
		const size_t size = strcspn(name, ":");

		if (strcmp(kmod_module_info_get_key(at), "parmtype"))
			continue;
		if (is_named(parameter, name, size))
			return 0;
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%.*s", n ? ", " : "",
					      (int)size, name);
	}
	return nnactl_error("%s has no parameter '%.*s': it has %s", path, length, parameter, names);
}

/* @parameters: "NAME=VALUE" each, of @count. Return: 0, or 1 with the error printed. */
static int check_parameters(struct kmod_module *module, const char *path,
			    const char *const *parameters, size_t count)
{
	struct kmod_list *list = NULL;
	int ret;

	ret = kmod_module_get_info(module, &list);
	if (ret < 0)
		return nnactl_error("%s is not a kernel module: %s", path, strerror(-ret));
	ret = 0;
	for (size_t i = 0; i < count && !ret; i++)
		ret = check_parameter(list, path, parameters[i]);
	kmod_module_info_free_list(list);
	return ret;
}

/* One text of all parameters, which the caller frees; NULL with the error printed. */
static char *join(const char *const *parameters, size_t count)
{
	size_t size = 1;
	char *text;

	for (size_t i = 0; i < count; i++)
		size += strlen(parameters[i]) + 1;
	text = calloc(1, size);
	if (!text)
		nnactl_error("out of memory");
	for (size_t i = 0; text && i < count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, parameters[i]);
	}
	return text;
}

static int load(const char *path, const char *const *parameters, size_t count)
{
	struct kmod_module *module = NULL;
	struct kmod_ctx *kmod;
	struct utsname uts;
	char *text = NULL;
	int ret;

	kmod = kmod_new(NULL, NULL);
	if (!kmod)
		return nnactl_error("libkmod cannot start: %s", strerror(errno));
	kmod_set_log_fn(kmod, quiet, NULL);
	ret = kmod_module_new_from_path(kmod, path, &module);
	if (ret < 0) {
		ret = nnactl_error("%s: %s", path, strerror(-ret));
		goto out;
	}
	ret = check_parameters(module, path, parameters, count) ?:
	      load_dependencies(kmod, module, path);
	if (ret)
		goto out;
	text = join(parameters, count);
	if (!text) {
		ret = 1;
		goto out;
	}
	ret = kmod_module_insert_module(module, 0, count ? text : NULL);
	switch (-ret) {
	case 0:
		break;
	case EEXIST:
		ret = nnactl_error("%s is loaded already: unload it first (nnactl unload %s)",
				   kmod_module_get_name(module), kmod_module_get_name(module));
		break;
	case EPERM:
		ret = nnactl_error("no permission to load modules: "
				   "be root (on a machine that allows it)");
		break;
	case ENOSYS:
		ret = nnactl_error("this kernel has no modules: "
				   "use --device loopback, or a VM (vm/run)");
		break;
	case ENOEXEC:
		ret = nnactl_error("%s was built for another kernel than %s: "
				   "build it against its headers", path, release(&uts));
		break;
	case ENOENT:
		ret = nnactl_error("%s needs symbols that kernel %s lacks; see dmesg", path,
				   release(&uts));
		break;
	case EINVAL:
	case ERANGE:
		ret = nnactl_error("kernel %s refuses %s%s%s: %s; see dmesg", release(&uts), path,
				   count ? " with " : "", text, strerror(-ret));
		break;
	case EKEYREJECTED:
	case ENOKEY:
		ret = nnactl_error("%s is not signed, and kernel %s insists: "
				   "sign it, or turn secure boot off", path, release(&uts));
		break;
	default:
		ret = nnactl_error("%s: %s; see dmesg", path, strerror(-ret));
		break;
	}
out:
	free(text);
	kmod_module_unref(module);
	kmod_unref(kmod);
	return ret;
}

static int unload(const char *name)
{
	struct kmod_module *module = NULL;
	struct kmod_ctx *kmod;
	int ret;

	kmod = kmod_new(NULL, NULL);
	if (!kmod)
		return nnactl_error("libkmod cannot start: %s", strerror(errno));
	kmod_set_log_fn(kmod, quiet, NULL);
	ret = kmod_module_new_from_name(kmod, name, &module);
	if (ret < 0) {
		ret = nnactl_error("%s: %s", name, strerror(-ret));
		goto out;
	}
	/* A module that is in use is an error, not waited for. */
	ret = kmod_module_remove_module(module, 0);
	switch (-ret) {
	case 0:
		break;
	case ENOENT:
		ret = nnactl_error("module %s is not loaded", name);
		break;
	case EAGAIN:
	case EBUSY:
		ret = nnactl_error("module %s is in use: end the programs that use it first", name);
		break;
	case ENOSYS:
		ret = nnactl_error("this kernel has no modules");
		break;
	case EPERM:
		ret = nnactl_error("no permission to unload modules: be root");
		break;
	default:
		ret = nnactl_error("cannot unload module %s: %s", name, strerror(-ret));
		break;
	}
out:
	kmod_module_unref(module);
	kmod_unref(kmod);
	return ret;
}

static int print_done(const char *verb, const char *module)
{
	return nnactl_json() ? nnactl_json_print(json_pack("{s:o?}", verb,
							   nnactl_json_text(module))) : 0;
}

static int load_main(int argc, char **argv)
{
	const char **parameters = calloc((size_t)argc + 1, sizeof(*parameters));
	size_t count = 0;
	int c, status = 0;

	if (!parameters)
		return nnactl_error("out of memory");
	while ((c = nnactl_option(&NNACTL_LOAD, argc, argv, &status)) > 0) {
		if (!strchr(optarg, '=') || *optarg == '=' || strchr(optarg, ' ')) {
			status = nnactl_misuse("--param must be NAME=VALUE, not '%s'", optarg);
			c = 0;
			break;
		}
		parameters[count++] = optarg;
	}
	if (c && optind + 1 != argc)
		status = nnactl_misuse("load takes one module file");
	else if (c)
		status = load(argv[optind], parameters, count) ?:
			 print_done("loaded", argv[optind]);
	free(parameters);
	return status;
}

static int unload_main(int argc, char **argv)
{
	int status = 0;

	if (!nnactl_option(&NNACTL_UNLOAD, argc, argv, &status))
		return status;
	if (optind + 1 != argc)
		return nnactl_misuse("unload takes one module name");
	return unload(argv[optind]) ?: print_done("unloaded", argv[optind]);
}

static const struct option LOAD_OPTIONS[] = {
	{ "param", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_LOAD = {
	.name = "load",
	.arguments = "FILE.ko [--param NAME=VALUE]...",
	.what = "load a kernel module and what it needs",
	.help = "nnactl load FILE.ko [--param NAME=VALUE]... [--json]\n\n"
		"Loads the modules that the file depends on from /lib/modules, then the file. A\n"
		"parameter that the module does not have is an error; modinfo FILE.ko lists them.",
	.options = LOAD_OPTIONS,
	.main = load_main,
};

static const struct option UNLOAD_OPTIONS[] = {
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_UNLOAD = {
	.name = "unload",
	.arguments = "NAME",
	.what = "unload a kernel module",
	.help = "nnactl unload NAME [--json]\n\nUnloads a kernel module.",
	.options = UNLOAD_OPTIONS,
	.main = unload_main,
};
