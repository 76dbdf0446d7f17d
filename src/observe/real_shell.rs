//! Finds the real shell, which is never we ourselves and never a file that an agent could have put in its place.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use crate::model::{Facts, RealShell, SYSTEM_RECORD, Shell, Wanted, kept, without_kept};
use crate::sys::users::may_others_write;

/// Where shells are, in this order. PATH comes after these, although a real shell found by name would come from PATH: it is the
/// caller's, and `bash` in a directory that an agent may write to is not what we hand a judged line to. We may be
/// first on PATH ourselves, too.
pub(super) const PLACES: [&str; 5] =
    ["/bin", "/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin", "/opt/homebrew/bin"];

const EXECUTABLE: u32 = 0o111;

/// Returns whether a file can be executed by anybody.
#[must_use]
pub fn is_program(file: &Metadata) -> bool {
    file.is_file() && file.mode() & EXECUTABLE != 0
}

/// Why there is no real shell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The owner's settings name one that cannot be it.
    #[error("the configured shell '{}' {problem}", path.display())]
    Configured {
        /// The path in the settings.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// None was found.
    #[error("no real {} was found: not in {}, and on PATH not in a directory that only the owner writes to", shell.name(), PLACES.join(", "))]
    NotFound {
        /// The shell that was looked for.
        shell: Shell,
    },
}

impl Error {
    /// Returns the exit status, a shell's for a command that is not found.
    #[must_use]
    pub const fn status(&self) -> u8 {
        127
    }
}

/// Finds the real shell. `configured` is the owner's setting; it holds where we are called by our own name, and where it names
/// the shell that is wanted.
pub fn real_shell(
    shell: Shell,
    wanted: Wanted,
    configured: Option<&Path>,
    environment: &Environment,
    facts: &Facts,
) -> Result<RealShell, Error> {
    let ourselves = Ourselves::look();
    let names_it = |path: &&Path| path.file_name().and_then(OsStr::to_str) == Some(shell.name());
    let configured = match wanted {
        Wanted::Configured => configured,
        Wanted::Named => configured.filter(names_it),
    };
    if let Some(path) = configured {
        let program = if path.is_absolute() {
            ourselves.shell_at(path)
        } else {
            Err("is not an absolute path")
        };
        let error = |problem| Error::Configured { path: path.to_owned(), problem };
        return program.map(|program| program.into_shell(shell)).map_err(error);
    }
    let places = PLACES.iter().map(|place| Path::new(place).join(shell.name()));
    let fixed = places.into_iter().find_map(|path| ourselves.shell_at(&path).ok());
    let program = fixed.or_else(|| on_path(shell, environment, facts, &ourselves));
    program.map(|program| program.into_shell(shell)).ok_or(Error::NotFound { shell })
}

fn on_path(
    shell: Shell,
    environment: &Environment,
    facts: &Facts,
    ourselves: &Ourselves,
) -> Option<Program> {
    let directories = environment.get("PATH")?.split(':').map(Path::new);
    let program = directories
        .filter(|directory| directory.is_absolute() && is_kept(directory))
        .filter_map(|directory| ourselves.examine(&directory.join(shell.name())).ok())
        .find(|program| is_owned(&program.file))?;
    let Program { path, target, .. } = &program;
    let loose = |root: &String| path.starts_with(root) || target.starts_with(root);
    let in_reach = facts.workspaces.iter().chain(&facts.temporary).any(loose);
    (!in_reach && target.parent().is_some_and(is_kept)).then_some(program)
}

/// Returns whether only its owner, who is root or the user, may write to the directory.
fn is_kept(directory: &Path) -> bool {
    directory.metadata().is_ok_and(|found| found.is_dir() && is_owned(&found))
}

fn is_owned(file: &Metadata) -> bool {
    let owner = file.uid() == 0 || file.uid() == nix::unistd::geteuid().as_raw();
    owner && !may_others_write(file)
}

/// What our own program is, so that it is never taken for the real shell.
struct Ourselves {
    identity: Option<(u64, u64)>,
    length: u64,
}

impl Ourselves {
    fn look() -> Self {
        let file = std::fs::metadata("/proc/self/exe").ok();
        Self {
            identity: file.as_ref().map(|file| (file.dev(), file.ino())),
            length: file.map_or(0, |file| file.len()),
        }
    }

    /// Returns the real shell of this path: what is there, or what is kept beside it where guarded-sh stands in its place.
    fn shell_at(&self, path: &Path) -> Result<Program, &'static str> {
        let kept = kept(path);
        if kept.symlink_metadata().is_err() {
            return self.examine(path);
        }
        // The guard that stands there may be another build than we are, which is not known by its file.
        if Path::new(SYSTEM_RECORD).symlink_metadata().is_ok() {
            return self.examine(&kept).or_else(|_| self.examine(path));
        }
        self.examine(path).or_else(|why| self.examine(&kept).map_err(|_| why))
    }

    /// Returns the file that the path leads to if it is a program, and not ours by link or by copy.
    fn examine(&self, path: &Path) -> Result<Program, &'static str> {
        let file = path.metadata().map_err(|_| "cannot be found")?;
        if !is_program(&file) {
            return Err("is not a program");
        }
        if self.identity == Some((file.dev(), file.ino())) {
            return Err("is guarded-sh itself");
        }
        // What is no link itself has its own name, whatever way leads to it.
        let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        let known = PLACES.iter().any(|place| path.parent() == Some(Path::new(place)));
        let target = if known && !is_link {
            path.to_owned()
        } else {
            path.canonicalize().map_err(|_| "cannot be found")?
        };
        let name = target.file_name().and_then(OsStr::to_str).unwrap_or("");
        if name.starts_with("guarded-") {
            return Err("is guarded-sh itself");
        }
        // Two copies of us under a shell's name would hand the line to each other for ever.
        if file.len() == self.length && is_copy(path).unwrap_or(true) {
            return Err("is a copy of guarded-sh");
        }
        Ok(Program { path: path.to_owned(), target, file })
    }
}

/// A program that may be the real shell.
#[derive(Debug)]
struct Program {
    /// As it was named.
    path: PathBuf,
    /// Without symlinks.
    target: PathBuf,
    file: Metadata,
}

impl Program {
    fn into_shell(self, shell: Shell) -> RealShell {
        // Busybox is many programs, and the name it is called by says which.
        let busybox = self.target.file_name() == Some(OsStr::new("busybox"));
        let name = || self.path.file_name().map(|name| without_kept(name).to_owned());
        let argv0 = busybox.then(name).flatten();
        RealShell { path: self.path, shell, argv0 }
    }
}

fn is_copy(path: &Path) -> std::io::Result<bool> {
    let mut ours = File::open("/proc/self/exe")?;
    let mut theirs = File::open(path)?;
    let (mut one, mut other) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let count = ours.read(&mut one)?;
        if count == 0 {
            return Ok(true);
        }
        theirs.read_exact(&mut other[..count])?;
        if one[..count] != other[..count] {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn on_path_with(directory: &Path, facts: &Facts) -> Option<PathBuf> {
        let path = directory.to_str().unwrap().to_owned();
        let variables = HashMap::from([("PATH".to_owned(), path)]).into();
        let environment = Environment { variables, unreadable: Vec::new() };
        let found = on_path(Shell::Bash, &environment, facts, &Ourselves::look());
        found.map(|program| program.path)
    }

    #[test]
    fn a_shell_in_reach_of_the_agent_is_not_the_real_one() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        std::fs::set_permissions(directory, PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::copy("/bin/true", directory.join("bash")).unwrap();
        std::fs::set_permissions(directory.join("bash"), PermissionsExt::from_mode(0o755)).unwrap();
        let nothing = Facts::default();
        assert_eq!(on_path_with(directory, &nothing), Some(directory.join("bash")));

        let root = directory.to_str().unwrap().to_owned();
        let workspace = Facts { workspaces: vec![root.clone()], ..Facts::default() };
        let temporary = Facts { temporary: vec![root], ..Facts::default() };
        assert_eq!(on_path_with(directory, &workspace), None);
        assert_eq!(on_path_with(directory, &temporary), None);
        std::fs::set_permissions(directory, PermissionsExt::from_mode(0o777)).unwrap();
        assert_eq!(on_path_with(directory, &nothing), None);
    }

    #[test]
    fn links_and_copies_of_ourselves_are_never_the_real_shell() {
        let directory = tempfile::tempdir().unwrap();
        let ourselves = Ourselves::look();
        let own = std::fs::read_link("/proc/self/exe").unwrap();
        let place = |name: &str| directory.path().join(name);
        symlink(&own, place("link")).unwrap();
        symlink(place("link"), place("bash")).unwrap();
        std::fs::copy(&own, place("copy")).unwrap();
        std::fs::copy("/bin/true", place("guarded-bash")).unwrap();
        symlink(place("guarded-bash"), place("sh")).unwrap();
        for name in ["link", "bash", "copy", "guarded-bash", "sh"] {
            assert!(ourselves.examine(&place(name)).is_err(), "{name}");
        }
        assert!(ourselves.examine(Path::new("/bin/bash")).is_ok());
        assert!(ourselves.examine(directory.path()).is_err());
        assert!(ourselves.examine(&place("absent")).is_err());
    }

    #[test]
    fn the_configured_shell_counts_for_our_own_name_and_for_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let zsh = directory.path().join("zsh");
        std::fs::copy("/bin/true", &zsh).unwrap();
        let find = |shell, wanted| {
            let environment = Environment::default();
            real_shell(shell, wanted, Some(&zsh), &environment, &Facts::default()).unwrap().path
        };
        assert_eq!(find(Shell::Zsh, Wanted::Configured), zsh);
        assert_eq!(find(Shell::Zsh, Wanted::Named), zsh);
        assert_eq!(find(Shell::Bash, Wanted::Named), Path::new("/bin/bash"));
    }

    #[test]
    fn a_configured_shell_that_is_not_there_is_an_error_not_a_fallback() {
        let missing = Path::new("/does/not/exist/bash");
        let environment = Environment::default();
        let facts = Facts::default();
        for path in [missing, Path::new("bash"), Path::new("/etc/passwd")] {
            let found =
                real_shell(Shell::Bash, Wanted::Configured, Some(path), &environment, &facts);
            assert!(matches!(found, Err(Error::Configured { .. })), "{}", path.display());
        }
    }
}
