//! Reports.

use crate::sys;
use std::ffi::{CStr, CString};
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::ptr::NonNull;
use std::str::FromStr;

/// The report on a job. Its fields are those of the JSON, by their paths.
///
/// ```
/// let report = gsort::Job::new().stats(&[3u64, u64::MAX])?;
/// assert_eq!(report.count(), 2);
/// assert_eq!(report.min::<u64>(), Some(3));
/// assert_eq!(report.sum::<u128>(), Some((1 << 64) + 2)); // exact
/// assert_eq!(report.get::<u32>("plan.thread_count"), report.u64("plan.thread_count").map(|n| n as u32));
/// assert!(report.json().starts_with('{'));
/// # Ok::<(), gsort::Error>(())
/// ```
pub struct Report {
    raw: NonNull<sys::gs_report>,
    _not_sync: PhantomData<*mut ()>, // only one thread at a time may use it
}

// SAFETY: any thread may use it.
unsafe impl Send for Report {}

impl Report {
    /// Owns what the library returned.
    pub(crate) fn of(raw: *mut sys::gs_report) -> Option<Report> {
        NonNull::new(raw).map(|raw| Report { raw, _not_sync: PhantomData })
    }

    fn find<V>(
        &self,
        path: &str,
        get: impl FnOnce(*const sys::gs_report, *const c_char) -> V,
    ) -> Option<V> {
        let path = CString::new(path).ok()?;
        Some(get(self.raw.as_ptr(), path.as_ptr()))
    }

    /// Returns an integer. true is 1, and a list is its length. None: the field is null, absent, or
    /// another kind of value.
    pub fn u64(&self, path: &str) -> Option<u64> {
        let mut value = 0;
        // SAFETY: report, path and value are valid.
        let found =
            self.find(path, |report, path| unsafe { sys::gs_report_u64(report, path, &mut value) });
        (found? == sys::GS_FOUND).then_some(value)
    }

    /// Returns a double, exact or rounded once.
    pub fn f64(&self, path: &str) -> Option<f64> {
        let mut value = 0.0;
        // SAFETY: report, path and value are valid.
        let found =
            self.find(path, |report, path| unsafe { sys::gs_report_f64(report, path, &mut value) });
        (found? == sys::GS_FOUND).then_some(value)
    }

    /// Returns the text of a field, without quotes. Numbers are exact.
    pub fn text(&self, path: &str) -> Option<String> {
        let mut text = [0 as c_char; sys::GS_REPORT_TEXT_BYTES];
        // SAFETY: report and path are valid, and the text has the room that is named.
        let found = self.find(path, |report, path| unsafe {
            sys::gs_report_text(report, path, text.as_mut_ptr(), text.len())
        });
        (found? == sys::GS_FOUND).then(|| {
            // SAFETY: the library ends the text.
            unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
        })
    }

    /// Returns a field as any type that is parsed from its text.
    pub fn get<V: FromStr>(&self, path: &str) -> Option<V> {
        self.text(path)?.parse().ok()
    }

    /// Returns the number of elements.
    pub fn count(&self) -> u64 {
        self.u64("tally.count").unwrap_or(0)
    }

    /// Returns the least number, NaNs left out. None: there is none, or the elements are records.
    pub fn min<V: FromStr>(&self) -> Option<V> {
        self.get("tally.min")
    }

    /// Returns the greatest number, NaNs left out.
    pub fn max<V: FromStr>(&self) -> Option<V> {
        self.get("tally.max")
    }

    /// Returns the exact sum, NaNs left out. The sum of integers may need `i128` or `u128`.
    pub fn sum<V: FromStr>(&self) -> Option<V> {
        self.get("tally.sum")
    }

    /// Returns the whole report as JSON, which the manual of gsort describes.
    pub fn json(&self) -> String {
        self.string(sys::GS_FORMAT_JSON)
    }

    fn string(&self, format: sys::gs_format) -> String {
        // SAFETY: the report is valid; the caller frees the text.
        unsafe {
            let text = sys::gs_report_string(self.raw.as_ptr(), format);
            assert!(!text.is_null(), "no memory for the text of a report");
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            sys::gs_string_free(text);
            copy
        }
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        // SAFETY: the report is ours.
        unsafe { sys::gs_report_free(self.raw.as_ptr()) }
    }
}

/// The report for people, in lines.
impl fmt::Display for Report {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.string(sys::GS_FORMAT_TEXT))
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.json())
    }
}
