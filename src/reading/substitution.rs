//! What a command prints, for the few commands where that is plain to see without running them.

use super::parameter::part_of_names;
use super::state::Value;
use super::walk::Walker;
use crate::model::Arg;
use crate::syntax::{
    AndOr, Command, CommandKind, Descriptor, Dialect, PartKind, Pipeline, Redirect,
    RedirectOperator, Script, SimpleCommand, Word,
};

/// Returns what a command substitution becomes.
pub(super) fn value(script: &Script, walker: &mut Walker<'_>) -> Value {
    if let Some(text) = script_output(script, walker) {
        return Value::text(text.trim_end_matches('\n'));
    }
    if let Some(directory) = entered(script, walker) {
        return match place(&walker.state.directories) {
            // It is there, and so is what is above it.
            Value::Word(Arg::Known(here)) if crate::paths::is_below(&here, &directory) => {
                Value::text(directory)
            }
            _ => perhaps(directory),
        };
    }
    let Some(words) = only_words(script) else {
        return if is_number(script, walker) { number(script) } else { Value::Unknown };
    };
    if let Some(names) = of_names(words, walker) {
        return Value::Word(Arg::Glob(names));
    }
    let words: Vec<Option<String>> = words.iter().map(Word::literal).collect();
    let words: Vec<&str> = words.iter().map(|word| word.as_deref().unwrap_or("\0")).collect();
    let name = words.first().copied().unwrap_or("");
    if !walker.state.is_free(name) {
        return Value::Unknown;
    }
    match words.as_slice() {
        ["pwd", "-P"] if walker.makes_links() => Value::Unknown,
        ["pwd"] | ["pwd", "-P" | "-L"] => place(&walker.state.directories),
        ["git", "rev-parse", "--show-toplevel"] => top_level(walker),
        ["mktemp", rest @ ..] => temporary(rest, walker),
        words if prints("number", words) => number(script),
        ["date", format] | ["date", "-u", format] if format.starts_with('+') => {
            dated(&format[1..]).map_or(Value::Unknown, Value::Pattern)
        }
        // One number each line.
        ["seq", ..] => Value::Unknown,
        _ if is_number(script, walker) => number(script),
        _ => named(&words, walker),
    }
}

/// What `basename` and `dirname` print of a name of which a pattern is known.
fn of_names(words: &[Word], walker: &mut Walker<'_>) -> Option<String> {
    let (program, operands) = words.split_first()?;
    let program = program.literal()?;
    let (name, ending) = match operands {
        [name] => (name, None),
        [name, ending] => (name, Some(ending.literal()?)),
        _ => return None,
    };
    if !matches!(&*program, "basename" | "dirname") || !walker.state.is_free(&program) {
        return None;
    }
    let found = walker.tried(|walker| walker.arguments(std::slice::from_ref(name)));
    match found.as_slice() {
        [Arg::Glob(names)] if !names.starts_with(['*', '-']) => {
            part_of_names(&program, names, ending.as_deref())
        }
        _ => None,
    }
}

/// What `git rev-parse --show-toplevel` prints.
fn top_level(walker: &Walker<'_>) -> Value {
    let Some(Some(directory)) = walker.state.directories.first() else { return Value::Unknown };
    let roots = walker.facts.workspaces.iter();
    let around = roots.filter(|root| crate::paths::is_below(directory, root));
    match (around.max_by_key(|root| root.len()), &walker.facts.git) {
        (Some(root), Some(_)) => Value::text(root),
        // It may be a directory without a repository.
        (Some(root), None) => perhaps(root.clone()),
        (None, _) => Value::Unknown,
    }
}

/// This text, or nothing.
fn perhaps(text: String) -> Value {
    if text.contains(['*', '?', '[']) { Value::Unknown } else { Value::Printed(text) }
}

/// What a command prints that prints a number if it does not fail.
pub(super) fn number(script: &Script) -> Value {
    let Some(statement) = script.statements.first() else { return Value::PerhapsNumber };
    let name = |command: &Command| {
        let words = simple(command).filter(|_| command.redirects.is_empty())?;
        words.words.first()?.literal()
    };
    let names: Vec<Option<String>> = statement.first.commands.iter().map(name).collect();
    // One each line.
    if names.iter().flatten().any(|name| name == "seq") {
        return Value::Unknown;
    }
    match names.last().and_then(Option::as_deref) {
        Some("nproc" | "wc" | "id" | "date") if statement.rest.is_empty() => Value::Number,
        _ => Value::PerhapsNumber,
    }
}

/// Returns a pattern for what `date` prints by a format of digits and what stands between them; none where it may print names of days,
/// months or zones, signs, blanks or slashes.
fn dated(format: &str) -> Option<String> {
    let head = format.split('%').next().unwrap_or_default();
    let mut letters = format.split('%').skip(1).map(|piece| piece.chars().next());
    let is_digits = |letter: char| "CdFGgHIjmMNsSTuUVwWyYR".contains(letter);
    let are_digits = letters.all(|letter| letter.is_some_and(is_digits));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%-_.:,+@".contains(c);
    let is_dated = are_digits && format.chars().all(is_plain) && format.contains('%');
    is_dated.then(|| if head.is_empty() { "[0-9]*".to_owned() } else { format!("{head}*") })
}

/// Returns what a directory is as text, of those that are possible. One that is known by a pattern is a name that fits it.
pub(super) fn place(possible: &[Option<String>]) -> Value {
    match possible {
        [Some(directory)] if directory.contains(['*', '?', '[']) => {
            Value::Word(Arg::Glob(directory.clone()))
        }
        [Some(directory)] => Value::text(directory),
        _ => Value::Unknown,
    }
}

/// What a program prints that names one thing.
fn named(words: &[&str], walker: &Walker<'_>) -> Value {
    match words {
        ["go", "env", name] => environment_of_go(name, walker),
        words if prints("user", words) => Value::Pattern("[a-z_]*".to_owned()),
        words if prints("arn", words) && are_fields(words) => Value::Pattern("arn:*".to_owned()),
        words if prints("name", words) => Value::Name,
        _ => Value::Unknown,
    }
}

/// Whether no word holds an expression that makes text of its own (JMESPath): it names fields, if it is a query.
fn are_fields(words: &[&str]) -> bool {
    !words.iter().any(|word| word.contains(['\'', '"', '`', '{', '|', '(', '&', '@']))
}

/// Whether a command with these words prints what a row of `rules/prints.txt` says.
pub(super) fn prints(what: &str, words: &[&str]) -> bool {
    let Some(program) = words.first() else { return false };
    let rows = include_str!("../../rules/prints.txt").lines();
    let mut rows = rows.filter_map(|row| row.strip_prefix(what)?.strip_prefix(' '));
    rows.any(|row| {
        // Nearly all are about another program, which is seen without taking them apart.
        let named = row.split(' ').next().unwrap_or_default();
        let may_be = named == *program || named.contains(['*', '?', '[', '{', '.']);
        may_be && fit(&row.split(' ').collect::<Vec<_>>(), words)
    })
}

/// Whether words fit globs, of which one that ends in `...` stands for any number of words.
fn fit(globs: &[&str], words: &[&str]) -> bool {
    let Some((&glob, rest)) = globs.split_first() else { return words.is_empty() };
    let fits = |glob: &str, word: &str| match glob {
        "" => true,
        "*" => !word.starts_with('-'),
        glob => fast_glob::glob_match(glob, word),
    };
    let (first, more) = (words.first(), words.get(1..).unwrap_or_default());
    match glob.strip_suffix("...") {
        Some(many) => fit(rest, words) || first.is_some_and(|w| fits(many, w) && fit(globs, more)),
        None => first.is_some_and(|word| fits(glob, word) && fit(rest, more)),
    }
}

/// Where Go keeps its things unless the owner wants them elsewhere (`go help environment`).
fn environment_of_go(name: &str, walker: &Walker<'_>) -> Value {
    let below_home = match name {
        "GOPATH" => "go",
        "GOROOT" => "",
        "GOBIN" => return Value::Unknown,
        "GOMODCACHE" => "go/pkg/mod",
        "GOCACHE" => ".cache/go-build",
        "GOOS" | "GOARCH" | "GOVERSION" | "GOHOSTOS" | "GOHOSTARCH" => return Value::Name,
        _ => return Value::Unknown,
    };
    let is_moved = [name, "GOPATH"].iter().any(|name| {
        walker.facts.environment.contains_key(*name) || walker.state.variable(name).is_some()
    });
    match &walker.facts.home {
        // Its sources are anyone's to read, wherever a system has them.
        _ if name == "GOROOT" && !is_moved => Value::text("/usr/local/go"),
        Some(home) if !is_moved => Value::text(format!("{home}/{below_home}")),
        _ => Value::Unknown,
    }
}

/// The directory that `cd DIRECTORY && pwd` prints, by its name as everywhere.
fn entered<'s>(script: &'s Script, walker: &mut Walker<'_>) -> Option<String> {
    let [statement] = script.statements.as_slice() else { return None };
    let [(AndOr::And, second)] = statement.rest.as_slice() else { return None };
    let plain = |pipeline: &'s Pipeline| match pipeline.commands.as_slice() {
        [command] => plain_words(command),
        _ => None,
    };
    let (first, second) = (plain(&statement.first)?, plain(second)?);
    let is_free = |name: &str| walker.state.is_free(name);
    let second: Option<Vec<String>> = second.iter().map(Word::literal).collect();
    if !matches!(second?.as_slice(), [name] | [name, _] if name == "pwd" && is_free(name)) {
        return None;
    }
    let (cd, options, to) = match first {
        [cd, to] => (cd, None, to),
        [cd, option, to] => (cd, option.literal(), to),
        _ => return None,
    };
    let is_plain = first.len() == 2 || matches!(options.as_deref(), Some("--" | "-P" | "-L"));
    if cd.literal().as_deref() != Some("cd") || !is_free("cd") || !is_plain {
        return None;
    }
    let to = only_word(to, walker).filter(|to| !to.is_empty() && !to.starts_with('-'))?;
    match walker.state.directories.as_slice() {
        _ if to.starts_with('/') => Some(crate::paths::absolute("/", &to)),
        [Some(from)] if !walker.searches_for(&to) => Some(crate::paths::absolute(from, &to)),
        _ => None,
    }
}

/// The name that `mktemp` makes. Without a template it stands below TMPDIR, which the facts count among the temporary
/// directories unless the line sets it.
pub(super) fn temporary(words: &[&str], walker: &Walker<'_>) -> Value {
    let is_inherited = walker.state.is_inherited("TMPDIR");
    let mut template = "tmp.XXXXXXXXXX";
    let mut below = false;
    let mut suffix = "";
    for word in words {
        match *word {
            "-d" | "-q" | "--directory" | "--quiet" => {}
            "-t" | "-dt" | "-td" => below = true,
            word if word.starts_with("--suffix=") => suffix = &word["--suffix=".len()..],
            word if !word.starts_with('-') && word.contains("XXX") => template = word,
            _ => return Value::Unknown,
        }
    }
    let Some((head, tail)) = template.split_once("XXX") else { return Value::Unknown };
    let tail = tail.trim_start_matches('X');
    let has_directory = template.contains('/');
    if suffix.contains('/') || tail.contains('/') || (below && has_directory) {
        return Value::Unknown;
    }
    let bare = template == "tmp.XXXXXXXXXX";
    let directory = if bare || below { "/tmp/" } else { "" };
    if !directory.is_empty() && !is_inherited {
        return Value::Unknown;
    }
    let made = format!("{directory}{head}*{tail}{suffix}");
    // Where its directory is not there, it makes and prints nothing.
    let is_there = !has_directory || made.starts_with("/tmp/") && made.matches('/').count() == 2;
    if is_there { Value::Pattern(made) } else { Value::Printed(made) }
}

/// Returns whether a word is numbers and nothing else, as far as its form says.
pub(super) fn is_numeric_word(word: &Word, walker: &Walker<'_>) -> bool {
    let [part] = word.parts.as_slice() else { return false };
    match &part.kind {
        PartKind::Arithmetic(_) => true,
        PartKind::Command(script) => is_number(script, walker),
        PartKind::Literal(text) => Value::text(text).is_number(),
        PartKind::Parameter(parameter) => {
            parameter.operator.is_empty()
                && !parameter.indirect
                && (parameter.length || walker.lookup(&parameter.name).is_number())
        }
        _ => false,
    }
}

/// What a simple command is.
const fn simple(command: &Command) -> Option<&SimpleCommand> {
    match &command.kind {
        CommandKind::Simple(simple) => Some(simple),
        _ => None,
    }
}

/// The words of a simple command without assignments.
fn plain_words(command: &Command) -> Option<&[Word]> {
    simple(command).filter(|it| it.assignments.is_empty()).map(|it| it.words.as_slice())
}

/// The words of a simple command that has nothing else, if all are written out.
fn literal_words(command: &Command) -> Option<Vec<String>> {
    let words = plain_words(command).filter(|_| command.redirects.is_empty())?;
    words.iter().map(Word::literal).collect()
}

/// Returns whether a script prints numbers, or nothing, whatever happens.
pub(super) fn is_number(script: &Script, walker: &Walker<'_>) -> bool {
    let [statement] = script.statements.as_slice() else { return false };
    let is_silent = |(operator, pipeline): &(AndOr, Pipeline)| {
        let words = match pipeline.commands.as_slice() {
            [command] => literal_words(command),
            _ => None,
        };
        let is_nothing = matches!(words.as_deref(), Some([word]) if word == "true" || word == ":");
        *operator == AndOr::Or
            && is_nothing
            && ["true", ":"].iter().all(|it| walker.state.is_free(it))
    };
    if !statement.rest.iter().all(is_silent) || statement.background {
        return false;
    }
    // Blanks are all that is taken out of the number.
    let takes_blanks = |command: &&Command| {
        let words = literal_words(command).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(words.as_slice(), ["tr", "-d", " " | "[:space:]" | " \t" | "[:blank:]"])
            && walker.state.is_free("tr")
    };
    if is_line_number(&statement.first.commands, walker) {
        return true;
    }
    let mut commands = statement.first.commands.iter().rev();
    let Some(last) = commands.find(|command| !takes_blanks(command)) else { return false };
    let Some([name, operands @ ..]) = simple(last).map(|it| it.words.as_slice()) else {
        return false;
    };
    let Some(name) = name.literal().filter(|name| walker.state.is_free(name)) else { return false };
    if name == "seq" {
        return operands
            .iter()
            .all(|word| word.literal().as_deref() == Some("-w") || is_numeric_word(word, walker));
    }
    let operands: Option<Vec<String>> = operands.iter().map(Word::literal).collect();
    let Some(operands) = operands else { return false };
    let words: Vec<&str> = [&name].into_iter().chain(&operands).map(String::as_str).collect();
    match words.as_slice() {
        // With several files it prints their names too.
        ["grep", options, _] | ["grep", options, _, _] => {
            options.starts_with("-c")
                && options[1..].bytes().all(|byte| b"cEFPivwxh".contains(&byte))
        }
        ["awk", "END{print NR}" | "END {print NR}" | "END { print NR }"] => true,
        words => prints("number", words),
    }
}

/// Whether this is the number of one line that `grep` finds in one file: `grep -n main a.c | head -1 | cut -d: -f1`.
fn is_line_number(commands: &[Command], walker: &Walker<'_>) -> bool {
    let words = |command: &Command| literal_words(command).filter(|words| !words.is_empty());
    let Some(commands) = commands.iter().map(words).collect::<Option<Vec<Vec<String>>>>() else {
        return false;
    };
    let are_free = commands.iter().all(|words| walker.state.is_free(&words[0]));
    let commands: Vec<Vec<&str>> =
        commands.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
    let is_option = |word: &str, letters: &str| {
        word.strip_prefix('-').is_some_and(|own| own.chars().all(|c| letters.contains(c)))
    };
    let is_first = |words: &[&str]| {
        matches!(words, ["head" | "tail", "-1" | "-n1"] | ["head" | "tail", "-n", "1"])
    };
    let is_cut = |words: &[&str]| {
        matches!(
            words,
            ["cut", "-d:", "-f1"] | ["cut", "-f1", "-d:"] | ["cut", "-d", ":", "-f", "1"]
        )
    };
    // Of a file that is no text it says that, which begins with its own name.
    let finds = |words: &[&str]| match words {
        ["grep", options, pattern, file] => {
            is_option(options, "nEFPiwx")
                && options.contains('n')
                && ![pattern, file].iter().any(|word| word.starts_with('-'))
        }
        _ => false,
    };
    are_free
        && walker.state.is_inherited("grep")
        && match commands.as_slice() {
            [grep, first, cut] if is_first(first) => finds(grep) && is_cut(cut),
            [grep, cut, first] => finds(grep) && is_cut(cut) && is_first(first),
            _ => false,
        }
}

/// Returns exactly what a script prints, if it is one `echo`, `printf` or `cat` of a here-document.
pub(super) fn script_output(script: &Script, walker: &mut Walker<'_>) -> Option<String> {
    output(only_command(script)?, walker)
}

/// Returns the command of a script that is one command and nothing else.
pub(super) fn only_command(script: &Script) -> Option<&Command> {
    let [statement] = script.statements.as_slice() else { return None };
    let [command] = statement.first.commands.as_slice() else { return None };
    let is_alone = statement.rest.is_empty() && !statement.background && script.opaque.is_empty();
    is_alone.then_some(command)
}

/// Returns the file that a command prints as it is: `cat FILE`, `cat <FILE`.
pub(super) fn shown_file(command: &Command, walker: &mut Walker<'_>) -> Option<String> {
    let (name, operands) = plain_words(command)?.split_first()?;
    if name.literal()? != "cat" || !walker.state.is_free("cat") {
        return None;
    }
    let file = match (operands, command.redirects.as_slice()) {
        ([file], []) => only_word(file, walker),
        ([], [redirect])
            if redirect.operator == RedirectOperator::Input
                && super::input::takes_input(redirect) =>
        {
            target(&redirect.target, walker)
        }
        _ => None,
    };
    file.filter(|file| !file.starts_with('-'))
}

/// What a command puts into a file.
pub(super) struct Put {
    pub(super) file: String,
    pub(super) text: String,
    /// Nothing is left of what it held before.
    pub(super) replaces: bool,
}

/// Returns what a command puts into a file, if that is plain to see: `cat > FILE <<E`, `echo … >> FILE`, `tee FILE <<E`.
pub(super) fn put_into_file(command: &Command, walker: &mut Walker<'_>) -> Option<Put> {
    if command.redirects.is_empty() {
        return None;
    }
    let (name, _) = plain_words(command)?.split_first()?;
    if !matches!(name.literal()?.as_str(), "cat" | "echo" | "printf") {
        return None;
    }
    let is_put = |redirect: &&Redirect| {
        use RedirectOperator::{Append, Clobber, Output};
        matches!(redirect.operator, Output | Clobber | Append)
            && matches!(redirect.descriptor, Descriptor::Default | Descriptor::Number(1))
    };
    let (put, others): (Vec<_>, Vec<_>) = command.redirects.iter().partition(is_put);
    let [put] = put.as_slice() else { return None };
    let redirects = others.into_iter().cloned().collect();
    let bare = Command { redirects, kind: command.kind.clone(), ..*command };
    let text = output(&bare, walker)?;
    let file = target(&put.target, walker).filter(|file| !file.is_empty())?;
    Some(Put { file, text, replaces: put.operator != RedirectOperator::Append })
}

/// Returns exactly what a command prints, if that is plain to see. What shells do not keep of it is not.
pub(super) fn output(command: &Command, walker: &mut Walker<'_>) -> Option<String> {
    printed(command, walker).filter(|text| !text.contains('\0'))
}

fn printed(command: &Command, walker: &mut Walker<'_>) -> Option<String> {
    let (name, words) = plain_words(command)?.split_first()?;
    let name = name.literal().filter(|name| walker.state.is_free(name))?;
    if name == "cat" {
        let [redirect] = command.redirects.as_slice() else { return None };
        if !words.is_empty() {
            return None;
        }
        if !matches!(redirect.descriptor, Descriptor::Default | Descriptor::Number(0)) {
            return None;
        }
        return match redirect.operator {
            RedirectOperator::HereDocument | RedirectOperator::HereDocumentTabs => {
                quietly(&redirect.body.as_ref()?.content, walker)
            }
            RedirectOperator::HereString => {
                quietly(&redirect.target, walker).map(|text| text + "\n")
            }
            _ => None,
        };
    }
    if !command.redirects.is_empty() {
        return None;
    }
    let words = quiet_words(words, walker)?;
    match (name.as_str(), words.as_slice()) {
        ("echo", [option, ..])
            if option.starts_with('-')
                && option != "-n"
                && matches!(walker.dialect, Dialect::Posix | Dialect::Ksh) =>
        {
            None
        }
        ("echo", [option, more, ..]) if is_option_of_echo(option) && is_option_of_echo(more) => {
            None
        }
        (name, words)
            if walker.dialect != Dialect::Bash
                && decoded(name, words).iter().any(|word| is_not_posix(word)) =>
        {
            None
        }
        ("echo", [option, words @ ..]) if option == "-n" => Some(words.join(" "))
            .filter(|text| walker.dialect == Dialect::Bash || !text.contains('\\')),
        ("echo", [option, words @ ..]) if option == "-e" => {
            decode(&(words.join(" ") + "\n"), Escapes::Echo)
        }
        // Some shells' echo decodes backslashes by itself.
        ("echo", words)
            if words.first().is_none_or(|word| !is_option_of_echo(word))
                && !words.iter().any(|word| word.contains('\\')) =>
        {
            Some(words.join(" ") + "\n")
        }
        ("dirname", [path]) if is_plain_path(path) => Some(directory_of(path) + "\n"),
        ("basename", [path]) if is_plain_path(path) => {
            path.rsplit('/').next().map(|name| format!("{name}\n"))
        }
        ("printf", [format, ..]) if format.starts_with('-') => None,
        ("printf", [format]) => decode(format, Escapes::Format).filter(|text| !text.contains('%')),
        ("printf", [format, words @ ..])
            if matches!(format.as_str(), "%s" | "%s\\n" | "%b" | "%b\\n") =>
        {
            let end = if format.ends_with("\\n") { "\n" } else { "" };
            let text: String = words.iter().flat_map(|word| [word.as_str(), end]).collect();
            if format.starts_with("%b") { decode(&text, Escapes::Word) } else { Some(text) }
        }
        ("printf", [format, words @ ..]) if !format.contains('\\') => {
            let pieces: Vec<&str> = format.split("%s").collect();
            let simple = pieces.len() == words.len() + 1 && !pieces.iter().any(|p| p.contains('%'));
            let words = words.iter().map(String::as_str).chain([""]);
            simple.then(|| {
                pieces.iter().zip(words).flat_map(|(piece, word)| [*piece, word]).collect()
            })
        }
        _ => None,
    }
}

/// Returns the words of a command in which shells decode escapes (POSIX, echo, printf).
fn decoded<'w>(name: &str, words: &'w [String]) -> &'w [String] {
    match (name, words) {
        ("printf", [format, ..]) if !format.contains("%b") => &words[..1],
        ("echo" | "printf", words) => words,
        _ => &[],
    }
}

/// Whether a text has an escape that POSIX does not name, or one by number, which shells read with more digits or fewer.
fn is_not_posix(text: &str) -> bool {
    let mut behind = text.split('\\').skip(1);
    while let Some(piece) = behind.next() {
        match piece.bytes().next() {
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v') => {}
            // Two of them.
            None => drop(behind.next()),
            Some(_) => return true,
        }
    }
    false
}

/// Whether a shell's `echo` takes a word for options.
fn is_option_of_echo(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| letters.chars().all(|c| "neE".contains(c)))
}

/// Whether a path is written so that its directory and its name are plain to see.
fn is_plain_path(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('-') && !path.ends_with('/') && !path.contains("//")
}

/// What `dirname` prints (POSIX, dirname).
fn directory_of(path: &str) -> String {
    match path.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None => ".".to_owned(),
    }
}

/// Expands words to those that a command gets; none if it is not known of each what it is.
fn quiet_words(words: &[Word], walker: &mut Walker<'_>) -> Option<Vec<String>> {
    let literal: Option<Vec<String>> = words.iter().map(Word::literal).collect();
    if literal.is_some() {
        return literal;
    }
    // All at once: one may set what the next shows.
    let expand = |walker: &mut Walker<'_>| {
        let words = walker.arguments(words);
        (words, walker.state.dead || (walker.met_unset && walker.state.nounset))
    };
    let (words, ends) =
        walker.with(|walker| &mut walker.met_unset, false, |walker| walker.tried(expand));
    // Where an expansion fails, nothing is printed.
    if ends {
        return None;
    }
    words.iter().map(|word| word.known().map(str::to_owned)).collect()
}

/// Expands a word to the only one that it becomes.
fn only_word(word: &Word, walker: &mut Walker<'_>) -> Option<String> {
    let mut words = quiet_words(std::slice::from_ref(word), walker)?;
    words.pop().filter(|_| words.is_empty())
}

/// Expands the target of a redirection, which only bash divides; none if it is not known.
fn target(word: &Word, walker: &mut Walker<'_>) -> Option<String> {
    if walker.dialect == Dialect::Bash { only_word(word, walker) } else { quietly(word, walker) }
}

/// Expands a word that is not divided; none if it is not known.
fn quietly(word: &Word, walker: &mut Walker<'_>) -> Option<String> {
    if let Some(text) = word.literal() {
        return Some(text);
    }
    // A pattern prints the names of files.
    if word.parts.iter().any(|part| matches!(part.kind, PartKind::Glob(_) | PartKind::Brace(_))) {
        return None;
    }
    walker.tried(|walker| walker.text(word)).known().map(str::to_owned)
}

fn only_words(script: &Script) -> Option<&[Word]> {
    let [statement] = script.statements.as_slice() else { return None };
    let [command] = statement.first.commands.as_slice() else { return None };
    // What it prints may go elsewhere.
    let is_of_errors = |redirect: &Redirect| {
        redirect.descriptor == Descriptor::Number(2)
            && matches!(redirect.operator, RedirectOperator::Output | RedirectOperator::Append)
    };
    if !statement.rest.is_empty() || !command.redirects.iter().all(is_of_errors) {
        return None;
    }
    plain_words(command)
}

/// Where backslash escapes stand, which says what they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// In a word of `echo -e`.
    Echo,
    /// In a format of `printf`.
    Format,
    /// In a word of its `%b`.
    Word,
}

/// Decodes backslash escapes; none where the result is no text, or not plain to see.
fn decode(text: &str, escapes: Escapes) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first != b'\\' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let (byte, used) = escape(tail, escapes)?;
        bytes.push(byte);
        rest = &tail[used..];
    }
    String::from_utf8(bytes).ok()
}

fn escape(tail: &[u8], escapes: Escapes) -> Option<(u8, usize)> {
    let digits = |radix: u32, from: usize, most: usize| {
        let count = tail[from..]
            .iter()
            .take(most)
            .take_while(|byte| char::from(**byte).is_digit(radix))
            .count();
        let text = std::str::from_utf8(&tail[from..from + count]).ok()?;
        Some((u8::try_from(u32::from_str_radix(text, radix).ok()? & 0xff).ok()?, from + count))
    };
    Some(match tail.first()? {
        b'n' => (b'\n', 1),
        b't' => (b'\t', 1),
        b'r' => (b'\r', 1),
        b'a' => (7, 1),
        b'b' => (8, 1),
        b'f' => (12, 1),
        b'v' => (11, 1),
        b'e' | b'E' => (27, 1),
        b'\\' => (b'\\', 1),
        b'"' | b'\'' if escapes == Escapes::Format => (tail[0], 1),
        b'x' => digits(16, 1, 2)?,
        // A zero in front of three more digits, or three alone.
        b'0' if escapes != Escapes::Format => digits(8, 0, 4)?,
        b'0'..=b'7' if escapes != Escapes::Echo => digits(8, 0, 3)?,
        _ => return None,
    })
}
