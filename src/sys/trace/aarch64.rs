//! What differs between machines when a program is put in the place of another: here aarch64, without its programs of 32 bits.

use std::fs::File;
use std::io::{self, Read};

use nix::libc::user_regs_struct;
use nix::sys::ptrace;
use nix::unistd::Pid;

/// Whether it is done.
pub const CAN_RUN_INSTEAD: bool = true;

/// `EI_CLASS` of a program of 64 bits, behind the four bytes by which an ELF file begins (elf(5)).
const WIDE: u8 = 2;

/// The registers of a process.
pub struct Registers(user_regs_struct);

impl Registers {
    /// Reads them (ptrace(2), `PTRACE_GETREGSET` with `NT_PRSTATUS`). Those of a program of 32 bits are fewer, and are not read.
    pub fn of(process: Pid) -> io::Result<Self> {
        let mut head = [0; 5];
        File::open(format!("/proc/{process}/exe"))?.read_exact(&mut head)?;
        if head[4] != WIDE {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(Self(ptrace::getregs(process)?))
    }

    /// Returns the bytes of an address.
    pub const fn width(&self) -> u64 {
        8
    }

    pub const fn stack(&self) -> u64 {
        self.0.sp
    }

    /// Returns where the next instruction is.
    pub const fn next(&self) -> u64 {
        self.0.pc
    }

    /// Returns the instructions that call execve(2), and trap (syscall(2)). The first argument and what a call returns share a register,
    /// which is overwritten when the execve that is under way returns: so the first argument comes from another.
    pub const fn call(&self) -> &'static [u8] {
        const CALL: &[u8] = &[
            0xe0, 0x03, 0x13, 0xaa, // mov x0, x19
            0xa8, 0x1b, 0x80, 0xd2, // mov x8, #221
            0x01, 0x00, 0x00, 0xd4, // svc #0
            0x00, 0x00, 0x20, 0xd4, // brk #0
        ];
        CALL
    }

    /// Sets what those instructions call with.
    pub fn set(mut self, process: Pid, [path, words, environment]: [u64; 3]) -> io::Result<()> {
        (self.0.regs[19], self.0.regs[1], self.0.regs[2]) = (path, words, environment);
        Ok(ptrace::setregs(process, self.0)?)
    }

    /// Returns what they returned.
    pub const fn returned(&self) -> i64 {
        self.0.regs[0].cast_signed()
    }
}
