// cuda_tickets.h: declares the streams of the CUDA device, and tickets for work that is queued on
// them.
//
// One thread per stream waits for the GPU. It sleeps on the event of the stream's oldest ticket,
// appends the ticket to the finished ones and wakes the owner. The owner pops finished tickets in
// reap. A lost GPU ends those waits with an error, so no thread hangs.
#ifndef GSI_CUDA_TICKETS_H
#define GSI_CUDA_TICKETS_H

#include "base/choices.h"
#include "device/device.h"
#include "device/merge_cut.h"

#include <cuda_runtime.h>
#include <pthread.h>

struct gsi_cuda_device;
struct gsi_cuda_window;

enum gsi_cuda_stream { GSI_CUDA_IN, GSI_CUDA_COMPUTE, GSI_CUDA_OUT, GSI_CUDA_STREAMS };

// Keys that are being copied to a merge.
struct gsi_cuda_arrival {
    gsi_merge *merge; // nullptr: the ticket is for something else
    uint32_t input_idx;
    gsi_slice keys; // on the GPU
    gsi_buffer *buffer;
    bool has_bound;
    uint8_t bound[16]; // as in merge_feed
};

// Work on a stream that a thread waits for.
struct gsi_ticket {
    cudaEvent_t event;
    cudaError_t error;
    gsi_buffer *buffer;       // returned: uploaded, or reduced
    gsi_run *run;             // sorted
    gsi_cuda_window *window;  // filled
    gsi_cuda_arrival arrival; // fed
    uint8_t *digest;          // host; for a reduced buffer
    gsi_ticket *next;
};

GSI_LIST(gsi_ticket_list, gsi_ticket)

// The thread that waits for one stream.
struct gsi_cuda_waiter {
    gsi_cuda_device *device;
    pthread_t thread;
    bool is_started, is_closing;
    pthread_cond_t has_ticket;
    gsi_ticket_list tickets;
};

struct gsi_cuda_tickets {
    // Shared with the waiters, under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t has_finished;
    gsi_ticket_list finished;
    gsi_cuda_waiter waiters[GSI_CUDA_STREAMS];

    // Only for the owner.
    gsi_ticket *free;
    uint64_t issued_count; // tickets issued and not yet popped
};

bool gsi_cuda_tickets_open(gsi_cuda_device *device);
void gsi_cuda_tickets_close(gsi_cuda_device *device); // waits for queued work first

// gsi_cuda_ticket_make: returns an empty ticket; nullptr when the device has failed.
gsi_ticket *gsi_cuda_ticket_make(gsi_cuda_device *device);
// gsi_cuda_ticket_issue: queues the ticket. It finishes when all work that is on the stream now is
// done.
void gsi_cuda_ticket_issue(gsi_cuda_device *device, gsi_ticket *ticket, gsi_cuda_stream stream);
// gsi_cuda_ticket_pop: returns the oldest finished ticket, which the caller owns until it calls
// gsi_cuda_ticket_release; nullptr: there is none.
gsi_ticket *gsi_cuda_ticket_pop(gsi_cuda_device *device);
void gsi_cuda_ticket_release(gsi_cuda_device *device, gsi_ticket *ticket);
void gsi_cuda_ticket_wait(gsi_cuda_device *device); // until a ticket is finished

#endif
