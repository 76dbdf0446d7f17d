//! What several tests need: an owner of the machine who is not the one that runs the tests.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An owner with a home directory and settings of their own, and a directory to work in.
///
/// Whose settings count is what `/etc/passwd` says and no variable, so programs are run in a mount namespace in which that file
/// says something else. Nothing of the real owner's settings and records is read or written.
pub struct Owner {
    place: tempfile::TempDir,
}

impl Owner {
    /// Makes one whose `config.toml` is this.
    pub fn with(settings: &str) -> Self {
        let owner = Self { place: tempfile::tempdir().unwrap() };
        fs::create_dir_all(owner.home().join(".config/guarded-sh")).unwrap();
        fs::create_dir(owner.work()).unwrap();
        fs::write(owner.home().join(".config/guarded-sh/config.toml"), settings).unwrap();
        let users = format!("root:x:0:0:root:{}:/bin/bash\n", owner.home().display());
        fs::write(owner.place.path().join("passwd"), users).unwrap();
        owner
    }

    /// The directory that all else is in.
    pub fn place(&self) -> &Path {
        self.place.path()
    }

    /// The home directory.
    pub fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// The directory to work in, empty at first.
    pub fn work(&self) -> PathBuf {
        self.place.path().join("work")
    }

    /// A program run as this owner, in the directory to work in, with a small environment.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("unshare");
        command.arg("--mount");
        if !nix::unistd::geteuid().is_root() {
            command.arg("--map-root-user");
        }
        command
            .args(["sh", "-c", "mount --bind \"$0\" /etc/passwd && exec \"$@\""])
            .arg(self.place.path().join("passwd"))
            .arg(program)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.home());
        command
    }
}
