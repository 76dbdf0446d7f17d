//! Whether a person's own words name what a line does. A model says that a line is within a task; that its hosts, packages and files are those
//! of the task is seen here, letter by letter, and no model is asked about it. What is not plain counts as not named: then a person decides.

use std::path::Path;

use super::Judgement;
use crate::catalog::GivenOption;
use crate::model::{
    Arg, Effect, EffectKind as Kind, Facts, PathClass, ProgramTrait, Severity, Target,
};
use crate::policy::severity_of;
use crate::reading::PlannedCommand;

/// What a person typed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The words.
    pub words: String,
    /// The directory that the client was in.
    pub cwd: Option<String>,
}

/// Returns whether each command of which anything is found does something whose target the person named, and nothing else that is more than
/// harmless: not on another host, with another package, to another file. What is written in a line that fetches or installs is named too,
/// unless it goes into a temporary directory that is not worked in: what is there now may run by itself later.
pub(super) fn by_person(judgement: &Judgement, facts: &Facts, prompts: &[Typed]) -> bool {
    let names = Names { facts, prompts };
    let (assessment, commands) = (&judgement.assessment, &judgement.plan.commands);
    // What is found in the line as a whole has no target.
    let is_of_line =
        assessment.findings.iter().zip(&assessment.subjects).any(|(found, subject)| {
            found.severity > Severity::Low
                && subject.is_none()
                && !found.rule.starts_with("opaque.")
        });
    // Where names are moved in the same line, one may be that of another file by then.
    let moves = commands.iter().any(|command| {
        command.interpretation.is(ProgramTrait::Links)
            || does(command, |one| one.kind == Kind::Move)
    });
    if is_of_line || moves {
        return false;
    }
    let brings =
        |one: &Effect| matches!(one.kind, Kind::Fetch | Kind::Install) && names.is_harmful(one);
    let brings_in = commands.iter().any(|command| does(command, brings));
    let mut all = commands.iter().zip(&assessment.commands).enumerate();
    all.all(|(index, (command, found))| {
        let is_found = found.severity > Severity::Low;
        let is_given = judgement.plan.flows.iter().any(|flow| flow.to.contains(&index));
        (!is_found || names.all_of(command))
            && (!brings_in || names.all_written(command))
            // What other commands print, nobody named.
            && (!does(command, brings) || !is_given && is_plain(command))
    })
}

fn does(command: &PlannedCommand, is: impl Fn(&Effect) -> bool) -> bool {
    command.effects.iter().any(is)
}

/// Whether a command that brings something in says itself from where: nothing runs it, an address is one of pages, and no option of an
/// installer names another source, or another place.
fn is_plain(command: &PlannedCommand) -> bool {
    let is_page = |word: &str| {
        !word.contains("://") || word.starts_with("https://") || word.starts_with("http://")
    };
    let takes_value = |given: &GivenOption| given.value.is_some();
    let installs = does(command, |one| one.kind == Kind::Install);
    command.via.is_empty()
        && command.argv.iter().filter_map(Arg::known).all(is_page)
        && !(installs && command.interpretation.options.iter().any(takes_value))
}

struct Names<'n> {
    facts: &'n Facts,
    prompts: &'n [Typed],
}

impl Names<'_> {
    fn is_harmful(&self, effect: &Effect) -> bool {
        severity_of(effect, self.facts) > Severity::Low
    }

    /// Whether all is named that a command does beyond what is harmless. Of what runs unread, the file goes along, or nobody is asked.
    fn all_of(&self, command: &PlannedCommand) -> bool {
        let runs = |one: &Effect| matches!(one.kind, Kind::Execute | Kind::Build);
        let (running, others): (Vec<&Effect>, Vec<&Effect>) =
            command.effects.iter().partition(|one| runs(one));
        let harmful: Vec<&Effect> = others.into_iter().filter(|one| self.is_harmful(one)).collect();
        // A command that does something to what it is given does so by itself, too.
        let is_said = |one: &Effect| {
            let says = |other: &&Effect| other.kind == one.kind && other.target != Target::None;
            one.target == Target::None && harmful.iter().any(says)
        };
        // What is found by a rule alone, nobody can name.
        let has_one = !running.is_empty() || !harmful.is_empty();
        has_one && harmful.iter().all(|one| is_said(one) || self.has(one))
    }

    /// Whether all is named that a command writes, in a line that brings something in.
    fn all_written(&self, command: &PlannedCommand) -> bool {
        let changes = |one: &&Effect| one.kind.changes() || one.kind == Kind::Commit;
        let mut written = command.effects.iter().filter(changes);
        // What comes into a repository has the names that others gave it.
        !command.interpretation.in_repository
            && written.all(|one| match &one.target {
                Target::Path { class: PathClass::Null, .. } => true,
                Target::Path { class: PathClass::Temporary, path: Some(path) } => {
                    !self.is_here(path) || self.has_path(path)
                }
                Target::Path { path: Some(path), .. } => self.has_path(path),
                _ => false,
            })
    }

    /// Whether a path is below the directory that the line works in.
    fn is_here(&self, path: &str) -> bool {
        self.facts.cwd.as_deref().is_some_and(|cwd| Path::new(path).starts_with(cwd))
    }

    fn has(&self, effect: &Effect) -> bool {
        match (effect.kind, &effect.target) {
            (Kind::Fetch, Target::Host { host: Some(host) }) => self.has_host(host),
            (Kind::Install, Target::Text { text: Some(text) }) => self.has_package(text),
            (
                Kind::Delete | Kind::Empty | Kind::Write | Kind::Append,
                Target::Path { path: Some(path), .. },
            ) => self.has_path(path),
            _ => false,
        }
    }

    /// Whether a host stands there as one: in an address, or by itself where its ending is no file's.
    fn has_host(&self, host: &str) -> bool {
        let ending = host.rsplit('.').next().unwrap_or_default();
        let is_files = FILES.contains(&ending);
        host.contains('.')
            && self.any(|prompt| {
                let prompt = prompt.words.to_lowercase();
                stands(&prompt, host, |before| {
                    before.ends_with("://") || !is_files && begins(before)
                })
            })
    }

    /// Whether a package stands there in quotes, or in a list behind a word such as "install". Its version is another matter, where it is one.
    fn has_package(&self, text: &str) -> bool {
        let first = text.chars().next().map_or(0, char::len_utf8);
        let end = text[first..].find(['@', '=', '<', '>', '~', '!', '[']);
        let (name, version) = text.split_at(end.map_or(text.len(), |end| first + end));
        let is_version = !version.contains(['/', ':']);
        is_version
            && self.any(|prompt| {
                let is_quoted = ['`', '"', '\''].iter().any(|quote| {
                    let quoted = format!("{quote}{name}{quote}");
                    stands(&prompt.words, &quoted, |_| true)
                });
                is_quoted || is_listed(&prompt.words, name)
            })
    }

    /// Whether a path stands there, as seen from where the person typed, or from home, or whole. It looks like one, and is none of another file.
    fn has_path(&self, path: &str) -> bool {
        let path = Path::new(path);
        let is_itself = !path.ancestors().any(Path::is_symlink);
        let below = |base: &Option<String>| {
            let rest = path.strip_prefix(base.as_deref()?).ok()?.to_str()?;
            (!rest.is_empty()).then(|| rest.to_owned())
        };
        is_itself
            && self.any(|prompt| {
                let at_home = below(&self.facts.home).map(|rest| format!("~/{rest}"));
                let whole = path.to_str().map(str::to_owned);
                let mut names = [whole, below(&prompt.cwd), at_home].into_iter().flatten();
                names.any(|name| name.contains(['.', '/']) && stands(&prompt.words, &name, begins))
            })
    }

    fn any(&self, has: impl Fn(&Typed) -> bool) -> bool {
        self.prompts.iter().any(has)
    }
}

/// Endings of files that are endings of hosts, too, or look so.
const FILES: [&str; 43] = [
    "app", "c", "cc", "cfg", "conf", "cpp", "css", "csv", "db", "exe", "go", "gz", "h", "html",
    "ini", "java", "js", "json", "lock", "log", "md", "mov", "php", "pl", "ps", "py", "rb", "rs",
    "sh", "so", "sql", "tar", "tgz", "toml", "ts", "txt", "xml", "yaml", "yml", "zip", "zsh",
    "tex", "pdf",
];

/// Words that forbid what stands in their sentence.
const FORBIDDING: [&str; 12] = [
    "not", "don't", "dont", "do-not", "never", "no", "nothing", "without", "except", "avoid",
    "instead", "nor",
];

/// Words behind which packages are listed, and such as may stand between.
const LISTING: [&str; 24] = [
    "install",
    "installs",
    "installing",
    "add",
    "adds",
    "adding",
    "upgrade",
    "update",
    "use",
    "using",
    "need",
    "needs",
    "package",
    "packages",
    "crate",
    "crates",
    "gem",
    "gems",
    "module",
    "modules",
    "dependency",
    "dependencies",
    "library",
    "uninstall",
];
const BETWEEN: [&str; 14] = [
    "the", "a", "an", "latest", "newest", "dev", "npm", "python", "version", "of", "package",
    "packages", "crate", "library",
];
/// Words between such that may stand there at most.
const MOST_BETWEEN: usize = 4;

/// Whether a word stands in a text whole, with this before it, in no sentence that forbids something.
fn stands(text: &str, word: &str, is_begun: impl Fn(&str) -> bool) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let mut next = after.chars();
        let (first, second) = (next.next(), next.next());
        // What ends a sentence ends a name.
        let goes_on = first == Some('.') && second.is_some_and(char::is_alphanumeric)
            || first.is_some_and(|c| c.is_alphanumeric() || "_-@".contains(c));
        is_begun(before) && !goes_on && !is_forbidden(before, after)
    })
}

/// Whether a word may begin behind this.
fn begins(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| c.is_whitespace() || "([{<\"'`,;".contains(c))
}

/// Whether the sentence around a place forbids something.
fn is_forbidden(before: &str, after: &str) -> bool {
    let ends = |text: &str| [". ", "\n", "; ", "! ", "? "].map(|end| text.rfind(end));
    let start = ends(before).into_iter().flatten().max().map_or(0, |at| at + 1);
    let stops = [". ", "\n", "; ", "! ", "? "].map(|end| after.find(end));
    let stop = stops.into_iter().flatten().min().unwrap_or(after.len());
    let words = before[start..].split_whitespace().chain(after[..stop].split_whitespace());
    let mut words = words.map(|word| word.trim_matches(['(', ')', ',', '.', '"']).to_lowercase());
    words.any(|word| FORBIDDING.contains(&word.as_str()))
}

/// Whether a package is one of a list behind a word that begins such.
fn is_listed(text: &str, name: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| {
        let word = word.trim_matches(['(', ')', ',', ';', ':', '!', '?', '"', '\'', '`']);
        word.strip_suffix('.').unwrap_or(word).to_owned()
    };
    let begins = |at: &usize| LISTING.contains(&bare(words[*at]).to_lowercase().as_str());
    (0..words.len()).filter(begins).any(|at| {
        let is_between = |word: &&&str| BETWEEN.contains(&bare(word).to_lowercase().as_str());
        let skipped = words[at + 1..].iter().take(MOST_BETWEEN).take_while(is_between).count();
        let mut rest = words[at + 1 + skipped..].iter().peekable();
        while let Some(word) = rest.next() {
            if bare(word) == name {
                let before = words[..at].join(" ");
                return !is_forbidden(&before, "");
            }
            let is_and = |next: &&&str| matches!(**next, "and" | "or" | "&");
            let goes_on = word.ends_with(',');
            if rest.next_if(is_and).is_none() && !goes_on {
                return false;
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks about names as seen from `/w`.
    fn names(words: &str, is: impl Fn(&Names<'_>) -> bool) -> bool {
        let prompts = [Typed { words: words.to_owned(), cwd: Some("/w".to_owned()) }];
        let facts = Facts { home: Some("/home/dev".to_owned()), ..Facts::default() };
        is(&Names { facts: &facts, prompts: &prompts })
    }

    #[test]
    fn hosts_are_named_whole_and_as_hosts() {
        for (words, host, is_named) in [
            ("read docs.example.com", "docs.example.com", true),
            ("read (Docs.Example.com).", "docs.example.com", true),
            ("see https://docs.rs/serde for it", "docs.rs", true),
            ("see docs.rs", "docs.rs", false),
            ("fix setup.sh and README.md", "setup.sh", false),
            ("read docs.example.com", "example.com", false),
            ("read docs.example.com", "docs.example", false),
            ("read docs.example.com.evil.example", "docs.example.com", false),
            ("read my-docs.example.com", "docs.example.com", false),
            ("mail joe@evil.example", "evil.example", false),
            ("read https://good.example/?u=evil.example", "evil.example", false),
            ("read docs.example.com@evil.example", "docs.example.com", false),
            ("never contact evil.example", "evil.example", false),
            ("Never mail it. Read docs.example.com", "docs.example.com", true),
            ("read the docs", "docs", false),
        ] {
            assert_eq!(names(words, |n| n.has_host(host)), is_named, "{words}: {host}");
        }
    }

    #[test]
    fn packages_are_named_in_lists_or_quotes() {
        for (words, text, is_named) in [
            ("install left-pad, flask and ripgrep", "flask", true),
            ("install left-pad, flask and ripgrep", "ripgrep@14", true),
            ("please add the latest version of serde.", "serde", true),
            ("we want `the` here", "the", true),
            ("install @acme/ui", "@acme/ui@1.2.3", true),
            ("install @acme/ui", "@acme/ui@evil/x", false),
            ("install left-pad", "left-pad@npm:evil", false),
            ("install left-pad", "left-pad@evil/left-pad", false),
            ("install left-pad", "left", false),
            ("install left-pad and fix the tests", "tests", false),
            ("install left-pad and fix the tests", "the", false),
            ("fetch the docs", "docs", false),
            ("do not install evil", "evil", false),
        ] {
            assert_eq!(names(words, |n| n.has_package(text)), is_named, "{words}: {text}");
        }
    }

    #[test]
    fn paths_are_named_from_where_the_person_typed() {
        for (words, path, is_named) in [
            ("delete old.log", "/w/old.log", true),
            ("delete old.log", "/w/sub/old.log", false),
            ("delete old.log", "/home/dev/old.log", false),
            ("delete OLD.LOG", "/w/old.log", false),
            ("delete sub/old.log", "/w/sub/old.log", true),
            ("delete x/sub/old.log", "/w/sub/old.log", false),
            ("delete ~/notes/a.txt", "/home/dev/notes/a.txt", true),
            ("delete /srv/a.txt.", "/srv/a.txt", true),
            ("fix the docs", "/w/docs", false),
            ("delete \"my file.txt\"", "/w/file.txt", true),
            ("don't touch old.log", "/w/old.log", false),
        ] {
            assert_eq!(names(words, |n| n.has_path(path)), is_named, "{words}: {path}");
        }
    }

    #[test]
    fn what_leads_to_another_file_is_not_named() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("old.log")).unwrap();
        for (name, is_named) in [("old.log", false), ("new.log", true)] {
            let path = root.join(name).display().to_string();
            let words = format!("delete {path}");
            assert_eq!(names(&words, |n| n.has_path(&path)), is_named, "{path}");
        }
    }
}
