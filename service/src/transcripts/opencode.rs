//! opencode: an SQLite database that it writes while we read. It is opened to be read alone, for one question at a time, and whatever it holds, the answer comes
//! within a limit: it may be another's, or made to be read by us.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use serde_json::Value;

use super::item::{Called, Came, Head, Item, Text, Usage, What, Who, number, parts, text};
use super::paged::{At, ITEMS, Paged};
use super::places::{Place, fits};
use super::scan::Scan;
use super::{Error, Session, open, squeeze};

/// Sessions that are listed of one database.
const SESSIONS: i64 = 2_000;
/// How long a question may take, and how long opencode is waited for.
const LIMIT: Duration = Duration::from_secs(5);
const BUSY: Duration = Duration::from_millis(500);

/// A database, for one question.
struct Database {
    db: Connection,
    /// Dropped with this: nothing is interrupted any more.
    _asked: Sender<()>,
}

fn database(root: &Path, file: &Path) -> Result<Database, Error> {
    let path = root.join(file);
    open::regular(root, file)?;
    let failed = |source| Error::Database { path: path.clone(), source };
    let whole = root.canonicalize().map_err(|source| Error::Read { path: path.clone(), source })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(whole.join(file), flags).map_err(failed)?;
    let interrupt = db.get_interrupt_handle();
    let (asked, ended) = channel::<()>();
    std::thread::spawn(move || {
        if ended.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            interrupt.interrupt();
        }
    });
    db.busy_timeout(BUSY).map_err(failed)?;
    let safe = "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;";
    db.execute_batch(safe).map_err(failed)?;
    let tables: i64 = db
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('session', 'message', 'part')",
            [],
            |row| row.get(0),
        )
        .map_err(failed)?;
    if tables != 3 {
        let problem = "is no database of opencode's sessions";
        return Err(Error::NotRead { path, problem });
    }
    Ok(Database { db, _asked: asked })
}

/// Finds the sessions of the databases of a place.
pub(super) fn sessions(
    place: &'static Place,
    root: &Path,
    found: &mut Vec<Session>,
    errors: &mut Vec<Error>,
) {
    let entries = match std::fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(source) => return errors.push(Error::Read { path: root.to_owned(), source }),
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_one = |name: &str| place.files.iter().any(|file| fits(file, name).is_some());
        if name.to_str().is_some_and(is_one) {
            match listed(place, root, Path::new(&name)) {
                Ok(sessions) => found.extend(sessions),
                Err(error) => errors.push(error),
            }
        }
    }
}

fn listed(place: &'static Place, root: &Path, file: &Path) -> Result<Vec<Session>, Error> {
    let database = database(root, file)?;
    let read = || {
        let mut query = database.db.prepare(
            "SELECT id, parent_id, substr(directory, 1, 4096), substr(title, 1, 400), time_updated FROM session \
             ORDER BY time_updated DESC LIMIT ?1",
        )?;
        let rows = query.query_map([SESSIONS], |row| {
            let modified: i64 = row.get(4)?;
            let parent: Option<String> = row.get(1)?;
            Ok(Session {
                place,
                root: root.to_owned(),
                file: file.to_owned(),
                id: row.get(0)?,
                modified: Timestamp::from_millisecond(modified).unwrap_or(Timestamp::UNIX_EPOCH),
                bytes: None,
                is_helper: parent.is_some(),
                problem: None,
                told: Head { session: row.get(0)?, cwd: row.get(2)?, title: row.get(3)? },
            })
        })?;
        rows.collect::<Result<Vec<_>, _>>()
    };
    read().map_err(|source| Error::Database { path: root.join(file), source })
}

/// A part of a message, as it stands in its row.
struct Part {
    id: String,
    message: String,
    created: i64,
    updated: i64,
    bytes: i64,
    data: Option<String>,
    of: Option<String>,
}

const PARTS: &str = "SELECT p.id, p.message_id, p.time_created, p.time_updated, octet_length(p.data), \
    CASE WHEN octet_length(p.data) <= ?2 THEN p.data END, CASE WHEN octet_length(m.data) <= ?2 THEN m.data END \
    FROM part p LEFT JOIN message m ON m.id = p.message_id WHERE p.session_id = ?1";

fn parts_of(
    database: &Database,
    (session, place, most): (&str, &dyn rusqlite::ToSql, i64),
    rest: &str,
) -> rusqlite::Result<Vec<Part>> {
    let longest = i64::try_from(squeeze::LONGEST).unwrap_or(i64::MAX);
    let mut query = database.db.prepare(&format!("{PARTS} {rest} LIMIT ?4"))?;
    let rows = query.query_map(params![session, longest, place, most], |row| {
        Ok(Part {
            id: row.get(0)?,
            message: row.get(1)?,
            created: row.get(2)?,
            updated: row.get(3)?,
            bytes: row.get::<_, Option<i64>>(4)?.unwrap_or_default(),
            data: row.get(5)?,
            of: row.get(6)?,
        })
    })?;
    rows.collect()
}

/// Returns a page. Places behind which is looked are times of changes, since rows are changed where they are.
pub(super) fn page(session: &Session, at: &At) -> Result<Paged, Error> {
    let database = database(&session.root, &session.file)?;
    let failed = |source| Error::Database { path: session.path(), source };
    let most = i64::try_from(ITEMS).unwrap_or(i64::MAX);
    let mut paged = Paged::default();
    let read = || match at {
        At::From(place) => {
            let place: i64 = place.parse().unwrap_or(i64::MAX);
            let rest = "AND p.time_updated >= ?3 ORDER BY p.time_updated, p.id";
            parts_of(&database, (&session.id, &place, most), rest)
        }
        At::After(place) => {
            parts_of(&database, (&session.id, place, most), "AND p.id > ?3 ORDER BY p.id")
        }
        At::End => {
            parts_of(&database, (&session.id, &"", most), "AND p.id > ?3 ORDER BY p.id DESC")
        }
        At::Before(place, _) => {
            parts_of(&database, (&session.id, place, most), "AND p.id < ?3 ORDER BY p.id DESC")
        }
    };
    let mut rows = read().map_err(failed)?;
    if matches!(at, At::End | At::Before(..)) {
        let is_full = rows.len() == ITEMS;
        paged.before = rows.last().filter(|_| is_full).map(|part| (part.id.clone(), None));
        rows.reverse();
    }
    let newest: Option<i64> = database
        .db
        .query_row(
            "SELECT max(time_updated) FROM part WHERE session_id = ?1",
            [&session.id],
            |row| row.get(0),
        )
        .optional()
        .map_err(failed)?
        .flatten();
    let end = match at {
        At::From(_) => rows.iter().map(|part| part.updated).max().or(newest),
        At::End | At::Before(..) | At::After(_) => newest,
    };
    paged.end = end.unwrap_or_default().to_string();
    if let (At::After(_), Some(last)) = (at, rows.last()) {
        paged.end.clone_from(&last.id);
    }
    let is_on = matches!(at, At::From(_) | At::After(_));
    paged.has_more = matches!(at, At::Before(..)) || rows.len() == ITEMS && is_on;
    for part in rows {
        paged.read += part.bytes.unsigned_abs();
        part.take(&mut paged.items);
    }
    // What an answer took stands at its last part.
    let mut seen = std::collections::HashSet::new();
    paged.items.reverse();
    paged.items.retain(|item| match &item.what {
        What::Used(usage) => seen.insert(usage.key.clone()),
        _ => true,
    });
    paged.items.reverse();
    Ok(paged)
}

/// Reads a session anew, since rows are changed where they are.
pub(super) fn scan(session: &Session, scan: &mut Scan) -> Result<bool, Error> {
    scan.clear();
    let mut place = String::new();
    loop {
        // A short transaction for each thousand.
        let database = database(&session.root, &session.file)?;
        let rest = "AND p.id > ?3 ORDER BY p.id";
        let rows = parts_of(&database, (&session.id, &place, 1_000), rest);
        let rows = rows.map_err(|source| Error::Database { path: session.path(), source })?;
        let Some(last) = rows.last() else { break };
        place.clone_from(&last.id);
        let mut items = Vec::new();
        for part in rows {
            part.take(&mut items);
        }
        for item in items {
            scan.take(session.agent(), item);
        }
    }
    scan.is_whole = true;
    Ok(true)
}

impl Part {
    /// Takes what it says.
    fn take(self, items: &mut Vec<Item>) {
        let message: Value =
            self.of.as_deref().and_then(|of| serde_json::from_str(of).ok()).unwrap_or_default();
        let mut whats = Vec::new();
        match self.data.as_deref().map(serde_json::from_str::<Value>) {
            None => whats.push(What::Damaged(format!(
                "A part of {} is too long to be read.",
                super::lines::size(self.bytes.unsigned_abs())
            ))),
            Some(Err(_)) => whats.push(What::Damaged("A part is no JSON.".to_owned())),
            Some(Ok(data)) => read(data, &message, &mut whats),
        }
        whats.extend(usage(&message, self.message).map(What::Used));
        let time = Timestamp::from_millisecond(self.created).ok();
        let ended = Timestamp::from_millisecond(self.updated).ok();
        for (number, what) in whats.into_iter().enumerate() {
            let time = if matches!(what, What::Came(_)) { ended } else { time };
            items.push(Item {
                at: self.id.clone(),
                key: format!("p{}-{number}", self.id),
                time,
                is_helper: false,
                is_withdrawn: false,
                what,
            });
        }
    }
}

fn read(mut data: Value, message: &Value, out: &mut Vec<What>) {
    let who = if message["role"] == "user" { Who::Person } else { Who::Model };
    let kind = text(&data, "/type").unwrap_or_default();
    match kind.as_str() {
        "text" => {
            let who = if data["synthetic"] == true { Who::Client } else { who };
            out.push(What::Said(who, Text::of(&parts(&data["text"]))));
        }
        "reasoning" => out.push(What::Said(Who::Thought, Text::of(&parts(&data["text"])))),
        "tool" => {
            let id = text(&data, "/callID");
            let tool = text(&data, "/tool").unwrap_or_default();
            let came = came(&data["state"], id.clone());
            let input = data["state"]["input"].take();
            out.push(What::Called(Called { id, tool, server: None, input }));
            out.extend(came.map(What::Came));
        }
        "file" => {
            let name = text(&data, "/filename").unwrap_or_default();
            out.push(What::Said(who, Text::of(&format!("[file {name}, not shown]"))));
        }
        _ => {}
    }
}

fn came(state: &Value, id: Option<String>) -> Option<Came> {
    let (is_error, told) = match state["status"].as_str()? {
        "completed" => (false, parts(&state["output"])),
        "error" => (true, parts(&state["error"])),
        _ => return None,
    };
    let (start, end) = (number(state, "/time/start"), number(state, "/time/end"));
    Some(Came {
        id,
        text: Text::of(&told),
        is_error,
        status: state.pointer("/metadata/exit").and_then(Value::as_i64),
        took: (end >= start && start > 0).then(|| end - start),
    })
}

fn usage(message: &Value, key: String) -> Option<Usage> {
    message["tokens"].as_object()?;
    Some(Usage {
        key,
        input: number(message, "/tokens/input"),
        output: number(message, "/tokens/output") + number(message, "/tokens/reasoning"),
        cached: number(message, "/tokens/cache/read"),
        written: number(message, "/tokens/cache/write"),
        cost: message["cost"].as_f64(),
    })
}
