//! Which shell a text is for. It is read as bash reads it; what means something else to another shell is opaque, or is followed
//! where the table says so.

mod builtins;
mod names;
mod table;
mod written;

use super::script::{
    Assignment, AssignmentValue, Command, CommandKind, Descriptor, Parameter, Part, PartKind,
    Pipeline, Redirect, RedirectOperator, Script, SimpleCommand, Statement, Word,
};
use super::walk::{Descend, Node};
use crate::model::{Opaque, Reason, Shell, Span};

pub use builtins::{DECLARING, Within, named_option};
use names::{ZSH_HOOKS, ZSH_NAMES, ZSH_NUMBERS, ZSH_TIED};
pub use table::{Construct, Treatment};
pub use written::plain_subscript;
use written::{flags_are_known, is_plain_sequence, operand_has_brace};

/// The shells whose reading of a text is told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The GNU shell.
    #[default]
    Bash,
    /// A shell that knows what POSIX says, and perhaps more: `sh`, which is dash on one machine and bash on another.
    Posix,
    /// The Korn shell and those after it.
    Ksh,
    /// Zsh as it starts, without options of its owner.
    Zsh,
}

impl From<Shell> for Dialect {
    fn from(shell: Shell) -> Self {
        match shell {
            Shell::Bash => Self::Bash,
            Shell::Sh | Shell::Dash => Self::Posix,
            Shell::Zsh => Self::Zsh,
        }
    }
}

impl Dialect {
    /// Returns the dialect of the shell that has this name; none if no shell has.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bash" | "rbash" => Self::Bash,
            "sh" | "dash" | "ash" | "posh" | "yash" | "busybox" => Self::Posix,
            "ksh" | "ksh93" | "mksh" | "lksh" | "oksh" | "pdksh" => Self::Ksh,
            "zsh" => Self::Zsh,
            _ => return None,
        })
    }

    /// Returns what a shell of this kind is called.
    const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Posix => "sh",
            Self::Ksh => "ksh",
            Self::Zsh => "zsh",
        }
    }

    /// Returns whether a name is tied to something of the shell's own, so that setting it changes more than a variable.
    #[must_use]
    pub fn is_special(self, name: &str) -> bool {
        self == Self::Zsh && (ZSH_NAMES.contains(&name) || name.ends_with("_functions"))
    }

    /// Returns whether a variable is always a number: what is assigned to it is evaluated, and is not what it gives.
    #[must_use]
    pub fn counts(self, name: &str) -> bool {
        self == Self::Zsh && ZSH_NUMBERS.binary_search(&name).is_ok()
    }

    /// Returns whether the shell sets a variable by itself, whatever it was.
    #[must_use]
    pub fn sets(self, name: &str) -> bool {
        self == Self::Zsh
            && matches!(name, "MATCH" | "MBEGIN" | "MEND" | "match" | "mbegin" | "mend" | "_")
    }

    /// Returns the names under which a variable can be set, where there are several.
    #[must_use]
    pub fn tied(self, name: &str) -> &'static [&'static str] {
        let mut groups = ZSH_TIED.iter().filter(|_| self == Self::Zsh);
        groups.find(|names| names.contains(&name)).map_or(&[], |names| *names)
    }
}

/// Letters behind a colon with which zsh changes what a parameter gives (zshexpn(1), MODIFIERS).
const MODIFIERS: &[u8] = b"aAcehlpPqQrstuxgwWfFX&";

/// Adds an opaque part for all that the shell of a text may read otherwise than bash. `noted`: what the tree does not show.
pub(super) fn distrust(
    script: &mut Script,
    bytes: &[u8],
    dialect: Dialect,
    noted: Vec<(Construct, Span)>,
) {
    for (_, span) in noted.iter().filter(|(construct, _)| *construct == Construct::Flags) {
        if dialect == Dialect::Zsh && bytes.get(span.start..span.end).is_some_and(flags_are_known) {
            let refused = Reason::Syntax("bad substitution".to_owned());
            script.opaque.retain(|part| part.reason != refused || part.span != *span);
        }
    }
    for part in &mut script.opaque {
        if let Reason::Syntax(what) = &mut part.reason {
            part.reason = Reason::SyntaxOf(dialect.name().to_owned(), std::mem::take(what));
        }
    }
    let mut found =
        Found { dialect, bytes, spans: Vec::new(), read: None, expressions: Vec::new() };
    script.walk(&mut |node| {
        found.node(node);
        Descend::Into
    });
    for (construct, span) in noted {
        // Whether something is there is a number, as whatever stands in an expression.
        let asks = bytes.get(span.end) == Some(&b'+')
            && found.expressions.iter().any(|it| it.start <= span.start && span.end <= it.end);
        if !(asks && construct == Construct::PrefixedParameter) {
            found.note(construct, span);
        }
    }
    found.spans.sort_unstable();
    found.spans.dedup();
    let spans = found.spans.into_iter();
    script.opaque.extend(spans.map(|span| Opaque { reason: Reason::OtherShell, span }));
}

/// What was found that is opaque.
struct Found<'a> {
    dialect: Dialect,
    bytes: &'a [u8],
    spans: Vec<Span>,
    /// The command that is only `<FILE` in the substitution that was met last: its text is read by the shell itself.
    read: Option<Span>,
    /// The arithmetic expressions.
    expressions: Vec<Span>,
}

impl Found<'_> {
    fn note(&mut self, construct: impl Into<Option<Construct>>, span: Span) {
        let construct = construct.into();
        let treatment = construct.map(|construct| self.dialect.treats(construct));
        if treatment == Some(Treatment::Opaque) {
            self.spans.push(span);
        }
    }

    fn source(&self, span: Span) -> &[u8] {
        self.bytes.get(span.start..span.end).unwrap_or_default()
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Statement(statement) => {
                let pipelines = statement.rest.iter().map(|(_, pipeline)| pipeline);
                for pipeline in std::iter::once(&statement.first).chain(pipelines) {
                    self.note(pipeline.timed.then_some(Construct::Time), statement.span);
                    self.pipeline(pipeline);
                }
            }
            Node::Command(command) => self.command(command),
            Node::Redirect(redirect) => self.redirect(redirect),
            Node::Assignment(assignment) => self.assignment(assignment),
            Node::Word(word) => self.word(word),
            Node::Part(part) => self.part(part),
            Node::Script(script) => self.read = file_that_is_read(script),
        }
    }

    /// Beside a pipe, zsh gives a redirection what the pipe gets too.
    fn pipeline(&mut self, pipeline: &Pipeline) {
        let last = pipeline.commands.len().saturating_sub(1);
        for (at, command) in pipeline.commands.iter().enumerate() {
            for redirect in &command.redirects {
                let opened = opened(redirect);
                let is_beside =
                    (at < last && opened.contains(&1)) || (at > 0 && opened.contains(&0));
                self.note(is_beside.then_some(Construct::SeveralTargets), redirect.span);
            }
        }
    }

    fn command(&mut self, command: &Command) {
        self.note(command.pipes_stderr.then_some(Construct::PipeBoth), command.span);
        let mut all = Vec::new();
        for redirect in &command.redirects {
            for descriptor in opened(redirect) {
                let is_again = all.contains(&descriptor);
                self.note(is_again.then_some(Construct::SeveralTargets), redirect.span);
                all.push(descriptor);
            }
        }
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, command),
            CommandKind::For { select, variable, .. } => {
                self.note(select.then_some(Construct::Select), command.span);
                self.note(
                    self.dialect.is_special(variable).then_some(Construct::SpecialName),
                    command.span,
                );
            }
            CommandKind::Function { name, .. } => {
                let is_hook = match self.dialect {
                    Dialect::Zsh => ZSH_HOOKS.contains(&name.as_str()) || name.starts_with("TRAP"),
                    // A discipline of a variable: `function x.get`.
                    _ => name.contains('.'),
                };
                self.note(is_hook.then_some(Construct::HookFunction), command.span);
            }
            CommandKind::ArithmeticFor { .. } => {
                self.note(Construct::ArithmeticFor, command.span);
            }
            CommandKind::Test(_) => self.note(Construct::Test, command.span),
            CommandKind::Arithmetic(_) => {
                self.expressions.push(command.span);
                self.note(Construct::Arithmetic, command.span);
            }
            CommandKind::Coproc { .. } => self.note(Construct::Coproc, command.span),
            CommandKind::Group(_)
            | CommandKind::Subshell(_)
            | CommandKind::If { .. }
            | CommandKind::While { .. }
            | CommandKind::Case { .. } => {}
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, command: &Command) {
        let is_null = simple.words.is_empty()
            && simple.assignments.is_empty()
            && !command.redirects.is_empty()
            && self.read != Some(command.span);
        self.note(is_null.then_some(Construct::NullCommand), command.span);
        for word in &simple.words {
            let is_closing = matches!(word.parts.as_slice(), [Part { quoted: false, kind: PartKind::Literal(text), .. }] if text == "}");
            self.note(is_closing.then_some(Construct::ClosingBrace), word.span);
        }
        if let Some(word) = simple.words.first() {
            let text = self.source(word.span);
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_assignment =
                digits > 0 && matches!(&text[digits..], [b'=', ..] | [b'+', b'=', ..]);
            self.note(is_assignment.then_some(Construct::NumberedAssignment), word.span);
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        use RedirectOperator as Operator;
        let span = redirect.span;
        let is_file = match redirect.operator {
            Operator::OutputAndError | Operator::AppendAndError => {
                self.note(Construct::RedirectBoth, span);
                true
            }
            Operator::HereString => {
                self.note(Construct::HereString, span);
                false
            }
            // `>&FILE`
            Operator::DuplicateOutput => {
                let is_file = redirect.target.literal().is_none_or(|word| {
                    word != "-"
                        && (word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()))
                });
                self.note(is_file.then_some(Construct::RedirectBoth), span);
                is_file
            }
            Operator::Input
            | Operator::Output
            | Operator::Clobber
            | Operator::Append
            | Operator::ReadWrite => true,
            Operator::DuplicateInput | Operator::HereDocument | Operator::HereDocumentTabs => false,
        };
        match redirect.descriptor {
            Descriptor::Variable(_) => self.note(Construct::NamedDescriptor, span),
            Descriptor::Number(number) => {
                self.note((number > 9).then_some(Construct::LargeDescriptor), span);
            }
            Descriptor::Default => {}
        }
        if !is_file {
            return;
        }
        let target = self.source(redirect.target.span);
        let is_numeric = redirect.operator == Operator::Input
            && target.contains(&b'-')
            && target.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
        self.note((target.first() == Some(&b'!')).then_some(Construct::ForcedTarget), span);
        self.note(is_numeric.then_some(Construct::NumericGlob), span);
        let has_brace = redirect
            .target
            .parts
            .iter()
            .any(|part| matches!(part.kind, PartKind::Brace(_) | PartKind::Glob(_)));
        self.note(has_brace.then_some(Construct::SeveralTargets), span);
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let span = assignment.span;
        self.note(assignment.append.then_some(Construct::AppendingAssignment), span);
        self.note(assignment.index.is_some().then_some(Construct::Index), span);
        self.note(
            self.dialect.is_special(&assignment.name).then_some(Construct::SpecialName),
            span,
        );
        let is_array = matches!(assignment.value, AssignmentValue::Array(_));
        self.note(is_array.then_some(Construct::Array), span);
    }

    fn word(&mut self, word: &Word) {
        let equals = self.source(word.span);
        let is_path = equals
            .get(1)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_./-$".contains(byte));
        let is_equals = equals.first() == Some(&b'=') && is_path;
        self.note(is_equals.then_some(Construct::Equals), word.span);
        let (mut open, mut dots, mut closed, mut expands) = (false, false, false, false);
        for (at, part) in word.parts.iter().enumerate() {
            match &part.kind {
                PartKind::Literal(text) if !part.quoted => {
                    open |= text.contains('{');
                    dots |= open && text.contains("..");
                    closed |= dots && text.contains('}');
                }
                PartKind::Parameter(_) | PartKind::Command(_) | PartKind::Arithmetic(_) => {
                    expands |= open;
                }
                _ => {}
            }
            if let PartKind::Parameter(parameter) = &part.kind {
                let next = word.parts.get(at + 1).filter(|next| next.quoted == part.quoted);
                let is_bare = !self.source(part.span).contains(&b'{');
                if let Some(next) = next.filter(|_| is_bare) {
                    if plain_subscript(part, next).is_some() {
                        self.note(Construct::Subscript, part.span);
                    } else {
                        self.suffix(parameter, next, part.span);
                    }
                }
                self.note(
                    operand_has_brace(parameter).then_some(Construct::BraceInOperand),
                    part.span,
                );
            }
        }
        self.note((closed && expands).then_some(Construct::BraceOfExpansion), word.span);
        self.note(closed.then_some(Construct::Sequence), word.span);
        // `~"/a"`, `~$a`: to bash the tilde is text.
        let is_open = word.parts.windows(2).any(|pair| match &pair[0].kind {
            PartKind::Literal(text) if !pair[0].quoted => {
                let last = text.rsplit([':', '=']).next().unwrap_or_default();
                last.starts_with('~') && !last.contains('/')
            }
            _ => false,
        });
        self.note(is_open.then_some(Construct::TildeName), word.span);
        let has_brace = word.parts.iter().any(|part| matches!(part.kind, PartKind::Brace(_)));
        let makes_words = has_brace && word.parts.iter().any(may_be_several_words);
        self.note(makes_words.then_some(Construct::BraceOfWords), word.span);
    }

    /// What stands behind a parameter without braces.
    fn suffix(&mut self, parameter: &Parameter, next: &Part, span: Span) {
        let is_count = parameter.name == "#";
        let text = match &next.kind {
            PartKind::Literal(text) | PartKind::Glob(text) => text.as_bytes(),
            // `$#$x` is how long `$$` is.
            PartKind::Parameter(_) => {
                self.note(is_count.then_some(Construct::Suffix), span);
                return;
            }
            _ => return,
        };
        let belongs = match text {
            [b'[', ..] => true,
            [b':', letter, ..] => MODIFIERS.contains(letter),
            [byte, ..] => is_count && (byte.is_ascii_alphanumeric() || b"_@*-?$#!".contains(byte)),
            [] => false,
        };
        self.note(belongs.then_some(Construct::Suffix), span);
    }

    fn part(&mut self, part: &Part) {
        let span = part.span;
        match &part.kind {
            PartKind::Literal(_) | PartKind::Command(_) | PartKind::Qualifiers(_) => {}
            PartKind::Arithmetic(_) => self.expressions.push(span),
            PartKind::Parameter(parameter) => self.parameter(parameter, span),
            PartKind::Tilde(user) if matches!(user.as_str(), "~+" | "~-") => {
                self.note(Construct::TildeDirectory, span);
            }
            PartKind::Tilde(user) => self.note((user != "~").then_some(Construct::TildeName), span),
            PartKind::Glob(pattern) => {
                self.note(pattern.starts_with("[^").then_some(Construct::NegatedBracket), span);
            }
            PartKind::ProcessInput(_) | PartKind::ProcessOutput(_) => {
                self.note(Construct::ProcessSubstitution, span);
            }
            PartKind::Brace(_) | PartKind::BraceTooMany(_) => {
                self.note(Construct::Brace, span);
                let is_plain = is_plain_sequence(self.source(span));
                self.note((!is_plain).then_some(Construct::Sequence), span);
            }
            PartKind::ExtendedGlob(..) => self.note(Construct::ExtendedGlob, span),
            PartKind::Array(_) => self.note(Construct::Array, span),
        }
    }

    fn parameter(&mut self, parameter: &Parameter, span: Span) {
        let construct = match parameter.operator.as_str() {
            "" | ":-" | "-" | ":=" | "=" | ":?" | "?" | ":+" | "+" | "#" | "##" | "%" | "%%" => {
                None
            }
            ":" => {
                let source = self.source(span);
                let name = parameter.name.as_bytes();
                let at = source
                    .windows(name.len() + 1)
                    .position(|part| part.starts_with(name) && part.ends_with(b":"));
                let behind = at.and_then(|at| source.get(at + name.len() + 1));
                let is_number =
                    behind.is_some_and(|byte| byte.is_ascii_digit() || b" -($".contains(byte));
                Some(if is_number { Construct::Substring } else { Construct::Modifier })
            }
            _ => Some(Construct::Editing),
        };
        self.note(construct, span);
        self.note(parameter.indirect.then_some(Construct::Indirect), span);
        if let Some(index) = &parameter.index {
            let is_whole = index.literal().is_some_and(|index| index == "@" || index == "*");
            self.note(if is_whole { Construct::WholeArray } else { Construct::Index }, span);
        }
        self.note((parameter.name == "0").then_some(Construct::ShellName), span);
    }
}

/// Whether what a part stands for may be several words, whoever splits what.
fn may_be_several_words(part: &Part) -> bool {
    match &part.kind {
        PartKind::Command(_) => !part.quoted,
        PartKind::Parameter(parameter) => {
            let is_whole = |name: &str| matches!(name, "@" | "*");
            is_whole(&parameter.name)
                || parameter.index.as_ref().and_then(Word::literal).is_some_and(|it| is_whole(&it))
        }
        PartKind::Brace(words) => {
            words.iter().flat_map(|word| &word.parts).any(may_be_several_words)
        }
        _ => false,
    }
}

/// The descriptors that a redirection opens.
fn opened(redirect: &Redirect) -> Vec<u32> {
    use RedirectOperator as Operator;
    let usual = match redirect.operator {
        Operator::OutputAndError | Operator::AppendAndError => return vec![1, 2],
        Operator::Output | Operator::Clobber | Operator::Append | Operator::DuplicateOutput => 1,
        Operator::Input
        | Operator::ReadWrite
        | Operator::DuplicateInput
        | Operator::HereDocument
        | Operator::HereDocumentTabs
        | Operator::HereString => 0,
    };
    match redirect.descriptor {
        // Closing is not opening.
        _ if redirect.target.literal().is_some_and(|target| target == "-")
            && matches!(
                redirect.operator,
                Operator::DuplicateOutput | Operator::DuplicateInput
            ) =>
        {
            Vec::new()
        }
        Descriptor::Default => vec![usual],
        Descriptor::Number(number) => vec![number],
        Descriptor::Variable(_) => Vec::new(),
    }
}

/// Returns where the command of `$(<FILE)` stands.
fn file_that_is_read(script: &Script) -> Option<Span> {
    let [Statement { first, rest, .. }] = script.statements.as_slice() else { return None };
    let [command] = first.commands.as_slice() else { return None };
    let [redirect] = command.redirects.as_slice() else { return None };
    (rest.is_empty() && redirect.operator == RedirectOperator::Input).then_some(command.span)
}

#[cfg(test)]
mod tests {
    use super::super::{parse, parse_for};
    use super::*;

    #[test]
    fn what_only_bash_knows_is_not_read_for_another_shell() {
        for text in [
            "a {b,c}",
            "a {1..3}",
            "a $'b'",
            "a $\"b\"",
            "[[ a ]]",
            "function f { a; }",
            "a=(b)",
            "a[1]=b",
            "a+=b",
            "((a))",
            "for ((;;)); do a; done",
            "select a in b; do c; done",
            "a <<< b",
            "a &> b",
            "a &>> b",
            "a >& b",
            "a |& b",
            "a <(b)",
            "a >(b)",
            "a {b}> c",
            "${a/b/c}",
            "${a:1}",
            "${a^^}",
            "${!a}",
            "${a[0]}",
            "${a@Q}",
            "time a",
            "coproc a",
            "a ~+",
            "a [^b]",
            "case a in a) b;& esac",
            "case a in a) b;;& esac",
            "a $[1]",
            "a `b $'c'`",
            "a \"$(b {c,d})\"",
            "a <<E\n$(b {c,d})\nE",
        ] {
            let bash = parse(text.as_bytes());
            assert!(bash.opaque.is_empty(), "{text}: {:?}", bash.opaque);
            let script = parse_for(text.as_bytes(), Dialect::Posix);
            let is_told = |opaque: &Opaque| opaque.reason == Reason::OtherShell;
            assert!(script.opaque.iter().any(is_told), "{text}: {:?}", script.opaque);
        }
    }

    fn told(text: &str, dialect: Dialect) -> bool {
        let script = parse_for(text.as_bytes(), dialect);
        assert!(
            script.opaque.iter().all(|it| it.reason == Reason::OtherShell),
            "{text}: {script:?}"
        );
        !script.opaque.is_empty()
    }

    #[test]
    fn what_every_shell_knows_is_read() {
        for text in [
            "a b | c && d || e & f; g",
            "if a; then b; elif c; then d; else e; fi",
            "for a in b c; do d; done",
            "while a; do b; done",
            "case a in a|b) c;; *) d;; esac",
            "f() { a; }",
            "a > b 2>&1 < c",
            "a >> d 3>&- <&3",
            "a <> e",
            "a >| g",
            "a <<E\nb\nE",
            "${a:-b} ${a#b} ${#a} $@ $# $((a + 1)) $(b) `c`",
            "a=b c=d e",
            "( a )",
            "! a",
            "a [!b] * ?",
            "a 'b$' \"c$\" '{d,e}' '$=a' \"a$\"",
            "a ~ ~/b",
            "a = b == c",
            "a \"$b:8080\" $c/d ${e}:h HEAD^ @{u} {} '}'",
            "a 2>&1 | b 2>/dev/null | c > d",
            "a $(<b)",
        ] {
            for dialect in [Dialect::Posix, Dialect::Ksh, Dialect::Zsh] {
                assert!(!told(text, dialect), "{text}: {dialect:?}");
            }
        }
    }

    #[test]
    fn what_zsh_reads_as_bash_does_is_read_for_it() {
        for text in [
            "a $'b\\n' {b,c}{1..3}",
            "[[ a == b* ]] && ((a))",
            "for ((i = 0; i < 3; i++)); do a; done",
            "function f { a; }",
            "a=(b c); d \"${a[@]}\" ${#a[@]}",
            "a+=b",
            "a <<< b; c &> d; e |& f",
            "a <(b) >(c)",
            "${a/b/c} ${a:1:2} ${a: -1}",
            "a ~+ ~-",
            "time a",
            "a ${b:h} ${b[1]} $path $b[1] \"$c[2]\" $#b",
            "a[1]=b",
        ] {
            assert!(!told(text, Dialect::Zsh), "{text}");
        }
    }

    #[test]
    fn what_zsh_reads_otherwise_is_not_read_for_it() {
        for text in [
            "a $\"b\"",
            "a $'\\cA'",
            "a {$b..3}",
            "a {b,c}$(d)",
            "a {b,$(c)}",
            "a {b,c}\"$@\"",
            "a =b",
            "=a b",
            "1=a",
            "a }",
            "a ~b",
            "a 10> b",
            "a >! b",
            "a > b > c",
            "a > b | c",
            "a | b < c",
            "a < b < c",
            "a > {b,c}",
            "a <1-5>b",
            "> a",
            "< a",
            "a $b[$c] \"$c[$d]\"",
            "a $b:h",
            "a \"$b:t\"",
            "a $=b",
            "a \"$~b\"",
            "a $+b",
            "path=b",
            "for path in a; do b; done",
            "precmd_functions+=a",
            "chpwd() { a; }",
            "TRAPINT() { a; }",
            "coproc a",
            "a $0",
            "a {1..3..-1} {b..3}",
            "a ${b:-{c,d}}",
            "a $'\\z'",
            "a $#@",
            "a ~\"/b\"",
        ] {
            assert!(told(text, Dialect::Zsh), "{text}");
            assert!(!told(text, Dialect::Bash), "{text}");
        }
    }

    #[test]
    fn qualifiers_of_files_are_read_for_zsh_alone() {
        for text in [
            "a *(.)",
            "a **/*(/) b",
            "a b*(N)",
            "a b(@N)",
            "a *.c(om[1,3])",
            "a *(#qN.)",
            "a *(^/,@)",
            "a *(Lk+5)",
            "a *(mh-1)",
            "a b/*(-.D)>c",
            "a {b,c}*(.); d",
            "a $(b *(.)) \"$(b *(.))\"",
            "for a in *(/); do b; done",
        ] {
            let zsh = parse_for(text.as_bytes(), Dialect::Zsh);
            assert!(zsh.opaque.is_empty(), "{text}: {:?}", zsh.opaque);
            for (dialect, shell) in
                [(Dialect::Bash, "bash"), (Dialect::Posix, "sh"), (Dialect::Ksh, "ksh")]
            {
                refused_by(text, dialect, shell);
            }
        }
        for text in [
            "a *(e:b:)",
            "a *(.e'b')",
            "a *(+b)",
            "a *(oe:b:)",
            "a *(o+b)",
            "a *(.:h)",
            "a *(P:b:)",
            "a *(M)",
            "a *(b|c)",
            "a *(.)b",
            "a *(.)(N)",
            "a *(L)",
            "a b(",
        ] {
            refused_by(text, Dialect::Zsh, "zsh");
        }
    }

    fn refused_by(text: &str, dialect: Dialect, shell: &str) {
        let script = parse_for(text.as_bytes(), dialect);
        let says = format!("cannot be read as {shell} reads it: ");
        let is_told = |it: &Opaque| it.reason.to_string().starts_with(&says);
        assert!(script.opaque.iter().any(is_told), "{text}: {:?}", script.opaque);
    }

    #[test]
    fn the_numbers_are_sorted() {
        assert!(ZSH_NUMBERS.is_sorted());
    }

    #[test]
    fn every_construct_has_one_row() {
        for (at, (construct, _)) in table::TABLE.iter().enumerate() {
            let again = table::TABLE[at + 1..].iter().any(|(other, _)| other == construct);
            assert!(!again, "{construct:?}");
        }
    }
}
