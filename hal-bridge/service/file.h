/* SPDX-License-Identifier: MIT */
/*
 * Files of clients that the service keeps beyond a call: cache files, memories of bursts.
 *
 * To close a file asks its file system, which may be the client's and never answer (helper.h says
 * the same of reads). The descriptor is the service's, so no helper can close it. A thread does, of
 * a pool of which a user has 4. A user whose files cannot be closed has no more of them kept.
 */
#ifndef NNB_FILE_H
#define NNB_FILE_H

struct nnb_client;

#define NNB_CLOSING_PER_USER 64u

/*
 * Duplicates a descriptor of the client's, to be closed by nnb_file_close(). Return: the duplicate,
 * -EAGAIN if its user has NNB_CLOSING_PER_USER files that are not closed yet, or another negative
 * errno.
 */
int nnb_file_keep(struct nnb_client *client, int fd);
/* Closes it without waiting. -1 is allowed. */
void nnb_file_close(struct nnb_client *client, int fd);

#endif
