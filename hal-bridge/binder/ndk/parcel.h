/* SPDX-License-Identifier: MIT */
/* Our reader and writer of an AParcel. libbinder itself checks the data that it reads. */
#ifndef NNB_NDK_PARCEL_H
#define NNB_NDK_PARCEL_H

#include <android/binder_parcel.h>

#include "hal-bridge/binder/ndk/link.h"

/**
 * struct nnb_ndk_reader - reads an AParcel
 * @reader: ours
 * @parcel: not owned
 * @link: the connection
 * @arena: owns what is read
 */
struct nnb_ndk_reader {
	struct nnb_reader reader;
	const AParcel *parcel;
	struct nnb_ndk *link;
	struct nnb_arena *arena;
};

/**
 * struct nnb_ndk_writer - writes at the end of an AParcel
 * @writer: ours
 * @parcel: not owned
 * @link: the connection
 */
struct nnb_ndk_writer {
	struct nnb_writer writer;
	AParcel *parcel;
	struct nnb_ndk *link;
};

void nnb_ndk_reader_init(struct nnb_ndk_reader *reader, struct nnb_ndk *link,
			 struct nnb_arena *arena, const AParcel *parcel);
void nnb_ndk_writer_init(struct nnb_ndk_writer *writer, struct nnb_ndk *link, AParcel *parcel);

/* Set the functions of a link's readers and writers, except for objects (object.h). */
void nnb_ndk_reader_ops(struct nnb_reader_ops *ops);
void nnb_ndk_writer_ops(struct nnb_writer_ops *ops);
/* Return: 0, or the negative errno of libbinder's status of a parcel. */
int nnb_ndk_error(binder_status_t status);

#endif
