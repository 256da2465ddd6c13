// SPDX-License-Identifier: MIT
/* Whose tile or job a thread runs, and what happens when memory vanishes under it. */
#include "device/nna/core/exec.h"

/* For whom a thread works; only the model's own threads have one. */
static _Thread_local struct nnadev_exec *thread_exec;

void nnadev_exec_enter_thread(struct nnadev_exec *exec)
{
	thread_exec = exec;
}

/*
 * Looking through the lists of files and segments is safe without a lock: a SIGBUS comes from guest
 * memory, and the lists lie in private memory. So the thread is either the command processor, and
 * not in the middle of changing them, or it runs a tile, during which nobody changes them.
 */
bool nnadev_exec_sigbus(void *address)
{
	struct nnadev_exec *exec = thread_exec;

	if (!exec ||
	    !(nnadev_memory_break(&exec->bus->memory, address) ||
	      nnadev_mmu_break(&exec->mmu, address)) ||
	    !nnadev_file_mend(address))
		return false;
	atomic_store(&exec->bus_error, true);
	return true;
}
