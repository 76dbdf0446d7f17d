//! Where a path leads over the links on its way, as far as they are there (path_resolution(7)).

use std::fs::read_link;
use std::io::ErrorKind;
use std::path::Path;

use crate::model::{Facts, Real};

/// Links beyond these lead in a circle (Linux, `MAXSYMLINKS`).
const LINKS: usize = 40;
/// Names beyond these are not looked at: no path that a program can open has so many.
const NAMES: usize = 1_024;

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum There {
    Link(String),
    Other,
    Nothing,
}

/// Returns what stands at a place; a link whose target is no text counts as one that leads nowhere.
pub(super) fn look(place: &str) -> There {
    match read_link(place) {
        Ok(target) => There::Link(target.into_os_string().into_string().unwrap_or_default()),
        Err(error) if error.kind() == ErrorKind::InvalidInput => There::Other,
        Err(_) => There::Nothing,
    }
}

/// Returns what an absolute path, or a pattern of paths, is behind its links, each of which `look` tells. A workspace, the home and
/// directories for temporary files are where their names say. With `follows`, a link that the path ends with is followed as well.
pub(super) fn real(
    path: &str,
    facts: &Facts,
    follows: bool,
    look: &mut impl FnMut(&str, bool) -> There,
) -> Real {
    let roots = facts.workspaces.iter().chain(&facts.temporary).chain(&facts.home);
    let inside = |root: &&String| {
        root.len() > 1 && path.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'))
    };
    let known = roots.filter(inside).map(String::len).max().unwrap_or(0);
    let (known, rest) = path.split_at(known);
    let mut real = known.to_owned();
    let mut open: Vec<String> = rest.split('/').rev().map(str::to_owned).collect();
    let (mut links, mut names, mut is_there) = (0, 0, true);
    while let Some(name) = open.pop() {
        match name.as_str() {
            "" | "." => continue,
            ".." => {
                real.truncate(real.rfind('/').unwrap_or(0));
                continue;
            }
            name => {
                real.push('/');
                real.push_str(name);
            }
        }
        names += 1;
        if names > NAMES {
            return Real::Unknown;
        }
        // What a pattern fits is not looked at, nor what is below that which is not there.
        is_there &= !name.contains(['*', '?', '[', '{']);
        let is_last = open.iter().all(String::is_empty);
        if !is_there || (is_last && !follows) {
            continue;
        }
        match look(&real, is_last) {
            There::Other => {}
            There::Nothing => is_there = false,
            There::Link(target) => {
                links += 1;
                if links > LINKS || target.is_empty() {
                    return Real::Unknown;
                }
                if Path::new(&target).is_absolute() {
                    real.clear();
                } else {
                    real.truncate(real.rfind('/').unwrap_or(0));
                }
                open.extend(target.split('/').rev().map(str::to_owned));
            }
        }
    }
    if links == 0 && real == path.trim_end_matches('/') {
        return Real::Same;
    }
    if real.is_empty() {
        real.push('/');
    }
    Real::Other(real)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::{Real, look, real};
    use crate::model::Facts;

    fn at(facts: &Facts, path: &str, follows: bool) -> Real {
        real(path, facts, follows, &mut |place, _| look(place))
    }

    #[test]
    fn links_are_followed_as_the_kernel_does() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        let facts = Facts { workspaces: vec![root.clone()], ..Facts::default() };
        let there = |name: &str| format!("{root}/{name}");
        std::fs::create_dir_all(there("d/e")).unwrap();
        std::fs::write(there("d/e/f"), "").unwrap();
        symlink("d/e", there("l")).unwrap();
        symlink("l/f", there("twice")).unwrap();
        symlink("/", there("top")).unwrap();
        symlink("circle", there("circle")).unwrap();
        symlink(there("nowhere"), there("dangling")).unwrap();
        let rows: &[(&str, bool, Real)] = &[
            ("d/e/f", true, Real::Same),
            ("new/x", true, Real::Same),
            ("l", false, Real::Same),
            ("l", true, Real::Other(there("d/e"))),
            ("l/", false, Real::Same),
            ("l/f", false, Real::Other(there("d/e/f"))),
            ("l/new/x", true, Real::Other(there("d/e/new/x"))),
            ("l/../x", true, Real::Other(there("d/x"))),
            ("d/../x", true, Real::Other(there("x"))),
            ("twice", true, Real::Other(there("d/e/f"))),
            ("l/*.c", true, Real::Other(there("d/e/*.c"))),
            ("*/l/x", true, Real::Same),
            ("top/etc/../x", true, Real::Other("/x".to_owned())),
            ("top", true, Real::Other("/".to_owned())),
            ("circle/x", true, Real::Unknown),
            ("dangling", true, Real::Other(there("nowhere"))),
        ];
        for (path, follows, expected) in rows {
            assert_eq!(&at(&facts, &there(path), *follows), expected, "{path}");
        }
    }

    #[test]
    fn the_roots_are_where_their_names_say() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        std::fs::create_dir(format!("{root}/real")).unwrap();
        symlink("real", format!("{root}/known")).unwrap();
        let known = format!("{root}/known");
        let facts = Facts { temporary: vec![known.clone()], ..Facts::default() };
        assert_eq!(at(&facts, &format!("{known}/x"), true), Real::Same);
        let other = Facts::default();
        let real = Real::Other(format!("{root}/real/x"));
        assert_eq!(at(&other, &format!("{known}/x"), true), real);
    }

    #[test]
    fn a_path_of_any_length_is_bounded() {
        let facts = Facts::default();
        assert_eq!(at(&facts, &"/a".repeat(100_000), true), Real::Unknown);
        assert_eq!(at(&facts, "/", true), Real::Same);
        assert_eq!(at(&facts, "/../..", true), Real::Other("/".to_owned()));
        assert_eq!(at(&facts, "/nul\0/x", true), Real::Same);
    }
}
