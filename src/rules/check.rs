//! A pack's text to checked rules, or everything that is wrong with it, each with its place.
//! Shared by the build script and the loader of owners' rules. Regular expressions and queries are checked elsewhere.

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::value::{Datetime, Offset};
use toml::{Spanned, de::DeString};

use super::model::Severity;
use super::schema::{
    self, WrittenBranch, WrittenOptions, WrittenReceiver, WrittenRule, WrittenTarget, WrittenWhen,
};
use super::source::{Lines, Problem, did_you_mean};
use super::{
    BranchPattern, Choice, Conditions, Examples, Flow, OptionPattern, Receiver, Recommendation,
    Rule, TargetPattern, When, glob,
};

/// A checked pack.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    /// Its name, with which the ids of its rules begin.
    pub name: String,
    /// What it is about.
    pub summary: String,
    /// Whether every rule of it that matches counts, and not only the first.
    pub every: bool,
    /// Its rules, in order.
    pub rules: Vec<PackRule>,
}

/// A checked rule with where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct PackRule {
    /// The rule.
    pub rule: Rule,
    /// Its examples.
    pub examples: Examples,
    /// The line of its id, from 1.
    pub line: u32,
    /// The bytes of its id.
    pub span: Range<usize>,
    /// The bytes of its regular expression or query, if it has one.
    pub pattern: Option<Range<usize>>,
}

/// Who wrote a pack: what is asked of it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// Built in: two examples of each kind, and nothing that must be compiled at run time.
    BuiltIn,
    /// The owner of the machine or of a project: one example of each kind.
    Owner,
}

/// Reads and checks a pack. The error is never empty.
pub fn read(source: &str, author: Author) -> Result<Pack, Vec<Problem>> {
    let names = schema::names();
    let (table, errors) = DeTable::parse_recoverable(source);
    if !errors.is_empty() {
        return Err(errors.iter().map(|e| Problem::from_toml(e, source, &names)).collect());
    }
    let mut reader = Reader {
        source,
        author,
        names,
        lines: Lines::of(source),
        problems: Vec::new(),
        seen: HashMap::new(),
    };
    let pack = reader.pack(table.into_inner());
    match pack {
        Some(pack) if reader.problems.is_empty() => Ok(pack),
        _ => Err(reader.problems),
    }
}

struct Reader<'s> {
    source: &'s str,
    author: Author,
    names: Vec<String>,
    lines: Lines,
    problems: Vec<Problem>,
    /// The line of each id.
    seen: HashMap<String, usize>,
}

impl Reader<'_> {
    fn pack(&mut self, table: DeTable<'_>) -> Option<Pack> {
        let (mut name, mut summary, mut every) = (None, String::new(), false);
        let mut rules = Vec::new();
        for (key, value) in table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("pack", DeValue::String(text)) => name = Some((text.to_string(), value.span())),
                ("summary", DeValue::String(text)) => summary = text.to_string(),
                ("every", DeValue::Boolean(each)) => every = *each,
                ("rule", DeValue::Array(_)) => rules = list(value),
                (known @ ("pack" | "summary" | "every" | "rule"), _) => {
                    let wanted = match known {
                        "rule" => "a list: `[[rule]]`",
                        "every" => "true or false",
                        _ => "a string",
                    };
                    self.problems
                        .push(Problem::new(value.span(), format!("`{known}` is {wanted}")));
                }
                _ => self.unknown_key(&key),
            }
        }
        let Some((name, span)) = name else {
            if self.problems.is_empty() {
                self.problems.push(Problem::new(0..0, "a pack needs a name: `pack = \"…\"`"));
            }
            return None;
        };
        if !is_name(&name) {
            let message = format!("'{name}' is no name of a pack: lower-case letters, digits, `-`");
            self.problems.push(Problem::new(span, message));
        }
        let rules = rules.into_iter().filter_map(|value| self.rule(&name, value)).collect();
        Some(Pack { name, summary, every, rules })
    }

    fn unknown_key(&mut self, key: &Spanned<DeString<'_>>) {
        let top = ["pack", "summary", "every", "rule"].map(str::to_owned);
        let message = format!(
            "unknown key `{}`; a pack has `pack`, `summary`, `every`, `rule`",
            key.get_ref()
        );
        let hint = did_you_mean(key.get_ref(), &top);
        self.problems.push(Problem::new(key.span(), message).hint(hint));
    }

    fn rule(&mut self, pack: &str, value: Spanned<DeValue<'_>>) -> Option<PackRule> {
        let given_id =
            value.get_ref().get("id").and_then(|id| id.get_ref().as_str().map(str::to_owned));
        let written = match WrittenRule::deserialize(ValueDeserializer::from(value)) {
            Ok(written) => written,
            Err(error) => {
                let mut problem = Problem::from_toml(&error, self.source, &self.names);
                problem.rule = given_id;
                self.problems.push(problem);
                return None;
            }
        };
        let before = self.problems.len();
        self.id(pack, &written.id);
        self.shape(&written);
        let rule = self.convert(&written);
        for problem in &mut self.problems[before..] {
            problem.rule = Some(written.id.get_ref().clone());
        }
        let span = written.id.span();
        let line = u32::try_from(self.lines.line(span.start)).unwrap_or(u32::MAX);
        let pattern = written.text.as_ref().or(written.query.as_ref()).map(Spanned::span);
        let examples = Examples { matches: written.matches, passes: written.passes };
        Some(PackRule { rule, examples, line, span, pattern })
    }

    fn wrong(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.problems.push(Problem::new(span, message));
    }

    fn id(&mut self, pack: &str, id: &Spanned<String>) {
        let (text, span) = (id.get_ref(), id.span());
        let rest = text.strip_prefix(pack).and_then(|rest| rest.strip_prefix('.'));
        if !rest.is_some_and(|rest| rest.split('.').all(is_name)) {
            self.wrong(
                span.clone(),
                format!("id '{text}' must be `{pack}.` and names of letters, digits and `-`, joined by dots"),
            );
        }
        let line = self.lines.line(span.start);
        if let Some(first) = self.seen.insert(text.clone(), line) {
            self.wrong(span, format!("id '{text}' is taken by the rule in line {first}"));
        }
    }

    /// Checks what fields must, and must not, stand together.
    fn shape(&mut self, rule: &WrittenRule) {
        let at = rule.id.span();
        if rule.reason.get_ref().trim().is_empty() {
            self.wrong(rule.reason.span(), "the reason is empty");
        }
        let least = match self.author {
            Author::BuiltIn => 2,
            Author::Owner => 1,
        };
        for (field, lines) in [("matches", &rule.matches), ("passes", &rule.passes)] {
            if lines.len() < least {
                self.wrong(at.clone(), format!("needs at least {least} lines in `{field}`"));
            }
        }
        if let Some(twice) = rule.matches.iter().find(|line| rule.passes.contains(line)) {
            self.wrong(at.clone(), format!("'{twice}' stands in `matches` and in `passes`"));
        }
        self.action(rule);
        self.loosening(rule);
        let parsed = self.needs_a_command(rule);
        if let Some(pattern) = rule.text.as_ref().or(rule.query.as_ref()) {
            if self.author == Author::BuiltIn {
                self.wrong(pattern.span(), "`text` and `query` are for owners' rules");
            }
            if parsed || (rule.text.is_some() && rule.query.is_some()) {
                self.wrong(
                    pattern.span(),
                    "`text` or `query` is about the whole line: only `when` may stand beside it",
                );
            }
        } else if !parsed && is_anywhere(&rule.when) {
            self.wrong(at.clone(), "has no condition and would match every command");
        }
        for variable in rule.env.iter().filter(|variable| !variable.get_ref().contains('=')) {
            self.wrong(
                variable.span(),
                "a variable is written `NAME=VALUE`; any value is `NAME=*`",
            );
        }
        if !rule.effects.any.is_empty() && !rule.effects.only.is_empty() {
            self.wrong(at, "`any` and `only` exclude each other in `effects`");
        }
        if rule.target.is_some() && rule.effects.any.is_empty() && rule.effects.only.is_empty() {
            let span = rule.target.as_ref().map_or(0..0, Spanned::span);
            self.wrong(span, "`target` is the target of `effects`: say which");
        }
    }

    /// Checks that a rule says once what happens.
    fn action(&mut self, rule: &WrittenRule) {
        match &rule.action {
            Some(action) if rule.deny || rule.recommend.is_some() => {
                let message = "`action` says it in one word: leave `recommend` and `deny` out";
                self.wrong(action.span(), message);
            }
            None if rule.severity.is_none() => {
                self.wrong(rule.id.span(), "missing field `severity` (or `action`)");
            }
            _ => {}
        }
    }

    /// Checks what stands with a recommendation that loosens.
    fn loosening(&mut self, rule: &WrittenRule) {
        let action = rule.action.as_ref().map(Spanned::span);
        let span = rule.recommend.as_ref().map(Spanned::span).or(action).unwrap_or_default();
        let said = rule.said();
        let is_allow = said == Recommendation::Allow;
        let name = match said {
            Recommendation::Allow => Some("allow"),
            Recommendation::Approve => Some("approve"),
            Recommendation::None | Recommendation::Reject | Recommendation::Deny => None,
        };
        if let Some(name) = name {
            if rule.deny {
                self.wrong(span.clone(), format!("`{name}` and `deny` exclude each other"));
            }
            if rule.command.is_empty() {
                let message = format!("`{name}` needs a `command`: it is said of one program");
                self.wrong(span.clone(), message);
            }
        }
        if !is_allow {
            if let Some(first) = rule.allows.first() {
                self.wrong(first.span(), "`allows` stands only with `action = \"allow\"`");
            }
            return;
        }
        let is_bounded =
            !rule.effects.only.is_empty() && (rule.options.only.is_some() || rule.into.is_some());
        if self.author == Author::BuiltIn && !is_bounded {
            let message = "a built-in `allow` needs `effects.only`, and `options.only` or `into`";
            self.wrong(span.clone(), message);
        }
        if rule.severity == Some(Severity::Critical) {
            self.wrong(span.clone(), "nothing critical is allowed by a rule");
        }
        if rule.allows.is_empty() {
            let message = "`allow` needs `allows`: the rules whose findings it lowers";
            self.wrong(span, message);
        }
    }

    /// Returns whether a condition is about one command, not about the line or the world.
    #[allow(clippy::unused_self, reason = "reads beside the other checks")]
    fn needs_a_command(&self, rule: &WrittenRule) -> bool {
        let options = [&rule.options.any, &rule.options.all, &rule.options.none];
        let operands = [&rule.operands.any, &rule.operands.all, &rule.operands.none];
        !(rule.command.is_empty()
            && options.iter().chain(&operands).all(|list| list.is_empty())
            && rule.options.only.is_none()
            && rule.operands.count.is_none()
            && rule.operands.exactly.is_none()
            && rule.effects.any.is_empty()
            && rule.effects.only.is_empty()
            && rule.target.is_none()
            && rule.env.is_empty()
            && rule.via.is_empty()
            && rule.flow.is_none()
            && rule.into.is_none()
            && rule.when.branch_operand.is_none())
    }

    fn convert(&mut self, written: &WrittenRule) -> Rule {
        let by_action = written.action.as_ref().map(|action| action.get_ref().severity());
        Rule {
            id: written.id.get_ref().clone(),
            // One that is not there was told.
            severity: written.severity.or(by_action).unwrap_or(Severity::High),
            recommend: if written.deny { Recommendation::Deny } else { written.said() },
            reason: written.reason.get_ref().clone(),
            suggestion: written.suggestion.clone(),
            instead: written.instead.clone(),
            allows: self.globs(&written.allows),
            conditions: self.conditions(written),
        }
    }

    fn conditions(&mut self, written: &WrittenRule) -> Conditions {
        let operands = &written.operands;
        Conditions {
            command: written.command.iter().map(|word| self.alternatives(word)).collect(),
            options: self.choice(&written.options),
            options_only: written.options.only.as_ref().map(|only| self.options(only)),
            operands: Choice {
                any: self.globs(&operands.any),
                all: self.globs(&operands.all),
                none: self.globs(&operands.none),
            },
            operand_count: operands.count,
            operands_exactly: operands.exactly.as_ref().map(|exactly| self.globs(exactly)),
            effects: written.effects.any.clone(),
            effects_only: written.effects.only.clone(),
            target: written.target.as_ref().map(|target| self.target(target)),
            env: self.globs(&written.env),
            via: written.via.clone(),
            flow: written.flow.as_ref().map(|flow| Flow { from: flow.from, to: flow.to }),
            into: written.into.as_ref().map(|into| self.receiver(into)),
            when: self.when(&written.when),
            text: written.text.as_ref().map(|text| text.get_ref().clone()),
            query: written.query.as_ref().map(|query| query.get_ref().clone()),
        }
    }
}

impl Reader<'_> {
    fn receiver(&mut self, written: &Spanned<WrittenReceiver>) -> Receiver {
        let (span, written) = (written.span(), written.get_ref());
        let operands = &written.operands;
        let others = [&operands.any, &operands.all, &operands.none];
        if written.command.is_empty()
            || operands.count.is_some()
            || others.iter().any(|list| !list.is_empty())
        {
            self.wrong(span, "`into` has a `command`, `options` and `operands.exactly`");
        }
        Receiver {
            command: written.command.iter().map(|word| self.alternatives(word)).collect(),
            options: self.choice(&written.options),
            options_only: written.options.only.as_ref().map(|only| self.options(only)),
            operands_exactly: operands.exactly.as_ref().map(|exactly| self.globs(exactly)),
        }
    }

    fn choice(&mut self, options: &WrittenOptions) -> Choice<OptionPattern> {
        Choice {
            any: self.options(&options.any),
            all: self.options(&options.all),
            none: self.options(&options.none),
        }
    }

    fn alternatives(&mut self, word: &Spanned<String>) -> Vec<String> {
        let parts: Vec<String> = word.get_ref().split('|').map(str::to_owned).collect();
        if parts.iter().any(String::is_empty) {
            self.wrong(word.span(), format!("'{}' has an empty name", word.get_ref()));
        }
        for part in &parts {
            self.glob(part, word.span());
        }
        parts
    }

    fn options(&mut self, written: &[Spanned<String>]) -> Vec<OptionPattern> {
        written.iter().map(|option| self.option(option)).collect()
    }

    fn option(&mut self, option: &Spanned<String>) -> OptionPattern {
        let (name, value) = match option.get_ref().split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option.get_ref().as_str(), None),
        };
        if !name.starts_with(['-', '+']) {
            self.wrong(option.span(), format!("'{name}' is no option: one begins with a dash"));
        }
        self.glob(name, option.span());
        if let Some(value) = &value {
            self.glob(value, option.span());
        }
        OptionPattern { name: name.to_owned(), value }
    }

    fn globs(&mut self, written: &[Spanned<String>]) -> Vec<String> {
        for glob in written {
            self.glob(glob.get_ref(), glob.span());
        }
        written.iter().map(|glob| glob.get_ref().clone()).collect()
    }

    fn glob(&mut self, pattern: &str, span: Range<usize>) {
        if let Err(error) = glob::check(pattern) {
            self.wrong(span, format!("bad glob '{pattern}': {error}"));
        }
    }

    fn target(&mut self, written: &Spanned<WrittenTarget>) -> TargetPattern {
        let target = written.get_ref();
        let pattern = TargetPattern {
            class: target.class.clone(),
            path: self.globs(&target.path),
            host: self.globs(&target.host),
            name: self.globs(&target.name),
        };
        if pattern == TargetPattern::default() {
            self.wrong(written.span(), "`target` names nothing");
        }
        self.paths(&target.path);
        pattern
    }

    fn paths(&mut self, written: &[Spanned<String>]) {
        for path in written {
            if !path.get_ref().starts_with(['/', '~', '*', '{']) {
                self.wrong(path.span(), "a path begins with `/`, `~` or `**/`");
            }
        }
    }

    fn when(&mut self, written: &WrittenWhen) -> When {
        self.paths(&written.directory);
        When {
            branch: written.branch.as_ref().map(|branch| self.branch(branch)),
            branch_operand: written.branch_operand.as_ref().map(|branch| self.branch(branch)),
            workspace: written.workspace,
            directory: self.globs(&written.directory),
            caller: written.caller.clone(),
            permit: written.permit,
            until: written.until.as_ref().and_then(|until| self.until(until)),
        }
    }

    fn until(&mut self, written: &Spanned<Datetime>) -> Option<String> {
        let time = written.get_ref();
        let is_whole = time.time.is_some_and(|time| time.nanosecond.unwrap_or(0) == 0);
        if time.date.is_none() || time.offset != Some(Offset::Z) || !is_whole {
            let message = "a time is written in UTC: until = 2026-12-31T23:59:59Z";
            self.wrong(written.span(), message);
            return None;
        }
        Some(time.to_string())
    }

    fn branch(&mut self, written: &Spanned<WrittenBranch>) -> BranchPattern {
        let globs = &written.get_ref().0;
        if globs.as_slice() == ["protected"] {
            return BranchPattern::Protected;
        }
        for glob in globs {
            self.glob(glob, written.span());
        }
        BranchPattern::Globs(globs.clone())
    }
}

fn is_anywhere(when: &WrittenWhen) -> bool {
    when.branch.is_none()
        && when.branch_operand.is_none()
        && when.workspace.is_none()
        && when.directory.is_empty()
        && when.caller.is_empty()
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn list(value: Spanned<DeValue<'_>>) -> Vec<Spanned<DeValue<'_>>> {
    match value.into_inner() {
        DeValue::Array(array) => array.into_iter().collect(),
        _ => Vec::new(),
    }
}
