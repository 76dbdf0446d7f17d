//! What goes along with a line: the commits that it would push, and, where the owner wants that, the files that it runs. Bounded; what does not fit does not
//! go, and then nobody is told the whole.

use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use guarded_sh::audit::mask;
use guarded_sh::judge::{Attached, Case};
use guarded_sh::model::Pushed;
use guarded_sh::observe;

/// Bytes of all that goes along.
const ROOM: usize = 32 << 10;
/// Why what is longer does not go along.
const TOO_LONG: &str = "longer than what goes along";
/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// Attaches what goes along. What cannot is said among what is not known; returns whether all did.
pub async fn attach(case: &mut Case) -> bool {
    let mut lacking = Vec::new();
    let mut room = ROOM;
    for push in std::mem::take(&mut case.pushes) {
        let name = format!("the commits of {} that the remote is not known to have", push.revision);
        match commits(push, room).await {
            Ok(text) => {
                if mask::mask(&text) != text {
                    lacking.push(
                        "the commits that it pushes hold what looks like a secret".to_owned(),
                    );
                }
                room -= text.len();
                case.attached.push(Attached { name, text });
            }
            Err(why) => lacking.push(format!("the commits that it pushes: {why}")),
        }
    }
    for path in std::mem::take(&mut case.files) {
        match contents(&path, room) {
            Ok(text) => {
                room -= text.len();
                case.attached.push(Attached { name: path, text });
            }
            Err(why) => lacking.push(format!("what is in {path}: {why}")),
        }
    }
    let is_whole = lacking.is_empty() && case.is_whole;
    case.unknown.extend(lacking);
    is_whole
}

/// Returns the commits that the remote is not known to have, with what they change.
async fn commits(push: Pushed, room: usize) -> Result<String, String> {
    let said = move || {
        let until = Instant::now() + PATIENCE;
        observe::Asked::about(&push, &observe::Environment::read(), until)?.commits(room)
    };
    let said = tokio::task::spawn_blocking(said).await.map_err(|error| error.to_string())?;
    let text = said.map_err(|why: observe::Unseen| why.to_string())?;
    // What git takes for a remote's, a line may have written.
    if text.is_empty() { Err("git says that there are none".to_owned()) } else { Ok(text) }
}

/// Returns what is in a file.
fn contents(path: &str, room: usize) -> Result<String, &'static str> {
    let cannot = "it cannot be read";
    // Opening a pipe would wait for whoever writes to it.
    let is_file = std::fs::metadata(path).map_err(|_| cannot)?.is_file();
    if !is_file {
        return Err("it is no file");
    }
    let mut text = Vec::new();
    let most = u64::try_from(room).unwrap_or(u64::MAX);
    let file = File::open(path).map_err(|_| cannot)?;
    file.take(most.saturating_add(1)).read_to_end(&mut text).map_err(|_| cannot)?;
    if text.len() > room {
        return Err(TOO_LONG);
    }
    String::from_utf8(text).map_err(|_| "no text")
}
