//! Mounts by descriptor: a tree that is copied here and put in place there (`open_tree`, `move_mount`, `mount_setattr`).
//! Knows nothing of what stands in them.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::libc;

// From `linux/mount.h`.
const OPEN_TREE_CLONE: libc::c_uint = 1;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 0x4;
const MOVE_MOUNT_T_SYMLINKS: libc::c_uint = 0x10;
const MOUNT_ATTR_RDONLY: u64 = 1;
const RECURSIVE: libc::c_uint = 0x8000;

/// `struct mount_attr` of its first version.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// A copy of the mounts at and below a path, which stands nowhere yet.
#[derive(Debug)]
pub struct Tree(OwnedFd);

impl Tree {
    /// Copies what is mounted at a path and below it.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let flags = OPEN_TREE_CLONE | RECURSIVE | libc::O_CLOEXEC.cast_unsigned();
        // SAFETY: the path ends with a NUL byte and lives through the call.
        let tree =
            unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) };
        let tree = i32::try_from(tree).ok().filter(|tree| *tree >= 0);
        let tree = tree.ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the call has just opened it, and nobody else has it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(tree) }))
    }

    /// Makes all of it read-only.
    pub fn read_only(self) -> io::Result<Self> {
        let flags = libc::AT_EMPTY_PATH.cast_unsigned() | RECURSIVE;
        set_read_only(self.0.as_raw_fd(), c"", flags)?;
        Ok(self)
    }

    /// Mounts it over a path.
    pub fn put(self, path: &Path) -> io::Result<()> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the descriptor is open, and both paths end with NUL bytes and live through the call.
        let done = unsafe {
            libc::syscall(
                libc::SYS_move_mount,
                self.0.as_raw_fd(),
                c"".as_ptr(),
                libc::AT_FDCWD,
                path.as_ptr(),
                MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS,
            )
        };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Makes every mount that this process sees read-only.
pub fn make_all_read_only() -> io::Result<()> {
    set_read_only(libc::AT_FDCWD, c"/", RECURSIVE)
}

fn set_read_only(at: i32, path: &std::ffi::CStr, flags: libc::c_uint) -> io::Result<()> {
    let attributes =
        Attributes { set: MOUNT_ATTR_RDONLY, clear: 0, propagation: 0, user_namespace: 0 };
    // SAFETY: the path and the attributes live through the call, and their size is told.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
