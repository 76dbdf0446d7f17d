//! The shell scripts of this machine, which people wrote and bash takes, are read, and both parsers agree on them. What of them
//! is planned fully is printed.
#![allow(clippy::expect_used, reason = "tests say what they need")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use guarded_sh::model::{Facts, Reason};
use guarded_sh::reading::{Circumstances, Environment, Scripts, plan};
use guarded_sh::syntax::{Dialect, parse, parse_alone, unaccounted};

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

/// The one file that may be read.
#[derive(Debug)]
struct Only<'a>(&'a str);

impl Scripts for Only<'_> {
    fn text(&self, path: &str) -> Option<String> {
        (path == "/script").then(|| self.0.to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        path == "/script"
    }

    fn directories(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn is_guard(&self, _: &str) -> bool {
        false
    }

    fn real(&self, path: &str) -> Option<String> {
        self.exists(path).then(|| path.to_owned())
    }
}

/// Returns why something of a script is not planned, but for what only becomes known when it runs.
fn unplanned(text: &str) -> Vec<Reason> {
    let facts = Facts { cwd: Some("/work".to_owned()), ..Facts::default() };
    let circumstances = Circumstances {
        facts: &facts,
        dialect: Dialect::Bash,
        environment: Environment::Approximate,
        positional: None,
        before: &[],
        scripts: &Only(text),
    };
    let plan = plan(&parse(b"/script a b"), &circumstances);
    let reasons = plan.opaque.into_iter().map(|opaque| opaque.reason);
    let is_left = |reason: &Reason| match reason {
        Reason::DynamicCommand
        | Reason::DynamicCode
        | Reason::UnreadInput
        | Reason::UnreadScript => false,
        Reason::NotUtf8
        | Reason::NulByte
        | Reason::TooLong
        | Reason::TooDeep
        | Reason::TooManyParts
        | Reason::TooSlow
        | Reason::Syntax(_)
        | Reason::SyntaxOf(..)
        | Reason::OtherShell
        | Reason::ParsersDisagree
        | Reason::UnreadCode
        | Reason::ShadowedName => true,
    };
    reasons.filter(is_left).collect()
}

#[test]
fn the_scripts_of_this_machine_are_read() {
    let mut found = Vec::new();
    for directory in ["/etc", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/share"] {
        scripts(Path::new(directory), 6, &mut found);
    }
    let (mut taken, mut alone, mut agreed) = (0_u32, 0_u32, 0_u32);
    let mut left = Vec::new();
    let (mut planned, mut why) = (0_u32, BTreeMap::<String, Vec<&Path>>::new());
    for path in found.iter().filter(|path| taken_by_bash(path)) {
        let Ok(text) = std::fs::read(path) else { continue };
        taken += 1;
        let script = parse_alone(&text);
        assert_eq!(unaccounted(&text, &script), None, "{}", path.display());
        alone += u32::from(script.opaque.is_empty());
        let opaque = parse(&text).opaque;
        agreed += u32::from(opaque.is_empty());
        let reasons = unplanned(&String::from_utf8_lossy(&text));
        planned += u32::from(reasons.is_empty());
        for reason in reasons {
            let all = why.entry(format!("{reason:?}")).or_default();
            if all.last() != Some(&path.as_path()) {
                all.push(path);
            }
        }
        left.extend(opaque.first().map(|it| format!("{}: {it:?}", path.display())));
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(taken.max(1));
    println!("{taken} scripts that bash takes: {alone} read, {agreed} with agreement");
    println!(
        "{:.1} % of them are read fully, {:.1} % are planned fully but for what only becomes known when they run",
        percent(agreed),
        percent(planned)
    );
    for (reason, paths) in &why {
        println!("{} for {reason}, among them {}", paths.len(), paths[0].display());
    }
    // A few scripts for other shells that bash happens to take say nothing.
    let enough = f64::from(agreed) >= f64::from(taken) * 0.99 || left.len() < 3;
    assert!(enough, "{agreed} of {taken} read\n{}", left.join("\n"));
}
