// SPDX-License-Identifier: MIT
#include "tools/nnactl/kind.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_SIZE 512
/* A zip archive: its first entry has its name at 30, and the name's length at 26. */
#define ZIP_NAME 30
#define ZIP_NAME_LENGTH 26

/* Files by what is at their beginning, or in it at @at. */
static const struct kind {
	size_t at, size;
	const char *mark, *what;
} KINDS[] = {
#define MARK(at, mark, what) { at, sizeof(mark) - 1, mark, what }
	MARK(0, "\x1f\x8b", "compressed with gzip: unpack it with gunzip"),
	MARK(0, "BZh", "compressed with bzip2: unpack it with bunzip2"),
	MARK(0, "\xfd" "7zXZ", "compressed with xz: unpack it with unxz"),
	MARK(0, "\x28\xb5\x2f\xfd", "compressed with zstd: unpack it with unzstd"),
	MARK(257, "ustar", "a tar archive: unpack it with tar -xf"),
	MARK(0, "version https://git-lfs", "a pointer of Git LFS, not the model: get that with "
	     "git lfs pull"),
	MARK(0, "\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras saves: convert it with "
	     "tf.lite.TFLiteConverter.from_keras_model()"),
	MARK(0, "GGUF", "a GGUF model, which llama.cpp runs: convert its original to TFLite"),
	MARK(8, "{\"", "a file of safetensors, weights without a network: convert the model that "
	     "they are of, with litert-torch"),
	MARK(0, "LITERTLM", "a bundle of LiteRT-LM: take the .tflite files out of it"),
	MARK(0, "\x93NUMPY", "a NumPy array: the model comes first, arrays with --input"),
	MARK(0, "\x89PNG", "a picture: the model comes first, pictures with --image"),
	MARK(0, "\xff\xd8\xff", "a picture: the model comes first, pictures with --image"),
	MARK(0, "\x7f" "ELF", "a program, a library or a kernel module, not a model"),
	MARK(0, "%PDF-", "a PDF document, not a model"),
	MARK(0, "\x80\x02", "a pickle, as PyTorch saved once: convert the model with litert-torch"),
	MARK(0, "<?xml", "an XML document, such as OpenVINO's: convert the original to TFLite"),
#undef MARK
};

/* The same for zip archives, by what the name of their first entry ends with. */
static const struct kind ENTRIES[] = {
	{ .mark = "data.pkl", .what = "a PyTorch file: convert the model with litert-torch" },
	{ .mark = "/version", .what = "a PyTorch file: convert the model with litert-torch" },
	{ .mark = "/byteorder", .what = "a PyTorch file: convert the model with litert-torch" },
	{ .mark = ".npy", .what = "NumPy arrays in an archive: the model comes first" },
	{ .mark = "metadata.json", .what = "a Keras model: convert it with "
		  "tf.lite.TFLiteConverter.from_keras_model()" },
	{ .mark = ".tflite", .what = "an archive of TFLite models, such as MediaPipe's tasks: "
		  "unpack it with unzip" },
};

/* Of models without a mark, by the end of the file's name. */
static const struct kind NAMES[] = {
	{ .mark = ".pb", .what = "a graph of TensorFlow: convert it with "
		  "tf.lite.TFLiteConverter.from_saved_model()" },
	{ .mark = ".pt", .what = "no TFLite model; by its name PyTorch's: convert the model with "
		  "litert-torch" },
	{ .mark = ".pth", .what = "no TFLite model; by its name PyTorch's: convert the model with "
		  "litert-torch" },
};

static bool ends_with(const char *text, size_t length, const char *end)
{
	const size_t size = strlen(end);

	return length >= size && !strncasecmp(text + length - size, end, size);
}

static const char *archive(const uint8_t *head, size_t size)
{
	size_t length = head[ZIP_NAME_LENGTH] | (size_t)head[ZIP_NAME_LENGTH + 1] << 8;

	length = length < size - ZIP_NAME ? length : size - ZIP_NAME;
	for (size_t i = 0; i < sizeof(ENTRIES) / sizeof(ENTRIES[0]); i++)
		if (ends_with((const char *)head + ZIP_NAME, length, ENTRIES[i].mark))
			return ENTRIES[i].what;
	return "a zip archive: unpack it with unzip";
}

/* Text that begins with a tag of HTML, in any case, behind blanks. */
static bool is_page(const char *head)
{
	head += strspn(head, " \t\r\n");
	return !strncasecmp(head, "<!doctype html", 14) || !strncasecmp(head, "<html", 5) ||
	       !strncasecmp(head, "<head", 5);
}

/*
 * ONNX has no mark. A file of it starts with the version of its format, a small number in field 1,
 * and the name of what wrote it, a text in field 2.
 */
static bool is_onnx(const uint8_t *head, size_t size)
{
	if (size < 16 || head[0] != 0x08 || head[1] < 3 || head[1] > 32 || head[2] != 0x12 ||
	    !head[3] || head[3] > size - 4)
		return false;
	for (size_t i = 0; i < head[3]; i++)
		if (head[4 + i] < ' ' || head[4 + i] > '~')
			return false;
	return true;
}

static const char *kind_of_head(const uint8_t *head, size_t size)
{
	if (!size)
		return "an empty file: download or convert it again";
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (size >= KINDS[i].at + KINDS[i].size &&
		    !memcmp(head + KINDS[i].at, KINDS[i].mark, KINDS[i].size))
			return KINDS[i].what;
	if (size > ZIP_NAME && !memcmp(head, "PK\3\4", 4))
		return archive(head, size);
	if (is_page((const char *)head))
		return "an HTML page, not the model: download the file itself (by its \"raw\" or "
		       "\"download\" link)";
	if (head[strspn((const char *)head, " \t\r\n")] == '{')
		return "a text in JSON, such as an error of a server: download the model again";
	return NULL;
}

static const char *folder(const char *path)
{
	char name[4096];
	int n = snprintf(name, sizeof(name), "%s/saved_model.pb", path);

	if (n > 0 && (size_t)n < sizeof(name) && !access(name, F_OK))
		return "a SavedModel of TensorFlow: convert it with "
		       "tf.lite.TFLiteConverter.from_saved_model()";
	return "a folder: name a model's file in it";
}

/**
 * struct head - the beginning of a file
 * @mode: as stat() has it; 0 where the file cannot be opened
 * @size: bytes of @bytes, which a NUL follows; negative for what is no regular file
 */
struct head {
	mode_t mode;
	ssize_t size;
	uint8_t bytes[HEAD_SIZE + 1];
};

static void read_head(const char *path, struct head *head)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	head->mode = 0;
	head->size = -1;
	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		head->mode = st.st_mode;
	if (S_ISREG(head->mode))
		head->size = pread(fd, head->bytes, HEAD_SIZE, 0);
	close(fd);
	if (head->size >= 0)
		head->bytes[head->size] = 0;
}

bool nnactl_kind_is_onnx(const char *path)
{
	struct head head;

	read_head(path, &head);
	if (head.size <= 0)
		return false;
	return is_onnx(head.bytes, (size_t)head.size) ||
	       (ends_with(path, strlen(path), ".onnx") &&
		!kind_of_head(head.bytes, (size_t)head.size));
}

const char *nnactl_kind_of(const char *path)
{
	struct head head;
	const char *what;

	read_head(path, &head);
	if (S_ISDIR(head.mode))
		return folder(path);
	if (head.size < 0)
		return NULL;
	what = kind_of_head(head.bytes, (size_t)head.size);
	for (size_t i = 0; !what && i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		if (ends_with(path, strlen(path), NAMES[i].mark))
			what = NAMES[i].what;
	return what;
}
