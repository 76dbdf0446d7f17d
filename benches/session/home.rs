//! A home of its own for what is measured.

use std::path::Path;
use std::process::Command;

/// Runs a program, which is still to be named, where this is the home of the user database.
pub fn at_home(home: &Path) -> Command {
    let users = home.join("passwd");
    std::fs::write(&users, format!("root:x:0:0:root:{}:/bin/bash\n", home.display())).unwrap();
    let mut command = Command::new("unshare");
    command.arg("--mount");
    // Who says yes has to see the processes of who asks.
    if !nix::unistd::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command.args(["sh", "-c", "mount --bind \"$0\" /etc/passwd && exec \"$@\""]).arg(users);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home).env("XDG_RUNTIME_DIR", home);
    command
}
