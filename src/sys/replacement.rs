//! What takes the place of a file as a whole: whoever looks sees the old or the new, never a part and never nothing.
//! Does not know what stands in it.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown, symlink};
use std::path::{Path, PathBuf};

/// Mode of a file that takes nobody's place.
const OURS_ALONE: u32 = 0o600;

/// Something new beside the path that it is for. What is not put in place goes away again.
#[derive(Debug)]
#[must_use = "what is not put in place goes away again"]
pub struct Replacement {
    new: PathBuf,
    path: PathBuf,
}

impl Replacement {
    /// Writes a file that is its owner's alone.
    pub fn write(path: &Path, content: &[u8]) -> io::Result<Self> {
        let it = Self::beside(path)?;
        it.create(OURS_ALONE)?.write_all(content)?;
        Ok(it)
    }

    /// Writes a file with mode and owner of the one that is there.
    pub fn write_like(path: &Path, content: &[u8]) -> io::Result<Self> {
        let Ok(old) = path.metadata() else { return Self::write(path, content) };
        let it = Self::beside(path)?;
        let mode = old.mode() & 0o7777;
        let mut file = it.create(mode & 0o777)?;
        let ours = file.metadata()?;
        if (ours.uid(), ours.gid()) != (old.uid(), old.gid()) {
            fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(Permissions::from_mode(mode))?;
        file.write_all(content)?;
        Ok(it)
    }

    fn create(&self, mode: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).mode(mode).open(&self.new)
    }

    /// Copies a file with its mode.
    pub fn copy(source: &Path, path: &Path) -> io::Result<Self> {
        let it = Self::beside(path)?;
        fs::copy(source, &it.new)?;
        Ok(it)
    }

    /// Copies a program, for everybody to run, to the disk.
    pub fn program(source: &Path, path: &Path) -> io::Result<Self> {
        let it = Self::copy(source, path)?;
        fs::set_permissions(&it.new, Permissions::from_mode(0o755))?;
        it.synced()
    }

    /// Makes a second name of a file, or of a symbolic link itself, in the same file system.
    pub fn name(source: &Path, path: &Path) -> io::Result<Self> {
        let it = Self::beside(path)?;
        fs::hard_link(source, &it.new)?;
        Ok(it)
    }

    /// Makes a symbolic link.
    pub fn link(target: &Path, path: &Path) -> io::Result<Self> {
        let it = Self::beside(path)?;
        symlink(target, &it.new)?;
        Ok(it)
    }

    /// Returns the path that a process uses for what is to be at `path`.
    #[must_use]
    pub fn place(path: &Path, process: u32) -> PathBuf {
        let mut new = path.as_os_str().to_owned();
        new.push(format!(".{process}.new"));
        PathBuf::from(new)
    }

    fn beside(path: &Path) -> io::Result<Self> {
        let new = Self::place(path, std::process::id());
        // Left behind by a process of the same id that was killed; whatever it is, it is in the way.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(Self { new, path: path.to_owned() }),
        }
    }

    /// Returns where it is until it is put in place.
    #[must_use]
    pub fn new_path(&self) -> &Path {
        &self.new
    }

    /// Waits until the content is on the disk.
    pub fn synced(self) -> io::Result<Self> {
        File::open(&self.new)?.sync_all()?;
        Ok(self)
    }

    /// Puts it in place.
    pub fn put(self) -> io::Result<()> {
        fs::rename(&self.new, &self.path)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // It is not there any more where it was put in place. What cannot be removed is in nobody's way.
        let _ = fs::remove_file(&self.new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_and_old_content_stay_until_it_is_put_in_place() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        drop(Replacement::write_like(&path, b"dropped").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let stale = Replacement::place(&path, std::process::id());
        fs::write(&stale, "stale").unwrap();
        let new = Replacement::write_like(&path, b"new").unwrap().synced().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        new.put().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o640);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
        Replacement::write(&path, b"ours").unwrap().put().unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, OURS_ALONE);
    }

    #[test]
    fn a_new_file_is_its_owners_alone_and_a_link_can_take_its_place() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x");
        Replacement::write(&path, b"x").unwrap().put().unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, OURS_ALONE);
        Replacement::link(Path::new("y"), &path).unwrap().put().unwrap();
        assert_eq!(fs::read_link(&path).unwrap(), Path::new("y"));
        let second = place.path().join("second");
        Replacement::name(&path, &second).unwrap().put().unwrap();
        assert_eq!(fs::read_link(&second).unwrap(), Path::new("y"));
    }
}
