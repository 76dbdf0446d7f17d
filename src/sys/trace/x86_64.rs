//! What differs between machines when a program is put in the place of another: here x86-64, with its programs of 32 bits.

use std::io;

use nix::libc::user_regs_struct;
use nix::sys::ptrace;
use nix::unistd::Pid;

/// Whether it is done.
pub const CAN_RUN_INSTEAD: bool = true;

/// Of the code segment of programs of 32 bits.
const NARROW: u64 = 0x23;

/// The registers of a process.
pub struct Registers(user_regs_struct);

impl Registers {
    pub fn of(process: Pid) -> io::Result<Self> {
        Ok(Self(ptrace::getregs(process)?))
    }

    const fn is_narrow(&self) -> bool {
        self.0.cs == NARROW
    }

    /// Returns the bytes of an address.
    pub const fn width(&self) -> u64 {
        if self.is_narrow() { 4 } else { 8 }
    }

    pub const fn stack(&self) -> u64 {
        self.0.rsp
    }

    /// Returns where the next instruction is.
    pub const fn next(&self) -> u64 {
        self.0.rip
    }

    /// Returns the instructions that call execve(2), and trap (syscall(2)). What was set of the register for the call's number is
    /// overwritten when the execve that is under way returns, so the first of them sets it.
    pub const fn call(&self) -> &'static [u8] {
        // mov $59, %eax; syscall; int3
        const WIDE: &[u8] = &[0xb8, 59, 0, 0, 0, 0x0f, 0x05, 0xcc];
        // mov $11, %eax; int $0x80; int3
        const NARROW: &[u8] = &[0xb8, 11, 0, 0, 0, 0xcd, 0x80, 0xcc];
        if self.is_narrow() { NARROW } else { WIDE }
    }

    /// Sets what those instructions call with.
    pub fn set(mut self, process: Pid, [path, words, environment]: [u64; 3]) -> io::Result<()> {
        if self.is_narrow() {
            (self.0.rbx, self.0.rcx, self.0.rdx) = (path, words, environment);
        } else {
            (self.0.rdi, self.0.rsi, self.0.rdx) = (path, words, environment);
        }
        Ok(ptrace::setregs(process, self.0)?)
    }

    /// Returns what they returned.
    pub const fn returned(&self) -> i64 {
        self.0.rax.cast_signed()
    }
}
