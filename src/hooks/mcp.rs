//! Tools of MCP servers: which server, whether the tool only looks, and what its fields make of it.

use super::event::Call;
use super::statement::{changes, plainly_reads};
use super::table::{
    ABOUT, ACT, ANYWAY, ARGUMENTS, ASKING, ASKS, CHECKS, CODES, COMMANDS, DEEDS, EITHER, FACTS,
    HIDES, HOLDERS, HOSTS, LOOK, MAKES, METHODS, MODES, NAMED, NO_KEYS, NOT, NOUNS, OFF, OPENS,
    PRODUCTS, READS, REQUESTS, RUIN, RUNS, SAFE_REQUESTS, SAYS, SECRET, SHELLS, STORES,
    SUBCOMMANDS, SWITCHES, THINGS, TRIES, VERBS, WAYS, WHICH, WRITTEN,
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

/// Returns why a tool of a server is not known to be harmless, if it is not. A tool that does what it is asked does what its statements do.
pub(super) fn doubt(
    (server, tool): (&str, &str),
    texts: &[(Option<&str>, &str)],
    settings: &McpSettings,
) -> Option<String> {
    if is_listed(server, tool, settings) {
        return None;
    }
    if !settings.servers.value.iter().any(|registered| registered == server) {
        return Some(unknown(&format!("{server}-{tool}")));
    }
    let is_harmless = is_of_looking(&words(tool), &words(server)) && is_clear(tool)
        || asks(tool) && only_reads(texts);
    (!is_harmless).then(|| format!("'{tool}' of the MCP server '{server}' may do more than look"))
}

/// Whether the name of a tool says that it does what it is asked in a language of statements (`query`, `execute_sql`).
fn asks(tool: &str) -> bool {
    let words = words(tool);
    let is_one = |list: &[&str], word: &String| list.contains(&word.as_str());
    words.iter().all(|word| is_one(ASKS, word) || is_one(ASKING, word))
        && words.iter().any(|word| is_one(ASKS, word))
        && is_clear(tool)
}

/// Whether fields hold a statement, and each that they hold plainly reads.
fn only_reads(texts: &[(Option<&str>, &str)]) -> bool {
    let mut statements =
        texts.iter().filter(|(field, _)| field.is_some_and(|field| is_named(&words(field), ASKS)));
    let first = statements.next().is_some_and(|(_, text)| plainly_reads(text));
    first && statements.all(|(_, text)| plainly_reads(text))
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
    is_of_looking(&words(tool), &[]) && is_clear(tool)
}

/// Whether a name is written so that it can be read. `__` divides the names of server and tool: in the tool's own name, it may belong to another server's.
fn is_clear(name: &str) -> bool {
    name.is_ascii() && !name.contains("__")
}

/// Whether the words of a name say that a tool only looks: the first or the last is a verb of looking, or the first is one behind a name of what is looked
/// at; or the last is a fact of things. No other may be a verb, but that a verb is the name of a thing as well (`get_commit`, `list_merge_requests`).
fn is_of_looking(words: &[String], server: &[String]) -> bool {
    let is_one = |list: &[&str], word: &String| list.contains(&word.as_str());
    let (Some(first), Some((last, before))) = (words.first(), words.split_last()) else {
        return false;
    };
    let tells = is_one(FACTS, last) && before.iter().all(|word| is_one(THINGS, word));
    // `jira_get_issue`: the name of a product, of a thing or of the server stands first.
    let is_place = is_one(PRODUCTS, first) || is_one(THINGS, first) || server.contains(first);
    let is_second = words
        .get(1)
        .is_some_and(|second| is_one(VERBS, second) || is_place && is_one(LOOK, second));
    (is_one(LOOK, first) || is_one(LOOK, last) || is_second || tells)
        && !without_nouns(words).any(|word| does_more(word))
}

/// The words of a name without those verbs that are names of things, behind a verb of looking: where one says that another verb follows (`get_and_post`),
/// none is.
fn without_nouns(words: &[String]) -> impl Iterator<Item = &String> {
    let looked = words.iter().position(|word| LOOK.contains(&word.as_str()));
    let is_joined = words.iter().any(|word| EITHER.contains(&word.as_str()));
    let may_be_noun = move |at: usize| !is_joined && looked.is_some_and(|looked| at > looked);
    let is_noun = move |at: usize| {
        let covers = |noun: &&str| {
            let noun: Vec<&str> = noun.split(' ').collect();
            let starts = at.saturating_sub(noun.len() - 1)..=at;
            starts.into_iter().any(|start| {
                words.get(start..start + noun.len()).is_some_and(|found| found.iter().eq(&noun))
            })
        };
        may_be_noun(at) && NOUNS.iter().any(covers)
    };
    words.iter().enumerate().filter(move |(at, _)| !is_noun(*at)).map(|(_, word)| word)
}

/// Whether a word says that more is done than looking.
fn does_more(word: &str) -> bool {
    ACT.contains(&word) || ruins(word)
}

fn ruins(word: &str) -> bool {
    RUIN.iter().any(|verb| is_form(word, verb))
}

/// Returns whether the name of a tool says that it gives secrets: it names one or many, and what is said of it is no fact about them (`get_password_policy`).
pub(super) fn gives_secrets(tool: &str) -> bool {
    let words = words(tool);
    names_secrets(&words) && !words.iter().any(|word| ABOUT.contains(&word.as_str()))
}

/// Whether words name one secret or many: `token`, `tokens`, `passphrases`, `env vars`; and keys at the end, but where the word before says that they are
/// others (`public_keys`).
fn names_secrets(words: &[String]) -> bool {
    let single = |word: &String| word.strip_suffix('s').unwrap_or(word).to_owned();
    let singles: Vec<String> = words.iter().map(single).collect();
    let gives_keys = match words {
        [.., kind, last] if last == "keys" => !NO_KEYS.contains(&kind.as_str()),
        _ => false,
    };
    is_named(words, SECRET) || is_named(&singles, SECRET) || gives_keys
}

/// Returns why a field, or the name of one, makes more of a tool than its name says, if it does.
pub(super) fn doubt_of(field: Option<&str>, text: &str) -> Option<&'static str> {
    let name = field.map(words).unwrap_or_default();
    let is_command = is_named(&name, COMMANDS) && !looks(text) && !plainly_reads(text);
    if is_command || is_named(&name, CODES) && is_code(text) {
        return Some("is given a command, which nobody reads");
    }
    let does = || words(text).iter().any(|word| does_more(word)) || !text.is_ascii();
    let ruin = || words(text).iter().any(|word| ruins(word));
    let is_ruin = matches!(name.as_slice(), [verb] if RUIN.contains(&verb.as_str()));
    let is_told = is_named(&name, DEEDS) && does()
        || is_named(&name, MODES) && ruin()
        || is_named(&name, WAYS) && acts(&words(text))
        || METHODS.contains(&name.join(" ").as_str()) && is_request(text)
        || is_named(&name, ARGUMENTS) && is_told_by(text)
        || is_ruin && !OFF.iter().any(|off| text.eq_ignore_ascii_case(off));
    (is_told || changes(text)).then_some("is told to do more than look")
}

/// Whether a text is code that does something, and no name, code of a country or the like.
fn is_code(text: &str) -> bool {
    text.contains(['(', ';', '{', '\n', '`']) || text.contains("=>")
}

/// Whether a text is a method of HTTP that changes something, or is not known to look: they are written in capitals.
fn is_request(text: &str) -> bool {
    let text = text.trim();
    let is_one = |list: &[&str]| list.iter().any(|one| text.eq_ignore_ascii_case(one));
    let is_method = text.bytes().all(|byte| byte.is_ascii_uppercase()) && !text.is_empty();
    is_one(REQUESTS) || is_method && !is_one(SAFE_REQUESTS)
}

/// Whether one argument of a program says that it does more than look: a subcommand, a program, or an option.
fn is_told_by(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    let name = name.split('=').next().unwrap_or(name);
    if text.starts_with('-') {
        return does_by(name);
    }
    let is_word = !text.is_empty() && !text.contains(|c: char| !c.is_alphanumeric() && c != '-');
    let word = text.to_ascii_lowercase();
    let is_one = |list: &[&str]| list.contains(&word.as_str());
    is_one(SHELLS)
        || is_one(SUBCOMMANDS)
        || is_word && words(text).iter().any(|word| does_more(word))
}

/// Returns whether a field that is switched on makes more of a tool than its name says: it is named by a verb, and says neither what is shown
/// (`include_deleted`) nor which thing is meant (`commit_id`).
pub(super) fn does_by(field: &str) -> bool {
    let name = words(field);
    let is_first = |list: &[&str]| name.first().is_some_and(|first| list.contains(&first.as_str()));
    let is_shown = is_first(ANYWAY);
    // `no_dry_run`, `skip_confirmation`
    let tries = is_named(&name, TRIES);
    let is_meant = is_first(NOT) && (tries || is_named(&name, CHECKS));
    is_meant || !is_shown && (name.iter().any(|word| ruins(word)) || !tries && acts(&name))
}

/// Returns whether a field that is switched off makes more of a tool than its name says: it only tries, or only reads, where it is on.
pub(super) fn does_without(field: &str) -> bool {
    let name = words(field);
    is_named(&name, TRIES) && !name.first().is_some_and(|first| NOT.contains(&first.as_str()))
}

/// Whether words tell a tool to act, and are no name of which thing is meant.
fn acts(name: &[String]) -> bool {
    is_named(name, SWITCHES) && !name.last().is_some_and(|last| WHICH.contains(&last.as_str()))
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
    let names_one = || names_secrets(&words(text));
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
            "jira_get_issue",
            "API-get-user",
            "slack_list_channels",
            "get_commit",
            "list_merge_requests",
            "get_workflow_run",
            "get_query_results",
            "list_open_issues",
            "directory_tree",
            "browser_console_messages",
            "git_diff_staged",
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
            "fetch_or_create",
            "find_and_replace",
            "get_and_post",
            "read_write",
            "search_replace",
            "get_patch_apply",
            "fetch_merge",
            "view_commit_and_push",
            "list_pull_requests_merge",
            "git_commit",
            "merge_request",
            "read_decrypt",
            "get_regenerate",
            "fetch_checkout",
            "bump_list_version",
        ] {
            assert!(!looks(name), "{name}");
        }
    }
}
