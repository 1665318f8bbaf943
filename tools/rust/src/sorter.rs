//! Sorts elements that a program pushes, within the memory of the job.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::hooks::Ending;
use crate::job::{Handle, Hooks, Job};
use crate::report::Report;
use crate::sys;
use std::marker::PhantomData;
use std::mem::{size_of, size_of_val, MaybeUninit};
use std::ops::Range;
use std::os::raw::c_void;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// A gs_sorter, and what it borrows.
struct Core {
    raw: NonNull<sys::gs_sorter>,
    ending: Arc<Ending>,
    _hooks: Hooks<'static>,
}

// SAFETY: any thread may make any call. The safe functions below make no two calls at once that the
// library forbids. Hooks are Send, and a mutex guards each.
unsafe impl Send for Core {}
unsafe impl Sync for Core {}

impl Drop for Core {
    fn drop(&mut self) {
        // SAFETY: no call is under way. Closures end with this call, before they are dropped.
        unsafe { sys::gs_sorter_close(self.raw.as_ptr()) }
    }
}

impl Core {
    /// Makes a call, and continues the panic of a closure that made it fail.
    fn call(
        &self,
        call: impl FnOnce(*mut sys::gs_sorter, *mut sys::gs_error) -> sys::gs_status,
    ) -> Result<()> {
        let mut error = no_error();
        if call(self.raw.as_ptr(), error.as_mut_ptr()) == sys::GS_OK {
            return Ok(());
        }
        self.ending.check();
        // SAFETY: a call that failed has described it.
        Err(Error::of(unsafe { error.assume_init_ref() }))
    }
}

/// An error of zeros.
fn no_error() -> MaybeUninit<sys::gs_error> {
    MaybeUninit::zeroed()
}

/// How many bytes a sorter lends at a time for elements that are pushed one by one.
const LENT_BYTES: u64 = 1 << 20;

/// Sorts elements that are pushed, in any number: what does not fit into the option `memory` is
/// spilled to unnamed temporary files. Threads of the library sort meanwhile.
///
/// ```
/// use gsort::Sorter;
///
/// let mut sorter = Sorter::<u64>::new(&[("memory", "64M")])?;
/// for i in 0..1000 {
///     sorter.push(i * 7919 % 1009)?;
/// }
/// let mut last = 0;
/// for number in sorter.finish()? {
///     let number = number?;
///     assert!(last <= number);
///     last = number;
/// }
/// # Ok::<(), gsort::Error>(())
/// ```
///
/// A sorter that is dropped ends the sort and removes its temporary files. After a failure every
/// later call fails in the same way. A panic of a closure continues in the next call that fails.
pub struct Sorter<T: Element> {
    // Room in the sorter's own memory, for single elements.
    data: *mut u8,
    at: *mut u8,
    end: *mut u8,
    core: Core,
    _elements: PhantomData<T>,
}

// SAFETY: Core is both, and only `&mut self` uses the room.
unsafe impl<T: Element> Send for Sorter<T> {}
unsafe impl<T: Element> Sync for Sorter<T> {}

impl<T: Element> Sorter<T> {
    /// Opens a sorter with options by name; [`Job::sorter`] does with keys and closures.
    pub fn new(options: &[(&str, &str)]) -> Result<Self> {
        Job::new().options(options).sorter()
    }

    pub(crate) fn open(job: &Handle, ending: Arc<Ending>, hooks: Hooks<'static>) -> Result<Self> {
        let mut error = no_error();
        // SAFETY: the job is valid, and its hooks outlive the sorter.
        let raw = unsafe { sys::gs_sorter_open(job.as_ptr(), error.as_mut_ptr()) };
        // SAFETY: without a sorter the error is described.
        let raw = NonNull::new(raw).ok_or_else(|| Error::of(unsafe { error.assume_init_ref() }))?;
        Ok(Sorter {
            data: ptr::null_mut(),
            at: ptr::null_mut(),
            end: ptr::null_mut(),
            core: Core { raw, ending, _hooks: hooks },
            _elements: PhantomData,
        })
    }

    /// Pushes an element. It is written to the place where it will be sorted.
    #[inline]
    pub fn push(&mut self, element: T) -> Result<()> {
        if (self.end as usize) - (self.at as usize) < size_of::<T>() {
            self.lend()?;
        }
        // SAFETY: there is room for an element. It may be unaligned.
        unsafe {
            ptr::write_unaligned(self.at as *mut T, element);
            self.at = self.at.add(size_of::<T>());
        }
        Ok(())
    }

    /// Pushes elements, until the first failure.
    pub fn extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<()> {
        elements.into_iter().try_for_each(|element| self.push(element))
    }

    /// Pushes all elements of a slice.
    pub fn push_slice(&mut self, elements: &[T]) -> Result<()> {
        self.pusher()?.push_slice(elements)
    }

    /// Returns what any number of threads may push slices with at once. Elements with equal keys
    /// are sorted in the order of these calls.
    ///
    /// ```
    /// let mut sorter = gsort::Sorter::<u32>::new(&[("memory", "64M")])?;
    /// let pusher = sorter.pusher()?;
    /// std::thread::scope(|scope| {
    ///     for i in 0..4 {
    ///         scope.spawn(move || pusher.push_slice(&[i, i + 10]).unwrap());
    ///     }
    /// });
    /// let sorted: Result<Vec<u32>, _> = sorter.finish()?.collect();
    /// assert_eq!(sorted?, [0, 1, 2, 3, 10, 11, 12, 13]);
    /// # Ok::<(), gsort::Error>(())
    /// ```
    pub fn pusher(&mut self) -> Result<Pusher<'_, T>> {
        self.give_back()?;
        Ok(Pusher { core: &self.core, _elements: PhantomData })
    }

    /// Ends the pushes, and returns the sorted elements.
    pub fn finish(mut self) -> Result<Sorted<T>> {
        self.give_back()?;
        // SAFETY: the sorter is valid.
        self.core.call(|sorter, error| unsafe { sys::gs_sorter_finish(sorter, error) })?;
        Ok(Sorted { blocks: Blocks::new(), core: self.core })
    }

    #[cold]
    fn lend(&mut self) -> Result<()> {
        self.give_back()?;
        let (mut data, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: the sorter and the results are valid.
        self.core.call(|sorter, error| unsafe {
            sys::gs_sorter_reserve(sorter, LENT_BYTES, &mut data, &mut bytes, error)
        })?;
        self.data = data as *mut u8;
        self.at = self.data;
        // SAFETY: the room has so many bytes.
        self.end = unsafe { self.data.add(bytes as usize) };
        Ok(())
    }

    /// Commits the elements that were pushed one by one.
    fn give_back(&mut self) -> Result<()> {
        if self.data.is_null() {
            return Ok(());
        }
        let (data, bytes) = (self.data as *mut c_void, self.at as usize - self.data as usize);
        self.data = ptr::null_mut();
        self.at = ptr::null_mut();
        self.end = ptr::null_mut();
        // SAFETY: the room was lent, and nothing else was pushed or reserved since.
        self.core.call(|sorter, error| unsafe {
            sys::gs_sorter_commit(sorter, data, bytes as u64, error)
        })
    }
}

/// Pushes slices into a [`Sorter`], from any thread.
pub struct Pusher<'s, T: Element> {
    core: &'s Core,
    _elements: PhantomData<T>,
}

impl<T: Element> Clone for Pusher<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for Pusher<'_, T> {}

impl<T: Element> Pusher<'_, T> {
    /// Pushes all elements of a slice. Waits while earlier elements fill the memory.
    pub fn push_slice(&self, elements: &[T]) -> Result<()> {
        // SAFETY: the slice is valid. Any number of threads may push.
        self.core.call(|sorter, error| unsafe {
            let data = elements.as_ptr() as *const c_void;
            sys::gs_sorter_push(sorter, data, size_of_val(elements) as u64, error)
        })
    }
}

/// The blocks that a sorter lends, one after the other.
struct Blocks<T> {
    at: *const T,
    end: *const T,
    is_over: bool,
    room: Vec<T>, // a block of one element may have any address
}

impl<T: Element> Blocks<T> {
    fn new() -> Self {
        Blocks {
            at: NonNull::dangling().as_ptr(),
            end: NonNull::dangling().as_ptr(),
            is_over: false,
            room: Vec::new(),
        }
    }

    /// Returns the rest of the block, or else the next one, and passes it. Empty: the end.
    fn take(&mut self, core: &Core, part: Option<(u32, u32)>) -> Result<&[T]> {
        if self.at == self.end && !self.is_over {
            self.pull(core, part)?;
        }
        let at = std::mem::replace(&mut self.at, self.end);
        // SAFETY: both are of one block, which the library lends until the next call.
        Ok(unsafe { std::slice::from_raw_parts(at, self.end.offset_from(at) as usize) })
    }

    #[cold]
    fn pull(&mut self, core: &Core, part: Option<(u32, u32)>) -> Result<()> {
        let (mut data, mut bytes) = (ptr::null(), 0);
        self.is_over = true; // if the call fails
                             // SAFETY: the sorter and the results are valid. `&mut` allows one thread only.
        core.call(|sorter, error| unsafe {
            match part {
                None => sys::gs_sorter_pull(sorter, &mut data, &mut bytes, error),
                Some((i, n)) => {
                    sys::gs_sorter_pull_part(sorter, i, n, &mut data, &mut bytes, error)
                }
            }
        })?;
        self.is_over = bytes == 0;
        if self.is_over {
            return Ok(());
        }
        let (mut data, count) = (data as *const T, bytes as usize / size_of::<T>());
        if data as usize % std::mem::align_of::<T>() != 0 {
            self.room.clear();
            self.room.reserve(count);
            // SAFETY: the room is large enough, and any bytes are elements.
            unsafe {
                let room = self.room.as_mut_ptr();
                ptr::copy_nonoverlapping(data as *const u8, room as *mut u8, bytes as usize);
            }
            data = self.room.as_ptr();
        }
        self.at = data;
        // SAFETY: the block has so many elements.
        self.end = unsafe { data.add(count) };
        Ok(())
    }

    #[inline]
    fn next(&mut self, core: &Core, part: Option<(u32, u32)>) -> Option<Result<T>> {
        if self.at == self.end {
            if self.is_over {
                return None;
            }
            if let Err(error) = self.pull(core, part) {
                return Some(Err(error));
            }
            if self.is_over {
                return None;
            }
        }
        // SAFETY: there is an element before the end, aligned.
        unsafe {
            let element = *self.at;
            self.at = self.at.add(1);
            Some(Ok(element))
        }
    }
}

/// The sorted elements of a [`Sorter`]: an iterator of results.
///
/// Only the end of the iterator proves that no element was lost or changed. A loop that ends early
/// has seen elements in order.
pub struct Sorted<T: Element> {
    blocks: Blocks<T>,
    core: Core,
}

// SAFETY: Core is both, and only `&mut self` uses the blocks.
unsafe impl<T: Element> Send for Sorted<T> {}
unsafe impl<T: Element> Sync for Sorted<T> {}

impl<T: Element> Sorted<T> {
    /// Lends the next elements in order. An empty slice is the end.
    pub fn next_block(&mut self) -> Result<&[T]> {
        self.blocks.take(&self.core, None)
    }

    /// Returns n equal parts of the order; each may have a thread of its own. The elements are
    /// written to an unnamed temporary file first. Later calls use the same n. An iteration
    /// afterwards begins at the first element; it must not have begun before.
    pub fn parts(&mut self, n: u32) -> Vec<Part<'_, T>> {
        let part = |i| Part { core: &self.core, place: (i, n), blocks: Blocks::new() };
        (0..n).map(part).collect()
    }

    /// Returns the element that has `rank` others before it. Like [`Sorted::parts`], it writes a
    /// file first, and fails after an iteration has begun.
    pub fn rank(&self, rank: u64) -> Result<T> {
        let mut element = MaybeUninit::<T>::uninit();
        // SAFETY: there is room for an element, and any bytes are one.
        unsafe {
            self.core.call(|sorter, error| {
                sys::gs_sorter_rank(sorter, rank, element.as_mut_ptr() as *mut c_void, error)
            })?;
            Ok(element.assume_init())
        }
    }

    /// Returns the ranks of all elements equal to `element`: an empty range, where it would be
    /// inserted, if there is none.
    pub fn rank_of(&self, element: &T) -> Result<Range<u64>> {
        let (mut below, mut not_above) = (0, 0);
        let element = element as *const T as *const c_void;
        // SAFETY: the element and the results are valid.
        self.core.call(|sorter, error| unsafe {
            sys::gs_sorter_rank_of(sorter, element, &mut below, &mut not_above, error)
        })?;
        Ok(below..not_above)
    }

    /// Returns the report, after the end of the iterator, a part or a rank.
    pub fn report(&self) -> Result<Report> {
        let mut report = ptr::null_mut();
        // SAFETY: the sorter is valid, and the report is ours.
        self.core.call(|sorter, error| unsafe {
            report = sys::gs_sorter_report(sorter, error);
            (*error).status
        })?;
        Report::of(report).ok_or_else(Error::memory)
    }
}

impl<T: Element> Iterator for Sorted<T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        self.blocks.next(&self.core, None)
    }
}

impl<T: Element> std::iter::FusedIterator for Sorted<T> {}

/// One of equal parts of the sorted elements: an iterator of results.
pub struct Part<'s, T: Element> {
    core: &'s Core,
    place: (u32, u32),
    blocks: Blocks<T>,
}

// SAFETY: Core is Sync, and each part may have a thread of its own.
unsafe impl<T: Element> Send for Part<'_, T> {}

impl<T: Element> Part<'_, T> {
    /// Lends the next elements of the part in order. An empty slice is the end.
    pub fn next_block(&mut self) -> Result<&[T]> {
        self.blocks.take(self.core, Some(self.place))
    }
}

impl<T: Element> Iterator for Part<'_, T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        self.blocks.next(self.core, Some(self.place))
    }
}

impl<T: Element> std::iter::FusedIterator for Part<'_, T> {}

macro_rules! debug {
    ($($name:ident $(<$life:lifetime>)?)*) => { $(
        impl<T: Element> std::fmt::Debug for $name<$($life,)? T> {
            fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str(stringify!($name))
            }
        }
    )* };
}
debug! { Sorter Sorted Pusher<'_> Part<'_> }
