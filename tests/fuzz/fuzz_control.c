// SPDX-License-Identifier: MIT
/*
 * The control socket of nna-device against a hostile client: the input is cut into what is sent at
 * a time; byte 0xff begins a piece, 0xfe a word that the socket knows, 0xfd another client. Each
 * client is served, whatever the one before did, and what was armed is disarmed in the end.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "device/nna/core/base.h"
#include "device/nna/model.h"
#include "device/transport/control.h"
#include "device/transport/listener.h"
#include "tests/fuzz/tiles.h"
#include "tests/must.h"
#include "tests/unit/device/transport/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = {
	"hang ",    "stuck ", "drop-irq ", "spurious-irq ", "corrupt ", "refuse-reset ",
	"slow ",    "dead ",  "clear\n",   "disconnect\n",  "help\n",	"1\n",
	"1000000\n", "0\n",   "\r\n",	   "18446744073709551615\n",
};

static char path[] = "/tmp/nna-fuzz-control-XXXXXX/s";
static _Atomic uint32_t disconnected;

static void disconnect(void *user)
{
	atomic_fetch_add(&disconnected, 1);
}

static int join(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	must(fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)));
	return fd;
}

/* Send what there is, and take what has been answered unless @deaf. */
static void say(int fd, const char *text, size_t size, bool deaf)
{
	char trash[4096];

	send(fd, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (!deaf && recv(fd, trash, sizeof(trash), MSG_DONTWAIT) > 0)
		;
}

/* Wait until the server has hung up. */
static void part(int fd)
{
	char trash[4096];

	shutdown(fd, SHUT_WR);
	while (recv(fd, trash, sizeof(trash), 0) > 0)
		;
	close(fd);
}

static void quiet(void *user, uint32_t vector)
{
}

static struct nnadev *begin(void)
{
	struct nnadev_params params = { .threads = 1, .raise_irq = quiet };
	struct nnadev_control *control;
	struct nnadev *dev;
	char why[256];
	int listener;

	path[strlen(path) - 2] = 0;
	must(mkdtemp(path));
	path[strlen(path)] = '/';
	listener = nnadev_listener_open(path, why, sizeof(why));
	must(listener >= 0 && !nnadev_create(&params, &dev));
	must(!nnadev_control_start(&nnadev_nna_model, dev, listener, disconnect, NULL, &control));
	return dev;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nnadev *dev;
	char text[256], answer[3];
	size_t used = 0;
	bool deaf;
	int fd;

	if (!dev)
		dev = begin();
	deaf = size && *data & 1;
	fd = join();
	for (size_t i = 0; i < size; i++) {
		if (data[i] == 0xfe && i + 1 < size) {
			const char *word = words[data[++i] % (sizeof(words) / sizeof(words[0]))];

			if (used + strlen(word) <= sizeof(text)) {
				memcpy(text + used, word, strlen(word));
				used += strlen(word);
			}
		} else if (data[i] < 0xfd) {
			text[used++] = (char)data[i];
		}
		if (data[i] == 0xff || used == sizeof(text) || i + 1 == size || data[i] == 0xfd) {
			say(fd, text, used, deaf);
			used = 0;
		}
		if (data[i] == 0xfd) {
			part(fd);
			fd = join();
		}
	}
	part(fd);

	fd = join();
	must(send(fd, "clear\n", 6, MSG_NOSIGNAL) == 6);
	must(client_receive(fd, answer, 3) && !memcmp(answer, "ok\n", 3));
	part(fd);
	must(nnadev_reg_read(dev, NNAHW_REG_ID, 4) == NNAHW_ID_MAGIC);
	return 0;
}
