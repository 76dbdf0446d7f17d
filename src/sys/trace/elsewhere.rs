//! What differs between machines when a program is put in the place of another: on this one it is not done.

use std::convert::Infallible;
use std::io;

use nix::unistd::Pid;

/// Whether it is done.
pub const CAN_RUN_INSTEAD: bool = false;

/// The registers of a process, of which there are none here.
pub struct Registers(Infallible);

impl Registers {
    pub fn of(_: Pid) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub const fn width(&self) -> u64 {
        match self.0 {}
    }

    pub const fn stack(&self) -> u64 {
        match self.0 {}
    }

    pub const fn next(&self) -> u64 {
        match self.0 {}
    }

    pub const fn call(&self) -> &'static [u8] {
        match self.0 {}
    }

    pub fn set(self, _: Pid, _: [u64; 3]) -> io::Result<()> {
        match self.0 {}
    }

    pub const fn returned(&self) -> i64 {
        match self.0 {}
    }
}
