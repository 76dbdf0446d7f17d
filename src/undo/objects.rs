//! Contents that were left to git: fetched into the entry when they are brought back or shown. git is started from a place that is root's, in a
//! directory of ours: it sees no settings but ours, runs no hook and no filter, and asks no host. Changes nothing of a repository.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::Error;
use super::files;
use super::journal::{Blob, BlobId, Entry, How, Item, Name, Was};
use super::standing::Standings;
use super::store::{Found, remove_directory};
use crate::sys::git;

/// Fetches what git has of the paths that are changed, as far as it is not there.
pub fn unpack(found: &Found, entry: &Entry, standings: &Standings) -> Result<(), Error> {
    let content = found.content();
    let mut wanted: Vec<(Blob, u32, u64, &Path)> = Vec::new();
    for (path, _, item) in standings.changed(entry) {
        if let Some(Item {
            was: Was::File { meta, content: number, how: How::Blob(blob) }, ..
        }) = item
        {
            let is_there = content.join(number.to_string()).symlink_metadata().is_ok();
            if !is_there {
                wanted.push((*blob, *number, meta.size, path));
            }
        }
    }
    wanted.sort_by_key(|(blob, ..)| blob.at);
    for several in wanted.chunk_by(|one, other| one.0.at == other.0.at) {
        let Some((blob, ..)) = several.first() else { continue };
        let Some(objects) = entry.header.objects.get(blob.at).map(Name::path) else { continue };
        let failed = |source| Error::io("read git's objects in", objects, source);
        let mut reader =
            Reader::start(&content.with_file_name("git"), objects, blob.id).map_err(failed)?;
        for (blob, number, size, path) in several {
            let is_there = reader.fetch(&content, blob.id, *number, *size).map_err(failed)?;
            if !is_there {
                return Err(Error::Blob((*path).to_owned()));
            }
        }
    }
    Ok(())
}

/// A git that is asked for blobs, one after the other.
struct Reader {
    git: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    directory: PathBuf,
}

impl Reader {
    /// Starts git in a new directory, for the objects in another.
    fn start(directory: &Path, objects: &Path, example: BlobId) -> io::Result<Self> {
        let program = git::program().ok_or(io::ErrorKind::NotFound)?;
        // Whoever was stopped left it.
        remove_directory(directory)?;
        for path in [directory, &directory.join("refs"), &directory.join("objects")] {
            DirBuilder::new().mode(0o700).create(path)?;
        }
        let settings = match example {
            BlobId::Sha1(_) => "[core]\nrepositoryformatversion = 0\nbare = true\n",
            BlobId::Sha256(_) => {
                "[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\nobjectformat = sha256\n"
            }
        };
        fs::write(directory.join("config"), settings)?;
        fs::write(directory.join("HEAD"), "ref: refs/heads/none\n")?;
        let mut command = Command::new(program);
        command.args(["cat-file", "--batch"]).current_dir("/").env_clear();
        command.env("GIT_DIR", directory).env("GIT_OBJECT_DIRECTORY", objects);
        command.envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("LC_ALL", "C"),
        ]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut git = command.spawn()?;
        let (ask, answers) = (git.stdin.take(), git.stdout.take());
        let answers = BufReader::new(answers.ok_or(io::ErrorKind::BrokenPipe)?);
        Ok(Self { git, ask, answers, directory: directory.to_owned() })
    }

    /// Puts a blob of a size into a file of the store. Returns whether git has it.
    fn fetch(&mut self, content: &Path, id: BlobId, number: u32, size: u64) -> io::Result<bool> {
        let name = String::from(id);
        let ask = self.ask.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(ask, "{name}")?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        if head.trim_end() != format!("{name} blob {size}") {
            return Ok(false);
        }
        let (directory, new) = (File::open(content)?, format!("{number}.new"));
        files::remove(directory.as_fd(), OsStr::new(&new))?;
        let mut to = files::create(directory.as_fd(), OsStr::new(&new))?;
        let copied = io::copy(&mut (&mut self.answers).take(size), &mut to)?;
        let mut end = [0];
        self.answers.read_exact(&mut end)?;
        if copied != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        fs::rename(content.join(new), content.join(number.to_string()))?;
        Ok(true)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It ends when nothing more can be asked for.
        drop(self.ask.take());
        let _ = self.git.kill();
        let _ = self.git.wait();
        // What cannot be removed goes with the entry.
        let _ = remove_directory(&self.directory);
    }
}
