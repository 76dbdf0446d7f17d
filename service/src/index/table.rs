//! The file of the index: opened for its owner alone, made where there is none, replaced where it is another's or damaged.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg, OFlag};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::Error;

/// The file's name, and that of the file that who writes it has locked.
const NAME: &str = "index.sqlite";
const LOCK: &str = "index.lock";
/// What SQLite puts beside it.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// By which a file is known to be an index (`gshx`), and of which version.
const APPLICATION: i64 = 0x6773_6878;
const VERSION: i64 = 2;
/// The tables.
const SCHEMA: &str = include_str!("schema.sql");
/// What is made once the calls are there.
const FILLED: &str = include_str!("filled.sql");
/// How long another's write is waited for, in milliseconds: it takes no longer than it is to make the tables.
const PATIENCE: &str = "PRAGMA busy_timeout = 5000";

/// The lock of who writes; given up when it is dropped, and when its process ends.
pub(super) type Lock = Flock<File>;

/// Returns the path of the index below a state directory, which is made if it is not there.
pub(super) fn path(state: &Path) -> Result<PathBuf, Error> {
    let failed = |source| Error::Place { path: state.to_owned(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(state).map_err(failed)?;
    // SQLite is told to follow no link; one above the directory is the owner's.
    Ok(state.canonicalize().map_err(failed)?.join(NAME))
}

/// Locks the index, if nobody else has.
pub(super) fn lock(path: &Path) -> Result<Option<Lock>, Error> {
    let path = path.with_file_name(LOCK);
    let file = own_file(&path)?;
    match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
        Ok(lock) => Ok(Some(lock)),
        Err((_, nix::errno::Errno::EWOULDBLOCK)) => Ok(None),
        Err((_, errno)) => Err(Error::Place { path, source: errno.into() }),
    }
}

/// Whether a lock is of the file that is there.
pub(super) fn holds(lock: &Lock, path: &Path) -> bool {
    let held = lock.metadata().map_or(0, |metadata| metadata.ino());
    held != 0 && held == inode(&path.with_file_name(LOCK))
}

/// Returns the number of a file; 0 where there is none.
pub(super) fn inode(path: &Path) -> u64 {
    path.symlink_metadata().map_or(0, |metadata| metadata.ino())
}

/// Opens the index to write it, and makes it if it is not there. One that is no index of this version, or cannot be read, is replaced.
pub(super) fn writer(path: &Path, _lock: &Lock) -> Result<Connection, Error> {
    match opened(path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Ok(Some(db)) => return Ok(db),
        Ok(None) => {}
        Err(Error::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    remove(path)?;
    drop(own_file(path)?);
    let db = connection(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let made = db.execute_batch(&format!(
        "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; {WRITING}; BEGIN; {SCHEMA}
         PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"
    ));
    made.map_err(|source| Error::of(path, source))?;
    Ok(db)
}

/// Opens the index to read it, while another process writes it.
pub(super) fn reader(path: &Path) -> Result<Connection, Error> {
    let being_made = || Error::BeingMade { path: path.to_owned() };
    if !path.exists() {
        return Err(being_made());
    }
    let db = opened(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?.ok_or_else(being_made)?;
    // Whoever writes puts into the file what stands beside it.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(|source| Error::of(path, source))?;
    Ok(db)
}

/// Empties the index.
pub(super) fn clear(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         DROP TABLE IF EXISTS lines; DROP TABLE IF EXISTS days; DROP TABLE IF EXISTS state; DROP TABLE IF EXISTS texts;
         DROP TABLE IF EXISTS calls; DROP TABLE IF EXISTS findings; DROP TABLE IF EXISTS sessions; DROP TABLE IF EXISTS hours;
         DROP TABLE IF EXISTS rules;
         {SCHEMA} COMMIT;"
    ))
}

/// Makes what finds calls, once all of them are there, and gives back what the file does not need.
pub(super) fn fill(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(&format!("BEGIN IMMEDIATE; {FILLED} COMMIT"))?;
    // Each row is a page that is given back.
    let mut vacuum = db.prepare("PRAGMA incremental_vacuum")?;
    let mut pages = vacuum.query([])?;
    while pages.next()?.is_some() {}
    // Where somebody reads, it is done later.
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Removes the index.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    let beside = BESIDE.iter().map(|end| path.with_file_name(format!("{NAME}{end}")));
    for path in std::iter::once(path.to_owned()).chain(beside) {
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Place { path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// How it is written: what is derived need not be on the disk at once, and stays whole all the same.
const WRITING: &str =
    "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4096;
    PRAGMA journal_size_limit = 67108864";

/// Opens the index, if it is one of this version.
fn opened(path: &Path, flags: OpenFlags) -> Result<Option<Connection>, Error> {
    match path.symlink_metadata() {
        Ok(metadata) => keep_ours(path, &metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::Place { path: path.to_owned(), source }),
    }
    let db = connection(path, flags)?;
    let failed = |source| Error::of(path, source);
    let number = |name: &str| db.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0));
    let application: i64 = number("application_id").map_err(failed)?;
    let version: i64 = number("user_version").map_err(failed)?;
    if (application, version) != (APPLICATION, VERSION) {
        return Ok(None);
    }
    // All tables are there, or none is believed.
    let whole = db.query_row("SELECT count(*) FROM state", [], |row| row.get::<_, i64>(0));
    if !matches!(whole, Ok(1)) {
        return Ok(None);
    }
    if flags.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) {
        db.execute_batch(WRITING).map_err(failed)?;
    }
    Ok(Some(db))
}

fn connection(path: &Path, access: OpenFlags) -> Result<Connection, Error> {
    let failed = |source| Error::of(path, source);
    let flags = OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, access | flags).map_err(failed)?;
    // What stands in the file has no say in what is done.
    for (config, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    ] {
        db.set_db_config(config, value).map_err(failed)?;
    }
    db.execute_batch(PATIENCE).map_err(failed)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// Opens a file that is the owner's alone, and makes it if it is not there.
fn own_file(path: &Path) -> Result<File, Error> {
    let failed = |source| Error::Place { path: path.to_owned(), source };
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.custom_flags(flags.bits()).open(path).map_err(failed)?;
    keep_ours(path, &file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// Says whether a file is the owner's, and takes from others what they may do with it. SQLite's own files are not opened for that: to close one would give up the
/// locks that it has in this process.
fn keep_ours(path: &Path, metadata: &Metadata) -> Result<(), Error> {
    let problem = if !metadata.is_file() {
        "is not a plain file"
    } else if metadata.uid() != nix::unistd::geteuid().as_raw() {
        "belongs to another user"
    } else {
        if metadata.mode().trailing_zeros() >= 6 {
            return Ok(());
        }
        let kept = std::fs::set_permissions(path, Permissions::from_mode(0o600));
        return kept.map_err(|source| Error::Place { path: path.to_owned(), source });
    };
    Err(Error::NotOurs { path: path.to_owned(), problem })
}
