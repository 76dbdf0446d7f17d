//! Starts the C library without asking the processor what it can do.
//!
//! A static program of the GNU C library begins by finding out which instructions the processor has and how large its caches are,
//! to choose among its ways of copying memory: with 43 `cpuid` instructions. In a virtual machine each of them leaves it for the
//! host, 2 to 40 µs a time, and together they cost as much as reading and judging a line. A line has nothing to gain from a faster
//! copy, so where the program is called as a shell, it is started with what every x86-64 processor can do. The steps are those of
//! `__libc_start_main` for a static program with a fixed place, without that one; `build/link.rs` uses this only with versions of the
//! library that it was tried with, and after a trial of this very file. Everything else than a shell's call starts as usual.
//!
//! Nothing here may call the library before it is set up, nor anything that the compiler would make a call of `memcpy` from.

use core::ffi::{c_char, c_int, c_void};
use core::ptr::{addr_of, addr_of_mut};

/// What a program takes that is run before `main`, and `main` itself.
type Start = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char);

/// An entry of the table of functions that are chosen at the start (`Elf64_Rela` of elf(5), type `R_X86_64_IRELATIVE`).
#[repr(C)]
struct Choice {
    place: *mut usize,
    kind: u64,
    choose: extern "C" fn() -> usize,
}

// Functions and variables of the library that its own start uses, and tables that the linker makes.
unsafe extern "C" {
    static mut __environ: *const *const c_char;
    static mut __libc_stack_end: *const usize;
    static mut __x86_shared_non_temporal_threshold: usize;
    static _dl_random: *const [usize; 2];
    static __rela_iplt_start: [Choice; 0];
    static __rela_iplt_end: [Choice; 0];
    static __preinit_array_start: [Start; 0];
    static __preinit_array_end: [Start; 0];
    static __init_array_start: [Start; 0];
    static __init_array_end: [Start; 0];
    fn _dl_aux_init(vector: *const c_void);
    fn __tunables_init(environment: *const *const c_char);
    fn __libc_setup_tls();
    fn __libc_early_init(first: bool);
    fn __libc_init_first(
        count: c_int,
        words: *const *const c_char,
        environment: *const *const c_char,
    );
    fn _init();
    fn main(count: c_int, words: *const *const c_char, environment: *const *const c_char) -> c_int;
    fn exit(status: c_int) -> !;
}

/// From how many bytes on memory is copied or filled past the cache: never. What the processor would have been asked for.
const PAST_CACHE: usize = usize::MAX >> 4;

// The stack is as the system leaves it: how many words there are, the words, the environment, and what the system tells. The variable
// that is weak is not there in every version.
core::arch::global_asm!(
    ".pushsection .text.begin, \"ax\", @progbits",
    ".weak __x86_memset_non_temporal_threshold",
    ".globl guarded_sh_begin",
    "guarded_sh_begin:",
    "xor ebp, ebp",
    "mov eax, offset __x86_memset_non_temporal_threshold",
    "test eax, eax",
    "jz 2f",
    "mov rcx, {past_cache}",
    "mov [rax], rcx",
    "2:",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {begin}",
    "ud2",
    ".popsection",
    past_cache = const PAST_CACHE,
    begin = sym begin,
);

/// Sets up the library as far as other code may run.
unsafe extern "C" fn begin(stack: *const usize) -> ! {
    // SAFETY: the stack is the process's first one, and the order is that in which the library itself sets up its parts.
    unsafe {
        let count = *stack;
        let words = stack.add(1).cast::<*const c_char>();
        let environment = words.add(count + 1);
        let mut end = environment;
        while !(*end).is_null() {
            end = end.add(1);
        }
        addr_of_mut!(__environ).write(environment);
        addr_of_mut!(__libc_stack_end).write(stack);
        _dl_aux_init(end.add(1).cast());
        __tunables_init(environment);
        addr_of_mut!(__x86_shared_non_temporal_threshold).write(PAST_CACHE);
        let last = addr_of!(__rela_iplt_end).cast::<Choice>();
        let mut choice = addr_of!(__rela_iplt_start).cast::<Choice>();
        while choice < last {
            (*choice).place.write(((*choice).choose)());
            choice = choice.add(1);
        }
        __libc_setup_tls();
        // What is returned to is compared with a number that nobody can know, at `fs:0x28`; kept pointers are mixed with another
        // at `fs:0x30` (the ABI of threads on x86-64). The lowest byte of the first is zero, which ends a string that runs over.
        let [guard, mix] = *_dl_random;
        core::arch::asm!("mov fs:[0x28], {}", in(reg) guard & !0xff, options(nostack));
        core::arch::asm!("mov fs:[0x30], {}", in(reg) mix, options(nostack));
        go_on(c_int::try_from(count).unwrap_or(c_int::MAX), words, environment)
    }
}

/// Runs what runs before `main`, and `main`.
#[inline(never)]
unsafe fn go_on(count: c_int, words: *const *const c_char, environment: *const *const c_char) -> ! {
    // SAFETY: memory and threads are set up; the tables hold functions that take these three.
    unsafe {
        __libc_early_init(true);
        __libc_init_first(count, words, environment);
        let run = |mut start: *const Start, end: *const Start| {
            while start < end {
                (*start)(count, words, environment);
                start = start.add(1);
            }
        };
        run(addr_of!(__preinit_array_start).cast(), addr_of!(__preinit_array_end).cast());
        _init();
        run(addr_of!(__init_array_start).cast(), addr_of!(__init_array_end).cast());
        exit(main(count, words, environment))
    }
}
