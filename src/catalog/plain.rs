//! Words that are to be plain: a name, a number, a short setting. Says which have the form of something that programs read otherwise.
//! Knows no program, looks at no file.

use crate::model::Arg;

/// Marks by which programs tell code, lists of names, other commands and addresses from a name.
const ANYWHERE: &[&str] = &[";", "`", "$(", "#(", "<(", "://", "\n"];

/// Marks that say so at the beginning of a word.
const AT_FIRST: &[&str] = &["@", "!", "|", "<", ">", "ext::", "fd::", "file:", "data:"];

/// Returns whether a word has another form than that of a plain word: code, a list (`@FILE`), an address, an option, the end
/// of a command (`;`). What is known of its beginning counts.
pub(super) fn is_foreign(arg: &Arg) -> bool {
    let text = match arg {
        Arg::Known(text) | Arg::Glob(text) | Arg::Prefix(text) => text,
        Arg::Unknown | Arg::Many => return false,
    };
    ANYWHERE.iter().any(|mark| text.contains(mark))
        || AT_FIRST.iter().any(|mark| text.len() > mark.len() && text.starts_with(mark))
        || is_signed(text, '+')
        || is_copied_from(text)
}

/// Returns whether an operand is an option to someone else: one behind `--`.
pub(super) fn is_option(arg: &Arg) -> bool {
    is_signed(arg.prefix(), '-')
}

/// Whether a word begins with a sign and is no number: `+toolchain`, `+refspec`, `--flag`.
fn is_signed(text: &str, sign: char) -> bool {
    text.strip_prefix(sign).is_some_and(|rest| {
        !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    })
}

/// Whether a word is written like a place on another machine: `user@host:path`.
fn is_copied_from(text: &str) -> bool {
    let Some((user, place)) = text.split_once('@') else { return false };
    let is_user =
        !user.is_empty() && user.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    is_user
        && place.split_once(':').is_some_and(|(host, _)| host.contains('.') || !host.contains('/'))
        && !place.starts_with("sha256:")
}

/// Returns whether a word is an URL that names another machine.
pub(super) fn is_url(arg: &Arg) -> bool {
    arg.prefix().split_once("://").is_some_and(|(scheme, _)| {
        scheme != "file"
            && !scheme.is_empty()
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// Returns whether a word is an URL of a server, and not of a store (`s3://bucket`).
pub(super) fn is_server(arg: &Arg) -> bool {
    let scheme = arg.prefix().split_once("://").map_or("", |(scheme, _)| scheme);
    let known = ["http", "https", "ftp", "ftps", "sftp", "scp", "ssh", "rsync", "dav", "davs"];
    known.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Whether a word begins with a scheme that is written without slashes, as packages of a registry are: `npm:NAME`. A line of a file
/// (`a.rs:12`) and a part of it (`a.py::b`) are no such thing.
pub(super) fn is_package(arg: &Arg) -> bool {
    let (scheme, rest) = arg.prefix().split_once(':').unwrap_or_default();
    scheme.len() > 1
        && scheme.bytes().all(|byte| byte.is_ascii_lowercase())
        && !rest.starts_with(|next: char| next == ':' || next.is_ascii_digit())
}

/// What a word names that is opened by whatever the owner has for it.
pub(super) enum Opened {
    /// A file, by its path or as an address.
    File(Arg),
    /// What a server has.
    Page,
    /// Another address: `mailto:`, or one of a program's own.
    Address,
}

/// Returns what is opened by a word: an address begins with its scheme (RFC 3986, 3.1), and is the name of no file.
pub(super) fn opened(arg: &Arg) -> Opened {
    let (scheme, rest) = arg.prefix().split_once(':').unwrap_or_default();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    // One letter is a drive of Windows.
    if !is_scheme || scheme.len() == 1 {
        return Opened::File(arg.clone());
    }
    if is_server(arg) {
        return Opened::Page;
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return Opened::Address;
    }
    let path =
        rest.strip_prefix("//").map_or(rest, |at| at.find('/').map_or("", |from| &at[from..]));
    let is_plain = matches!(arg, Arg::Known(_)) && path.starts_with('/') && !path.contains('%');
    Opened::File(if is_plain { Arg::Known(path.to_owned()) } else { Arg::Unknown })
}

/// Returns the address that a word gives instead of a name: an URL, a name that begins with its host (`ghcr.io/owner/image`),
/// or the host of a connection string (`host=db user=x`).
pub(super) fn address(arg: &Arg) -> Option<Arg> {
    let text = arg.prefix();
    if text.contains("://") || text.split_once('/').is_some_and(|(first, _)| is_host(first)) {
        return Some(arg.clone());
    }
    let is_host = |field: &&str| field.starts_with("host=") || field.starts_with("hostaddr=");
    let mut fields = text.split([' ', ';', ',']);
    let host = fields.find(is_host).and_then(|field| field.split_once('='));
    host.map(|(_, host)| match arg {
        Arg::Known(_) => Arg::Known(host.to_owned()),
        Arg::Prefix(_) | Arg::Glob(_) | Arg::Unknown | Arg::Many => Arg::Unknown,
    })
}

/// Whether the first part of a name is a host: it has a port, a last label as domains have, or is an address of four numbers.
fn is_host(first: &str) -> bool {
    let (name, port) = first.split_once(':').unwrap_or((first, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let ends_as_domain = name.rsplit_once('.').is_some_and(|(start, last)| {
        !start.is_empty() && start != "." && last.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let is_address = name.split('.').count() == 4 && name.split('.').all(is_number);
    name == "localhost" || is_number(port) || ends_as_domain || is_address
}

/// Returns the pieces of a plain word that a program may take for the name of a file: `x` and `y` of `--set x=y`, `a` and `b` of `a,b`.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(['=', ',']).filter(|piece| !piece.is_empty())
}
