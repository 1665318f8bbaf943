//! Compiles mistakes, and checks what the compiler says.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A part of the words, and the code. No words: it compiles. `@` is the usual attributes.
#[rustfmt::skip]
const CASES: &[(&str, &str)] = &[
    ("", "@ struct T { a: u8 }"),
    ("has padding", "@ struct T { a: u64, b: u8 }"),
    ("or no bytes", "@ struct T {}"),
    ("T needs #[repr(C)]", "#[derive(Clone, Copy, gsort::Element)] struct T { a: u64 }"),
    ("no field `b`", "@ #[sort_by(b)] struct T { a: u64 }"),
    ("name the keys", "@ #[sort_by] struct T { a: u64 }"),
    ("is not implemented for `char`", "@ struct T { a: char }"),
    ("is not implemented for `bool`", "@ struct T { a: bool }"),
    ("is not implemented for `T`", "#[derive(gsort::Element)] #[repr(C)] struct T { a: u64 }"),
    ("only structs", "@ enum T { A }"),
    ("named fields", "@ struct T(u64);"),
    ("without parameters", "@ struct T<U> { a: U }"),
    ("", "fn f(s: gsort::Sorter<u64>) { std::thread::spawn(|| drop(s)); }"),
    ("cannot be shared", "fn f(r: gsort::Report) { std::thread::scope(|t| { t.spawn(|| r.count()); }); }"),
    ("use of moved value", "fn f(s: gsort::Sorter<u64>) { drop(s.finish()); drop(s); }"),
    ("may outlive borrowed value", "fn f() { let mut n = 0; \
        drop(gsort::Job::new().progress(|_| n += 1).sorter::<u64>()); }"),
    ("cannot borrow", "fn f(mut s: gsort::Sorted<u64>) { \
        let a = s.next_block(); let b = s.next_block(); drop((a, b)); }"),
    ("cannot borrow", "fn f(mut s: gsort::Sorter<u64>) { let p = s.pusher(); s.push(1); drop(p); }"),
];

/// The library of this test: the newest one beside it.
fn library(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libgsort-") && name.ends_with(".rlib")
    };
    let made = |path: &PathBuf| path.metadata().unwrap().modified().unwrap();
    files.filter(is_library).max_by_key(made).unwrap()
}

#[test]
fn mistakes_do_not_compile() {
    let program = std::env::current_exe().unwrap();
    let folder = program.parent().unwrap();
    let library = library(folder);
    let scratch = crate::Scratch::new();
    for (i, (words, code)) in CASES.iter().enumerate() {
        let source = scratch.file(&format!("case_{}.rs", i));
        let usual = "#[derive(Clone, Copy, gsort::Element)] #[repr(C)]";
        std::fs::write(&source, code.replace('@', usual)).unwrap();
        let told = Command::new("rustc")
            .args(["--edition=2021", "--crate-type=lib", "--emit=metadata", "-L"])
            .arg(format!("dependency={}", folder.display()))
            .args(["--extern", &format!("gsort={}", library.display()), "--out-dir"])
            .args([scratch.path(), &source])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&told.stderr);
        assert_eq!(told.status.success(), words.is_empty(), "{}\n{}", code, text);
        assert!(
            text.contains(words),
            "'{}' is not in what the compiler says of\n{}\n{}",
            words,
            code,
            text
        );
    }
}
