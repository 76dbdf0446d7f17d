//! The container of a line of which not everything is known: namespaces of files and network around the process that becomes the shell, before the
//! fence, and a filter of its system calls behind it. Decides nothing: which layers a line needs, the table says.
//!
//! A domain denies every mount for good, so the namespaces come first; the filter denies namespaces, so it comes last. There is no process beside the
//! line: what is put on stays, for the line and all that it starts.

mod calls;
mod here;
mod proxy;
mod view;

use std::io;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};

pub use here::{Here, Service, holds_this_process};
pub(super) use proxy::Way;
use view::Placed;
pub(super) use view::{Places, View};

use crate::fence::table;
use crate::model::{Layer, Layers};
use crate::sys::environment;
use crate::sys::mounts::{Tree, make_all_read_only};
use crate::sys::powers::{self, Capability};

/// Why a container was not put on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel says no.
    #[error("cannot put the container on: {doing}")]
    Kernel {
        /// What was done.
        doing: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// The proxy does not serve.
    #[error("cannot put the container on: its proxy does not serve it")]
    Proxy(#[source] io::Error),
    /// The filter could not be made.
    #[error("cannot put the container on: making the filter of system calls")]
    Filter(#[from] seccompiler::Error),
}

/// What a contained line keeps of root's capabilities: none of them reaches what its user does not own.
const KEPT: &[Capability] = &[
    Capability::Chown,
    Capability::DacOverride,
    Capability::Fowner,
    Capability::Fsetid,
    Capability::Kill,
    Capability::Setgid,
    Capability::Setuid,
    Capability::NetBindService,
];

/// Turns an error of a system call into ours.
fn doing<E: Into<io::Error>>(doing: &'static str) -> impl Fn(E) -> Error {
    move |source| Error::Kernel { doing, source: source.into() }
}

/// Puts on what comes before the fence: the namespaces, and the way out of them.
pub(super) fn enter(view: &View, way: Option<&Way>, layers: Layers) -> Result<(), Error> {
    // What stays in the machine's network is started there.
    let proxy = way.map(proxy::start).transpose().map_err(Error::Proxy)?;
    let mut flags = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    if layers.has(Layer::Network) {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    separate(flags)?;
    show(view)?;
    if layers.has(Layer::Network) {
        powers::raise_loopback().map_err(doing("switching its loopback on"))?;
    }
    if let (Some(proxy), Some(way)) = (proxy, way) {
        proxy.serve(way).map_err(Error::Proxy)?;
    }
    let is_free = |(name, _): &(&str, &str)| std::env::var_os(name).is_none();
    environment::set(table::without_daemons().filter(is_free));
    powers::keep_only(KEPT).map_err(doing("giving capabilities up"))
}

/// Puts on what comes behind the fence: the filter of system calls.
pub(super) fn filter() -> Result<(), Error> {
    calls::filter()
}

/// Leaves the machine's namespaces. Root, where it may, keeps the users that there are; anyone else takes a namespace with itself alone.
fn separate(flags: CloneFlags) -> Result<(), Error> {
    if powers::has(Capability::SysAdmin) && unshare(flags).is_ok() {
        return Ok(());
    }
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    unshare(flags | CloneFlags::CLONE_NEWUSER).map_err(doing("leaving the namespaces"))?;
    let write = |path: &str, text: String| {
        std::fs::write(path, text).map_err(doing("saying who is who in its namespace"))
    };
    write("/proc/self/setgroups", "deny".to_owned())?;
    write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Makes the files that the line sees: nothing is writable but what is the line's; in that, what is guarded is not either; what is hidden is not there.
fn show(view: &View) -> Result<(), Error> {
    let nothing = None::<&str>;
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(nothing, "/", nothing, private, nothing).map_err(doing("keeping mounts to itself"))?;
    view::lay_trials(&view.over)?;
    let writable = view.writable.iter().filter_map(Placed::of);
    let kept = view.kept.iter().filter_map(Placed::read_only);
    let stays: Vec<Placed<'_>> = writable.chain(kept).collect();
    make_all_read_only().map_err(doing("making files read-only"))?;
    let caches = view::open(&view.caches);
    for path in &view.gone {
        view::hide(path)?;
    }
    view::lay_over(&caches, view.gone.first())?;
    for placed in stays {
        placed.put().map_err(doing("making what is the line's writable"))?;
    }
    for path in &view.pinned {
        let pinned = Tree::of(path).and_then(|tree| tree.put(path));
        pinned.map_err(doing("holding what is guarded in its place"))?;
    }
    for path in &view.guarded {
        let guarded = Tree::of(path).and_then(Tree::read_only).and_then(|tree| tree.put(path));
        guarded.map_err(doing("making what is guarded read-only"))?;
    }
    for path in &view.secret {
        view::hide(path)?;
    }
    // The directory that we are in is still the one below what was put over it.
    if let Some(cwd) = &view.cwd {
        nix::unistd::chdir(cwd.as_path()).map_err(doing("going back to its directory"))?;
    }
    Ok(())
}

/// Mounts an empty file system, in memory.
fn mount_empty(path: &std::path::Path, options: &str) -> Result<(), Error> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), path, Some("tmpfs"), flags, Some(options))
        .map_err(doing("hiding what is not the line's"))
}

/// Takes away what was mounted last at a path; whoever still uses it keeps it.
fn take_away(path: &std::path::Path) -> Result<(), Error> {
    umount2(path, MntFlags::MNT_DETACH).map_err(doing("putting its caches in place"))
}

/// What [`Here`] tries in a process of its own, which then ends: each layer that holds is told before the next is tried.
fn try_each(tell: impl Fn(Layer)) {
    let files = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    let is_separate = separate(files).and_then(|()| show(&View::default())).is_ok();
    if is_separate {
        tell(Layer::Files);
        let network = unshare(CloneFlags::CLONE_NEWNET).map_err(io::Error::from);
        if network.and_then(|()| powers::raise_loopback()).is_ok() {
            tell(Layer::Network);
        }
    }
    if (!is_separate || powers::keep_only(KEPT).is_ok()) && filter().is_ok() {
        tell(Layer::Seccomp);
    }
}
