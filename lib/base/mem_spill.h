/*
 * mem_spill.h - arrays in files without names, for mem.c and thread.c
 *
 * What mem_set_bound() of mem_bound.h arranges.  Threads may call these functions at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/mem_ledger.h"

/*
 * spill_look() - drop pages of files if the bound is near; between the tasks of parallel loops
 *
 * Some 20 ns, mostly.
 */
void spill_look(void);

/*
 * spill_wanted() - does a new array of so many bytes belong into a file?
 *
 * If 'is_held', what mem_hold_back() says is for such arrays.
 */
bool spill_wanted(size_t bytes, bool is_held);

/*
 * spill_check_kept() - may an array of so many bytes be taken that must not be in a file?
 *
 * 0, or -1 with ERR_ARGUMENT that says which bound would do.
 */
int spill_check_kept(size_t bytes, struct error *err);

/*
 * spill_take() - map a new file of so many bytes, all 0, as the piece '*entry', whose owner is set
 *
 * The folder has all the room before this returns: writing to the piece cannot fail.  Returns 0, or
 * -1 with ERR_IO naming the folder and the bytes.
 */
int spill_take(struct ledger_entry *entry, size_t bytes, struct error *err);

/*
 * spill_resize() - the piece gets so many bytes, and may move; -1 with ERR_IO, and it is as it was
 */
int spill_resize(struct ledger_entry *entry, size_t bytes, struct error *err);

/* spill_release() - unmap the piece; a file of spill_take() is gone with it */
void spill_release(const struct ledger_entry *entry);
