/*
 * liblinear_adapter.h - LIBLINEAR as a library
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LIBLINEAR_ADAPTER_H
#define RANDSVM_LIBLINEAR_ADAPTER_H

/* liblinear_version_number() - of the library linked: 230 is 2.30 */
int liblinear_version_number(void);

#endif
