// cuda_current.h: which GPU is current on the calling thread. That is its program's affair: between
// the operations of a device (callbacks, behind the job) it is the one that the program has set.
#ifndef GSI_CUDA_CURRENT_H
#define GSI_CUDA_CURRENT_H

// Its end makes the GPU current again that was so at its beginning, if anybody uses that one: to
// make one current begins its use, which takes its memory and a part of a second.
class gsi_cuda_current
{
    int before;

  public:
    gsi_cuda_current();
    ~gsi_cuda_current();
    gsi_cuda_current(const gsi_cuda_current &) = delete;
    gsi_cuda_current &operator=(const gsi_cuda_current &) = delete;
};

// gsi_cuda_kept<operation>::call: the operation, as an entry of a table of operations.
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
