//! Links the release binary statically where the machine has the archives for it: starting the dynamic linker before every
//! command line costs more than judging it. What runs before every line is put into one place. Without the archives it is
//! linked as usual.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the standard library asks the linker for, and the archive that holds it.
const ARCHIVES: [(&str, &str); 7] = [
    ("gcc_s", "gcc_eh"),
    ("c", "c"),
    ("util", "util"),
    ("rt", "rt"),
    ("pthread", "pthread"),
    ("m", "m"),
    ("dl", "dl"),
];

/// Asks for a static executable if that is possible here.
pub fn choose() {
    println!("cargo::rustc-check-cfg=cfg(statically_linked, quick_start)");
    println!("cargo::rerun-if-changed=src/sys/start.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let native = env::var("HOST").ok() == env::var("TARGET").ok();
    if !linux || !native || !is("PROFILE", "release") {
        return;
    }
    let Some(directory) = archives() else { return };
    println!("cargo::rustc-cfg=statically_linked");
    for argument in fixed(&directory) {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    keep_together();
    map_at_once();
    if is("CARGO_CFG_TARGET_ARCH", "x86_64") {
        println!("cargo::rustc-link-arg-bins=-Wl,-e,guarded_sh_start");
        if starts_quickly(&directory) {
            println!("cargo::rustc-cfg=quick_start");
        }
    }
}

/// What makes a static program of a fixed place out of what is linked otherwise.
fn fixed(archives: &Path) -> Vec<String> {
    // The linker looks into this directory before its own, and finds an archive where a shared library would be.
    let directory = format!("-L{}", archives.display());
    // Position-independent code in a program with a fixed place: a movable one would have to be relocated in memory before
    // every command line, page by page. Stack, heap and mappings are placed at random as everywhere.
    let rest =
        ["-no-pie", "-static", "-Wl,--start-group", "-lgcc_s", "-lgcc", "-lc", "-Wl,--end-group"];
    [directory].into_iter().chain(rest.map(str::to_owned)).collect()
}

/// The versions of the GNU C library that `src/sys/start.rs` was tried with: those of Debian 12 and 13.
const TRIED: [&str; 2] = ["2.36", "2.41"];

/// Is the C library started by `src/sys/start.rs` here? Only one that it is known to start, and only if a program that is
/// started by it does what a program must: has its words and its environment, copies, and runs threads.
fn starts_quickly(archives: &Path) -> bool {
    let Ok(library) = fs::read(archives.join("libc.a")) else { return false };
    let version = |version: &&str| {
        let text = format!("stable release version {version}.");
        library.windows(text.len()).any(|window| window == text.as_bytes())
    };
    if !TRIED.iter().any(version) {
        return false;
    }
    let Ok(start) = fs::canonicalize("src/sys/start.rs") else { return false };
    let source = TRIAL.replace("START", &start.display().to_string());
    let mut arguments = fixed(archives);
    arguments.push("-Wl,-e,guarded_sh_begin".to_owned());
    let Some(program) = build("trial", &source, &arguments) else { return false };
    let run =
        Command::new(program).args(["-c", "a word"]).env_clear().env("NAME", "value").output();
    run.is_ok_and(|output| {
        output.status.code() == Some(7) && output.stdout == b"-c, a word, NAME=value, 7340032\n"
    })
}

const TRIAL: &str = r#"
#![no_main]
#[path = "START"]
mod start;

#[unsafe(no_mangle)]
pub extern "C" fn main(_: i32, _: *const *const i8, _: *const *const i8) -> i32 {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    words.extend(std::env::vars().map(|(name, value)| format!("{name}={value}")));
    let bytes = vec![7_u8; 1 << 20].clone();
    let sum = std::thread::spawn(move || bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>());
    println!("{}, {}", words.join(", "), sum.join().unwrap_or(0));
    7
}
"#;

/// Puts what runs before a command line does into one place of the program. The system maps a program's pages as they are
/// needed, sixteen around each: scattered over all of it, what is needed would map nearly the whole, and unmap it again.
fn keep_together() {
    let script = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("hot.ld");
    if fs::write(&script, order(include_str!("hot.txt"))).is_err() {
        return;
    }
    let argument = format!("-Wl,-T,{}", script.display());
    // Not every linker reads scripts, and none has to.
    if links(&argument) {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// Bytes of a huge page.
const HUGE: u32 = 0x20_0000;

/// Gives each segment whole huge pages in memory and in the file. Where the file lies in the page cache in pieces of that
/// size, as `build/linker` writes it, the system maps 2 MiB with one page fault instead of 64 KiB, and unmaps it as cheaply.
fn map_at_once() {
    let argument = "-Wl,-z,max-page-size=0x200000,-z,separate-loadable-segments";
    if links(argument) {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// Returns a linker script that puts the functions of a list, and the constants of all functions, before the rest.
fn order(hot: &str) -> String {
    let entries = |section: &'static str| {
        let lines = hot.lines().skip_while(move |line| *line != section).skip(1);
        lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.is_empty())
    };
    let rust = entries("[rust]").map(|name| format!("    *(.text.{name} .text.unlikely.{name})\n"));
    let c = entries("[c]").map(|member| format!("    *libc.a:{member}(.text .text.*)\n"));
    // What the C compiler adds to every static program; a profile under an emulator does not see it run.
    let added = ["*crt1.o", "*libgcc_eh.a:*", "*libc.a:*"];
    let added = added.map(|member| format!("    {member}(.text .text.*)\n"));
    let begin = ["    KEEP(*(.text.begin))\n".to_owned()];
    let text: String = begin.into_iter().chain(rust).chain(c).chain(added).collect();
    // The compiled catalog and packs are large, and little of them is looked at: they stand apart.
    // The entry, and what the system reads to start the program, stand in other huge pages than what runs (`sys::entry`):
    // the grammars, of which a line needs nothing, fill those of the headers, and those at the end, since only a whole huge
    // page is mapped at once.
    format!(
        "SECTIONS {{\n  \
           .text.hot : {{\n{text}  }}\n\
         }}\nINSERT BEFORE .text;\n\
         SECTIONS {{ .text.start : {{ KEEP(*(.text.start)) }} }}\nINSERT AFTER .text;\n\
         SECTIONS {{\n  \
           .rodata.grammars : {{ *libtree_sitter_[!p]*:*(.rodata .rodata.*) }}\n  \
           .rodata.tables : ALIGN({HUGE}) {{ *(.rodata._ZN10guarded_sh7catalog8EMBEDDED* .rodata._ZN10guarded_sh5rules3set8BUILT_IN*) }}\n  \
           .rodata.hot : {{ *libc.a:*(.rodata .rodata.*) *(.rodata.cst*) *(.rodata..Lswitch*) *(.rodata._ZN* .rodata._R*) *(.rodata..Lanon*) }}\n\
         }}\nINSERT BEFORE .rodata;\n\
         SECTIONS {{ .rodata.last : {{ *libtree_sitter_p*:*(.rodata .rodata.*) *libts_parser_*:*(.rodata .rodata.*) }} }}\nINSERT AFTER .eh_frame;\n"
    )
}

/// Tries whether the linker that will be used takes an argument, by linking an empty program with it.
fn links(argument: &str) -> bool {
    build("empty", "fn main() {}", &[argument.to_owned()]).is_some()
}

/// Builds a program out of one source with the compiler and linker that will be used, and returns where it is.
fn build(name: &str, text: &str, arguments: &[String]) -> Option<PathBuf> {
    let directory = PathBuf::from(env::var_os("OUT_DIR")?);
    let source = directory.join(name).with_extension("rs");
    fs::write(&source, text).ok()?;
    let mut command = Command::new(env::var_os("RUSTC")?);
    if let Ok(target) = env::var("TARGET") {
        command.args(["--target", &target]);
    }
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("linker=");
        option.push(linker);
        command.arg("-C").arg(option);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    command.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    let program = directory.join(name);
    command.args(["--edition", "2024", "-O"]).arg(source).arg("-o").arg(&program);
    command.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    command.output().ok()?.status.success().then_some(program)
}

/// Collects links to the archives in one directory; none if one is missing.
fn archives() -> Option<PathBuf> {
    let directory = Path::new(&env::var_os("OUT_DIR")?).join("archives");
    fs::create_dir_all(&directory).ok()?;
    for (asked, archive) in ARCHIVES {
        let file = find(&format!("lib{archive}.a"))?;
        let link = directory.join(format!("lib{asked}.a"));
        // A link of an earlier build may name an archive that has moved.
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(file, link).ok()?;
    }
    // What is there must be enough for a program.
    let start = find("crt1.o")?;
    start.is_file().then_some(directory)
}

fn find(name: &str) -> Option<PathBuf> {
    let output = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then(|| path.canonicalize().ok()).flatten()
}
