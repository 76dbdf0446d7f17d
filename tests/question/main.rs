//! Programs at a real terminal, under the relay with a guest that asks: every cell, the cursor and the modes are after the question
//! as they are in the same session without any. Is a program of its own, since a host must have no other thread: called by
//! itself with `host`, it runs the rest of its words in a session whose guest asks when a file says so.
#![allow(missing_docs, reason = "test names are sentences")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail where it stands")]

mod guest;
mod programs;
#[allow(dead_code, reason = "the other tests need the rest")]
#[path = "../all/tmux.rs"]
mod tmux;

use std::ffi::OsString;
use std::panic::catch_unwind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == "host") {
        return ExitCode::from(guest::run(&words[1..]));
    }
    if words.iter().any(|word| word == "--list") {
        for (name, _) in programs::ALL {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let filter = words.iter().find_map(|word| word.to_str().filter(|word| !word.starts_with('-')));
    let chosen =
        programs::ALL.iter().filter(|(name, _)| filter.is_none_or(|part| name.contains(part)));
    let (mut passed, mut failed) = (0, 0);
    for (name, test) in chosen {
        let fine = catch_unwind(test).is_ok();
        println!("test {name} ... {}", if fine { "ok" } else { "FAILED" });
        *if fine { &mut passed } else { &mut failed } += 1;
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {result}. {passed} passed; {failed} failed; 0 ignored; 0 measured");
    ExitCode::from(u8::from(failed > 0))
}
