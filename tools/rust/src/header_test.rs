//! Compares `sys.rs` with `gsort.h`: each declaration of C is translated and must be in `sys.rs`.

use crate::{sys, Action};
use std::collections::HashMap;
use std::fs;

fn header() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/gsort.h");
    let text = fs::read_to_string(path).expect("the test runs in gsort's repository");
    let mut code = String::new();
    for part in text.split("/*") {
        code += part.rsplit("*/").next().unwrap(); // comments hold no code
    }
    flat(&code)
}

/// The text with single spaces.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `const void **data` is ("data", "*mut *const c_void").
fn translate(declared: &str) -> (String, String) {
    if let Some((result, rest)) = declared.split_once("(*") {
        let (name, parameters) = rest.split_once(")(").unwrap();
        let parameters: Vec<_> = split(parameters.trim_end_matches(')'))
            .map(|parameter| translate(parameter).1)
            .collect();
        let end = arrow(&translate(&format!("{}x", result)).1);
        let of_type = format!("Option<unsafe extern \"C\" fn({}){}>", parameters.join(", "), end);
        return (name.to_string(), of_type);
    }
    let name_at = declared.rfind([' ', '*']).unwrap() + 1;
    let (mut of_type, mut name) = (declared[..name_at].to_string(), &declared[name_at..]);
    let mut items = None;
    if let Some((before, count)) = name.split_once('[') {
        name = before;
        items = Some(count.trim_end_matches(']'));
    }
    let stars = of_type.matches('*').count();
    let is_const = of_type.starts_with("const ");
    for word in ["const ", "struct ", "enum ", "*", " "] {
        of_type = of_type.replace(word, "");
    }
    let base = match of_type.as_str() {
        "void" => "c_void",
        "char" => "c_char",
        "int" => "c_int",
        "size_t" => "usize",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        "int64_t" => "i64",
        "double" => "f64",
        other => other,
    };
    let mut translated = base.to_string();
    for i in 0..stars {
        let kind = if i == 0 && is_const { "*const" } else { "*mut" };
        translated = format!("{} {}", kind, translated);
    }
    if let Some(count) = items {
        translated = format!("[{}; {}]", translated, count);
    }
    (name.to_string(), translated)
}

/// Splits parameters at commas that are in no parentheses.
fn split(parameters: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = parameters.split(move |letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty() && *part != "void")
}

fn arrow(result: &str) -> String {
    if result == "c_void" {
        String::new()
    } else {
        format!(" -> {}", result)
    }
}

/// The functions of the header, by name, in Rust.
fn functions(header: &str) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for declared in header.split("GS_API ").skip(1).filter(|text| !text.starts_with("__")) {
        let declared = declared.split(';').next().unwrap();
        let declared = declared.split(" __attribute__").next().unwrap();
        let (head, parameters) = declared.split_once('(').unwrap();
        let (name, result) = translate(head);
        let parameters: Vec<_> = split(parameters.strip_suffix(')').unwrap())
            .map(|parameter| match parameter {
                "..." => parameter.to_string(),
                _ => {
                    let (name, of_type) = translate(parameter);
                    format!("{}: {}", name, of_type)
                }
            })
            .collect();
        let text = format!("pub fn {}({}){};", name, parameters.join(", "), arrow(&result));
        found.insert(name, text);
    }
    found
}

#[test]
fn functions_are_those_of_the_header() {
    let declared = functions(&header());
    let mut ours = include_str!("sys.rs").to_string();
    for name in ["progress_call", "note_call"] {
        let start = format!("pub type {} = ", name);
        let of_type = ours.split_once(&start).unwrap().1.split_once(";\n").unwrap().0.to_string();
        ours = ours.replace(&format!(": {},", name), &format!(": {},", of_type));
    }
    let mut count = 0;
    for line in ours.lines().filter(|line| line.starts_with("    pub fn ")) {
        let name = line.trim()["pub fn ".len()..].split('(').next().unwrap();
        assert_eq!(Some(line.trim()), declared.get(name).map(String::as_str));
        count += 1;
    }
    assert!(count > 30, "{} functions", count);
}

#[test]
fn structs_are_those_of_the_header() {
    let (header, ours) = (header(), include_str!("sys.rs"));
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/abi/structs.txt");
    let recorded = fs::read_to_string(recorded).unwrap();
    macro_rules! check {
        ($($name:ident)*) => { $(
            let start = concat!("struct ", stringify!($name), " { ");
            let body = header.split_once(start).unwrap().1.split_once(" };").unwrap().0;
            let mut fields = String::new();
            for statement in body.split(';').map(str::trim).filter(|text| !text.is_empty()) {
                let mut parts = split(statement);
                let (first, of_type) = translate(parts.next().unwrap());
                let names = [first].into_iter().chain(parts.map(str::to_string));
                fields.extend(names.map(|name| format!("pub {}: {},", name, of_type)));
            }
            let start = concat!("#[repr(C)]\npub struct ", stringify!($name), " {\n");
            let body = ours.split_once(start).unwrap().1.split_once("\n}").unwrap().0;
            assert_eq!(flat(body).replace(' ', ""), fields.replace(' ', ""));
            let size = format!("\n{} {}\n", stringify!($name), std::mem::size_of::<sys::$name>());
            assert!(recorded.contains(&size), "{}", size);
        )* };
    }
    check! { gs_error gs_progress gs_reader gs_writer gs_option }
}

/// The values of an enum, in order, which begin with 0.
fn values<'h>(header: &'h str, name: &str) -> Vec<&'h str> {
    let start = format!("enum {} {{ ", name);
    let body = header.split_once(&start).unwrap().1.split_once(" }").unwrap().0;
    body.split(", ").map(|word| word.split(" = ").next().unwrap()).collect()
}

#[test]
fn constants_are_those_of_the_header() {
    let header = header();
    let ours = include_str!("sys.rs");
    let list = header.split_once("#define GS_STATUS_LIST(X)").unwrap().1;
    let list = list.split_once("enum gs_status").unwrap().0;
    let mut count = 0;
    for row in list.split("X(").skip(1) {
        let mut cells = row.split(", ");
        let (name, value) = (cells.next().unwrap(), cells.next().unwrap());
        assert!(ours.contains(&format!("pub const {}: gs_status = {};", name, value)), "{}", name);
        count += 1;
    }
    assert_eq!(count, 12);
    let actions = values(&header, "gs_action");
    for (name, action) in [
        ("GS_SORT", Action::Sort),
        ("GS_STATS", Action::Stats),
        ("GS_CHECK", Action::Check),
        ("GS_EXPLAIN", Action::Explain),
        ("GS_LOOK", Action::Look),
        ("GS_FIND", Action::Find),
        ("GS_CHECK_ALL", Action::CheckAll),
    ] {
        assert_eq!(actions[action as usize], name);
    }
    let formats = values(&header, "gs_format");
    assert_eq!(formats[sys::GS_FORMAT_TEXT as usize], "GS_FORMAT_TEXT");
    assert_eq!(formats[sys::GS_FORMAT_JSON as usize], "GS_FORMAT_JSON");
    assert_eq!(values(&header, "gs_found")[sys::GS_FOUND as usize], "GS_FOUND");
    let phases =
        ["READ", "MERGE_RUNS", "WRITE", "READ_BACK"].map(|name| format!("GS_PHASE_{}", name));
    assert_eq!(values(&header, "gs_phase")[..4], phases);
    let bytes = format!("GS_REPORT_TEXT_BYTES {} ", sys::GS_REPORT_TEXT_BYTES);
    assert!(header.contains(&bytes));
}
