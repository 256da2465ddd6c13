// SPDX-License-Identifier: MIT
#include "device/ethosu/models.h"

#include <string.h>

#include "device/ethosu/device.h"
#include "device/ethosu/registers.h"

#define COUNT_MAX 1000000u
#define SLOW_MAX_NS 10000000000u

static bool set_strict(void *config, const char *value)
{
	struct ethosu_settings *settings = config;

	settings->strict = !strcmp(value, "on");
	return settings->strict || !strcmp(value, "off");
}

static const struct nnadev_option options[] = {
	{ 0, "strict", "on|off",
	  "on: log what a stream does that the hardware does not promise: waits that are missing,\n"
	  "misaligned addresses, settings that were not made, bits of no field (default: off)",
	  "on or off", set_strict },
	{ 0 },
};

static const struct nnadev_injection injections[] = {
	{ ETHOSU_INJECT_HANG, "hang", "N", "the next N jobs run until reset", COUNT_MAX, false },
	{ ETHOSU_INJECT_DROP_IRQ, "drop-irq", "N", "the next N interrupts are not raised",
	  COUNT_MAX, false },
	{ ETHOSU_INJECT_BUS_ERROR, "bus-error", "N", "the next N jobs end in a bus error",
	  COUNT_MAX, false },
	{ ETHOSU_INJECT_PARSE_ERROR, "parse-error", "N", "the next N jobs end in a parse error",
	  COUNT_MAX, false },
	{ ETHOSU_INJECT_SLOW_NS, "slow", "NS", "every job takes NS nanoseconds longer", SLOW_MAX_NS,
	  false },
	{ ETHOSU_INJECT_REFUSE_RESET, "refuse-reset", "N", "the next N resets do not end",
	  COUNT_MAX, false },
	{ 0 },
};

static void destroy(void *device)
{
	ethosu_device_destroy(device);
}

static const char *describe(void *device)
{
	return ethosu_device_config(device)->summary;
}

static uint64_t read_register(void *device, uint32_t bar, uint64_t offset, uint32_t width)
{
	return ethosu_device_read(device, (uint32_t)offset);
}

static void write_register(void *device, uint32_t bar, uint64_t offset, uint32_t width,
			   uint64_t value)
{
	ethosu_device_write(device, (uint32_t)offset, (uint32_t)value);
}

static void reset(void *device)
{
	ethosu_device_reset(device);
}

static void inject(void *device, uint32_t number, uint64_t value)
{
	ethosu_device_inject(device, (enum ethosu_inject)number, value);
}

/* A model's create() is not told which model it is for. */
#define MODEL(symbol, product, title, text)                                                        \
	static int create_##symbol(const struct nnadev_resources *resources, const void *config,   \
				   void **device)                                                  \
	{                                                                                          \
		struct ethosu_device *made;                                                        \
		int r = ethosu_device_create(ethosu_config_find(title), resources, config,         \
					     &made);                                               \
												   \
		if (!r)                                                                            \
			*device = made;                                                            \
		return r;                                                                          \
	}                                                                                          \
												   \
	const struct nnadev_model ethosu_##symbol##_model = {                                      \
		.name = title,                                                                     \
		.summary = text,                                                                   \
		.pci = {                                                                           \
			.vendor = ETHOSU_PCI_VENDOR,                                               \
			.device = ETHOSU_PCI_DEVICE,                                               \
			.subsystem_vendor = ETHOSU_PCI_VENDOR,                                     \
			.subsystem = product,                                                      \
			.class = ETHOSU_PCI_CLASS,                                                 \
			.revision = 1,                                                             \
		},                                                                                 \
		.bars = {                                                                          \
			[ETHOSU_PCI_REGISTER_BAR] = { NNADEV_BAR_MODEL, ETHOSU_BAR_SIZE, 4 },      \
			[ETHOSU_PCI_MSIX_BAR] = { .kind = NNADEV_BAR_MSIX },                       \
		},                                                                                 \
		.vectors = 1,                                                                      \
		.options = options,                                                                \
		.config_size = sizeof(struct ethosu_settings),                                     \
		.injections = injections,                                                          \
		.create = create_##symbol,                                                         \
		.destroy = destroy,                                                                \
		.describe = describe,                                                              \
		.read = read_register,                                                             \
		.write = write_register,                                                           \
		.reset = reset,                                                                    \
		.inject = inject,                                                                  \
	}

MODEL(u65_256, 0x65, "ethos-u65-256", "Arm Ethos-U65, 256 MACs");
MODEL(u65_512, 0x65, "ethos-u65-512", "Arm Ethos-U65, 512 MACs");
MODEL(u85_128, 0x85, "ethos-u85-128", "Arm Ethos-U85, 128 MACs");
MODEL(u85_256, 0x85, "ethos-u85-256", "Arm Ethos-U85, 256 MACs");
MODEL(u85_512, 0x85, "ethos-u85-512", "Arm Ethos-U85, 512 MACs");
MODEL(u85_1024, 0x85, "ethos-u85-1024", "Arm Ethos-U85, 1024 MACs");
MODEL(u85_2048, 0x85, "ethos-u85-2048", "Arm Ethos-U85, 2048 MACs");
