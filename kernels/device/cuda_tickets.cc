// cuda_tickets.cc: runs the threads that wait for the GPU and wake the owner.
#include "kernels/device/cuda_device.h"

#include "base/pool.h"

#include <stdlib.h>

static void *wait_for_tickets(void *argument)
{
    gsi_cuda_waiter *waiter = static_cast<gsi_cuda_waiter *>(argument);
    gsi_cuda_device *device = waiter->device;
    const cudaError_t set = cudaSetDevice(static_cast<int>(device->config.device_index));
    pthread_mutex_lock(&device->lock);
    for (;;) {
        while (waiter->tickets.head == nullptr && !waiter->is_closing)
            pthread_cond_wait(&waiter->has_ticket, &device->lock);
        gsi_ticket *ticket = gsi_ticket_list_pop(&waiter->tickets);
        if (ticket == nullptr)
            break;
        pthread_mutex_unlock(&device->lock);
        ticket->error = set != cudaSuccess ? set : cudaEventSynchronize(ticket->event);
        pthread_mutex_lock(&device->lock);
        gsi_ticket_list_push(&device->finished, ticket);
        pthread_cond_signal(&device->has_finished);
        device->config.wake(device->config.wake_context);
    }
    pthread_mutex_unlock(&device->lock);
    return nullptr;
}

bool gsi_cuda_waiters_start(gsi_cuda_device *device)
{
    pthread_mutex_init(&device->lock, nullptr);
    pthread_cond_init(&device->has_finished, nullptr);
    gsi_ticket_list_init(&device->finished);
    for (gsi_cuda_waiter &waiter : device->waiters) {
        waiter.device = device;
        pthread_cond_init(&waiter.has_ticket, nullptr);
        gsi_ticket_list_init(&waiter.tickets);
        waiter.is_started = gsi_thread_start(&waiter.thread, wait_for_tickets, &waiter) == 0;
        if (!waiter.is_started)
            return false;
    }
    return true;
}

void gsi_cuda_waiters_stop(gsi_cuda_device *device)
{
    for (gsi_cuda_waiter &waiter : device->waiters) {
        if (!waiter.is_started)
            continue;
        pthread_mutex_lock(&device->lock);
        waiter.is_closing = true;
        pthread_cond_signal(&waiter.has_ticket);
        pthread_mutex_unlock(&device->lock);
        pthread_join(waiter.thread, nullptr);
        pthread_cond_destroy(&waiter.has_ticket);
    }
    for (gsi_ticket *ticket; (ticket = gsi_ticket_list_pop(&device->finished)) != nullptr;)
        gsi_cuda_ticket_give(device, ticket);
    for (gsi_ticket *ticket = device->free_tickets, *next; ticket != nullptr; ticket = next) {
        next = ticket->next;
        cudaEventDestroy(ticket->event);
        free(ticket);
    }
    pthread_cond_destroy(&device->has_finished);
    pthread_mutex_destroy(&device->lock);
}

gsi_ticket *gsi_cuda_ticket_make(gsi_cuda_device *device)
{
    gsi_ticket *ticket = device->free_tickets;
    cudaEvent_t event;
    if (ticket != nullptr) {
        device->free_tickets = ticket->next;
        event = ticket->event;
    } else {
        if (!gsi_cuda_check(
                device,
                cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming),
                "cannot create an event"))
            return nullptr;
        ticket = static_cast<gsi_ticket *>(malloc(sizeof *ticket));
        if (ticket == nullptr) {
            cudaEventDestroy(event);
            gsi_cuda_check(device, cudaErrorMemoryAllocation, "cannot create an event");
            return nullptr;
        }
    }
    *ticket = gsi_ticket();
    ticket->event = event;
    return ticket;
}

void gsi_cuda_ticket_issue(gsi_cuda_device *device, gsi_ticket *ticket, gsi_cuda_stream stream)
{
    gsi_cuda_check(device, cudaEventRecord(ticket->event, device->streams[stream]),
                   "cannot record an event");
    device->issued_count++;
    gsi_cuda_waiter *waiter = &device->waiters[stream];
    pthread_mutex_lock(&device->lock);
    gsi_ticket_list_push(&waiter->tickets, ticket);
    pthread_cond_signal(&waiter->has_ticket);
    pthread_mutex_unlock(&device->lock);
}

gsi_ticket *gsi_cuda_ticket_take(gsi_cuda_device *device)
{
    pthread_mutex_lock(&device->lock);
    gsi_ticket *ticket = gsi_ticket_list_pop(&device->finished);
    pthread_mutex_unlock(&device->lock);
    if (ticket == nullptr)
        return nullptr;
    device->issued_count--;
    gsi_cuda_check(device, ticket->error, "work on the GPU failed");
    return ticket;
}

void gsi_cuda_ticket_give(gsi_cuda_device *device, gsi_ticket *ticket)
{
    ticket->next = device->free_tickets;
    device->free_tickets = ticket;
}

void gsi_cuda_ticket_wait(gsi_cuda_device *device)
{
    pthread_mutex_lock(&device->lock);
    while (device->finished.head == nullptr)
        pthread_cond_wait(&device->has_finished, &device->lock);
    pthread_mutex_unlock(&device->lock);
}
