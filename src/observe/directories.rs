//! Where we are: working directory, home, workspace, temporary directories, and where our own state is kept.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::environment::Environment;
use crate::sys::users;

/// Directories of the system below which nothing is ever a workspace.
const SYSTEM: [&str; 31] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr/bin",
    "/usr/lib",
    "/usr/sbin",
    "/usr/share",
    "/usr/libexec",
    "/usr/local/bin",
    "/usr/local/etc",
    "/usr/local/games",
    "/usr/local/include",
    "/usr/local/lib",
    "/usr/local/libexec",
    "/usr/local/sbin",
    "/usr/local/share",
    "/var/backups",
    "/var/cache",
    "/var/log",
    "/var/mail",
    "/var/spool",
    "/var/lib/dpkg",
];

/// Directories that are no workspace themselves, though one may be below them.
const COMMON: [&str; 15] = [
    "/",
    "/home",
    "/media",
    "/mnt",
    "/opt",
    "/root",
    "/srv",
    "/tmp",
    "/usr",
    "/usr/local",
    "/usr/src",
    "/var",
    "/var/lib",
    "/var/tmp",
    "/var/www",
];

/// Returns the working directory without symlinks, as the kernel has it; none if it was deleted or is not text.
#[must_use]
pub fn working_directory() -> Option<String> {
    // Linux gives a deleted directory, and one outside of our root, a path that is none.
    let path = std::env::current_dir().ok()?.into_os_string().into_string().ok()?;
    path.starts_with('/').then_some(path)
}

/// Returns the home directory: what the shell will put in place of `~`.
pub(super) fn home(environment: &Environment) -> Option<String> {
    let given = environment.variables.get("HOME");
    if environment.is_unreadable("HOME") {
        return None;
    }
    // Bash asks the user database only if the variable is not there at all.
    if let Some(home) = given {
        return Path::new(home).is_absolute().then(|| without_trailing_slash(home));
    }
    let home = users::home_of(nix::unistd::getuid().as_raw())?;
    home.into_os_string().into_string().ok()
}

/// Returns the temporary directories: the common ones, and the one that the environment names if it is below none of
/// the others and no place that must stay guarded.
pub(super) fn temporary(environment: &Environment) -> Vec<String> {
    // macOS keeps them below `/private`, to which `/tmp` leads there.
    let common = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"];
    let mut directories = common.map(str::to_owned).to_vec();
    // The variable is the caller's: it may name a directory below a temporary one, and nothing else loosens anything.
    // What per-user temporary directories look like elsewhere is known too.
    let named = environment.get("TMPDIR").map(without_trailing_slash);
    if let Some(named) = named.filter(|path| is_temporary_elsewhere(path)) {
        directories.push(named);
    }
    directories
}

// systemd and the BSDs give each user one of these; nothing else that `TMPDIR` may name is believed.
fn is_temporary_elsewhere(path: &str) -> bool {
    let inside = |parent: &str| path.strip_prefix(parent).is_some_and(|rest| rest.len() > 1);
    is_clean(path) && (inside("/dev/shm/") || inside("/var/folders/") || inside("/private/tmp/"))
}

fn is_clean(path: &str) -> bool {
    path.split('/').all(|name| name != ".." && name != ".")
}

/// Returns the root of the workspace around `cwd`: the nearest directory above it, or it itself, that holds a `.git`.
///
/// Where there is no repository, the working directory itself is the workspace: agents are started in fresh directories too, and
/// what they make there is theirs. In both cases not if it is the root, the home directory or one above it, or the
/// system's: a `.git` there does not make everything below it a place to write in. A hidden directory of the home, or what is below one, is no fresh
/// one either: an agent that changes to `~/.ssh` or `~/.config` for its next line makes it no place of its own.
pub(super) fn workspace(cwd: &str, home: Option<&str>) -> Option<String> {
    let fits = |path: &Path| is_workspace(path, home.map(Path::new));
    let cwd = Path::new(cwd);
    let repository = cwd.ancestors().find(|path| path.join(".git").symlink_metadata().is_ok());
    let is_fresh = fits(cwd) && !is_hidden(cwd, home.map(Path::new));
    let root = repository.filter(|path| fits(path)).or_else(|| is_fresh.then_some(cwd))?;
    root.to_str().map(str::to_owned)
}

/// Whether a name below the home begins with a dot.
fn is_hidden(path: &Path, home: Option<&Path>) -> bool {
    let below = home.and_then(|home| path.strip_prefix(home).ok());
    let mut names = below.into_iter().flat_map(Path::iter);
    names.any(|name| name.as_bytes().starts_with(b"."))
}

fn is_workspace(path: &Path, home: Option<&Path>) -> bool {
    let in_home = home.is_some_and(|home| path.starts_with(home));
    let above_home = home.is_some_and(|home| home.starts_with(path));
    let common = COMMON.iter().any(|common| path == Path::new(common));
    let system = SYSTEM.iter().any(|system| path.starts_with(system));
    // Root's home is the system's for everyone else.
    let foreign_root = path.starts_with("/root") && !in_home;
    !(above_home || common || foreign_root || (system && !in_home))
}

fn without_trailing_slash(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_hidden_directory_of_the_home_is_a_workspace_only_with_a_repository() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().to_str().unwrap();
        for below in [".ssh", ".config/editor/.git", "fresh", ".local/bin"] {
            std::fs::create_dir_all(format!("{home}/{below}")).unwrap();
        }
        let found = |below: &str| workspace(&format!("{home}/{below}"), Some(home));
        assert_eq!(found(".ssh"), None);
        assert_eq!(found(".local/bin"), None);
        assert_eq!(found(".config"), None);
        assert_eq!(found(".config/editor"), Some(format!("{home}/.config/editor")));
        assert_eq!(found("fresh"), Some(format!("{home}/fresh")));
    }

    #[test]
    fn a_directory_with_a_repository_or_a_fresh_one_is_a_workspace() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().to_str().unwrap();
        let below = format!("{root}/repository/a/b");
        std::fs::create_dir_all(&below).unwrap();
        std::fs::create_dir(format!("{root}/repository/.git")).unwrap();
        assert_eq!(workspace(&below, Some("/home/u")), Some(format!("{root}/repository")));
        assert_eq!(workspace(root, Some("/home/u")), Some(root.to_owned()));
    }

    #[test]
    fn home_and_system_are_no_workspace_even_with_a_repository_in_them() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".git")).unwrap();
        let below = home.path().join("notes");
        std::fs::create_dir(&below).unwrap();
        let home = home.path().to_str().unwrap();
        assert_eq!(workspace(home, Some(home)), None);
        // The home directory's own repository does not reach down, but the directory itself may be worked in.
        assert_eq!(
            workspace(below.to_str().unwrap(), Some(home)),
            below.to_str().map(str::to_owned)
        );
        for path in ["/", "/etc", "/usr/bin", "/tmp", "/home", "/root", "/proc/self"] {
            assert_eq!(workspace(path, Some("/home/u")), None, "{path}");
        }
    }

    #[test]
    fn only_known_places_are_believed_to_be_temporary() {
        let named = |value: &str| {
            let variables = HashMap::from([("TMPDIR".to_owned(), value.to_owned())]).into();
            let found = temporary(&Environment { variables, unreadable: Vec::new() });
            !found.last().is_some_and(|last| last.ends_with("/tmp"))
        };
        assert!(named("/dev/shm/job/"));
        for value in ["/home/u", "/", "/etc", "relative", "/dev/shm/../../etc", "/dev/shm/"] {
            assert!(!named(value), "{value}");
        }
    }
}
