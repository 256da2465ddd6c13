/* SPDX-License-Identifier: MIT */
/*
 * The namer: a process that tells the driver for whom a file is.
 *
 * The driver shares the device among users, and a user is who has opened a file. The service opens
 * a file for each client, so all its clients would be one user. FILE_SET_USER makes a fresh file
 * another user's, and takes CAP_SYS_NICE. The service does not keep this capability, because it
 * would also let the service's process disturb others on the CPU. The namer has it, and no other
 * capability. It makes this one ioctl on files that the service sends, and nothing else.
 */
#ifndef NNB_NAMER_H
#define NNB_NAMER_H

#include <sys/types.h>

/* As nnb_process_start() for the namer. Return: its socket, or a negative errno. */
int nnb_namer_start(int (*enter)(void));
/*
 * Has the namer make a fresh file of the device belong to @uid. @fd stays the caller's. One thread
 * at a time may call it. Return: 0; -EACCES without the capability; -EINVAL or -ENOTTY from a
 * driver without FILE_SET_USER; another error of it; -EPIPE if the namer is gone.
 */
int nnb_namer_tell(int namer, int fd, uid_t uid);

#endif
