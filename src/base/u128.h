/* u128.h: the 128-bit unsigned integer, which ISO C has no name for. */
#ifndef GSI_U128_H
#define GSI_U128_H

#include <stdint.h>

__extension__ typedef unsigned __int128 gsi_u128;

#endif
