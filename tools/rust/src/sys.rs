//! Declares the part of `gsort.h` that the crate uses. A test compares it with the header.

#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_int, c_void};

macro_rules! opaque {
    ($($name:ident)*) => { $(
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )* };
}
opaque! { gs_cancel gs_job gs_report gs_sorter gs_choice }

pub type gs_status = c_int;
pub type gs_action = c_int;
pub type gs_phase = c_int;
pub type gs_found = c_int;
pub type gs_format = c_int;
pub type gs_option_place = c_int;

pub const GS_OK: gs_status = 0;
pub const GS_E_DISORDER: gs_status = -1;
pub const GS_E_USAGE: gs_status = -2;
pub const GS_E_INPUT: gs_status = -3;
pub const GS_E_IO: gs_status = -4;
pub const GS_E_SPACE: gs_status = -5;
pub const GS_E_MEMORY: gs_status = -6;
pub const GS_E_DEVICE: gs_status = -7;
pub const GS_E_CORRUPT: gs_status = -8;
pub const GS_E_VERIFY: gs_status = -9;
pub const GS_E_CANCELED: gs_status = -10;
pub const GS_E_INTERNAL: gs_status = -11;

pub const GS_FOUND: gs_found = 0;
pub const GS_FORMAT_TEXT: gs_format = 0;
pub const GS_FORMAT_JSON: gs_format = 1;
pub const GS_REPORT_TEXT_BYTES: usize = 512;

#[repr(C)]
pub struct gs_error {
    pub status: gs_status,
    pub sys_errno: c_int,
    pub text: [c_char; 1024],
}

#[repr(C)]
pub struct gs_progress {
    pub phase: gs_phase,
    pub bytes_done: u64,
    pub bytes_total: u64,
    pub elapsed_ns: u64,
    pub phase_ns: u64,
    pub left_ns: u64,
}

#[repr(C)]
pub struct gs_reader {
    pub read: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, usize, *mut gs_error) -> i64>,
    pub stop: Option<unsafe extern "C" fn(*mut c_void)>,
    pub context: *mut c_void,
    pub bytes: u64,
}

#[repr(C)]
pub struct gs_writer {
    pub write:
        Option<unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut gs_error) -> bool>,
    pub stop: Option<unsafe extern "C" fn(*mut c_void)>,
    pub context: *mut c_void,
}

#[repr(C)]
pub struct gs_option {
    pub name: *const c_char,
    pub letter: c_char,
    pub argument: *const c_char,
    pub group: *const c_char,
    pub help: *const c_char,
    pub manual: *const c_char,
    pub daily: *const c_char,
    pub alone: *const c_char,
    pub alias: *const c_char,
    pub choices: *const gs_choice,
    pub place: gs_option_place,
    pub is_list: bool,
    pub is_split: bool,
    pub is_once: bool,
    pub is_hidden: bool,
}

pub type progress_call = Option<unsafe extern "C" fn(*mut c_void, *const gs_progress)>;
pub type note_call = Option<unsafe extern "C" fn(*mut c_void, *const c_char)>;

#[rustfmt::skip] // one line each: the test reads them
extern "C" {
    pub fn gs_status_text(status: gs_status) -> *const c_char;
    pub fn gs_status_exit_code(status: gs_status) -> c_int;
    pub fn gs_fail(error: *mut gs_error, status: gs_status, sys_errno: c_int, format: *const c_char, ...) -> gs_status;
    pub fn gs_cancel_create() -> *mut gs_cancel;
    pub fn gs_cancel_free(cancel: *mut gs_cancel);
    pub fn gs_cancel_now(cancel: *mut gs_cancel);
    pub fn gs_job_create() -> *mut gs_job;
    pub fn gs_job_free(job: *mut gs_job);
    pub fn gs_job_set(job: *mut gs_job, name: *const c_char, value: *const c_char) -> gs_status;
    pub fn gs_job_add(job: *mut gs_job, name: *const c_char, value: *const c_char) -> gs_status;
    pub fn gs_job_add_reader(job: *mut gs_job, name: *const c_char, reader: *const gs_reader) -> gs_status;
    pub fn gs_job_set_writer(job: *mut gs_job, name: *const c_char, writer: *const gs_writer) -> gs_status;
    pub fn gs_job_set_progress(job: *mut gs_job, progress: progress_call, context: *mut c_void) -> gs_status;
    pub fn gs_job_set_note(job: *mut gs_job, note: note_call, context: *mut c_void) -> gs_status;
    pub fn gs_job_set_cancel(job: *mut gs_job, cancel: *mut gs_cancel) -> gs_status;
    pub fn gs_job_run(job: *mut gs_job, action: gs_action) -> gs_status;
    pub fn gs_job_error(job: *const gs_job) -> *const gs_error;
    pub fn gs_job_take_report(job: *mut gs_job) -> *mut gs_report;
    pub fn gs_job_sort_array(job: *mut gs_job, data: *mut c_void, bytes: u64) -> gs_status;
    pub fn gs_job_stats_array(job: *mut gs_job, data: *const c_void, bytes: u64) -> gs_status;
    pub fn gs_job_check_array(job: *mut gs_job, data: *const c_void, bytes: u64) -> gs_status;
    pub fn gs_job_argsort_array(job: *mut gs_job, data: *const c_void, bytes: u64, positions: *mut u64) -> gs_status;
    pub fn gs_sorter_open(job: *mut gs_job, error: *mut gs_error) -> *mut gs_sorter;
    pub fn gs_sorter_push(sorter: *mut gs_sorter, data: *const c_void, bytes: u64, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_reserve(sorter: *mut gs_sorter, bytes: u64, data: *mut *mut c_void, reserved: *mut u64, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_commit(sorter: *mut gs_sorter, data: *mut c_void, bytes: u64, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_finish(sorter: *mut gs_sorter, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_pull(sorter: *mut gs_sorter, data: *mut *const c_void, bytes: *mut u64, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_pull_part(sorter: *mut gs_sorter, i: u32, n: u32, data: *mut *const c_void, bytes: *mut u64, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_rank(sorter: *mut gs_sorter, rank: u64, element: *mut c_void, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_rank_of(sorter: *mut gs_sorter, element: *const c_void, below: *mut u64, not_above: *mut u64, error: *mut gs_error) -> gs_status;
    pub fn gs_sorter_report(sorter: *mut gs_sorter, error: *mut gs_error) -> *mut gs_report;
    pub fn gs_sorter_close(sorter: *mut gs_sorter);
    pub fn gs_report_string(report: *const gs_report, format: gs_format) -> *mut c_char;
    pub fn gs_string_free(text: *mut c_char);
    pub fn gs_report_u64(report: *const gs_report, path: *const c_char, value: *mut u64) -> gs_found;
    pub fn gs_report_f64(report: *const gs_report, path: *const c_char, value: *mut f64) -> gs_found;
    pub fn gs_report_text(report: *const gs_report, path: *const c_char, text: *mut c_char, bytes: usize) -> gs_found;
    pub fn gs_report_free(report: *mut gs_report);
    pub fn gs_option_find(name: *const c_char) -> *const gs_option;
    pub fn gs_version() -> *const c_char;
}
