//! What goes along with a line: the commits that it would push, and, where the owner wants that, the files that it runs. Bounded; what does not fit does not
//! go, and then nobody is told the whole.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use guarded_sh::audit::mask;
use guarded_sh::judge::{Attached, Case, Pushed};

use crate::child::{self, Unread};

/// Bytes of all that goes along.
const ROOM: usize = 32 << 10;
/// Why what is longer does not go along.
const TOO_LONG: &str = "longer than what goes along";
/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(1);
/// How git is asked: nothing that a repository could set runs a program or asks another host.
const GIT: [&str; 21] = [
    "--no-replace-objects",
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "log.mailmap=false",
    "log",
    "--reverse",
    "--patch",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    "--diff-merges=first-parent",
    "--text",
    "--format=commit %h%n%B",
];

/// How git is asked for settings that decide what is pushed, and where.
const SETTINGS: [&str; 3] = [
    "config",
    "--get-regexp",
    r"^(push\.(default|followtags|recursesubmodules)|remote\.(pushdefault|.*\.(push|mirror|pushurl))|branch\..*\.pushremote|url\..*)$",
];

/// Attaches what goes along. What cannot is said among what is not known; returns whether all did.
pub async fn attach(case: &mut Case) -> bool {
    let mut lacking = Vec::new();
    let mut room = ROOM;
    for push in std::mem::take(&mut case.pushes) {
        match tokio::time::timeout(PATIENCE, commits(&push, room)).await {
            Ok(Ok(text)) => {
                if mask::mask(&text) != text {
                    lacking.push(
                        "the commits that it pushes hold what looks like a secret".to_owned(),
                    );
                }
                room -= text.len();
                let name = format!("the commits of {} that no remote has", push.revision);
                case.attached.push(Attached { name, text });
            }
            Ok(Err(why)) => lacking.push(format!("the commits that it pushes: {why}")),
            Err(_) => lacking.push("the commits that it pushes: git takes too long".to_owned()),
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

/// Returns the commits that no remote has, with what they change.
async fn commits(push: &Pushed, room: usize) -> Result<String, &'static str> {
    let settings = said(push, &SETTINGS, room).await?;
    if settings.is_some_and(|settings| settings.lines().any(is_elsewhere)) {
        return Err("git's settings push other than it says");
    }
    let words = [&GIT[..], &[push.revision.as_str(), "--not", "--remotes", "--"]].concat();
    let text = said(push, &words, room).await?.ok_or("git does not know them")?;
    // What git takes for a remote's, a line may have written.
    if text.is_empty() { Err("git says that there are none") } else { Ok(text) }
}

/// Returns whether a setting, with its value, makes a push another than its words say.
fn is_elsewhere(setting: &str) -> bool {
    let (name, value) = setting.split_once(' ').unwrap_or((setting, ""));
    name != "push.default" || !["simple", "current", "nothing"].contains(&value)
}

/// Returns what git says; none where it ends with another status than 0.
async fn said(push: &Pushed, words: &[&str], room: usize) -> Result<Option<String>, &'static str> {
    let mut command = child::command("git");
    command.arg("-C").arg(&push.directory).args(words);
    command.env("LC_ALL", "C").env("GIT_NO_LAZY_FETCH", "1");
    let mut child = command.spawn().map_err(|_| "git cannot be run")?;
    let out = child.stdout.take().ok_or("git says nothing")?;
    let text = child::said(out, room).await.map_err(|unread| match unread {
        Unread::Broken => "git cannot be read",
        Unread::TooLong => TOO_LONG,
    })?;
    let ended = child.wait().await.map_err(|_| "git cannot be waited for")?;
    let text = String::from_utf8(text).map_err(|_| "no text")?;
    Ok(ended.success().then_some(text))
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
