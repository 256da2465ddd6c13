/* SPDX-License-Identifier: MIT */
/*
 * Accounts: whoever opens a device may have the memory of the device, its programs and executions
 * charged to an account (struct nna_device_options). Each amount is charged before the memory is
 * taken and discharged after it was given back, by the thread that does so.
 *
 *	BOs			nna_winsys_bo_create(), nna_winsys_bo_import() (winsys/winsys.h):
 *				buffers, streams and constants, scratch, staging, state
 *	compiling		constants that the compiler makes, until they lie in a BO
 *	loading, and programs	what a program keeps in this process of its stream and tables
 */
#ifndef NNA_ACCOUNT_H
#define NNA_ACCOUNT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct nna_account - the callbacks of struct nna_device_options; all zero charges nobody
 * @charge: returns false if the memory must not be taken
 * @discharge: takes back what @charge has allowed
 * @user: handed to both
 */
struct nna_account {
	bool (*charge)(void *user, uint64_t bytes);
	void (*discharge)(void *user, uint64_t bytes);
	void *user;
};

/* @account may be NULL. Return: 0, or -ENOMEM if the account refuses. */
static inline int nna_account_charge(const struct nna_account *account, uint64_t bytes)
{
	if (!account || !account->charge || !bytes || account->charge(account->user, bytes))
		return 0;
	return -ENOMEM;
}

static inline void nna_account_discharge(const struct nna_account *account, uint64_t bytes)
{
	if (account && account->discharge && bytes)
		account->discharge(account->user, bytes);
}

#endif
