// cuda_current.h: keeps the calling thread's current GPU as its program has set it. Code of the
// program that runs between the operations of a device (callbacks, or after the job) finds its own
// GPU current.
#ifndef GSI_CUDA_CURRENT_H
#define GSI_CUDA_CURRENT_H

// Remembers the current GPU; its destructor makes that GPU current again, if the GPU is in use.
// Making an unused GPU current would initialize it, which takes memory and a part of a second.
class gsi_cuda_current
{
    int before;

  public:
    gsi_cuda_current();
    ~gsi_cuda_current();
    gsi_cuda_current(const gsi_cuda_current &) = delete;
    gsi_cuda_current &operator=(const gsi_cuda_current &) = delete;
};

// gsi_cuda_kept<operation>::call: the operation with the current GPU kept, as an entry of a table
// of operations.
template <auto operation> struct gsi_cuda_kept;

template <class Result, class... Arguments, Result (*operation)(Arguments...)>
struct gsi_cuda_kept<operation> {
    static Result call(Arguments... arguments)
    {
        const gsi_cuda_current current;
        return operation(arguments...);
    }
};

#endif
