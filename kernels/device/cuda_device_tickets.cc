// cuda_device_tickets.cc: runs the threads that wait for the GPU and wake the owner.
#include "kernels/device/cuda_device.h"

#include "base/pool.h"

#include <stdlib.h>

static void *wait_for_tickets(void *argument)
{
    gsi_cuda_waiter *waiter = static_cast<gsi_cuda_waiter *>(argument);
    gsi_cuda_device *device = waiter->device;
    const cudaError_t set = cudaSetDevice(static_cast<int>(device->config.device_index));
    pthread_mutex_lock(&device->tickets.lock);
    for (;;) {
        while (waiter->tickets.head == nullptr && !waiter->is_closing)
            pthread_cond_wait(&waiter->has_ticket, &device->tickets.lock);
        gsi_ticket *ticket = gsi_ticket_list_pop(&waiter->tickets);
        if (ticket == nullptr)
            break;
        pthread_mutex_unlock(&device->tickets.lock);
        ticket->error = set != cudaSuccess ? set : cudaEventSynchronize(ticket->event);
        pthread_mutex_lock(&device->tickets.lock);
        gsi_ticket_list_push(&device->tickets.finished, ticket);
        pthread_cond_signal(&device->tickets.has_finished);
        device->config.wake(device->config.wake_context);
    }
    pthread_mutex_unlock(&device->tickets.lock);
    return nullptr;
}

bool gsi_cuda_tickets_open(gsi_cuda_device *device)
{
    pthread_mutex_init(&device->tickets.lock, nullptr);
    pthread_cond_init(&device->tickets.has_finished, nullptr);
    gsi_ticket_list_init(&device->tickets.finished);
    for (gsi_cuda_waiter &waiter : device->tickets.waiters) {
        waiter.device = device;
        pthread_cond_init(&waiter.has_ticket, nullptr);
        gsi_ticket_list_init(&waiter.tickets);
        waiter.is_started = gsi_thread_start(&waiter.thread, wait_for_tickets, &waiter) == 0;
        if (!waiter.is_started)
            return false;
    }
    return true;
}

void gsi_cuda_tickets_close(gsi_cuda_device *device)
{
    for (gsi_cuda_waiter &waiter : device->tickets.waiters) {
        if (!waiter.is_started)
            continue;
        pthread_mutex_lock(&device->tickets.lock);
        waiter.is_closing = true;
        pthread_cond_signal(&waiter.has_ticket);
        pthread_mutex_unlock(&device->tickets.lock);
        pthread_join(waiter.thread, nullptr);
        pthread_cond_destroy(&waiter.has_ticket);
    }
    for (gsi_ticket *ticket; (ticket = gsi_ticket_list_pop(&device->tickets.finished)) != nullptr;)
        gsi_cuda_ticket_release(device, ticket);
    for (gsi_ticket *ticket = device->tickets.free, *next; ticket != nullptr; ticket = next) {
        next = ticket->next;
        cudaEventDestroy(ticket->event);
        free(ticket);
    }
    pthread_cond_destroy(&device->tickets.has_finished);
    pthread_mutex_destroy(&device->tickets.lock);
}

gsi_ticket *gsi_cuda_ticket_make(gsi_cuda_device *device)
{
    gsi_ticket *ticket = device->tickets.free;
    cudaEvent_t event;
    if (ticket != nullptr) {
        device->tickets.free = ticket->next;
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
    device->tickets.issued_count++;
    gsi_cuda_waiter *waiter = &device->tickets.waiters[stream];
    pthread_mutex_lock(&device->tickets.lock);
    gsi_ticket_list_push(&waiter->tickets, ticket);
    pthread_cond_signal(&waiter->has_ticket);
    pthread_mutex_unlock(&device->tickets.lock);
}

gsi_ticket *gsi_cuda_ticket_pop(gsi_cuda_device *device)
{
    pthread_mutex_lock(&device->tickets.lock);
    gsi_ticket *ticket = gsi_ticket_list_pop(&device->tickets.finished);
    pthread_mutex_unlock(&device->tickets.lock);
    if (ticket == nullptr)
        return nullptr;
    device->tickets.issued_count--;
    gsi_cuda_check(device, ticket->error, "work on the GPU failed");
    return ticket;
}

void gsi_cuda_ticket_release(gsi_cuda_device *device, gsi_ticket *ticket)
{
    ticket->next = device->tickets.free;
    device->tickets.free = ticket;
}

void gsi_cuda_ticket_wait(gsi_cuda_device *device)
{
    pthread_mutex_lock(&device->tickets.lock);
    while (device->tickets.finished.head == nullptr)
        pthread_cond_wait(&device->tickets.has_finished, &device->tickets.lock);
    pthread_mutex_unlock(&device->tickets.lock);
}
