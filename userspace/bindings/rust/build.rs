// SPDX-License-Identifier: MIT
//! Compiles libkuid, whose sources the package has, for 64-bit Linux.

use std::{env, fs};

fn main() {
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") != "linux" || target("POINTER_WIDTH") != "64" {
        return;
    }
    let mut build = cc::Build::new();
    build
        .include("libkuid")
        .define("_GNU_SOURCE", None)
        .flag("-std=gnu11")
        .flag("-fvisibility=hidden")
        .flag("-Wno-unused-parameter")
        .opt_level(2);
    for entry in fs::read_dir("libkuid").expect("libkuid") {
        let path = entry.expect("libkuid").path();
        if path.extension().map_or(false, |extension| extension == "c") {
            build.file(path);
        }
    }
    println!("cargo:rerun-if-changed=libkuid");
    build.compile("kuid");
}
