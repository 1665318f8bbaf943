//! Whole sorts, beside the ones of the standard library.

mod arrays;
mod files;
mod refused;
mod sorter;

use gsort::Element;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// xorshift64*: random bits that depend on the seed only.
pub(crate) struct Bits(u64);

impl Bits {
    pub(crate) fn new(seed: u64) -> Bits {
        Bits(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn draw(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// An element of random bytes; any bytes are one.
pub(crate) fn random<T: Element>(bits: &mut Bits) -> T {
    let bytes: Vec<u8> = (0..std::mem::size_of::<T>()).map(|_| bits.draw() as u8).collect();
    // SAFETY: there are as many bytes as an element has.
    unsafe { std::ptr::read_unaligned(bytes.as_ptr() as *const T) }
}

pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    let data = elements.as_ptr() as *const u8;
    // SAFETY: elements have no padding.
    unsafe { std::slice::from_raw_parts(data, std::mem::size_of_val(elements)) }
}

/// A directory that is removed.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gsort-rust-{}-{}", std::process::id(), number);
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.0).unwrap().next().is_none()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A struct with every kind of field.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
#[sort_by(cells[1].y desc, name, kind)]
pub(crate) struct All {
    pub wide: u128,
    pub signed_wide: i128,
    pub price: f64,
    pub time: i64,
    pub(crate) cells: [Point; 3],
    pub ratio: f32,
    pub name: [u8; 5],
    pub kind: u8,
    pub tiny: i8,
    pub r#type: u8, // a raw name
    pub lanes: [u16; 4],
}

/// Sorted by its fields, as derive(Ord) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Element)]
#[repr(C)]
pub(crate) struct Point {
    pub x: i16,
    pub y: u16,
}

#[derive(Clone, Copy, Element)]
#[repr(C, packed)]
#[sort_by(weight desc)]
pub(crate) struct Packed {
    pub kind: u8,
    pub weight: f64,
}
