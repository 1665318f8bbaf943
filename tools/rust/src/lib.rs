//! Sorts numbers and records that are larger than memory, by libgsort.
//!
//! | you have | you write |
//! |---|---|
//! | a slice | [`sort`], [`sort_by`], [`argsort`] |
//! | a file | [`sort_file`] |
//! | elements that you make one by one | [`Sorter`]: push, then iterate |
//! | other options, more files, readers, writers | [`Job`] |
//!
//! ```
//! let mut numbers = [2.5, -1.0, f64::NAN, 0.5];
//! gsort::sort(&mut numbers)?;
//! assert_eq!(numbers[..3], [-1.0, 0.5, 2.5]); // NaNs are last
//! assert_eq!(gsort::argsort(&[30u32, 10, 20])?, [1, 2, 0]);
//! # Ok::<(), gsort::Error>(())
//! ```
//!
//! Structs are sorted by fields, with [`Element`]'s derive. All sorts are stable, use all
//! processors, and keep to the option `memory`. The crate calls the C library through
//! hand-written declarations and has no other dependency.

#![warn(missing_docs)]

#[cfg(not(target_pointer_width = "64"))]
compile_error!("libgsort needs 64-bit Linux");

extern crate self as gsort; // for the derive

mod element;
mod error;
#[cfg(test)]
mod header_test;
mod hooks;
mod job;
mod report;
mod sorter;
mod sys;

pub use element::{Element, Field, Layout};
pub use error::{Error, Result, Status};
pub use gsort_derive::Element;
pub use hooks::{Cancel, Phase, Progress};
pub use job::{Action, Job};
pub use report::Report;
pub use sorter::{Part, Pusher, Sorted, Sorter};

use std::path::Path;

/// Sorts a slice in place by the order of its type, with all processors.
pub fn sort<T: Element>(elements: &mut [T]) -> Result<()> {
    Job::new().sort(elements).map(drop)
}

/// Sorts a slice in place by keys: fields, perhaps with `desc`, or texts such as `"8:f64:desc"`.
///
/// ```
/// let mut points = [[1u32, 7], [2, 9], [3, 7]];
/// gsort::sort_by(&mut points, &["[1] desc", "[0]"])?;
/// assert_eq!(points, [[2, 9], [1, 7], [3, 7]]);
/// # Ok::<(), gsort::Error>(())
/// ```
pub fn sort_by<T: Element>(elements: &mut [T], keys: &[&str]) -> Result<()> {
    Job::new().by(keys).sort(elements).map(drop)
}

/// Returns the positions of the elements in order, and leaves the elements unchanged.
pub fn argsort<T: Element>(elements: &[T]) -> Result<Vec<usize>> {
    Job::new().argsort(elements)
}

/// Sorts the file `input` of elements into `output`, which may be `input`. The output appears whole
/// and verified, or not at all.
///
/// ```no_run
/// let report = gsort::sort_file::<u64>("huge.u64", "sorted.u64", &[("memory", "2G")])?;
/// println!("{report}");
/// # Ok::<(), gsort::Error>(())
/// ```
pub fn sort_file<T: Element>(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &[(&str, &str)],
) -> Result<Report> {
    let mut job = Job::of::<T>().options(options).input(input).output(output);
    job.run(Action::Sort)
}

/// Returns the version of the library: `"1.0.0"`.
pub fn version() -> &'static str {
    // SAFETY: the text is constant.
    let version = unsafe { std::ffi::CStr::from_ptr(sys::gs_version()) };
    version.to_str().unwrap_or("")
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
