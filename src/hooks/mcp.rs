//! Tools of MCP servers: which server, whether the tool only looks, and what its fields make of it.

use super::event::Call;
use super::table::{
    ACT, ANYWAY, CHANGES, COMMANDS, DEEDS, FACTS, HIDES, HOLDERS, HOSTS, LOOK, MAKES, MODES, NAMED,
    OFF, OPENERS, OPENS, READS, RUIN, RUNS, SAYS, SECRET, SHELLS, STATEMENTS, STORES, THINGS,
    WRITTEN,
};
use crate::config::McpSettings;

/// Returns server and tool, if it is a server's tool. Agents write them as `mcp__SERVER__TOOL`, or as `SERVER-TOOL` and `SERVER_TOOL`, where
/// only a registered name tells where the server's ends.
pub(super) fn split(call: &Call, settings: &McpSettings) -> Option<(String, String)> {
    if let Some(server) = &call.server {
        return Some((server.clone(), call.tool.clone()));
    }
    if let Some((server, tool)) = call.tool.strip_prefix("mcp__").and_then(|n| n.split_once("__")) {
        return Some((server.to_owned(), tool.to_owned()));
    }
    let name = call.tool.strip_prefix("mcp_").unwrap_or(&call.tool);
    settings.servers.value.iter().find_map(|server| {
        let tool = name.strip_prefix(server.as_str())?.strip_prefix(['-', '_', '.', '/'])?;
        (!tool.is_empty()).then(|| (server.clone(), tool.to_owned()))
    })
}

/// Returns why a tool of a server is not known to be harmless, if it is not.
pub(super) fn doubt(server: &str, tool: &str, settings: &McpSettings) -> Option<String> {
    if is_listed(server, tool, settings) {
        return None;
    }
    if !settings.servers.value.iter().any(|registered| registered == server) {
        return Some(unknown(&format!("{server}-{tool}")));
    }
    (!looks(tool)).then(|| format!("'{tool}' of the MCP server '{server}' may do more than look"))
}

/// Returns whether the owner lists a tool of a server as one that may be called.
pub(super) fn is_listed(server: &str, tool: &str, settings: &McpSettings) -> bool {
    let name = format!("{server}/{tool}");
    settings.tools.value.iter().any(|pattern| fast_glob::glob_match(pattern, &name))
}

/// Returns what is said of a tool that nobody has said anything of. Not every client tells where the server's name ends, and so nobody is told.
pub(super) fn unknown(tool: &str) -> String {
    format!("'{tool}' is a tool that is not known: the owner names MCP servers in [mcp] servers")
}

/// Whether the name of a tool says that it only looks.
fn looks(tool: &str) -> bool {
    let words = words(tool);
    let is_one = |words: &[&str], word: &String| words.contains(&word.as_str());
    let (Some(first), Some((last, before))) = (words.first(), words.split_last()) else {
        return false;
    };
    let tells = is_one(FACTS, last) && before.iter().all(|word| is_one(THINGS, word));
    // `__` divides the names of server and tool: in the tool's own name, it may belong to another server's.
    let is_clear = tool.is_ascii() && !tool.contains("__");
    (is_one(LOOK, first) || is_one(LOOK, last) || tells)
        && !words.iter().any(|word| does_more(word))
        && is_clear
}

/// Whether a word says that more is done than looking.
fn does_more(word: &str) -> bool {
    ACT.contains(&word) || ruins(word)
}

fn ruins(word: &str) -> bool {
    RUIN.iter().any(|verb| is_form(word, verb))
}

/// Returns whether the name of a tool says that it gives secrets.
pub(super) fn gives_secrets(tool: &str) -> bool {
    is_named(&words(tool), SECRET)
}

/// Returns why a field, or the name of one, makes more of a tool than its name says, if it does.
pub(super) fn doubt_of(field: Option<&str>, text: &str) -> Option<&'static str> {
    let name = field.map(words).unwrap_or_default();
    if is_named(&name, COMMANDS) && !looks(text) {
        return Some("is given a command, which nobody reads");
    }
    let does = || words(text).iter().any(|word| does_more(word)) || !text.is_ascii();
    let ruin = || words(text).iter().any(|word| ruins(word));
    let is_ruin = matches!(name.as_slice(), [verb] if RUIN.contains(&verb.as_str()));
    let is_told = is_named(&name, DEEDS) && does()
        || is_named(&name, MODES) && ruin()
        || is_ruin && !OFF.iter().any(|off| text.eq_ignore_ascii_case(off));
    (is_told || changes(text)).then_some("is told to do more than look")
}

/// Whether a text is a statement, of SQL, GraphQL or their like, that changes something: by how it begins, or since one of its words says so. Texts that
/// people search for are no statements: these have a sign of one.
fn changes(text: &str) -> bool {
    let clear = without_comments(text);
    let begins = |text: &str| {
        let plain = text.trim_start_matches(|c: char| c.is_whitespace() || ",;(.".contains(c));
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        (STATEMENTS.iter().any(|statement| plain.starts_with(statement)), plain)
    };
    // Behind a semicolon people begin a sentence in small letters.
    let is_loud = |part: &str| {
        let word = part.split_whitespace().next().unwrap_or("");
        word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    let (is_one, plain) = begins(&clear);
    if is_one || clear.split(';').skip(1).any(|part| is_loud(part) && begins(part).0) {
        return true;
    }
    let mut words =
        plain.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
    let is_statement = |plain: &str| {
        plain.contains([';', '(', '{', '=', '$', '.'])
            || [" from ", " table ", " to ", " on "].iter().any(|sign| plain.contains(sign))
    };
    let opens = plain.starts_with('{')
        || words.clone().next().is_some_and(|first| OPENERS.contains(&first));
    opens && is_statement(&plain) && words.any(|word| CHANGES.contains(&word))
}

/// A text with a blank in the place of each comment, as SQL (`-- …`, `/* … */`) and others (`# …`, `// …`) write them. One that does not end is none.
fn without_comments(text: &str) -> String {
    const COMMENTS: [(&str, &str); 4] = [("/*", "*/"), ("--", "\n"), ("#", "\n"), ("//", "\n")];
    // Where one does not end, none of its kind does that begins behind it.
    let mut may_end = [true; COMMENTS.len()];
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let begun = COMMENTS.iter().zip(&mut may_end).find_map(|((begin, end), may_end)| {
            let inside = rest.strip_prefix(begin).filter(|_| *may_end)?;
            let at = inside.find(end);
            *may_end = at.is_some();
            Some(&inside[at? + end.len()..])
        });
        if let Some(after) = begun {
            plain.push(' ');
            rest = after;
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    plain
}

/// Returns whether a field that is switched on makes more of a tool than its name says.
pub(super) fn does_by(field: &str) -> bool {
    let name = words(field);
    let is_anyway = name.first().is_some_and(|first| ANYWAY.contains(&first.as_str()));
    !is_anyway && name.iter().any(|word| ruins(word))
}

/// Returns whether secrets are seen where a field is switched off.
pub(super) fn hides_secrets(field: &str) -> bool {
    is_named(&words(field), HIDES)
}

/// Returns whether a field that is switched on brings secrets.
pub(super) fn opens_secrets(field: &str) -> bool {
    let name = words(field);
    (is_named(&name, SECRET) || is_named(&name, OPENS)) && !is_named(&name, HIDES)
}

/// Returns whether a field names a host.
pub(super) fn is_host(field: &str) -> bool {
    is_named(&words(field), HOSTS)
}

/// Returns whether a field says that a secret is what is wanted.
pub(super) fn wants_secret(field: &str, text: &str) -> bool {
    let is_one = |list: &[&str]| list.iter().any(|one| text.eq_ignore_ascii_case(one));
    let field = words(field);
    let names_one = || is_named(&words(text), SECRET);
    // `DB_PASSWORD`: a name that is no word of people's.
    let is_constant = || text.contains('_') && !text.contains(|c: char| c.is_ascii_lowercase());
    let is_held = is_named(&field, HOLDERS) && !is_one(OFF);
    let is_stored = || {
        STORES.iter().any(|store| {
            text.get(..store.len()).is_some_and(|start| start.eq_ignore_ascii_case(store))
        })
    };
    is_held
        || is_named(&field, SAYS) && names_one()
        || is_named(&field, &["name"]) && is_constant() && names_one()
        || is_stored()
}

/// Returns whether a tool writes what its field names, if that is a path.
pub(super) fn writes(tool: &str, field: &str) -> bool {
    let (tool, field) = (words(tool), words(field));
    is_named(&field, WRITTEN)
        || is_named(&field, NAMED) && !is_named(&tool, READS)
        || is_named(&tool, MAKES)
}

/// Returns whether an option of this name says where something is written.
pub(super) fn is_output(option: &str) -> bool {
    is_named(&words(option), WRITTEN)
}

/// Returns whether an option or a setting of this name has a program run another one.
pub(super) fn runs_program(option: &str) -> bool {
    is_named(&words(option), RUNS)
}

/// Returns whether a program runs what it is given.
pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Whether words hold one of these, each of one word or more.
fn is_named(words: &[String], names: &[&str]) -> bool {
    let is_one = |name: &&str| {
        let name: Vec<&str> = name.split(' ').collect();
        words.windows(name.len()).any(|window| window.iter().eq(&name))
    };
    names.iter().any(is_one)
}

/// Whether a word is a form of a verb: `dropped`, `wiping`, `removal`, `deletion`. One of six letters or more may also stand within it
/// (`deleteall`).
fn is_form(word: &str, verb: &str) -> bool {
    const ENDS: &[&str] =
        &["e", "es", "s", "d", "ed", "ing", "er", "ers", "or", "al", "als", "ion", "ions", "able"];
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let ends =
        |stem: &str| word != stem && word.strip_prefix(stem).is_some_and(|end| ENDS.contains(&end));
    let doubled = || stem.chars().last().is_some_and(|last| ends(&format!("{stem}{last}")));
    word == verb || ends(stem) || doubled() || (verb.len() >= 6 && word.contains(stem))
}

/// The words of `get_issue`, `list-pages`, `getIssue` and `getAPIKeys2`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let is_followed_by_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = |before: char| {
            let is_capital = c.is_uppercase() && (before.is_lowercase() || is_followed_by_small);
            is_capital || c.is_numeric() != before.is_numeric()
        };
        if !c.is_alphanumeric() || before.is_some_and(begins) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::looks;

    #[test]
    fn a_tool_looks_if_its_name_says_so_and_says_nothing_else() {
        for name in [
            "get_issue",
            "list-pages",
            "searchCode",
            "issue_read",
            "browser_snapshot",
            "read",
            "list_pull_requests",
            "list_droplets",
            "getURL",
            "get_formats",
            "list_commits",
            "get_dropdown",
            "list_terms",
            "pull_request_read",
            "git_status",
            "resolve-library-id",
            "whoami",
        ] {
            assert!(looks(name), "{name}");
        }
        for name in [
            "create_issue",
            "get_or_create",
            "readAndDelete",
            "execute_sql",
            "browser_navigate",
            "x",
            "",
            "list_and_deleted",
            "getDeletedAll",
            "get-deleting",
            "read_deletion",
            "search_then_DROP",
            "getDROPTable",
            "find_dropping",
            "list_removal",
            "get_purged",
            "view_truncation",
            "list_and_decommissioned",
            "find_destruction",
            "get_erasure",
            "read_cleanup",
            "list_unregistering",
            "list_wiped",
            "get2delete",
            "get_deleteall",
            "show_destroyer",
            "get_erasing",
            "list_rm",
            "read_unlinked",
            "gеt_x",
            "bump_version",
            "drain_status",
            "check_out_branch",
            "list_and_email",
            "evil__get",
        ] {
            assert!(!looks(name), "{name}");
        }
    }
}
