//! Jobs: options by name, and the calls that run them.

use crate::element::{key_of_format, Element, Shape};
use crate::error::{Error, Result};
use crate::hooks::{
    self, Cancel, Ending, Hook, NoteHook, Progress, ProgressHook, ReadHook, WriteHook,
};
use crate::report::Report;
use crate::sorter::Sorter;
use crate::sys;
use std::ffi::CString;
use std::io::{Read, Write};
use std::mem::size_of_val;
use std::os::raw::c_void;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// The work of a job on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Sorts.
    Sort = 0,
    /// Reports statistics only.
    Stats,
    /// Reports statistics, and fails with [`Status::Disorder`](crate::Status::Disorder) at the first disorder.
    Check,
    /// Reports the plan of a sort, and sorts nothing.
    Explain,
    /// Finds only the type of the elements and where they begin.
    Look,
    /// Finds only the position of the option `find` in a sorted file.
    Find,
    /// Like `Check`, but continues after disorder and counts duplicates.
    CheckAll,
}

enum Setting<'a> {
    Text(Vec<u8>, Vec<u8>),
    Reader(Arc<ReadHook<'a>>, u64),
    Writer(Arc<WriteHook<'a>>),
}

/// The closures of a job, which live until the library calls them no more.
#[derive(Default)]
pub(crate) struct Hooks<'a> {
    settings: Vec<Setting<'a>>,
    progress: Option<Arc<ProgressHook<'a>>>,
    note: Option<Arc<NoteHook<'a>>>,
}

/// A job: options by the names that the program `gsort` has for them.
///
/// Calls that describe the job never fail. The call that runs it names the first wrong option.
///
/// ```no_run
/// # #[derive(Clone, Copy, gsort::Element)]
/// # #[repr(C)]
/// # struct Trade { id: u64, price: f64 }
/// let report = gsort::Job::of::<Trade>()
///     .by(&["price desc", "id"])
///     .set("memory", "2G")
///     .set("unique", true)
///     .input("monday.trades")
///     .input("tuesday.trades")
///     .output("week.trades")
///     .progress(|now| eprint!("\r{} bytes", now.bytes_done))
///     .run(gsort::Action::Sort)?;
/// println!("{} trades", report.count());
/// # Ok::<(), gsort::Error>(())
/// ```
///
/// The same options sort an array: [`Job::sort`], [`Job::argsort`], [`Job::stats`] and
/// [`Job::check`]. The job may be run again. A panic of a closure cancels the job, with all others
/// that have the same [`Cancel`], and continues in the call that runs it.
#[derive(Default)]
pub struct Job<'a> {
    shape: Option<Shape>, // of files
    by: Vec<String>,
    hooks: Hooks<'a>,
    cancel: Option<Cancel>,
    failed: Option<Report>,
}

/// A gs_job during a call.
pub(crate) struct Handle(*mut sys::gs_job);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the job is ours, and NULL is allowed.
        unsafe { sys::gs_job_free(self.0) }
    }
}

impl Handle {
    pub fn as_ptr(&self) -> *mut sys::gs_job {
        self.0
    }

    /// Turns the result of a call with this job into one of Rust.
    fn done(&self, status: sys::gs_status) -> Result<()> {
        if status == sys::GS_OK {
            return Ok(());
        }
        // SAFETY: the error is valid until the next call with the job.
        let error = unsafe { sys::gs_job_error(self.0).as_ref() };
        Err(error.map_or_else(Error::memory, Error::of))
    }

    /// Sets an option, or appends to it if it is a list.
    fn set(&self, name: &[u8], value: &[u8]) -> Result<()> {
        let name = text(name)?;
        let value = text(value)?;
        // SAFETY: job and texts are valid; the library copies the texts.
        self.done(unsafe {
            match sys::gs_option_find(name.as_ptr()).as_ref() {
                Some(option) if option.is_list => {
                    sys::gs_job_add(self.0, name.as_ptr(), value.as_ptr())
                }
                _ => sys::gs_job_set(self.0, name.as_ptr(), value.as_ptr()),
            }
        })
    }
}

fn text(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| {
        let text = String::from_utf8_lossy(bytes).replace('\0', "?");
        Error::usage(format!("'{}': contains a byte of 0", text))
    })
}

impl<'a> Job<'a> {
    /// A job on an array, or on files whose names or headers tell the type (`x.f64`, `.npy`).
    pub fn new() -> Self {
        Job::default()
    }

    /// A job on files of elements of the type T.
    pub fn of<T: Element>() -> Self {
        Job { shape: Some(Shape::of::<T>()), ..Job::default() }
    }

    /// Sets an option to a number, a text, or true: `.set("memory", "2G")`. One that is a list
    /// grows by each call. The manual of gsort describes all options.
    pub fn set(mut self, name: &str, value: impl ToString) -> Self {
        self.push(name, value.to_string().into_bytes());
        self
    }

    /// Sets several options.
    pub fn options(self, options: &[(&str, &str)]) -> Self {
        options.iter().fold(self, |job, (name, value)| job.set(name, value))
    }

    /// Sorts by these keys instead of the type's own order. A key is a field, as in `"price desc"`,
    /// or an offset and a type, as in `"8:f64:desc"`.
    pub fn by(mut self, keys: &[&str]) -> Self {
        self.by.extend(keys.iter().map(|key| key.to_string()));
        self
    }

    /// Appends an input file. `-` is standard input.
    pub fn input(mut self, path: impl AsRef<Path>) -> Self {
        self.push("input", path.as_ref().as_os_str().as_bytes().to_vec());
        self
    }

    /// Sets the output file. `-` is standard output.
    pub fn output(mut self, path: impl AsRef<Path>) -> Self {
        self.push("output", path.as_ref().as_os_str().as_bytes().to_vec());
        self
    }

    /// Appends an input that is read from `reader`, as from a pipe. Its name is used in messages
    /// and for its type; `bytes` is its size if that is known. Threads of the library read it.
    pub fn reader(mut self, name: &str, reader: impl Read + Send + 'a, bytes: Option<u64>) -> Self {
        let reader: Box<dyn Read + Send + 'a> = Box::new(reader);
        let hook = Hook::new(reader, name_of(name));
        self.hooks.settings.push(Setting::Reader(hook, bytes.unwrap_or(0)));
        self
    }

    /// Writes the output to `writer`, as to a pipe. Only a job that succeeds has written everything
    /// and verified it. The last flush is left to `writer`. Threads of the library write.
    pub fn writer(mut self, name: &str, writer: impl Write + Send + 'a) -> Self {
        let writer: Box<dyn Write + Send + 'a> = Box::new(writer);
        let hook = Hook::new(writer, name_of(name));
        self.hooks.settings.push(Setting::Writer(hook));
        self
    }

    /// Calls `progress` a few times per second, on the thread that runs the job or, for a sorter,
    /// on one of the library.
    pub fn progress(mut self, progress: impl FnMut(&Progress) + Send + 'a) -> Self {
        let progress: Box<dyn FnMut(&Progress) + Send + 'a> = Box::new(progress);
        self.hooks.progress = Some(Hook::new(progress, CString::default()));
        self
    }

    /// Calls `note` with lines that are worth knowing although nothing failed.
    pub fn note(mut self, note: impl FnMut(&str) + Send + 'a) -> Self {
        let note: Box<dyn FnMut(&str) + Send + 'a> = Box::new(note);
        self.hooks.note = Some(Hook::new(note, CString::default()));
        self
    }

    /// Lets `cancel` stop the job.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }

    fn push(&mut self, name: &str, value: Vec<u8>) {
        self.hooks.settings.push(Setting::Text(name.as_bytes().to_vec(), value));
    }

    /// Runs the job on its inputs, and returns the report.
    pub fn run(&mut self, action: Action) -> Result<Report> {
        // SAFETY: the job is valid.
        self.call(self.shape, |job| unsafe { sys::gs_job_run(job, action as sys::gs_action) })
    }

    /// Sorts a slice in place.
    pub fn sort<T: Element>(&mut self, elements: &mut [T]) -> Result<Report> {
        let bytes = size_of_val(elements) as u64;
        let data = elements.as_mut_ptr() as *mut c_void;
        // SAFETY: the slice is ours, and any bytes are elements.
        self.call_array::<T>(|job| unsafe { sys::gs_job_sort_array(job, data, bytes) })
    }

    /// Returns the positions of the elements in order, and leaves the elements unchanged. Equal
    /// elements keep their order.
    pub fn argsort<T: Element>(&mut self, elements: &[T]) -> Result<Vec<usize>> {
        let bytes = size_of_val(elements) as u64;
        let data = elements.as_ptr() as *const c_void;
        let mut positions: Vec<usize> = Vec::with_capacity(elements.len());
        let room = positions.as_mut_ptr() as *mut u64; // lib.rs requires 64 bits
                                                       // SAFETY: both arrays are valid, and there is room for as many positions as elements.
        self.call_array::<T>(|job| unsafe { sys::gs_job_argsort_array(job, data, bytes, room) })?;
        // SAFETY: a call that succeeds has written all positions.
        unsafe { positions.set_len(elements.len()) };
        Ok(positions)
    }

    /// Returns the statistics of a slice.
    pub fn stats<T: Element>(&mut self, elements: &[T]) -> Result<Report> {
        let bytes = size_of_val(elements) as u64;
        let data = elements.as_ptr() as *const c_void;
        // SAFETY: the slice is valid.
        self.call_array::<T>(|job| unsafe { sys::gs_job_stats_array(job, data, bytes) })
    }

    /// Returns the statistics of a slice that is in order, and fails with [`Status::Disorder`](crate::Status::Disorder) if
    /// it is not.
    pub fn check<T: Element>(&mut self, elements: &[T]) -> Result<Report> {
        let bytes = size_of_val(elements) as u64;
        let data = elements.as_ptr() as *const c_void;
        // SAFETY: the slice is valid.
        self.call_array::<T>(|job| unsafe { sys::gs_job_check_array(job, data, bytes) })
    }

    /// Returns the report on the last run if that failed, as far as it went: a check reports where
    /// the disorder is.
    pub fn failed_report(&self) -> Option<&Report> {
        self.failed.as_ref()
    }

    fn call_array<T: Element>(
        &mut self,
        call: impl FnOnce(*mut sys::gs_job) -> sys::gs_status,
    ) -> Result<Report> {
        self.has_no_type()?;
        self.call(Some(Shape::of::<T>()), call)
    }

    fn call(
        &mut self,
        shape: Option<Shape>,
        call: impl FnOnce(*mut sys::gs_job) -> sys::gs_status,
    ) -> Result<Report> {
        self.failed = None;
        let ending = self.ending()?;
        let handle = self.describe(shape, &ending)?;
        let result = handle.done(call(handle.as_ptr()));
        // SAFETY: the job is valid; the report is ours then.
        let report = Report::of(unsafe { sys::gs_job_take_report(handle.as_ptr()) });
        drop(handle);
        ending.check();
        match result {
            Ok(()) => report.ok_or_else(Error::memory),
            Err(error) => {
                self.failed = report;
                Err(error)
            }
        }
    }

    /// The type of a slice tells these options.
    fn has_no_type(&self) -> Result<()> {
        for setting in &self.hooks.settings {
            if let Setting::Text(name, _) = setting {
                if [&b"type"[..], b"record", b"key"].contains(&name.as_slice()) {
                    return Err(Error::usage(format!(
                        "--{}: is set by the element type; leave it out, and name other keys in `by`",
                        String::from_utf8_lossy(name)
                    )));
                }
            }
        }
        Ok(())
    }

    /// A job with closures can be stopped when one panics.
    fn ending(&self) -> Result<Arc<Ending>> {
        let is_text = |setting: &Setting<'_>| matches!(setting, Setting::Text(..));
        let hooks = &self.hooks;
        let has_hooks =
            hooks.progress.is_some() || hooks.note.is_some() || !hooks.settings.iter().all(is_text);
        Ok(Arc::new(match &self.cancel {
            Some(cancel) => Ending::new(cancel.clone()),
            None if has_hooks => Ending::new(Cancel::new()?),
            None => Ending::default(),
        }))
    }

    /// Makes a gs_job of the settings. It borrows the hooks and the cancel of `ending`.
    fn describe(&self, shape: Option<Shape>, ending: &Arc<Ending>) -> Result<Handle> {
        // SAFETY: the call has no conditions.
        let handle = Handle(unsafe { sys::gs_job_create() });
        let job = handle.as_ptr();
        if let Some(shape) = shape {
            for (name, value) in shape.options(&self.by)? {
                handle.set(name.as_bytes(), value.as_bytes())?;
            }
        } else {
            for key in &self.by {
                handle.set(b"key", key_of_format(key).as_bytes())?;
            }
        }
        for setting in &self.hooks.settings {
            match setting {
                Setting::Text(name, value) => handle.set(name, value)?,
                Setting::Reader(hook, bytes) => {
                    let reader = sys::gs_reader {
                        read: Some(hooks::read),
                        stop: None,
                        context: hook.context(ending),
                        bytes: *bytes,
                    };
                    // SAFETY: the library copies name and struct; the hook outlives the job.
                    let status =
                        unsafe { sys::gs_job_add_reader(job, hook.name().as_ptr(), &reader) };
                    handle.done(status)?;
                }
                Setting::Writer(hook) => {
                    let writer = sys::gs_writer {
                        write: Some(hooks::write),
                        stop: None,
                        context: hook.context(ending),
                    };
                    // SAFETY: as for a reader.
                    let status =
                        unsafe { sys::gs_job_set_writer(job, hook.name().as_ptr(), &writer) };
                    handle.done(status)?;
                }
            }
        }
        // SAFETY: the hooks and the cancel outlive the job.
        unsafe {
            if let Some(hook) = &self.hooks.progress {
                let context = hook.context(ending);
                handle.done(sys::gs_job_set_progress(job, Some(hooks::progress), context))?;
            }
            if let Some(hook) = &self.hooks.note {
                let context = hook.context(ending);
                handle.done(sys::gs_job_set_note(job, Some(hooks::note), context))?;
            }
            if let Some(cancel) = ending.cancel() {
                handle.done(sys::gs_job_set_cancel(job, cancel.as_ptr()))?;
            }
        }
        Ok(handle)
    }
}

impl Job<'static> {
    /// Opens a sorter with these options. Closures run on a thread of the sorter, so they own what
    /// they use.
    pub fn sorter<T: Element>(self) -> Result<Sorter<T>> {
        self.has_no_type()?;
        for setting in &self.hooks.settings {
            if let Setting::Text(name, value) = setting {
                let is_on = value != b"false" && value != b"0";
                if (name == b"count" && is_on) || (name == b"sum" && value.ends_with(b":wide")) {
                    return Err(Error::usage(format!(
                        "--{}: its output is not of the element type",
                        String::from_utf8_lossy(name)
                    )));
                }
            }
        }
        let ending = self.ending()?;
        let handle = self.describe(Some(Shape::of::<T>()), &ending)?;
        Sorter::open(&handle, ending, self.hooks)
    }
}

fn name_of(name: &str) -> CString {
    CString::new(name.replace('\0', "?")).unwrap_or_default()
}
