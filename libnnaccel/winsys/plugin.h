/* SPDX-License-Identifier: MIT */
/*
 * The loopback as a plug-in of the shared libraries, so that users with hardware do not carry the
 * simulator.
 *
 *	libnnaccel.a		has loopback/ in it
 *	libnnaccel.so,		have plugin.c in its place, which opens
 *	libneuralnetworks.so	nnaccel/libnnaccel-loopback.so in the directory where they are
 *
 * The plug-in contains loopback/, model/, the models of both devices, and the files of winsys/ that
 * they need.
 * It uses no symbol of the library and exports one. Library and plug-in share structures whose
 * layout is not stable, so each refuses a partner of another build.
 */
#ifndef NNA_WINSYS_PLUGIN_H
#define NNA_WINSYS_PLUGIN_H

#include "libnnaccel/winsys/winsys.h"

#define NNA_PLUGIN_SYMBOL "nnaccel_plugin"

/**
 * struct nna_plugin - the object that a plug-in exports as NNA_PLUGIN_SYMBOL
 * @build_id: the plug-in's build, a string; the first member in every build
 * @open: as @open of struct nna_winsys_backend, for a library of build @build_id. -ELIBBAD: the
 *	plug-in is of another build, and has read nothing but @build_id.
 *
 * The build id is a hash of the sources of the library and of the device (libnnaccel/module.mk).
 */
struct nna_plugin {
	char build_id[64];
	int (*open)(const char *build_id, const char *path,
		    const struct nna_device_options *options, struct nna_winsys **out);
};

#endif
