//! Finds libgsort: in the folder `GSORT_LIB_DIR`, or by pkg-config.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["GSORT_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation links nothing
    }
    match env::var("GSORT_LIB_DIR") {
        Ok(folder) => link(&format!("-L{} -lgsort", folder)),
        Err(_) => link(&ask_pkg_config()),
    }
}

/// Passes `-L` and `-l` on to the linker. A test or example of this package also finds the library
/// when it runs; other programs need `LD_LIBRARY_PATH` or a run path if the folder is private.
fn link(flags: &str) {
    for flag in flags.split_whitespace() {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={}", folder);
            println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder);
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={}", library);
        }
    }
}

fn ask_pkg_config() -> String {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let asked = Command::new(&program).args(["--libs", "gsort >= 1.0"]).output();
    let why = match asked {
        Ok(output) if output.status.success() => {
            return String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_string(),
        Err(error) => format!("{}: {}", program, error),
    };
    panic!(
        "libgsort was not found. Install it, name the folder of gsort.pc in PKG_CONFIG_PATH, or \
         name the folder of libgsort.so in GSORT_LIB_DIR. pkg-config said: {}",
        why
    );
}
