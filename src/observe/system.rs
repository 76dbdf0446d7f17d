//! Who starts a shell where guarded-sh stands in the place of the system's shells: there all that starts `/bin/sh` comes to us, and not only
//! agents. What a package manager runs, and what is installed as a program, was asked for by its name, and that was judged; so was a task.
//!
//! Nothing of this holds for a guard under another name, and nothing makes a line the system's own: those are given by agents that nobody knows.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::ancestry::{self, Ancestor, Look};
use super::caller::agent_of;
use super::real_shell::PLACES;
use crate::model::{Facts, Shell, ShellInvocation, ShellMode, Whose, kept, without_kept};
use crate::sys::users::may_others_write;

/// Programs that run packages' own scripts, and hooks that the machine's owner gave them. Named by their files, as root runs them.
const MANAGERS: [&str; 14] = [
    "apk",
    "apt",
    "apt-get",
    "aptitude",
    "dnf",
    "dnf-3",
    "dnf5",
    "dpkg",
    "microdnf",
    "pacman",
    "rpm",
    "unattended-upgrade",
    "yum",
    "zypper",
];

/// Programs that run the recipes of tasks by a shell: what asked for the task was judged with what its recipes say, and a recipe is judged as one.
const RUNNERS: [&str; 8] = ["deno", "gmake", "just", "make", "mise", "ninja", "samu", "task"];
/// The same, as they name their process: `npm run build`.
const PACKAGE_RUNNERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Where the files are of what the system has installed. What people build is in none of them.
const INSTALLED: [&str; 8] =
    ["/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc", "/opt", "/var/lib/dpkg"];
/// Where, below that, people build all the same.
const BUILT: [&str; 2] = ["/usr/src", "/usr/local/src"];

/// Bytes of a process's name that the kernel keeps.
const NAME: usize = 15;

/// What is known of a call where guarded-sh stands in the place of the system's shells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InPlace {
    /// Whose it is.
    pub whose: Whose,
    /// The program that runs tasks, of whose recipe it is a part.
    pub task: Option<String>,
}

/// Returns what is known of a call; none where we do not stand in the place of a shell of the system's.
#[must_use]
pub fn in_place(invocation: &ShellInvocation, facts: &Facts) -> Option<InPlace> {
    if !stands_in_place() {
        return None;
    }
    let script = match invocation.mode {
        ShellMode::Script { .. } => invocation.subject().map(Path::new),
        _ => None,
    };
    let above = ancestry::ancestors(Look::Names).unwrap_or_default();
    let is_systems =
        script.is_some_and(|script| is_installed(script, facts)) || is_below_manager(&above);
    let whose = if is_systems { Whose::Systems } else { Whose::Anyones };
    Some(InPlace { whose, task: task(&above) })
}

/// Returns the program that runs tasks if it is what started us, by way of shells at most.
fn task(above: &[Ancestor]) -> Option<String> {
    let is_shell = |ancestor: &&Ancestor| {
        let program = ancestry::program(ancestor.id).map(PathBuf::from).unwrap_or_default();
        let name = without_kept(program.file_name().unwrap_or_default()).to_str();
        name.is_some_and(|name| Shell::named(name).is_some() || name == "busybox")
    };
    let starter = above.iter().find(|ancestor| !is_shell(ancestor))?;
    let program = ancestry::program(starter.id).map(PathBuf::from)?;
    if !is_installed(&program, &Facts::default()) {
        return None;
    }
    // Runners of packages' scripts name their process by what they run, and are scripts of an interpreter.
    let first = starter.name.split(' ').next().unwrap_or_default();
    let by_title = PACKAGE_RUNNERS.contains(&first) && starter.name.contains(' ');
    let name = name_of(&program);
    let runner = if RUNNERS.contains(&name) { name } else { first };
    (by_title || RUNNERS.contains(&name)).then(|| runner.to_owned())
}

/// Returns whether we were started as one of the system's shells, the real one of which is kept beside us.
fn stands_in_place() -> bool {
    let Ok(own) = std::fs::read_link("/proc/self/exe") else { return false };
    let is_place = own.parent().is_some_and(|at| PLACES.iter().any(|place| at == Path::new(place)));
    is_place && kept(&own).symlink_metadata().is_ok()
}

/// Returns whether a package manager that root runs is above us, and no agent nearer than that.
fn is_below_manager(above: &[Ancestor]) -> bool {
    let mut above = above.iter().take_while(|ancestor| agent_of(ancestor).is_none());
    above.any(is_manager)
}

fn is_manager(ancestor: &Ancestor) -> bool {
    // The name that the kernel keeps is cut, and whoever likes changes it: it only says that a closer look is worth it.
    let near = |name: &&str| ancestor.name.starts_with(&name[..name.len().min(NAME)]);
    if !MANAGERS.iter().chain(&["python"]).any(near) {
        return false;
    }
    let is_root = Path::new("/proc").join(ancestor.id.to_string()).metadata();
    if !is_root.is_ok_and(|process| process.uid() == 0) {
        return false;
    }
    let Some(program) = ancestry::program(ancestor.id).map(PathBuf::from) else { return false };
    let script = || {
        let words = ancestry::command(ancestor.id).into_iter().skip(1);
        words.map(PathBuf::from).find(|word| word.is_absolute())
    };
    let file = if name_of(&program).starts_with("python") { script() } else { Some(program) };
    file.is_some_and(|file| {
        MANAGERS.contains(&name_of(&file)) && is_installed(&file, &Facts::default())
    })
}

fn name_of(file: &Path) -> &str {
    file.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// Returns whether a file is a program of the system's: of root, in directories of root, where nobody else may write.
fn is_installed(file: &Path, facts: &Facts) -> bool {
    let Ok(real) = file.canonicalize() else { return false };
    let below = |place: &str| real.starts_with(place);
    // The root of all is a workspace where a container's agent starts in it.
    let loose = facts.workspaces.iter().chain(&facts.temporary).chain(&facts.home);
    let is_loose = loose.filter(|place| place.as_str() != "/").any(|place| below(place));
    INSTALLED.iter().any(|place| below(place))
        && !BUILT.iter().any(|place| below(place))
        && !is_loose
        && real.ancestors().all(is_roots)
}

/// Returns whether nobody but root may write there.
pub(super) fn is_roots(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.uid() == 0 && !may_others_write(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_is_what_root_has_where_nobody_else_writes() {
        let nothing = Facts::default();
        assert!(is_installed(Path::new("/bin/sh"), &nothing));
        assert!(is_installed(Path::new("/etc/passwd"), &nothing));
        assert!(!is_installed(Path::new("/usr/bin/absent"), &nothing));
        let place = tempfile::tempdir().unwrap();
        let script = place.path().join("x");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(!is_installed(&script, &nothing));
        let link = place.path().join("link");
        std::os::unix::fs::symlink("/bin/sh", &link).unwrap();
        assert!(is_installed(&link, &nothing));
        let workspace = Facts { workspaces: vec!["/usr".to_owned()], ..Facts::default() };
        assert!(!is_installed(Path::new("/bin/sh"), &workspace));
        let root = Facts { workspaces: vec!["/".to_owned()], ..Facts::default() };
        assert!(is_installed(Path::new("/bin/sh"), &root));
    }

    #[test]
    fn nothing_is_the_systems_own_where_we_are_under_another_name() {
        assert!(!stands_in_place());
    }
}
