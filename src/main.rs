//! The program: argv in, exit status out. All else is the library's.
#![no_main]

use std::ffi::OsString;

guarded_sh::entry_point!(run);

fn run(argv: Vec<OsString>) -> u8 {
    let above = guarded_sh::pipeline::Above {
        subcommand: guarded_sh::subcommand::run,
        pages: guarded_sh::subcommand::PAGES,
    };
    guarded_sh::pipeline::run(argv, above)
}
