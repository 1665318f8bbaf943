//! Closures that the library calls, and cancels.
//!
//! The library gets a pointer to a [`Hook`], which the job or the sorter owns for longer. A panic
//! does not cross the library: it cancels the job, and [`Ending::check`] continues it afterwards on
//! the thread of the program.

use crate::error::{Error, Result};
use crate::sys;
use std::any::Any;
use std::ffi::{CStr, CString};
use std::io::{ErrorKind, Read, Write};
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

struct Canceler(NonNull<sys::gs_cancel>);

// SAFETY: any number of threads may call gs_cancel_now at any time.
unsafe impl Send for Canceler {}
unsafe impl Sync for Canceler {}

impl Drop for Canceler {
    fn drop(&mut self) {
        // SAFETY: jobs and sorters hold a Cancel while they run, so the last one has ended.
        unsafe { sys::gs_cancel_free(self.0.as_ptr()) }
    }
}

/// Stops jobs and sorters from another thread. Clones stop the same ones.
///
/// ```
/// let cancel = gsort::Cancel::new()?;
/// let job = gsort::Job::new().cancel(&cancel);
/// cancel.now(); // running jobs, and those that start later
/// let error = job.sorter::<u64>().err().unwrap();
/// assert_eq!(error.status(), gsort::Status::Canceled);
/// # Ok::<(), gsort::Error>(())
/// ```
#[derive(Clone)]
pub struct Cancel(Arc<Canceler>);

impl Cancel {
    /// Fails if no memory or no file descriptor is left.
    pub fn new() -> Result<Cancel> {
        // SAFETY: the call has no conditions.
        let created = NonNull::new(unsafe { sys::gs_cancel_create() });
        Ok(Cancel(Arc::new(Canceler(created.ok_or_else(Error::memory)?))))
    }

    /// Stops all jobs that have this cancel. It cannot be undone. A signal handler may call it.
    pub fn now(&self) {
        // SAFETY: the pointer is valid while `self` is.
        unsafe { sys::gs_cancel_now(self.as_ptr()) }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::gs_cancel {
        self.0 .0.as_ptr()
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Cancel")
    }
}

/// A phase of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Reads and sorts the input.
    Read,
    /// Merges runs on disk into fewer ones.
    MergeRuns,
    /// Merges, and writes the output.
    Write,
    /// Reads the output back, with the option `verify-read`.
    ReadBack,
}

/// How far a job is.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Progress {
    /// The present phase.
    pub phase: Phase,
    /// The bytes of this phase that are done: of input, or of output in [`Phase::Write`].
    pub bytes_done: u64,
    /// All bytes of this phase, if they are known.
    pub bytes_total: Option<u64>,
    /// Since the job began.
    pub elapsed: Duration,
    /// Since the phase began.
    pub phase_elapsed: Duration,
    /// Until the job ends, at this pace, if it is known.
    pub left: Option<Duration>,
}

impl Progress {
    fn of(progress: &sys::gs_progress) -> Progress {
        let known = |value| if value == 0 { None } else { Some(value) };
        Progress {
            phase: match progress.phase {
                0 => Phase::Read,
                1 => Phase::MergeRuns,
                2 => Phase::Write,
                _ => Phase::ReadBack,
            },
            bytes_done: progress.bytes_done,
            bytes_total: known(progress.bytes_total),
            elapsed: Duration::from_nanos(progress.elapsed_ns),
            phase_elapsed: Duration::from_nanos(progress.phase_ns),
            left: known(progress.left_ns).map(Duration::from_nanos),
        }
    }
}

/// How a job with closures ends: the first panic of them, and what stops the job then.
#[derive(Default)]
pub(crate) struct Ending {
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    cancel: Option<Cancel>,
}

impl Ending {
    pub fn new(cancel: Cancel) -> Ending {
        Ending { panic: Mutex::new(None), cancel: Some(cancel) }
    }

    /// Continues the panic of a closure, if there was one. No closure may run any more that could
    /// still panic, except in a sorter, which was canceled.
    pub fn check(&self) {
        let panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }

    pub fn cancel(&self) -> Option<&Cancel> {
        self.cancel.as_ref()
    }

    fn store(&self, payload: Box<dyn Any + Send>) {
        let mut panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        panic.get_or_insert(payload);
        if let Some(cancel) = &self.cancel {
            cancel.now();
        }
    }
}

/// A closure, reader or writer. The library calls one only on one thread at a time; the mutex makes
/// this no assumption.
pub(crate) struct Hook<F> {
    call: Mutex<F>,
    name: CString, // of a reader or writer
    ending: Mutex<Arc<Ending>>,
}

impl<F> Hook<F> {
    pub fn new(call: F, name: CString) -> Arc<Hook<F>> {
        Arc::new(Hook { call: Mutex::new(call), name, ending: Mutex::default() })
    }

    pub fn name(&self) -> &CStr {
        &self.name
    }

    /// Returns what the library calls the hook with. `ending` hears of a panic.
    pub fn context(self: &Arc<Self>, ending: &Arc<Ending>) -> *mut c_void {
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = ending.clone();
        Arc::as_ptr(self) as *mut c_void
    }

    /// Calls the closure. Returns None if it panics, now or before.
    fn call<R>(&self, run: impl FnOnce(&mut F) -> R) -> Option<R> {
        let guarded = AssertUnwindSafe(|| {
            let mut call = self.call.lock().ok()?; // a panic poisons it
            Some(run(&mut call))
        });
        catch_unwind(guarded).unwrap_or_else(|payload| {
            self.ending.lock().unwrap_or_else(PoisonError::into_inner).store(payload);
            None
        })
    }
}

pub(crate) type ProgressHook<'a> = Hook<Box<dyn FnMut(&Progress) + Send + 'a>>;
pub(crate) type NoteHook<'a> = Hook<Box<dyn FnMut(&str) + Send + 'a>>;
pub(crate) type ReadHook<'a> = Hook<Box<dyn Read + Send + 'a>>;
pub(crate) type WriteHook<'a> = Hook<Box<dyn Write + Send + 'a>>;

// SAFETY of the four functions: `context` is the result of Hook::context of this kind, which the
// job or the sorter keeps until the library calls no more. The library lends the other arguments.

pub(crate) unsafe extern "C" fn progress(context: *mut c_void, now: *const sys::gs_progress) {
    let hook = &*(context as *const ProgressHook<'static>);
    hook.call(|call| call(&Progress::of(&*now)));
}

pub(crate) unsafe extern "C" fn note(context: *mut c_void, text: *const c_char) {
    let hook = &*(context as *const NoteHook<'static>);
    hook.call(|call| call(&CStr::from_ptr(text).to_string_lossy()));
}

pub(crate) unsafe extern "C" fn read(
    context: *mut c_void,
    data: *mut c_void,
    bytes: usize,
    error: *mut sys::gs_error,
) -> i64 {
    let hook = &*(context as *const ReadHook<'static>);
    let result = hook.call(|reader| {
        let data = std::slice::from_raw_parts_mut(data as *mut u8, bytes);
        loop {
            match reader.read(data) {
                Err(again) if again.kind() == ErrorKind::Interrupted => continue,
                result => return result.map(|read| read.min(bytes) as i64),
            }
        }
    });
    result.map_or(-1, |result| {
        result.unwrap_or_else(|failure| {
            fail(error, &hook.name, &failure);
            -1
        })
    })
}

pub(crate) unsafe extern "C" fn write(
    context: *mut c_void,
    data: *const c_void,
    bytes: usize,
    error: *mut sys::gs_error,
) -> bool {
    let hook = &*(context as *const WriteHook<'static>);
    let data = std::slice::from_raw_parts(data as *const u8, bytes);
    hook.call(|writer| writer.write_all(data))
        .map_or(false, |result| result.map_err(|failure| fail(error, &hook.name, &failure)).is_ok())
}

/// Describes the failure of a reader or writer.
unsafe fn fail(error: *mut sys::gs_error, name: &CStr, failure: &std::io::Error) {
    let name = name.as_ptr();
    if let Some(errno) = failure.raw_os_error() {
        let format = b"%s\0".as_ptr() as *const c_char;
        sys::gs_fail(error, sys::GS_E_IO, errno, format, name);
    } else {
        let text = CString::new(failure.to_string().replace('\0', "?")).unwrap_or_default();
        let format = b"%s: %s\0".as_ptr() as *const c_char;
        sys::gs_fail(error, sys::GS_E_IO, 0, format, name, text.as_ptr());
    }
}
