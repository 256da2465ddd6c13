// SPDX-License-Identifier: MIT
/*
 * A Python program that is part of this one: it gets the model's path, the shapes and the names of
 * two files, of the inputs and the outputs, and the signature, and prints one JSON value.
 *
 * Python runs isolated (-I): else it would import modules from the working directory, where models
 * may have been downloaded to, and from $PYTHONPATH. This leaves out the user's own packages, too,
 * which the program adds again where Python would have them.
 */
#include "tools/nnactl/reference.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char SCRIPT[] =
	"import json, os, site, sys, time\n"
	"if sys.prefix == sys.base_prefix and os.getuid() == os.geteuid():\n"
	"    site.addsitedir(site.getusersitepackages())\n"
	"def find():\n"
	"    try:\n"
	"        import ai_edge_litert\n"
	"        from ai_edge_litert import interpreter as m\n"
	"        return m.Interpreter, m.OpResolverType, 'LiteRT ' + ai_edge_litert.__version__\n"
	"    except (ImportError, AttributeError):\n"
	"        pass\n"
	"    try:\n"
	"        import tflite_runtime\n"
	"        from tflite_runtime import interpreter as m\n"
	"        return m.Interpreter, m.OpResolverType, 'TFLite ' + tflite_runtime.__version__\n"
	"    except (ImportError, AttributeError):\n"
	"        pass\n"
	"    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')\n"
	"    import tensorflow as tf\n"
	"    e = tf.lite.experimental\n"
	"    return tf.lite.Interpreter, e.OpResolverType, 'TensorFlow ' + tf.__version__\n"
	"def run_signature(i, signature, shapes, data):\n"
	"    import numpy as np\n"
	"    run = i.get_signature_runner(signature['key'])\n"
	"    details, arrays, at, times = run.get_input_details(), {}, 0, []\n"
	"    for name, shape in zip(signature['inputs'], shapes):\n"
	"        a = np.frombuffer(data, details[name]['dtype'], int(np.prod(shape)), at)\n"
	"        arrays[name] = a.reshape(shape)\n"
	"        at += a.nbytes\n"
	"    first = None\n"
	"    for _ in range(5):\n"
	"        i.reset_all_variables()\n"
	"        start = time.perf_counter()\n"
	"        out = run(**arrays)\n"
	"        times.append((time.perf_counter() - start) * 1e3)\n"
	"        first = first or b''.join(out[name].tobytes() for name in signature['outputs'])\n"
	"    return first, times\n"
	"def main(model, shapes, signature, source, target):\n"
	"    import numpy as np\n"
	"    Interpreter, Resolver, name = find()\n"
	"    plain = Resolver.BUILTIN_WITHOUT_DEFAULT_DELEGATES\n"
	"    for kind in Resolver.BUILTIN_REF, plain:\n"
	"        try:\n"
	"            i = Interpreter(model_path=model, num_threads=1,\n"
	"                            experimental_op_resolver_type=kind)\n"
	"            break\n"
	"        except ValueError:\n"
	"            if kind == plain:\n"
	"                raise\n"
	"    data = open(source, 'rb').read()\n"
	"    if signature:\n"
	"        first, times = run_signature(i, signature, shapes, data)\n"
	"        open(target, 'wb').write(first)\n"
	"        return {'name': name, 'ms': sorted(times)[2]}\n"
	"    details = i.get_input_details()\n"
	"    for d, shape in zip(details, shapes):\n"
	"        if list(d['shape']) != shape:\n"
	"            i.resize_tensor_input(d['index'], shape)\n"
	"    i.allocate_tensors()\n"
	"    times, first = [], None\n"
	"    for run in range(5):\n"
	"        i.reset_all_variables()\n"
	"        at = 0\n"
	"        for d, shape in zip(details, shapes):\n"
	"            a = np.frombuffer(data, d['dtype'], int(np.prod(shape)), at).reshape(shape)\n"
	"            i.set_tensor(d['index'], a)\n"
	"            at += a.nbytes\n"
	"        start = time.perf_counter()\n"
	"        i.invoke()\n"
	"        times.append((time.perf_counter() - start) * 1e3)\n"
	"        if first is None:\n"
	"            first = b''.join(i.get_tensor(d['index']).tobytes()\n"
	"                             for d in i.get_output_details())\n"
	"    open(target, 'wb').write(first)\n"
	"    return {'name': name, 'ms': sorted(times)[2]}\n"
	"try:\n"
	"    shapes, signature = json.loads(sys.argv[2]), json.loads(sys.argv[6])\n"
	"    result = main(sys.argv[1], shapes, signature, *sys.argv[3:5])\n"
	"except ImportError as e:\n"
	"    result = {'missing': str(e)}\n"
	"except Exception as e:\n"
	"    result = {'missing': (str(e).strip() or repr(e)).splitlines()[0]}\n"
	"os.write(int(sys.argv[5]), json.dumps(result).encode())\n";

extern char **environ;

static json_t *shapes_json(const struct nna_io_info *info, uint32_t count)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < count; i++) {
		json_t *dims = json_array();

		for (uint32_t k = 0; k < info[i].rank; k++)
			json_array_append_new(dims, json_integer(info[i].dims[k]));
		json_array_append_new(all, dims);
	}
	return all;
}

static int write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "we");
	bool bad = !file || fwrite(data, 1, size, file) != size;

	if ((file && fclose(file)) || bad)
		return nnactl_error("%s: %s", path, strerror(errno));
	return 0;
}

/* What the program prints, as JSON; NULL where it prints none. */
static json_t *spawn(const char *python, const char *model, const char *shapes,
		     const char *signature, const char *source, const char *target,
		     struct nnactl_reference *r)
{
	char number[16];
	const char *argv[] = { python, "-I",   "-c",   SCRIPT,	  model, shapes,
			       source, target, number, signature, NULL };
	posix_spawn_file_actions_t actions;
	json_t *value = NULL;
	int fds[2], ret;
	pid_t pid;

	if (pipe(fds)) {
		snprintf(r->reason, sizeof(r->reason), "%s", strerror(errno));
		return NULL;
	}
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	snprintf(number, sizeof(number), "%d", fds[1]);
	posix_spawn_file_actions_init(&actions);
	/* TFLite tells of itself on both. */
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(&pid, python, &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (ret) {
		snprintf(r->reason, sizeof(r->reason), "%s: %s", python, strerror(ret));
	} else {
		value = json_loadfd(fds[0], 0, NULL);
		while (waitpid(pid, &ret, 0) < 0 && errno == EINTR)
			;
		if (!value)
			snprintf(r->reason, sizeof(r->reason), "%s ended without a result", python);
	}
	close(fds[0]);
	return value;
}

static int take_result(struct nnactl_reference *r, const json_t *value, const char *model,
		       const char *target, size_t output_size)
{
	const char *missing = json_string_value(json_object_get(value, "missing"));
	const char *name = json_string_value(json_object_get(value, "name"));
	size_t size;

	if (missing)
		snprintf(r->reason, sizeof(r->reason), "%s", missing);
	if (!name)
		return 0;
	r->data = (uint8_t *)nnactl_file_read(target, (size_t)4 << 30, &size);
	if (!r->data)
		return 1;
	if (size != output_size)
		return nnactl_error("%s: the outputs have %zu bytes, TFLite's %zu", model,
				    output_size, size);
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->ms = json_number_value(json_object_get(value, "ms"));
	return 0;
}

int nnactl_reference_run(struct nnactl_reference *r, const char *python, const char *model,
			 const json_t *signature, const void *inputs, size_t size,
			 const struct nna_io_info *info, uint32_t count, size_t output_size)
{
	const char *base = getenv("TMPDIR");
	json_t *shapes = shapes_json(info, count), *value = NULL;
	char *shapes_text = json_dumps(shapes, 0),
	     *signature_text = signature ? json_dumps(signature, 0) : strdup("null");
	char folder[256], source[280], target[280];
	int ret;

	json_decref(shapes);
	if (!shapes_text || !signature_text) {
		free(shapes_text);
		free(signature_text);
		return nnactl_error("out of memory");
	}
	snprintf(folder, sizeof(folder), "%s/nnactl.XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(folder)) {
		free(shapes_text);
		free(signature_text);
		return nnactl_error("%s: %s", folder, strerror(errno));
	}
	snprintf(source, sizeof(source), "%s/in", folder);
	snprintf(target, sizeof(target), "%s/out", folder);
	ret = write_file(source, inputs, size);
	nnactl_progress("%s: running with TFLite", model);
	if (!ret)
		value = spawn(python, model, shapes_text, signature_text, source, target, r);
	nnactl_progress_end();
	if (value)
		ret = take_result(r, value, model, target, output_size);
	json_decref(value);
	unlink(source);
	unlink(target);
	rmdir(folder);
	free(shapes_text);
	free(signature_text);
	return ret;
}

void nnactl_reference_free(struct nnactl_reference *r)
{
	free(r->data);
	*r = (struct nnactl_reference){ 0 };
}
