/*
 * dealt_service.h - what other ranks than 0 do of pairs of classes that are dealt to them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

struct rank_rows;

/* dealt_service_run() - RANK_PAIRS: train some pairs (dealt_pairs.h); failures go to rank 0 */
void dealt_service_run(struct rank_rows *ranks);
