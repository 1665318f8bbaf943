//! Describes element types and their keys as options of the library.

use crate::error::{Error, Result};
use std::mem::size_of;

/// Plain data that can be sorted: a number, an array of elements, or a struct with
/// `#[derive(Element)]`.
///
/// The order is the one of [`Ord`] where both exist. Arrays and structs compare their items one
/// after the other. A float has a total order: -0 before 0, and NaNs last. Elements with equal keys
/// keep their order.
///
/// ```
/// #[derive(Clone, Copy, gsort::Element)]
/// #[repr(C)]
/// #[sort_by(price desc, id)] // the default: all fields, but not those whose names begin with _
/// struct Trade {
///     id: u64,
///     price: f32,
///     _padding: u32, // a struct must name all its bytes
/// }
/// let trade = |id, price| Trade { id, price, _padding: 0 };
/// let mut trades = [trade(1, 0.5), trade(3, 2.5), trade(2, 2.5)];
/// gsort::sort(&mut trades)?;
/// assert_eq!(trades.map(|trade| trade.id), [2, 3, 1]);
/// # Ok::<(), gsort::Error>(())
/// ```
///
/// A key of `sort_by` is a field, a field of a field (`at.x`) or an item (`cells[2]`), perhaps with
/// `desc` after it. A field that is an array or a struct is sorted by its own order. `bool`, `char`
/// and enums are no elements, because not all bytes are one: store them as `u8` or `u32`.
///
/// # Safety
///
/// A type that implements the trait itself has no padding, accepts any bytes as a value, and is as
/// `LAYOUT` says. The derive checks this.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Describes the bytes of the type.
    const LAYOUT: &'static Layout;
}

/// The bytes of an [`Element`].
#[derive(Debug)]
pub enum Layout {
    /// A number, as the option `type` names it: `"u64"`, `"uint8"`.
    Number(&'static str),
    /// An array.
    Array {
        /// Describes an item.
        item: &'static Layout,
        /// The size of an item.
        bytes: usize,
        /// The number of items.
        count: usize,
    },
    /// A struct.
    Fields {
        /// All fields, in the order of declaration.
        fields: &'static [Field],
        /// The keys; if there are none, all fields whose names do not begin with `_`.
        by: &'static [&'static str],
    },
}

/// A field of a struct.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its first byte in the struct.
    pub offset: usize,
    /// Describes its type.
    pub layout: &'static Layout,
}

macro_rules! numbers {
    ($($type:ident $little:literal $big:literal)*) => { $(
        // SAFETY: numbers have no padding, and any bytes are one.
        unsafe impl Element for $type {
            const LAYOUT: &'static Layout = &Layout::Number(if cfg!(target_endian = "big") {
                $big
            } else {
                $little
            });
        }
    )* };
}
numbers! {
    u8 "uint8" "uint8" i8 "int8" "int8" u16 "u16" "u16be" i16 "i16" "i16be"
    u32 "u32" "u32be" i32 "i32" "i32be" f32 "f32" "f32be"
    u64 "u64" "u64be" i64 "i64" "i64be" f64 "f64" "f64be"
    usize "u64" "u64be" isize "i64" "i64be" u128 "u128" "u128be" i128 "i128" "i128be"
}

// SAFETY: arrays have no padding between their items.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const LAYOUT: &'static Layout =
        &Layout::Array { item: T::LAYOUT, bytes: size_of::<T>(), count: N };
}

/// More keys than the library accepts, which refuses them then.
const MOST_KEYS: usize = 65;

impl Layout {
    /// Appends the keys of the whole, which begins at `offset`, as the option `key` has them.
    fn add_all(&self, offset: usize, is_desc: bool, keys: &mut Vec<String>) -> Result<()> {
        let mut add = |word: &str| {
            let end = if is_desc { ":desc" } else { "" };
            keys.push(format!("{}:{}{}", offset, word, end));
        };
        match self {
            Layout::Number(word) => add(word),
            Layout::Array { item: Layout::Number("uint8"), count, .. } if *count > 0 => {
                add(&format!("b{}", count))
            }
            Layout::Array { item, bytes, count } => {
                for i in 0..(*count).min(MOST_KEYS) {
                    item.add_all(offset + i * bytes, is_desc, keys)?;
                }
            }
            Layout::Fields { fields, by: [] } => {
                for field in fields.iter().filter(|field| !field.name.starts_with('_')) {
                    field.layout.add_all(offset + field.offset, is_desc, keys)?;
                }
            }
            Layout::Fields { by, .. } => {
                for key in by.iter() {
                    self.add(key, offset, is_desc, keys)?;
                }
            }
        }
        Ok(())
    }

    /// Appends what the key `text` means ("price desc"). One such as "8:f64:desc" stays as it is.
    fn add(&self, text: &str, offset: usize, is_desc: bool, keys: &mut Vec<String>) -> Result<()> {
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            keys.push(text.to_string());
            return Ok(());
        }
        let (path, turns) = direction(text);
        let (within, layout) =
            self.find(path).map_err(|why| Error::usage(format!("key '{}': {}", text, why)))?;
        layout.add_all(offset + within, is_desc != turns, keys)
    }

    /// Finds where a path such as `cells[2].x` leads.
    fn find(&self, path: &str) -> std::result::Result<(usize, &Layout), String> {
        let (mut layout, mut offset, mut rest) = (self, 0, path);
        loop {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (step, after) = if rest.starts_with('[') {
                rest.split_at(rest.find(']').map_or(rest.len(), |end| end + 1))
            } else {
                rest.split_at(end)
            };
            let found = match layout {
                Layout::Fields { fields, .. } => fields
                    .iter()
                    .find(|field| field.name == step)
                    .map(|field| (field.offset, field.layout)),
                Layout::Array { item, bytes, count } => step
                    .strip_prefix('[')
                    .and_then(|step| step.strip_suffix(']')?.parse::<usize>().ok())
                    .filter(|i| i < count)
                    .map(|i| (i * bytes, *item)),
                Layout::Number(_) => None,
            };
            let (within, next) = found.ok_or_else(|| layout.explain(step))?;
            layout = next;
            offset += within;
            if after.is_empty() {
                return Ok((offset, layout));
            }
            rest = after.strip_prefix('.').unwrap_or(after);
        }
    }

    fn explain(&self, step: &str) -> String {
        match self {
            Layout::Number(word) => format!("a number ({}) has no part '{}'", word, step),
            Layout::Array { count, .. } => {
                format!("'{}' is none of the items [0] to [{}]", step, count.max(&1) - 1)
            }
            Layout::Fields { fields, .. } => {
                let names: Vec<_> = fields.iter().map(|field| field.name).collect();
                format!("there is no field '{}'; fields are {}", step, names.join(", "))
            }
        }
    }
}

/// Splits "price desc" into the path, and whether its order is turned.
fn direction(text: &str) -> (&str, bool) {
    match text.trim().strip_suffix("desc") {
        Some(path) if path.ends_with([' ', ':']) => (path.trim_end_matches([' ', ':']), true),
        _ => (text.trim(), false),
    }
}

/// An element type as options describe it.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub layout: &'static Layout,
    pub bytes: usize,
}

impl Shape {
    pub fn of<T: Element>() -> Shape {
        Shape { layout: T::LAYOUT, bytes: size_of::<T>() }
    }

    /// Returns the options `type`, or `record` and `key`. Without `by` the type has its own order.
    pub fn options(&self, by: &[String]) -> Result<Vec<(&'static str, String)>> {
        if let (Layout::Number(word), true) = (self.layout, by.is_empty()) {
            return Ok(vec![("type", word.to_string())]);
        }
        let mut keys = Vec::new();
        if by.is_empty() {
            self.layout.add_all(0, false, &mut keys)?;
        }
        for key in by {
            self.layout.add(key, 0, false, &mut keys)?;
        }
        if keys.is_empty() {
            return Err(Error::usage("the element type has no fields to sort by".to_string()));
        }
        let mut options = vec![("record", self.bytes.to_string())];
        options.extend(keys.into_iter().map(|key| ("key", key)));
        Ok(options)
    }
}

/// Returns a key of a file whose format names its fields, as the option `key` has it.
pub(crate) fn key_of_format(text: &str) -> String {
    let (name, is_desc) = direction(text);
    format!("{}{}", name, if is_desc { ":desc" } else { "" })
}
