//! What single constructs are read as, written out in a short form.

use guarded_sh::syntax::{
    AndOr, Assignment, AssignmentValue, Command, CommandKind, Descriptor, Parameter, Part,
    PartKind, Pipeline, Redirect, Statement, Word, parse,
};

/// Writes statements in a short form: words in `<>`, quoted parts in `''`, everything else as its kind.
fn short(statements: &[Statement]) -> String {
    statements.iter().map(statement).collect::<Vec<_>>().join("; ")
}

fn statement(statement: &Statement) -> String {
    let mut out = pipeline(&statement.first);
    for (joined, next) in &statement.rest {
        out += if *joined == AndOr::And { " && " } else { " || " };
        out += &pipeline(next);
    }
    if statement.background { out + " &" } else { out }
}

fn pipeline(pipeline: &Pipeline) -> String {
    let commands: Vec<String> = pipeline.commands.iter().map(command).collect();
    let prefix = [(pipeline.timed, "time "), (pipeline.negated, "! ")];
    let prefix: String = prefix.iter().filter(|(is, _)| *is).map(|(_, text)| *text).collect();
    prefix + &commands.join(" | ")
}

fn command(command: &Command) -> String {
    let mut out = match &command.kind {
        CommandKind::Simple(simple) => {
            let assignments = simple.assignments.iter().map(assignment);
            assignments.chain(simple.words.iter().map(word)).collect::<Vec<_>>().join(" ")
        }
        CommandKind::Group(list) => format!("{{ {} }}", short(list)),
        CommandKind::Subshell(list) => format!("( {} )", short(list)),
        CommandKind::If { branches, otherwise } => {
            let branches = branches.iter().map(|(a, b)| format!("{} => {}", short(a), short(b)));
            let otherwise = otherwise.iter().map(|list| format!("else {}", short(list)));
            format!("if[{}]", branches.chain(otherwise).collect::<Vec<_>>().join(", "))
        }
        CommandKind::For { variable, words: list, body, select } => {
            let kind = if *select { "select" } else { "for" };
            let list = list.as_ref().map_or("$@".to_owned(), |list| words(list));
            format!("{kind}[{variable} in {list}: {}]", short(body))
        }
        CommandKind::ArithmeticFor { expressions, body } => {
            format!("for[{}: {}]", words(expressions), short(body))
        }
        CommandKind::While { condition, body, until } => {
            format!(
                "{}[{}: {}]",
                if *until { "until" } else { "while" },
                short(condition),
                short(body)
            )
        }
        CommandKind::Case { word: subject, arms } => {
            let arms = arms
                .iter()
                .map(|(patterns, list)| format!("{} => {}", words(patterns), short(list)));
            format!("case[{}: {}]", word(subject), arms.collect::<Vec<_>>().join(", "))
        }
        CommandKind::Function { name, body } => {
            format!("function[{name}: {}]", self::command(body))
        }
        CommandKind::Test(list) => format!("[[{}]]", words(list)),
        CommandKind::Arithmetic(expression) => format!("(({}))", word(expression)),
        CommandKind::Coproc { name, body } => {
            format!("coproc[{}: {}]", name.as_deref().unwrap_or("-"), self::command(body))
        }
    };
    for each in &command.redirects {
        if !out.is_empty() {
            out.push(' ');
        }
        out += &redirect(each);
    }
    if command.pipes_stderr { out + " 2>&1" } else { out }
}

fn redirect(redirect: &Redirect) -> String {
    let descriptor = match &redirect.descriptor {
        Descriptor::Default => String::new(),
        Descriptor::Number(number) => number.to_string(),
        Descriptor::Variable(name) => format!("{{{name}}}"),
    };
    let body = redirect.body.as_ref().map_or(String::new(), |body| {
        format!("={}{}", if body.quoted { "quoted" } else { "" }, word(&body.content))
    });
    format!("{descriptor}{:?}{}{body}", redirect.operator, word(&redirect.target))
}

fn assignment(assignment: &Assignment) -> String {
    let index = assignment.index.as_ref().map_or(String::new(), |it| format!("[{}]", word(it)));
    let value = match &assignment.value {
        AssignmentValue::Scalar(value) => word(value),
        AssignmentValue::Array(list) => elements(list),
    };
    format!("{}{index}{}{value}", assignment.name, if assignment.append { "+=" } else { "=" })
}

fn elements(list: &[(Option<Word>, Word)]) -> String {
    let list = list.iter().map(|(index, value)| {
        index.as_ref().map_or(String::new(), |it| format!("[{}]", word(it))) + &word(value)
    });
    format!("({})", list.collect::<Vec<_>>().join(" "))
}

fn words(list: &[Word]) -> String {
    list.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn word(word: &Word) -> String {
    format!("<{}>", word.parts.iter().map(part).collect::<String>())
}

fn part(part: &Part) -> String {
    let inside = match &part.kind {
        PartKind::Literal(text) => text.clone(),
        PartKind::Parameter(it) => parameter(it),
        PartKind::Command(script) => format!("$({})", short(&script.statements)),
        PartKind::Arithmetic(expression) => format!("$(({}))", word(expression)),
        PartKind::ProcessInput(script) => format!("<({})", short(&script.statements)),
        PartKind::ProcessOutput(script) => format!(">({})", short(&script.statements)),
        PartKind::Brace(list) => format!("brace[{}]", words(list)),
        PartKind::BraceTooMany(_) => "brace[many]".to_owned(),
        PartKind::Tilde(text) => format!("tilde[{text}]"),
        PartKind::Glob(text) => format!("glob[{text}]"),
        PartKind::Qualifiers(text) => format!("qualifiers[{text}]"),
        PartKind::ExtendedGlob(text, list) => format!("glob[{text}: {}]", words(list)),
        PartKind::Array(list) => elements(list),
    };
    if part.quoted { format!("'{inside}'") } else { inside }
}

fn parameter(parameter: &Parameter) -> String {
    let optional = |it: &Option<Word>| it.as_ref().map_or(String::new(), word);
    let index = parameter.index.as_ref().map_or(String::new(), |it| format!("[{}]", word(it)));
    format!(
        "${{{}{}{}{index}{}{}{}}}",
        if parameter.length { "#" } else { "" },
        if parameter.indirect { "!" } else { "" },
        parameter.name,
        parameter.operator,
        optional(&parameter.argument),
        optional(&parameter.second),
    )
}

#[test]
fn constructs_are_read_as_what_they_are() {
    let rows = include_str!("syntax/readings.txt");
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows.split("\n\n").filter(|row| !row.trim().is_empty()) {
        let (text, expected) =
            row.trim_end().rsplit_once("\n=> ").unwrap_or_else(|| panic!("{row}"));
        let script = parse(text.as_bytes());
        let mut read = short(&script.statements).replace('\n', "\\n").replace('\t', "\\t");
        let opaque =
            script.opaque.iter().map(|it| format!(" opaque {}..{}", it.span.start, it.span.end));
        read.extend(opaque);
        count += 1;
        if read.trim_end() != expected {
            wrong.push(format!("{text}\n  expected {expected}\n  read     {read}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} rows");
}
