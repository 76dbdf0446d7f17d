//! The user database: whose home is whose. And whether others than its owner may write to a file.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The user database. It is read first: that costs a fraction of what the name service does.
pub const PASSWD: &str = "/etc/passwd";
/// The largest user database that is read.
const LARGEST: u64 = 64 << 20;

/// Returns whether others than its owner may write to what is found: its group, or anyone.
#[must_use]
pub fn may_others_write(found: &Metadata) -> bool {
    found.mode() & 0o022 != 0
}

/// Returns the home of a uid, by the file or by the name service.
#[must_use]
pub fn home_of(uid: u32) -> Option<PathBuf> {
    home_by(Path::new(PASSWD), uid)
}

/// Returns the home of a uid, by this file or by the name service.
pub(crate) fn home_by(passwd: &Path, uid: u32) -> Option<PathBuf> {
    let listed = read(passwd).and_then(|passwd| home_in(&passwd, uid));
    listed.or_else(|| home_by_service(uid)).filter(|home| home.is_absolute())
}

/// Returns the name of a uid, as the file has it.
#[must_use]
pub fn name_of(uid: u32) -> Option<String> {
    let uid = uid.to_string();
    let name = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then(|| name.to_owned())
    };
    read(Path::new(PASSWD))?.lines().find_map(name)
}

/// Returns the login shell of a uid, as the file has it.
#[must_use]
pub fn shell_of(uid: u32) -> Option<PathBuf> {
    field_in(&read(Path::new(PASSWD))?, uid, 3)
}

fn read(passwd: &Path) -> Option<String> {
    let mut listed = Vec::with_capacity(4096);
    File::open(passwd).and_then(|file| file.take(LARGEST).read_to_end(&mut listed)).ok()?;
    Some(String::from_utf8_lossy(&listed).into_owned())
}

fn home_in(passwd: &str, uid: u32) -> Option<PathBuf> {
    field_in(passwd, uid, 2)
}

/// Returns a field of a user's line, counted behind the uid.
fn field_in(passwd: &str, uid: u32, index: usize) -> Option<PathBuf> {
    let uid = uid.to_string();
    // name:password:uid:gid:comment:home:shell (passwd(5))
    let fields = |line: &str| {
        let mut fields = line.split(':').skip(2);
        (fields.next()? == uid).then(|| fields.nth(index).map(str::to_owned))?
    };
    passwd.lines().find_map(fields).map(PathBuf::from)
}

/// Asks the name service (LDAP and the like), which a statically linked program cannot load.
#[cfg(not(statically_linked))]
fn home_by_service(uid: u32) -> Option<PathBuf> {
    nix::unistd::User::from_uid(uid.into()).ok().flatten().map(|user| user.dir)
}

#[cfg(statically_linked)]
fn home_by_service(_: u32) -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_is_the_sixth_field() {
        let passwd =
            "root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000:,,:/home/dev:/bin/sh\ncut:x:7";
        assert_eq!(home_in(passwd, 1000), Some(PathBuf::from("/home/dev")));
        assert_eq!(home_in(passwd, 0), Some(PathBuf::from("/root")));
        assert_eq!(home_in(passwd, 7), None);
        assert_eq!(home_in("", 0), None);
        assert_eq!(field_in(passwd, 1000, 3), Some(PathBuf::from("/bin/sh")));
    }
}
