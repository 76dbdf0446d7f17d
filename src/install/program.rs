//! The names under which agents start the guard: links below the owner's data directory, to one program.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Error;
use crate::sys::Replacement;

/// The name of our program.
const OWN: &str = "guarded-sh";

/// Where the names are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The data directory.
    pub directory: PathBuf,
}

/// What the names lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// A program that stays where it is.
    Link(PathBuf),
    /// A program in a place where what an agent builds may replace it: it is copied.
    Copy(PathBuf),
}

impl Names {
    /// Returns the path of guarded-sh.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.directory.join("bin").join(OWN)
    }

    /// Returns the path of guarded-bash.
    #[must_use]
    pub fn bash(&self) -> PathBuf {
        self.directory.join("bin/guarded-bash")
    }

    /// Returns the directory in which the guard is called `bash`.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.directory.join("path")
    }

    /// The links, and what they name; the first is the program itself.
    fn links(&self) -> [(PathBuf, &'static str); 4] {
        [
            (self.bash(), OWN),
            (self.directory.join("bin/guarded-zsh"), OWN),
            (self.path().join("bash"), "../bin/guarded-sh"),
            (self.path().join("zsh"), "../bin/guarded-sh"),
        ]
    }

    /// Puts the names in place. What is there already stays.
    pub fn put(&self, programs: &Programs) -> Result<(), Error> {
        let program = self.program();
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| Error::Write { path, source }
        };
        for directory in [self.directory.join("bin"), self.path()] {
            fs::create_dir_all(&directory).map_err(failed(&directory))?;
        }
        match programs {
            // It is the one that runs.
            _ if is_same(&program, programs.source())
                && (programs.is_link() || !is_link(&program)) => {}
            Programs::Link(source) => link(&program, source)?,
            Programs::Copy(source) => Replacement::copy(source, &program)
                .and_then(Replacement::put)
                .map_err(failed(&program))?,
        }
        for (path, target) in self.links() {
            link(&path, Path::new(target))?;
        }
        Ok(())
    }

    /// Takes the names away, and the directories that are empty then.
    pub fn take(&self) {
        for (path, target) in self.links() {
            if fs::read_link(&path).is_ok_and(|found| found == Path::new(target)) {
                // What stays is harmless: it leads nowhere, or is not ours.
                let _ = fs::remove_file(&path);
            }
        }
        // As above, and where it is the program that runs, it goes last.
        let _ = fs::remove_file(self.program());
        for directory in [self.directory.join("bin"), self.path(), self.directory.clone()] {
            let _ = fs::remove_dir(directory);
        }
    }
}

impl Programs {
    /// Returns what the names are to lead to: the running program, under the name that PATH has for it.
    pub fn of(current: &Path, search: Option<&str>, loose: &[String]) -> Self {
        let directories = search.unwrap_or_default().split(':').map(Path::new);
        let on_path = directories.filter(|path| path.is_absolute()).map(|path| path.join(OWN));
        let named = on_path.into_iter().find(|path| is_same(path, current));
        let path = named.unwrap_or_else(|| current.to_owned());
        let is_loose = loose.iter().any(|directory| current.starts_with(directory));
        if is_loose { Self::Copy(current.to_owned()) } else { Self::Link(path) }
    }

    fn source(&self) -> &Path {
        match self {
            Self::Link(path) | Self::Copy(path) => path,
        }
    }

    const fn is_link(&self) -> bool {
        matches!(self, Self::Link(_))
    }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|file| file.is_symlink())
}

/// Returns whether two names are one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

/// Makes a link, in the place of another one.
fn link(path: &Path, target: &Path) -> Result<(), Error> {
    match fs::read_link(path) {
        Ok(found) if found == target => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // A copy of the program that was put here before.
        Err(_) if path.is_file() && path.ends_with(Path::new("bin").join(OWN)) => {}
        Err(_) => return Err(Error::Foreign { path: path.to_owned() }),
    }
    let put = Replacement::link(target, path).and_then(Replacement::put);
    put.map_err(|source| Error::Write { path: path.to_owned(), source })
}
