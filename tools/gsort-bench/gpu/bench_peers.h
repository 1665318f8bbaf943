/* bench_peers.h: merges on a group of two GPUs, without copies to the host. Each GPU has half of
 * the keys. They read what they need from each other and merge windows in turn. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bench_peers;

/* bench_peers_open: sorted keys on GPU 0 and 1.
 * fails GS_E_DEVICE, GS_E_MEMORY */
enum gs_status bench_peers_open(struct bench_peers **peers, struct gs_error *error);
void bench_peers_close(struct bench_peers *peers);

/* bench_peers_gather: both fetch, by gsort's kernel, what a merge of all takes from the other one;
 * the
 *     row's bytes are those fetched.
 * bench_peers_merge: both fetch and merge; the row's bytes are those merged, half of which were
 *     fetched. The output is checked outside the clock.
 * fails GS_E_DEVICE, GS_E_VERIFY */
enum gs_status bench_peers_gather(struct bench_peers *peers, struct bench_row *row,
                                  struct gs_error *error);
enum gs_status bench_peers_merge(struct bench_peers *peers, struct bench_row *row,
                                 struct gs_error *error);

#ifdef __cplusplus
}
#endif

#endif
