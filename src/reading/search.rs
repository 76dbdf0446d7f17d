//! What `find` finds: the names below its starting points that its tests let through (POSIX, `find`).

use fast_glob::glob_match;

use super::field::with_plain_brackets;
use super::hooked::makes;
use super::plan::PlannedCommand;
use super::substitution::prints;
use super::walk::Walker;
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, NAMES, ProgramTrait, TRACKED};
use crate::paths;

/// How far a search is narrowed by what must hold for every file.
enum Narrowing {
    /// To names that fit this pattern.
    Names(String),
    /// To paths of which some end in a name that fits this pattern, and the others stand below those.
    Paths(String),
    /// To the one file that this path names, whatever it is called.
    File(String),
    /// To what is not hidden, and stands in nothing hidden.
    Visible,
    /// To some of the files.
    Some,
    /// Not at all.
    None,
}

/// Reads the expression at its outermost level. A name is trusted only where everything else is joined to it by "and".
fn narrowing(interpretation: &Interpretation, argv: &[Arg]) -> Narrowing {
    let mut depth = 0_usize;
    let (mut names, mut some, mut ended) = (None, false, false);
    let (mut path, mut file, mut visible) = (None, None, false);
    let mut words = argv.iter().enumerate().skip(1);
    while let Some((index, word)) = words.next() {
        let Some(text) = word.known() else { return Narrowing::None };
        match text {
            "(" => {
                depth += 1;
                some = true;
            }
            ")" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            "-o" | "-or" | "," => return Narrowing::None,
            "!" | "-not" => {
                some = true;
                let test = words.next().and_then(|(_, test)| test.known()).unwrap_or_default();
                if test.ends_with("name") || test.ends_with("path") {
                    let pattern = words.next().and_then(|(_, pattern)| pattern.known());
                    visible |= !ended && test.ends_with("path") && pattern.is_some_and(is_hidden);
                }
            }
            "-name" | "-iname" => match words.next().and_then(|(_, name)| name.known()) {
                _ if ended => {}
                Some(name) if says_something(name) => {
                    let is_exact = text == "-name";
                    names = if is_exact {
                        Some(with_plain_brackets(name.to_owned()))
                    } else {
                        in_any_case(name)
                    };
                    some |= names.is_none();
                }
                _ => {}
            },
            "-path" | "-wholename" => match words.next().and_then(|(_, path)| path.known()) {
                _ if ended => {}
                given => {
                    some = true;
                    path = given.and_then(last_name);
                }
            },
            "-regex" => match words.next().and_then(|(_, expression)| expression.known()) {
                _ if ended => {}
                given => {
                    some = true;
                    path = given.and_then(path_pattern).and_then(|path| last_name(&path));
                }
            },
            "-samefile" => match words.next().and_then(|(_, file)| file.known()) {
                _ if ended => {}
                given => {
                    some = true;
                    file = given.map(str::to_owned);
                }
            },
            // What stands behind the first action narrows nothing for it; another way around it may.
            "-delete" => ended = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                ended = true;
                words.find(|(_, word)| matches!(word.known(), Some(";" | "+")));
            }
            _ if ended => {}
            _ => some |= interpretation.traits.contains(&(ProgramTrait::Narrows, Some(index))),
        }
    }
    match (file, names, path) {
        (Some(file), _, _) => Narrowing::File(file),
        (None, Some(name), _) => Narrowing::Names(name),
        (None, None, Some(name)) => Narrowing::Paths(name),
        (None, None, None) if visible => Narrowing::Visible,
        (None, None, None) if some => Narrowing::Some,
        (None, None, None) => Narrowing::None,
    }
}

/// Whether a pattern for paths stands for all that lead over a hidden name.
fn is_hidden(pattern: &str) -> bool {
    matches!(pattern, "*/.*" | "*/\\.*" | "**/.*")
}

/// Returns the pattern for paths that an expression for whole paths is, if it is plain enough (GNU findutils manual, `-regex`).
fn path_pattern(expression: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut rest = expression;
    while let Some(letter) = rest.chars().next() {
        let part = [(".*", "*"), ("[^/]*", "*"), (".+", "?*"), ("[^/]+", "?*"), ("\\.", ".")];
        let found =
            part.into_iter().find_map(|(part, sign)| Some((rest.strip_prefix(part)?, sign)));
        let is_plain = letter.is_alphanumeric() || "_-/".contains(letter);
        match found {
            Some((behind, sign)) => {
                pattern.push_str(sign);
                rest = behind;
                continue;
            }
            None if letter == '.' => pattern.push('?'),
            None if is_plain => pattern.push(letter),
            None => return None,
        }
        rest = &rest[letter.len_utf8()..];
    }
    Some(pattern)
}

/// Whether a pattern for names says anything of them: a part of one, or that they are hidden.
fn says_something(name: &str) -> bool {
    name.contains(|c: char| !"*?.[]".contains(c)) || name.len() > 1 && name.starts_with('.')
}

/// The name at the end of a pattern for paths, where `*` stands for slashes too: told is a hidden one, or one whose end is written out.
fn last_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let is_told = name.starts_with('.') || !name.get(1..)?.contains('*');
    let says = name.contains(|c: char| !"*?.[]".contains(c));
    (is_told && says).then(|| with_plain_brackets(name.to_owned()))
}

/// A pattern for a name in whatever case it is written.
fn in_any_case(name: &str) -> Option<String> {
    let either = |c: char| match c {
        c if c.is_ascii_alphabetic() => {
            format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase())
        }
        c => c.to_string(),
    };
    let is_plain = name.is_ascii() && !name.contains('[');
    is_plain.then(|| name.chars().map(either).collect())
}

/// The directories where a search starts; none if one of them is not known.
fn starts<'a>(interpretation: &Interpretation, argv: &'a [Arg]) -> Option<Vec<&'a str>> {
    let starts = operands(interpretation, argv, &["list", "read", "delete-tree"]);
    let starts = starts.map(|word| word?.known()).collect::<Option<Vec<&str>>>()?;
    Some(if starts.is_empty() { vec!["."] } else { starts })
}

/// Whether a path does not lead out of the working directory.
fn stays_below(path: &str) -> bool {
    !path.starts_with(['/', '~']) && !path.split('/').any(|part| part == "..")
}

/// Returns a pattern for all that a search finds, if it is told by one pattern.
pub(super) fn found(interpretation: &Interpretation, argv: &[Arg]) -> Option<Arg> {
    // These options say where it starts, beside its operands or in their place, or name a file as nobody reads it.
    if interpretation.gives(&["-files0-from", "--search-path", "-inum"]) {
        return None;
    }
    let finds = interpretation.is(ProgramTrait::Finds);
    if !finds && let Some(found) = below_here(interpretation, argv) {
        return Some(found);
    }
    let starts = starts(interpretation, argv)?;
    let start = match starts.as_slice() {
        [start] => start.trim_end_matches('/'),
        // Several places in the working directory are below it.
        _ if starts.iter().all(|start| stays_below(start)) => ".",
        _ => return None,
    };
    Some(match narrowing(interpretation, argv) {
        Narrowing::File(file) if finds => Arg::Known(file),
        Narrowing::Visible if finds => Arg::Glob(format!("{start}/**/[!.]*")),
        Narrowing::Names(name) | Narrowing::Paths(name) if finds && !is_itself(start, &name) => {
            Arg::Glob(format!("{start}/**/{name}"))
        }
        _ => Arg::Glob(format!("{start}/**")),
    })
}

/// Whether a place where a search starts has the name that is looked for.
fn is_itself(start: &str, name: &str) -> bool {
    let own = start.rsplit('/').next().unwrap_or(start);
    // Those are directories, and what is in one has another name.
    !matches!(own, "." | "..") && glob_match(name, own)
}

/// Returns what the names are that a command prints; `input` is what those are that it gets.
fn listed(interpretation: &Interpretation, argv: &[Arg], input: Option<&Arg>) -> Option<Arg> {
    if interpretation.is(ProgramTrait::ListsFiles) {
        let finds = interpretation.is(ProgramTrait::Finds);
        let names = if finds { found } else { below_here };
        return names(interpretation, argv);
    }
    let reads = interpretation.touches.iter().any(|touch| touch.kind == EffectKind::Read);
    let passes = interpretation.is(ProgramTrait::Filters)
        || interpretation.is(ProgramTrait::PassesOn) && interpretation.operands.is_empty();
    let input = input.filter(|_| passes && !reads)?;
    // What a filter lets through is not all that is tracked.
    Some(match input {
        Arg::Glob(names) if interpretation.is(ProgramTrait::Filters) => {
            let above = names.strip_suffix(TRACKED);
            Arg::Glob(above.map_or_else(|| names.clone(), |above| format!("{above}?*")))
        }
        names => names.clone(),
    })
}

/// Returns patterns for the names that a filter lets through, if what it looks for is plain but for `^`, `$`, dots and alternatives.
pub(super) fn let_through(interpretation: &Interpretation, argv: &[Arg]) -> Option<Vec<String>> {
    let mut given = interpretation.given(&["-e", "--regexp"]);
    let text = match given.next() {
        Some(option) => option.value.as_ref()?.known()?,
        None => operands(interpretation, argv, &["text"]).next()??.known()?,
    };
    if given.next().is_some() || interpretation.gives(&["-v", "--invert-match"]) {
        return None;
    }
    let ignores_case = interpretation.gives(&["-i", "--ignore-case"]);
    let pattern = |text| {
        let name = plain_pattern(text)?;
        let name = if ignores_case { in_any_case(&name)? } else { name };
        says_something(&name).then_some(name)
    };
    text.replace("\\|", "|").split('|').map(pattern).collect()
}

/// Returns the pattern of a shell for what an expression of letters fits.
fn plain_pattern(text: &str) -> Option<String> {
    let (begin, text) = text.strip_prefix('^').map_or(("*", text), |text| ("", text));
    let (end, text) = text.strip_suffix('$').map_or(("*", text), |text| ("", text));
    let mut name = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => name.push(letters.next().filter(|next| *next == '.')?),
            '.' => name.push('?'),
            letter if letter.is_alphanumeric() || "_-".contains(letter) => name.push(letter),
            _ => return None,
        }
    }
    Some(format!("{begin}{name}{end}"))
}

/// Returns the directories of which a command prints names without saying where they are, so that one may begin with a dash.
fn bare_below<'a>(interpretation: &Interpretation, argv: &'a [Arg]) -> Vec<&'a str> {
    let places: Vec<&str> = operands(interpretation, argv, &["list", "read"])
        .map(|word| word.map_or("", Arg::prefix))
        .collect();
    let is_here = places.is_empty() || places.iter().any(|place| matches!(*place, "" | "."));
    let is = |one| interpretation.is(one);
    match is(ProgramTrait::BareNames) && !places.is_empty() {
        _ if is(ProgramTrait::Finds) || is(ProgramTrait::PassesOn) => Vec::new(),
        true => places,
        false if is_here => vec!["."],
        false => Vec::new(),
    }
}

/// The operands that have one of these roles.
pub(super) fn operands<'a>(
    interpretation: &Interpretation,
    argv: &'a [Arg],
    roles: &[&str],
) -> impl Iterator<Item = Option<&'a Arg>> {
    let own = interpretation.operands.iter().filter(|(_, role)| roles.contains(&role.as_str()));
    own.map(|(index, _)| argv.get(*index))
}

/// All below the working directory, or below the one place that is searched, if no word leads out of it.
fn below_here(interpretation: &Interpretation, argv: &[Arg]) -> Option<Arg> {
    if !interpretation.enters.is_empty() {
        return None;
    }
    let places = operands(interpretation, argv, &["list", "read", "revision", "pathspec:list"]);
    let places = places.map(|word| word?.pattern()).collect::<Option<Vec<&str>>>()?;
    if !places.iter().all(|text| stays_below(text)) {
        return None;
    }
    let is_open = |text: &str| text.contains(['*', '?', '[']);
    let is_hidden =
        |text: &str| text.split('/').any(|part| part.len() > 1 && part.starts_with('.'));
    let is_bare = interpretation.is(ProgramTrait::BareNames);
    // A hidden file that is named is printed by that name; of several it is not said which.
    if is_bare && places.iter().any(|text| is_hidden(text)) {
        let [one] = places.as_slice() else { return None };
        return Some(Arg::Glob((*one).to_owned()));
    }
    let place = match places.as_slice() {
        // Of directories, what is in them is printed, without where that is.
        [one] if is_bare && one.ends_with(['*', '?']) && !is_hidden(one) => ".",
        // A pattern stands for names of its own, in its directory or below.
        [one] if is_open(one) => {
            let above = one.split_inclusive('/').take_while(|part| !is_open(part));
            let above = one[..above.map(str::len).sum()].trim_end_matches('/');
            if above.is_empty() { "." } else { above }
        }
        [one] if !is_bare => one.trim_end_matches('/'),
        _ => ".",
    };
    let names_hidden = places.len() > 1 && places.iter().any(|text| is_hidden(text));
    // What passes over hidden files passes over the repository's own with them.
    let hidden = !interpretation.is(ProgramTrait::PassesOverHidden) || names_hidden;
    // A pattern of git's fits in every directory below.
    let is_pathspec = interpretation.operands.iter().any(|(_, role)| role == "pathspec:list");
    if let [one] = places.as_slice()
        && is_pathspec
        && is_open(one)
    {
        let name = one.rsplit('/').next().unwrap_or(one);
        return Some(Arg::Glob(format!("{place}/**/{name}")));
    }
    Some(Arg::Glob(match included(interpretation, argv, hidden) {
        Some(name) => format!("{place}/**/{name}"),
        _ if interpretation.is(ProgramTrait::ListsOthers) => format!("{place}/**"),
        // What a repository leaves out are its secrets, too.
        _ if interpretation.is(ProgramTrait::ListsIgnored) => format!("{place}/**/.*"),
        // A place that is no directory is listed itself.
        _ if hidden || (place != "." && !is_bare) => format!("{place}/**"),
        // Its own directory is the only one that git passes over.
        _ if interpretation.is(ProgramTrait::ListsTracked) => format!("{place}/**/{TRACKED}"),
        _ if interpretation.in_repository => format!("{place}/**/?*"),
        _ => format!("{place}/**/[!.]*"),
    }))
}

/// Options of searches that say in which files is searched, by their names.
const NAMING: &[&str] = &["--include", "--glob", "--iglob"];

/// Options by which a search shows only where something is found, or how often.
const SHOWING_NO_LINES: &[&str] = &["-l", "-L", "-c", "-q", "--files"];

/// Returns the pattern that the names fit which a command prints, if options tell it: `grep --include`, `rg -g`, `fd -g`.
fn included<'a>(
    interpretation: &'a Interpretation,
    argv: &'a [Arg],
    hidden: bool,
) -> Option<&'a str> {
    let mut given = interpretation.given(&["--include", "--glob"]);
    let name = match (given.next(), given.next()) {
        (Some(option), None) => match &option.value {
            Some(name) => name.known()?,
            // Of `fd`, the option says that the operand is one.
            None => operands(interpretation, argv, &["text"]).next()??.known()?,
        },
        _ => return None,
    };
    let is_plain = !name.is_empty() && !name.starts_with('!') && !name.contains(['{', '/']);
    // What begins with a dot is not passed over where it is asked for.
    (is_plain && (hidden || !name.starts_with(['*', '?', '[']))).then_some(name)
}

impl Walker<'_> {
    /// Who says in which hidden files is searched names them, wherever they are below.
    pub(super) fn searched_by_name(
        &self,
        interpretation: &Interpretation,
        argv: &[Arg],
        effects: &mut Vec<Effect>,
    ) {
        let touches = &interpretation.touches;
        let is_search = touches.iter().any(|touch| touch.kind == EffectKind::Read)
            && touches.iter().all(|touch| !makes(touch.kind))
            && !interpretation.is(ProgramTrait::PutsInto);
        if !is_search || interpretation.gives(SHOWING_NO_LINES) {
            return;
        }
        let places: Vec<&str> = operands(interpretation, argv, &["read"])
            .map(|word| word.and_then(Arg::known).unwrap_or("."))
            .collect();
        let places = if places.is_empty() { vec!["."] } else { places };
        let given =
            interpretation.given(NAMING).filter_map(|option| option.value.as_ref()?.known());
        let names = given.flat_map(|name| paths::alternatives(name).unwrap_or_default());
        for name in names.filter(|name| says_something(name) && name.starts_with('.')) {
            for place in &places {
                let found = format!("{}/**/{name}", place.trim_end_matches('/'));
                self.path_effect(EffectKind::Read, &Arg::Glob(found), effects);
            }
        }
    }

    /// Returns what the names are that a command prints.
    pub(super) fn printed_names(&self, command: &PlannedCommand) -> Option<Arg> {
        let (interpretation, argv) = (&command.interpretation, &command.argv);
        let words: Vec<&str> = argv.iter().map(|word| word.pattern().unwrap_or("\0")).collect();
        if prints("names", &words) && self.state.is_free(words[0]) {
            return Some(Arg::Glob(NAMES.to_owned()));
        }
        let names = listed(interpretation, argv, self.names.as_ref())?;
        let names = self.in_hidden(&names, command).unwrap_or(names);
        let names = self.guarded_among(&names, command).unwrap_or(names);
        let names = self.guarded_with(&names, command).unwrap_or(names);
        let mut places = bare_below(interpretation, argv).into_iter();
        match &names {
            Arg::Glob(names)
                if places.any(|place| self.may_have_dashes(&command.directories, place)) =>
            {
                Some(Arg::Glob(names.trim_start_matches("./").to_owned()))
            }
            _ => Some(names),
        }
    }

    /// Returns a pattern for what is in a hidden directory that is there and was listed by its name.
    fn in_hidden(&self, names: &Arg, command: &PlannedCommand) -> Option<Arg> {
        let interpretation = &command.interpretation;
        let is_bare = interpretation.is(ProgramTrait::ListsFiles)
            && interpretation.is(ProgramTrait::BareNames);
        let path = names.known().or_else(|| names.pattern()).filter(|_| is_bare)?;
        let mut places = command.directories.iter().flatten();
        let is_one = places.any(|from| self.scripts.is_directory(&paths::absolute(from, path)));
        let is_visible = interpretation.is(ProgramTrait::PassesOverHidden);
        is_one.then(|| Arg::Glob(if is_visible { "./**/[!.]*" } else { "./**" }.to_owned()))
    }

    /// Returns a pattern for those of the names which a filter is given that it lets through, where guarded files are told by it.
    fn guarded_among(&self, names: &Arg, command: &PlannedCommand) -> Option<Arg> {
        let (interpretation, argv) = (&command.interpretation, &command.argv);
        let [Some(here)] = command.directories.as_slice() else { return None };
        let names = names.pattern().filter(|names| names.ends_with("/**"))?;
        if !interpretation.is(ProgramTrait::Filters) {
            return None;
        }
        let is_guarded = |names: &Arg| {
            let path = paths::absolute(here, names.pattern().unwrap_or_default());
            !self.stood_for(EffectKind::Read, names, &path).is_empty()
        };
        let through = let_through(interpretation, argv)?.into_iter();
        through.map(|name| Arg::Glob(format!("{names}/{name}"))).find(is_guarded)
    }

    /// Returns what stands for all that a repository tracks in the place of what a search in it finds, where it may find a guarded file:
    /// one that is there holds what is looked for.
    fn guarded_with(&self, names: &Arg, command: &PlannedCommand) -> Option<Arg> {
        let (interpretation, argv) = (&command.interpretation, &command.argv);
        let [Some(here)] = command.directories.as_slice() else { return None };
        let searches = interpretation.is(ProgramTrait::ListsFiles)
            && interpretation.in_repository
            && interpretation.touches.iter().any(|touch| touch.kind == EffectKind::Read);
        let above = names.pattern().filter(|_| searches)?.strip_suffix("/**/?*")?;
        let looked_for = match interpretation.given(&["-e"]).next() {
            Some(_) => None,
            None => operands(interpretation, argv, &["text"]).next()?.and_then(Arg::known),
        };
        let is_plain = |text: &&str| {
            text.chars().all(|c| c.is_alphanumeric() || " _-/:=".contains(c))
                && !interpretation.gives(&["-v", "-L", "-f"])
        };
        let plain = looked_for.filter(is_plain).map(str::to_lowercase);
        let holds = |path: &String| {
            let text = self.scripts.text(path).map(|text| text.to_lowercase());
            let (Some(plain), Some(text)) = (&plain, text) else { return true };
            text.contains(plain.as_str())
        };
        let place = paths::absolute(here, above);
        let is_found = self.guarded_below(EffectKind::Write, &place, TRACKED).iter().any(holds);
        is_found.then(|| Arg::Glob(format!("{above}/**/{TRACKED}")))
    }

    /// Whether a name in a directory may begin with a dash: one that is there, or that the line puts there.
    pub(super) fn may_have_dashes(&self, directories: &[Option<String>], place: &str) -> bool {
        let [Some(directory)] = directories else { return true };
        let directory = paths::absolute(directory, place);
        let is_put = |effect: &Effect| {
            let name = effect.path().and_then(|path| path.strip_prefix(&directory));
            makes(effect.kind) && name.is_some_and(|name| name.is_empty() || name.starts_with("/-"))
        };
        let is_there = |names: Vec<String>| names.iter().any(|name| name.starts_with('-'));
        self.place != Place::Here
            || self.plan.commands.iter().flat_map(|command| &command.effects).any(is_put)
            || self.scripts.names(&directory).map_or(self.scripts.exists(&directory), is_there)
    }

    /// `find -delete` deletes what the tests let through, not all that is there.
    pub(super) fn found_and_deleted(
        &self,
        interpretation: &Interpretation,
        argv: &[Arg],
        effects: &mut Vec<Effect>,
    ) {
        if !interpretation.is(ProgramTrait::Finds) || !interpretation.gives(&["-delete"]) {
            return;
        }
        let Some(starts) = starts(interpretation, argv) else { return };
        effects.retain(|effect| effect.kind != EffectKind::DeleteTree);
        let narrowing = narrowing(interpretation, argv);
        for start in starts {
            let start = start.trim_end_matches('/');
            // Where it starts may be let through as well; it never deletes `.`.
            if matches!(narrowing, Narrowing::Some | Narrowing::Visible | Narrowing::Paths(_))
                && start != "."
                && !interpretation.gives(&["-mindepth"])
            {
                self.path_effect(EffectKind::Delete, &Arg::Known(start.to_owned()), effects);
            }
            let (kind, target) = match &narrowing {
                Narrowing::Names(name) if !is_itself(start, name) => {
                    (EffectKind::Delete, Arg::Glob(format!("{start}/**/{name}")))
                }
                Narrowing::File(file) => (EffectKind::Delete, Arg::Known(file.clone())),
                Narrowing::Some
                | Narrowing::Visible
                | Narrowing::Paths(_)
                | Narrowing::Names(_) => {
                    (EffectKind::DeleteTree, Arg::Glob(format!("{start}/**/?*")))
                }
                Narrowing::None => (EffectKind::DeleteTree, Arg::Known(format!("{start}/"))),
            };
            self.path_effect(kind, &target, effects);
        }
    }
}

/// What is found, as a command that runs in its directory gets it (GNU findutils manual, `-execdir`): by the name that it has there.
/// Where the search begins is known, that is the same file as at its place below it.
pub(super) fn in_its_directory(found: Arg, here: &[Option<String>], is_whole: bool) -> Arg {
    match (found, here) {
        (Arg::Glob(pattern), [Some(here)]) if is_whole => {
            Arg::Glob(paths::absolute(here, &pattern))
        }
        // Where it starts may be found as well, and is called otherwise.
        (Arg::Glob(pattern), _) if pattern.ends_with("/**") => Arg::Unknown,
        (Arg::Glob(pattern), _) => match pattern.rsplit_once('/') {
            Some((_, name)) => Arg::Glob(format!("./{name}")),
            None => Arg::Unknown,
        },
        (other, _) => other,
    }
}
