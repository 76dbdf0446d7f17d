//! The shell scripts of this machine, which people wrote and bash takes, are read, and both parsers agree on them.
#![allow(clippy::expect_used, reason = "tests say what they need")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use guarded_sh::syntax::{parse, parse_alone, unaccounted};

/// How many files are looked at, so that the test takes seconds everywhere.
const MOST: usize = 1500;

fn scripts(directory: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if found.len() >= MOST {
            return;
        }
        if kind.is_dir() && depth > 0 {
            scripts(&path, depth - 1, found);
        } else if kind.is_file() && is_script(&path) {
            found.push(path);
        }
    }
}

/// Returns whether the first line names sh or bash.
fn is_script(path: &Path) -> bool {
    let mut start = [0; 32];
    let read =
        std::fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    let first = &start[..read.unwrap_or(0)];
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    [&b"#!/bin/sh"[..], b"#! /bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash", b"#!/usr/bin/bash"]
        .iter()
        .any(|start| line.starts_with(start))
}

fn taken_by_bash(path: &Path) -> bool {
    let status = Command::new("bash")
        .arg("-n")
        .arg(path)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("these tests need bash");
    status.success()
}

#[test]
fn the_scripts_of_this_machine_are_read() {
    let mut found = Vec::new();
    for directory in ["/etc", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/share"] {
        scripts(Path::new(directory), 6, &mut found);
    }
    let (mut taken, mut alone, mut agreed) = (0_u32, 0_u32, 0_u32);
    let mut left = Vec::new();
    for path in found.iter().filter(|path| taken_by_bash(path)) {
        let Ok(text) = std::fs::read(path) else { continue };
        taken += 1;
        let script = parse_alone(&text);
        assert_eq!(unaccounted(&text, &script), None, "{}", path.display());
        alone += u32::from(script.opaque.is_empty());
        let opaque = parse(&text).opaque;
        agreed += u32::from(opaque.is_empty());
        left.extend(opaque.first().map(|it| format!("{}: {it:?}", path.display())));
    }
    println!("{taken} scripts that bash takes: {alone} read, {agreed} with agreement");
    // A few scripts for other shells that bash happens to take say nothing.
    let enough = f64::from(agreed) >= f64::from(taken) * 0.99 || left.len() < 3;
    assert!(enough, "{agreed} of {taken} read\n{}", left.join("\n"));
}
