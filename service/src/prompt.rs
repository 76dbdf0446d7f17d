//! What a model is told: a template in plain text, with what is known of a line in its placeholders. What others wrote stands between marks that
//! nobody can guess, with characters that control terminals or hide text written out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use guarded_sh::approval::visible;
use guarded_sh::audit::mask;
use guarded_sh::judge::{Attached, Case, Template};
use guarded_sh::model::{Effect, EffectKind, Target};
use guarded_sh::sys::random;

use crate::answer::Form;

/// The templates that are built in.
const BUILT_IN: [(Template, &str); 8] = [
    (Template::Shell, include_str!("../prompts/shell.txt")),
    (Template::Read, include_str!("../prompts/read.txt")),
    (Template::Write, include_str!("../prompts/write.txt")),
    (Template::Web, include_str!("../prompts/web.txt")),
    (Template::Mcp, include_str!("../prompts/mcp.txt")),
    (Template::Validate, include_str!("../prompts/validate.txt")),
    (Template::Failure, include_str!("../prompts/failure.txt")),
    (Template::Brief, include_str!("../prompts/brief.txt")),
];
/// What those have in common that ask for an opinion, and what those have that ask for a note: each a file of its own.
const OPINION: (&str, &str) = ("opinion", include_str!("../prompts/opinion.txt"));
const NOTE: (&str, &str) = ("note", include_str!("../prompts/note.txt"));
/// Bytes of a template that is read.
const LONGEST: u64 = 64 << 10;
/// Placeholders that a question about a line must have: without them it is none, or nothing holds what others wrote.
const NEEDED: [&str; 4] = ["boundary", "canary", "line", "prompts"];
/// Placeholders that a question for a note must have.
const NEEDED_BY_NOTES: [&str; 2] = ["boundary", "canary"];
/// All of them.
const KNOWN: [&str; 18] = [
    "attached",
    "boundary",
    "branch",
    "canary",
    "cwd",
    "description",
    "earlier",
    "effects",
    "extent",
    "findings",
    "line",
    "prompts",
    "safe_commands",
    "safe_domains",
    "score",
    "severity",
    "unknown",
    "workspaces",
];

/// Why a template cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It cannot be read.
    #[error("cannot read '{0}': {1}")]
    Read(String, String),
    /// It names what there is not.
    #[error("line {line}: there is no placeholder {{{name}}}; there are: {}", KNOWN.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// Where, from 1.
        line: usize,
    },
    /// It lacks what it cannot do without.
    #[error("it has no {{{0}}}")]
    Lacks(&'static str),
    /// The system gives nothing that cannot be guessed.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}

/// What is sent, and what no answer to it may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// What stands at the marks around what others wrote.
    pub boundary: String,
    /// A word that an answer has no reason to hold.
    pub canary: String,
    /// What is asked for.
    pub form: Form,
}

/// A template, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Its text, with placeholders.
    pub text: String,
    /// What it asks for.
    pub form: Form,
    /// Whether a part of it is the owner's.
    pub is_owners: bool,
}

/// A part of templates as somebody edits it: its name, and its text, which counts in the place of its file.
#[derive(Clone, Copy, Debug)]
pub struct Edited<'e> {
    pub name: &'e str,
    pub text: &'e str,
}

/// Returns the names of all parts that an owner may replace, with what is built in.
pub fn parts() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILT_IN.iter().map(|(which, text)| (which.name(), *text)).chain([OPINION, NOTE])
}

/// Returns the templates that have a part in them.
pub fn with_part(name: &str) -> impl Iterator<Item = Template> {
    Template::ALL
        .into_iter()
        .filter(move |which| which.name() == name || common(*which).1.0 == name)
}

/// Returns each placeholder that there is, with whether the templates that have a part in them cannot do without it.
pub fn known(name: &str) -> impl Iterator<Item = (&'static str, bool)> {
    let is_note = with_part(name).all(Template::is_note);
    let needed = needed(if is_note { Form::Note } else { Form::Opinion });
    KNOWN.into_iter().map(|name| (name, needed.contains(&name)))
}

const fn needed(form: Form) -> &'static [&'static str] {
    match form {
        Form::Opinion => &NEEDED,
        Form::Note => &NEEDED_BY_NOTES,
    }
}

/// Returns what a template asks for, and the part that it has in common with others.
const fn common(which: Template) -> (Form, (&'static str, &'static str)) {
    if which.is_note() { (Form::Note, NOTE) } else { (Form::Opinion, OPINION) }
}

/// Returns a template: each part is the owner's where this directory has its file, else the one that is built in.
pub fn template(which: Template, prompts: Option<&Path>) -> Result<Whole, Error> {
    template_with(which, prompts, None)
}

/// The same, with a part as it is edited.
pub fn template_with(
    which: Template,
    prompts: Option<&Path>,
    edited: Option<Edited<'_>>,
) -> Result<Whole, Error> {
    let (form, common) = common(which);
    let built_in = BUILT_IN.iter().find(|(own, _)| *own == which).map(|(_, text)| *text);
    let built_in = built_in.unwrap_or_default();
    let part = |name: &str, built_in: &str| match edited.filter(|edited| edited.name == name) {
        Some(edited) => Ok(edited.text.to_owned()),
        None => part(name, built_in, prompts),
    };
    let own = part(which.name(), built_in)?;
    let shared = part(common.0, common.1)?;
    let is_owners = own != built_in || shared != common.1;
    Ok(Whole { text: own.replace("{common}", &shared), form, is_owners })
}

/// Returns a part of a template.
fn part(name: &str, built_in: &str, prompts: Option<&Path>) -> Result<String, Error> {
    let Some(path) = prompts.map(|directory| directory.join(format!("{name}.txt"))) else {
        return Ok(built_in.to_owned());
    };
    let failed =
        |error: &dyn std::fmt::Display| Error::Read(path.display().to_string(), error.to_string());
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(built_in.to_owned());
        }
        Err(error) => return Err(failed(&error)),
        Ok(found) if !found.is_file() || found.len() > LONGEST => {
            return Err(failed(&"it is no file of at most 64 kB"));
        }
        Ok(_) => {}
    }
    std::fs::read_to_string(&path).map_err(|error| failed(&error))
}

/// Says what is wrong with a template.
pub fn check(template: &Whole) -> Result<(), Error> {
    let mut found = Vec::new();
    for (at, name) in placeholders(&template.text) {
        if !KNOWN.contains(&name) {
            let line = template.text[..at].matches('\n').count() + 1;
            return Err(Error::Unknown { name: name.to_owned(), line });
        }
        found.push(name);
    }
    match needed(template.form).iter().find(|name| !found.contains(name)) {
        Some(name) => Err(Error::Lacks(name)),
        None => Ok(()),
    }
}

/// Fills a template with what is known of a line.
pub fn fill(whole: &Whole, case: &Case) -> Result<Prompt, Error> {
    check(whole)?;
    let (template, form) = (&whole.text, whole.form);
    let (boundary, canary) = (word()?, format!("w{}", word()?));
    let mut values = values(case);
    values.insert("boundary", boundary.clone());
    values.insert("canary", canary.clone());
    let mut text = String::with_capacity(template.len() * 2);
    let mut rest = 0;
    for (at, name) in placeholders(template) {
        text.push_str(&template[rest..at]);
        text.push_str(values.get(name).map(String::as_str).unwrap_or_default());
        rest = at + name.len() + 2;
    }
    text.push_str(&template[rest..]);
    Ok(Prompt { text, boundary, canary, form })
}

/// Returns each `{name}` of a template, with its place.
fn placeholders(template: &str) -> impl Iterator<Item = (usize, &str)> {
    template.match_indices('{').filter_map(|(at, _)| {
        let rest = &template[at + 1..];
        let name = &rest[..rest.find('}')?];
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        (!name.is_empty() && name.chars().all(is_name)).then_some((at, name))
    })
}

fn values(case: &Case) -> BTreeMap<&'static str, String> {
    let or_none = |text: Option<&String>| text.map_or_else(|| "none".to_owned(), |text| told(text));
    let findings = case.findings.iter().map(|finding| {
        let severity = finding.severity.name();
        format!("{severity}: {}", told(&finding.reason))
    });
    let effects = case.effects.iter().filter_map(|effect| serde_json::to_string(effect).ok());
    let earlier = case.earlier.iter().map(|earlier| {
        let action = earlier.action.name();
        format!("{action}: {}", told(&earlier.line))
    });
    let list = |items: &[String]| joined(items.iter().map(|item| told(item)), ", ");
    let attached = case
        .attached
        .iter()
        .map(|Attached { name, text }| format!("{}:\n{}", told(name), told(text)));
    BTreeMap::from([
        ("attached", joined(attached, "\n\n")),
        ("description", or_none(case.description.as_ref())),
        ("branch", or_none(case.branch.as_ref())),
        ("cwd", or_none(case.cwd.as_ref())),
        ("earlier", joined(earlier, "\n")),
        ("effects", joined(effects.map(|effect| told(&effect)), ", ")),
        ("extent", extent(&case.effects)),
        ("findings", joined(findings, ", ")),
        ("line", told(&case.line)),
        ("prompts", joined(case.prompts.iter().map(|prompt| told(prompt)), "\n")),
        ("safe_commands", list(&case.safe_commands)),
        ("safe_domains", list(&case.safe_domains)),
        ("score", case.score.get().to_string()),
        ("severity", case.severity.name().to_owned()),
        ("unknown", list(&case.unknown)),
        ("workspaces", list(&case.workspaces)),
    ])
}

/// Returns how far effects reach, as far as that is known: how many paths are changed, whole trees and patterns apart, and which hosts are asked.
fn extent(effects: &[Effect]) -> String {
    let changed = effects.iter().filter(|effect| effect.kind.changes());
    let (mut paths, mut wide, mut unknown) = (BTreeSet::new(), BTreeSet::new(), false);
    for effect in changed {
        let is_tree = matches!(effect.kind, EffectKind::DeleteTree | EffectKind::PermissionTree);
        match effect.path() {
            None => unknown = true,
            Some(path) if is_tree || path.contains(['*', '?', '[']) => drop(wide.insert(path)),
            Some(path) => drop(paths.insert(path)),
        }
    }
    let hosts = effects.iter().filter_map(|effect| match &effect.target {
        Target::Host { host } => Some(host.as_deref().unwrap_or("one that is not known")),
        Target::None | Target::Path { .. } | Target::Text { .. } => None,
    });
    let hosts: BTreeSet<&str> = hosts.collect();
    let mut parts = vec![format!("{} single paths changed", paths.len())];
    if !wide.is_empty() {
        parts.push(format!("{} whole trees or patterns changed", wide.len()));
    }
    if unknown {
        parts.push("paths changed that are not known".to_owned());
    }
    let hosts = hosts.into_iter().map(told).collect::<Vec<_>>().join(", ");
    parts.push(if hosts.is_empty() { "no host".to_owned() } else { format!("hosts: {hosts}") });
    parts.join("; ")
}

/// Returns the texts as one, with `between` between each two; "none" where there are none.
fn joined(texts: impl Iterator<Item = String>, between: &str) -> String {
    match texts.collect::<Vec<_>>().as_slice() {
        [] => "none".to_owned(),
        texts => texts.join(between),
    }
}

/// Returns what is told of a text: secrets masked, and characters written out that hide others. The marks' own quotes are, too.
fn told(text: &str) -> String {
    let masked = mask::mask(text);
    let mut told = String::with_capacity(masked.len());
    for (index, line) in masked.lines().enumerate() {
        if index > 0 {
            told.push('\n');
        }
        for c in visible(line).chars() {
            match c {
                // Writing to a string cannot fail.
                '«' | '»' => drop(write!(told, "\\u{{{:x}}}", u32::from(c))),
                c => told.push(c),
            }
        }
    }
    told
}

/// Returns a word that nobody can guess.
fn word() -> Result<String, Error> {
    random::digits::<16>().map_err(|error| Error::Random(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_as_it_is_edited_counts_in_every_template_that_has_it() {
        let edited = |name, text| Some(Edited { name, text });
        assert_eq!(with_part("shell").collect::<Vec<_>>(), [Template::Shell]);
        assert_eq!(with_part("opinion").count() + with_part("note").count(), Template::ALL.len());
        assert_eq!((with_part("nothing").count(), parts().count()), (0, Template::ALL.len() + 2));
        for (name, built_in) in parts() {
            for which in with_part(name) {
                let same = template_with(which, None, edited(name, built_in)).unwrap();
                assert_eq!(same, template(which, None).unwrap());
                let other = template_with(which, None, edited(name, "{nonsense}")).unwrap();
                assert!(other.is_owners && check(&other).is_err(), "{name}");
            }
        }
        let is_needed = |part: &str, name: &str| known(part).any(|known| known == (name, true));
        assert!(is_needed("shell", "line") && is_needed("opinion", "prompts"));
        assert!(!is_needed("note", "line") && is_needed("brief", "canary"));
    }

    #[test]
    fn how_far_effects_reach_is_told_in_words() {
        let effects = |text: &str| serde_json::from_str::<Vec<Effect>>(text).unwrap();
        assert_eq!(extent(&[]), "0 single paths changed; no host");
        let path = |kind: &str, path: &str| {
            format!(
                r#"{{"kind":"{kind}","target":{{"type":"path","path":{path},"class":"outside"}}}}"#
            )
        };
        let host = r#"{"kind":"fetch","target":{"type":"host","host":"a.example"}}"#;
        let all = [
            path("delete", "\"/a\""),
            path("write", "\"/a\""),
            path("write", "\"/b\""),
            path("delete-tree", "\"/c\""),
            path("delete", "\"/d/*\""),
            path("write", "null"),
            path("read", "\"/e\""),
            host.to_owned(),
            host.to_owned(),
        ];
        let told = extent(&effects(&format!("[{}]", all.join(","))));
        assert_eq!(
            told,
            "2 single paths changed; 2 whole trees or patterns changed; paths changed that are not known; hosts: a.example"
        );
    }
}
