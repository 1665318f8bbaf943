//! Failures.

use crate::sys;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_int;

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $value:ident,)*) => {
        /// Kinds of failures.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Status {
            $($(#[$doc])* $name,)*
        }

        impl Status {
            fn code(self) -> sys::gs_status {
                match self {
                    $(Status::$name => sys::$value,)*
                }
            }

            fn of(code: sys::gs_status) -> Status {
                match code {
                    $(sys::$value => Status::$name,)*
                    _ => Status::Internal,
                }
            }
        }
    };
}

statuses! {
    /// The input is not sorted.
    Disorder = GS_E_DISORDER,
    /// An option is wrong.
    Usage = GS_E_USAGE,
    /// The input cannot be used.
    Input = GS_E_INPUT,
    /// A file could not be read or written.
    Io = GS_E_IO,
    /// No space is left on a file system.
    Space = GS_E_SPACE,
    /// Out of memory.
    Memory = GS_E_MEMORY,
    /// The GPU cannot be used.
    Device = GS_E_DEVICE,
    /// Temporary data are damaged.
    Corrupt = GS_E_CORRUPT,
    /// The output is not the sorted input.
    Verify = GS_E_VERIFY,
    /// The job was canceled.
    Canceled = GS_E_CANCELED,
    /// A bug in gsort.
    Internal = GS_E_INTERNAL,
}

/// A failure: its kind, and one line that says where it is, what is wrong and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    status: Status,
    errno: c_int,
    text: String,
}

/// The result of calls that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(status: Status, text: String) -> Error {
        Error { status, errno: 0, text }
    }

    pub(crate) fn usage(text: String) -> Error {
        Error::new(Status::Usage, text)
    }

    /// For calls that return NULL if there is no memory.
    pub(crate) fn memory() -> Error {
        // SAFETY: the text is constant.
        let text = unsafe { CStr::from_ptr(sys::gs_status_text(sys::GS_E_MEMORY)) };
        Error::new(Status::Memory, text.to_string_lossy().into_owned())
    }

    pub(crate) fn of(error: &sys::gs_error) -> Error {
        // SAFETY: the library ends the text within its array.
        let text = unsafe { CStr::from_ptr(error.text.as_ptr()) };
        Error {
            status: Status::of(error.status),
            errno: error.sys_errno,
            text: text.to_string_lossy().into_owned(),
        }
    }

    /// Returns the kind of the failure.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns the exit code that a program should end with, from 1 to 4, as `gsort` does.
    pub fn exit_code(&self) -> i32 {
        // SAFETY: the call accepts any status.
        unsafe { sys::gs_status_exit_code(self.status.code()) }
    }

    /// Returns the `errno` of the system call that failed, if one did.
    pub fn os_error(&self) -> Option<i32> {
        if self.errno == 0 {
            None
        } else {
            Some(self.errno)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = error.os_error().map_or(std::io::ErrorKind::Other, |errno| {
            std::io::Error::from_raw_os_error(errno).kind()
        });
        std::io::Error::new(kind, error)
    }
}
