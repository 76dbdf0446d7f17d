//! JavaScript's syntax tree to [`Code`]. What is not listed here (`with`, labels, decorators, JSX) is not read.

use tree_sitter::Node;

use super::{Argument, Bound, Code, Held, Lower, Source, bind, field, parts, unescaped};

pub(super) fn lower(source: &Source<'_>, root: Node<'_>) -> Option<Code> {
    if has_markup_comment(source.text) {
        return None;
    }
    JavaScript { source }.code(root)
}

/// Whether a text has one of the comments that scripts take and modules do not.
fn has_markup_comment(text: &str) -> bool {
    text.contains("<!--")
        || text.lines().any(|line| {
            line.match_indices("-->").any(|(at, _)| {
                let before = line[..at].trim();
                before.is_empty() || before.ends_with("*/")
            })
        })
}

struct JavaScript<'a> {
    source: &'a Source<'a>,
}

impl Lower for JavaScript<'_> {
    fn code(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "program"
            | "statement_block"
            | "if_statement"
            | "else_clause"
            | "while_statement"
            | "do_statement"
            | "for_statement"
            | "try_statement"
            | "finally_clause"
            | "switch_statement"
            | "switch_body"
            | "switch_case"
            | "switch_default"
            | "return_statement"
            | "throw_statement"
            | "lexical_declaration"
            | "variable_declaration"
            | "await_expression"
            | "yield_expression"
            | "spread_element"
            | "ternary_expression"
            | "sequence_expression"
            | "update_expression"
            | "class_static_block" => self.all(node)?,
            "unary_expression" => Code::Computed(self.each(node)?),
            "parenthesized_expression" => match parts(node).as_slice() {
                [one] => self.code(*one)?,
                _ => return None,
            },
            "expression_statement" => match self.each(node)?.as_slice() {
                // Loaded for what it does, and not handed on.
                [Code::Call(callee, given)] if is_load(callee, given) => {
                    let path = known(&given[0].value)?;
                    Code::Import { path, name: String::new() }
                }
                all => Code::Parts(all.to_vec()),
            },
            "hash_bang_line" => Code::Data,
            "empty_statement" | "break_statement" | "continue_statement" | "null" | "undefined"
            | "regex" | "super" => {
                if parts(node).iter().any(|part| part.kind() == "statement_identifier") {
                    return None;
                }
                Code::Data
            }
            "this" => this(node)?,
            "true" => Code::Flag(true),
            "false" => Code::Flag(false),
            "number" => Code::Number,
            "identifier" | "shorthand_property_identifier" => {
                match (self.source.text(node), self.source.file) {
                    ("__filename", Some(file)) => Code::Text(file.to_owned()),
                    ("__dirname", Some(_)) => self.source.directory()?,
                    _ => Code::Name(self.source.name(node)?),
                }
            }
            "string" => Code::Joined(vec![self.string(node)]),
            "template_string" => self.template(node)?,
            "template_substitution" => Code::Computed(self.each(node)?),
            "array" => Code::List(self.each(node)?),
            "object" => self.object(node)?,
            "member_expression" => {
                let object = self.code(field(node, "object")?)?;
                Code::Member(Box::new(object), self.property(field(node, "property")?)?)
            }
            "subscript_expression" => {
                let object = self.code(field(node, "object")?)?;
                let key = self.code(field(node, "index")?)?;
                match known(&key) {
                    Some(name) => Code::Member(Box::new(object), name),
                    None => Code::Index(Box::new(object), Box::new(key)),
                }
            }
            "binary_expression" => self.operator(node)?,
            "call_expression" | "new_expression" => self.call(node)?,
            "arrow_function"
            | "function_expression"
            | "generator_function"
            | "function_declaration"
            | "generator_function_declaration" => self.function(node)?,
            "class" | "class_declaration" => self.class(node)?,
            "variable_declarator" => self.declarator(node)?,
            "assignment_expression" | "augmented_assignment_expression" => self.assignment(node)?,
            "for_in_statement" => self.looped(node)?,
            "catch_clause" => {
                let mut all = Vec::new();
                if let Some(parameter) = field(node, "parameter") {
                    self.pattern(parameter, None, &mut all)?;
                }
                all.push(self.code(field(node, "body")?)?);
                Code::Parts(all)
            }
            "export_statement" => self.export(node)?,
            "import_statement" => self.import(node)?,
            _ => return None,
        })
    }
}

impl JavaScript<'_> {
    fn string(&self, node: Node<'_>) -> Code {
        let text = self.source.text(node);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        unescaped(inner).map_or(Code::Data, Code::Text)
    }

    fn template(&self, node: Node<'_>) -> Option<Code> {
        let mut pieces = Vec::new();
        for part in parts(node) {
            pieces.push(match part.kind() {
                "string_fragment" => Code::Text(self.source.text(part).to_owned()),
                "escape_sequence" => {
                    unescaped(self.source.text(part)).map_or(Code::Data, Code::Text)
                }
                "template_substitution" => match parts(part).as_slice() {
                    [one] => self.code(*one)?,
                    _ => return None,
                },
                _ => return None,
            });
        }
        Some(Code::Joined(pieces))
    }

    fn property(&self, node: Node<'_>) -> Option<String> {
        match node.kind() {
            "property_identifier" | "shorthand_property_identifier_pattern" => {
                self.source.name(node)
            }
            "private_property_identifier" => Some(self.source.text(node).to_owned()),
            "string" => known(&self.string(node)),
            "number" => Some(self.source.text(node).to_owned()),
            _ => None,
        }
    }

    fn object(&self, node: Node<'_>) -> Option<Code> {
        let mut all = vec![Code::Data];
        for part in parts(node) {
            match part.kind() {
                "pair" => {
                    let key = field(part, "key")?;
                    let value = self.code(field(part, "value")?)?;
                    if key.kind() == "computed_property_name" {
                        all.push(self.stored(key, value)?);
                    } else {
                        all.push(Code::Own(self.property(key)?, Held::of(&value)));
                        all.push(value);
                    }
                }
                "shorthand_property_identifier" => {
                    let value = self.code(part)?;
                    all.push(Code::Own(self.source.name(part)?, Held::of(&value)));
                    all.push(value);
                }
                "method_definition" => all.push(self.method(part)?),
                _ => all.push(self.code(part)?),
            }
        }
        Some(Code::Record(all))
    }

    /// `{[key]: value}`.
    fn stored(&self, key: Node<'_>, value: Code) -> Option<Code> {
        let key = self.code(*parts(key).first()?)?;
        let target = Code::Index(Box::new(Code::Data), Box::new(key));
        Some(bind(target, Bound::Whole(value)))
    }

    fn method(&self, node: Node<'_>) -> Option<Code> {
        let name = field(node, "name")?;
        let function = self.function(node)?;
        if name.kind() == "computed_property_name" {
            return self.stored(name, function);
        }
        let name = self.property(name)?;
        // In a class it is what makes one; of others it is the way to the one that makes code of text.
        if name == "constructor" && node.parent().is_some_and(|it| it.kind() == "class_body") {
            return Some(function);
        }
        Some(Code::Parts(vec![Code::Own(name, Held::Function), function]))
    }

    fn operator(&self, node: Node<'_>) -> Option<Code> {
        let (left, right) = (field(node, "left")?, field(node, "right")?);
        if left.kind() == "private_property_identifier" {
            return self.code(right);
        }
        let both = vec![self.code(left)?, self.code(right)?];
        Some(match self.source.text(field(node, "operator")?) {
            "+" => Code::Joined(both),
            "||" | "&&" | "??" => Code::Parts(both),
            _ => Code::Computed(both),
        })
    }

    fn call(&self, node: Node<'_>) -> Option<Code> {
        let callee = match field(node, "function").or_else(|| field(node, "constructor"))? {
            import if import.kind() == "import" => Code::Name("import".to_owned()),
            callee => self.code(callee)?,
        };
        let Some(given) = field(node, "arguments") else {
            return Some(Code::Call(Box::new(callee), Vec::new()));
        };
        if given.kind() == "template_string" {
            let template = Argument::plain(self.template(given)?);
            return Some(Code::Call(Box::new(callee), vec![template]));
        }
        let mut arguments = Vec::new();
        let mut before = Vec::new();
        for part in parts(given) {
            match part.kind() {
                "spread_element" => {
                    arguments.push(Argument { name: None, spread: true, value: self.all(part)? });
                }
                "object" if are_options(part) => {
                    for pair in parts(part) {
                        let (key, value) = match pair.kind() {
                            "pair" => (field(pair, "key")?, self.code(field(pair, "value")?)?),
                            _ => (pair, self.code(pair)?),
                        };
                        let key = if pair.kind() == "pair" {
                            self.property(key)?
                        } else {
                            self.source.name(key)?
                        };
                        before.push(Code::Own(key.clone(), Held::of(&value)));
                        arguments.push(Argument { name: Some(key), spread: false, value });
                    }
                }
                _ => arguments.push(Argument::plain(self.code(part)?)),
            }
        }
        // What a promise gives its function are functions.
        if callee == Code::Name("Promise".to_owned())
            && let Some(Argument { value: Code::Function(parameters, _), .. }) =
                arguments.first_mut()
        {
            for name in parameters.drain(..) {
                let function = Code::Function(Vec::new(), Box::new(Code::Data));
                before.push(bind(Code::Name(name), Bound::Whole(function)));
            }
        }
        let call = Code::Call(Box::new(callee), arguments);
        if before.is_empty() {
            return Some(call);
        }
        Some(Code::After(before, Box::new(call)))
    }

    fn function(&self, node: Node<'_>) -> Option<Code> {
        let mut names = Vec::new();
        let mut before = Vec::new();
        if let Some(one) = field(node, "parameter") {
            names.push(self.source.name(one)?);
        }
        if let Some(all) = field(node, "parameters") {
            for parameter in parts(all) {
                match parameter.kind() {
                    "identifier" => names.push(self.source.name(parameter)?),
                    _ => self.pattern(parameter, None, &mut before)?,
                }
            }
        }
        let body = self.code(field(node, "body")?)?;
        before.push(body);
        let function = Code::Function(names, Box::new(Code::Parts(before)));
        Some(match field(node, "name") {
            Some(name) if name.kind() == "identifier" => {
                let name = Code::Name(self.source.name(name)?);
                if node.kind().ends_with("declaration") {
                    bind(name, Bound::Whole(function))
                } else {
                    Code::After(
                        vec![bind(
                            name,
                            Bound::Whole(Code::Function(Vec::new(), Box::new(Code::Data))),
                        )],
                        Box::new(function),
                    )
                }
            }
            _ => function,
        })
    }

    fn class(&self, node: Node<'_>) -> Option<Code> {
        let mut all = Vec::new();
        for part in parts(node) {
            match part.kind() {
                // What it extends decides what making one calls.
                "class_heritage" => match parts(part).as_slice() {
                    [base] if base.kind() == "identifier" => {
                        let base = self.code(*base)?;
                        all.push(Code::Call(Box::new(base), Vec::new()));
                    }
                    _ => return None,
                },
                "class_body" => {
                    for member in parts(part) {
                        all.push(self.member(member)?);
                    }
                }
                "identifier" => {}
                _ => return None,
            }
        }
        let class = Code::Function(Vec::new(), Box::new(Code::Parts(all)));
        match field(node, "name") {
            Some(name) => Some(bind(Code::Name(self.source.name(name)?), Bound::Whole(class))),
            None => Some(class),
        }
    }

    fn member(&self, node: Node<'_>) -> Option<Code> {
        match node.kind() {
            "method_definition" => self.method(node),
            "field_definition" => {
                let value = match field(node, "value") {
                    Some(value) => self.code(value)?,
                    None => Code::Data,
                };
                let own = Code::Own(self.property(field(node, "property")?)?, Held::of(&value));
                Some(Code::Parts(vec![own, value]))
            }
            "class_static_block" => self.code(node),
            _ => None,
        }
    }

    fn declarator(&self, node: Node<'_>) -> Option<Code> {
        let mut all = Vec::new();
        let value = match field(node, "value") {
            Some(value) => Some(self.code(value)?),
            None => None,
        };
        self.pattern(field(node, "name")?, value, &mut all)?;
        match all.len() {
            1 => all.pop(),
            _ => Some(Code::Parts(all)),
        }
    }

    /// Binds the names of a pattern to what they get of a value; to what is not known where there is none.
    fn pattern(&self, node: Node<'_>, value: Option<Code>, all: &mut Vec<Code>) -> Option<()> {
        let bound = |value: Option<Code>| value.map_or(Bound::Unknown, Bound::Whole);
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => {
                all.push(bind(Code::Name(self.source.name(node)?), bound(value)));
            }
            "member_expression" | "subscript_expression" => {
                all.push(bind(self.code(node)?, bound(value)));
            }
            "undefined" => {}
            "assignment_pattern" | "object_assignment_pattern" => {
                all.push(self.code(field(node, "right")?)?);
                all.extend(value);
                self.pattern(field(node, "left")?, None, all)?;
            }
            "rest_pattern" => {
                all.extend(value);
                for part in parts(node) {
                    self.pattern(part, None, all)?;
                }
            }
            "array_pattern" => {
                let names = parts(node);
                let are_names = names.iter().all(|part| part.kind() == "identifier");
                // A hole moves what follows.
                let has_holes = self.source.text(node).replace(' ', "").contains(",,")
                    || self.source.text(node).starts_with("[,");
                if are_names && !has_holes {
                    let names = names.into_iter().map(|part| self.code(part));
                    all.push(bind(Code::List(names.collect::<Option<_>>()?), bound(value)));
                } else {
                    all.extend(value);
                    for part in names {
                        self.pattern(part, None, all)?;
                    }
                }
            }
            "object_pattern" => self.object_pattern(node, value, all)?,
            _ => return None,
        }
        Some(())
    }

    fn object_pattern(
        &self,
        node: Node<'_>,
        value: Option<Code>,
        all: &mut Vec<Code>,
    ) -> Option<()> {
        // Members of a plain name or a call are looked up for each; others are not known.
        let is_simple = matches!(value, Some(Code::Name(_) | Code::Call(..) | Code::Member(..)));
        let of = |name: String| match &value {
            Some(value) if is_simple => Code::Member(Box::new(value.clone()), name),
            _ => Code::Member(Box::new(Code::Data), name),
        };
        for part in parts(node) {
            match part.kind() {
                "shorthand_property_identifier_pattern" => {
                    let name = self.source.name(part)?;
                    all.push(bind(Code::Name(name.clone()), Bound::Whole(of(name))));
                }
                "pair_pattern" => {
                    let key = self.property(field(part, "key")?)?;
                    self.pattern(field(part, "value")?, Some(of(key)), all)?;
                }
                "object_assignment_pattern" => {
                    let left = field(part, "left")?;
                    if left.kind() == "shorthand_property_identifier_pattern" {
                        all.push(of(self.source.name(left)?));
                    }
                    self.pattern(part, None, all)?;
                }
                "rest_pattern" => {
                    all.extend(value.clone());
                    self.pattern(part, None, all)?;
                }
                _ => return None,
            }
        }
        if !is_simple {
            all.extend(value);
        }
        Some(())
    }

    fn assignment(&self, node: Node<'_>) -> Option<Code> {
        let left = field(node, "left")?;
        let right = self.code(field(node, "right")?)?;
        let keeps = match field(node, "operator").map(|operator| self.source.text(operator)) {
            None | Some("||=" | "&&=" | "??=") => true,
            Some(_) => false,
        };
        let mut all = Vec::new();
        if !keeps {
            all.push(right);
            self.pattern(left, Some(Code::Computed(Vec::new())), &mut all)?;
            return Some(Code::Computed(all));
        }
        let is_statement =
            node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
        if is_statement {
            self.pattern(left, Some(right), &mut all)?;
            return if all.len() == 1 { all.pop() } else { Some(Code::Parts(all)) };
        }
        // Its value is used besides.
        if matches!(left.kind(), "member_expression" | "subscript_expression") {
            self.pattern(left, Some(right), &mut all)?;
            all.push(Code::Data);
            return Some(Code::Parts(all));
        }
        all.push(right);
        self.pattern(left, None, &mut all)?;
        all.push(Code::Data);
        Some(Code::Parts(all))
    }

    fn looped(&self, node: Node<'_>) -> Option<Code> {
        let value = self.code(field(node, "right")?)?;
        let mut all = Vec::new();
        let left = field(node, "left")?;
        let is_of = field(node, "operator").is_some_and(|it| self.source.text(it) == "of");
        match left.kind() {
            "identifier" if is_of => {
                let name = Code::Name(self.source.name(left)?);
                all.push(bind(name, Bound::Element(value)));
            }
            "array_pattern" if is_of && parts(left).iter().all(|it| it.kind() == "identifier") => {
                all.push(bind(Code::List(self.each(left)?), Bound::Element(value)));
            }
            _ => {
                all.push(value);
                self.pattern(left, None, &mut all)?;
            }
        }
        all.push(self.code(field(node, "body")?)?);
        Some(Code::Parts(all))
    }

    /// What gets the name that stands for all of a module, and the path of a member of it; none if it is no plain text.
    fn source(&self, node: Node<'_>) -> Option<(String, impl Fn(&str) -> String)> {
        let source = known(&self.string(field(node, "source")?))?;
        let module = source.strip_prefix("node:").unwrap_or(&source).to_owned();
        let is_own = module.starts_with(['.', '/']);
        if module.contains(MEMBER) {
            return None;
        }
        let of = module.clone();
        let separator = if is_own { MEMBER } else { '.' };
        Some((module, move |member: &str| format!("{of}{separator}{member}")))
    }

    fn export(&self, node: Node<'_>) -> Option<Code> {
        let from = if field(node, "source").is_some() { Some(self.source(node)?) } else { None };
        let mut all = Vec::new();
        let mut cursor = node.walk();
        let is_default = node.children(&mut cursor).any(|child| child.kind() == "default");
        for part in parts(node) {
            match (part.kind(), &from) {
                ("export_clause", from) => {
                    for one in parts(part) {
                        let member = self.source.name(field(one, "name")?)?;
                        let name = match field(one, "alias") {
                            Some(alias) => self.source.name(alias)?,
                            None => member.clone(),
                        };
                        let name = if name == "default" { DEFAULT.to_owned() } else { name };
                        all.push(match from {
                            Some((_, of)) => Code::Import { path: of(&member), name },
                            None if member == name => Code::Name(name),
                            None => bind(Code::Name(name), Bound::Whole(Code::Name(member))),
                        });
                    }
                }
                ("namespace_export", Some((module, _))) => {
                    let name = self.source.name(*parts(part).first()?)?;
                    all.push(Code::Import { path: module.clone(), name });
                }
                ("string", Some(_)) => {}
                ("decorator", _) | (_, Some(_)) => return None,
                _ => {
                    let value = self.code(part)?;
                    match field(part, "name") {
                        Some(name) if is_default => {
                            let name = Code::Name(self.source.name(name)?);
                            all.push(value);
                            all.push(bind(Code::Name(DEFAULT.to_owned()), Bound::Whole(name)));
                        }
                        _ if is_default => {
                            all.push(bind(Code::Name(DEFAULT.to_owned()), Bound::Whole(value)));
                        }
                        _ => all.push(value),
                    }
                }
            }
        }
        if let Some((_, of)) = from.filter(|_| all.is_empty()) {
            all.push(Code::Import { path: of("*"), name: String::new() });
        }
        Some(Code::Parts(all))
    }

    fn import(&self, node: Node<'_>) -> Option<Code> {
        let (module, of) = self.source(node)?;
        let is_own = module.starts_with(['.', '/']);
        let mut all = Vec::new();
        let whole = |name: String| Code::Import { path: module.clone(), name };
        for part in parts(node) {
            match part.kind() {
                "import_clause" => {
                    for clause in parts(part) {
                        match clause.kind() {
                            "identifier" if is_own => {
                                let name = self.source.name(clause)?;
                                all.push(Code::Import { path: of(DEFAULT), name });
                            }
                            "identifier" => all.push(whole(self.source.name(clause)?)),
                            "namespace_import" => {
                                all.push(whole(self.source.name(*parts(clause).first()?)?));
                            }
                            "named_imports" => {
                                for one in parts(clause) {
                                    let member = self.source.name(field(one, "name")?)?;
                                    let name = match field(one, "alias") {
                                        Some(alias) => self.source.name(alias)?,
                                        None => member.clone(),
                                    };
                                    let is_default = is_own && member == "default";
                                    let path = of(if is_default { DEFAULT } else { &member });
                                    all.push(Code::Import { path, name });
                                }
                            }
                            _ => return None,
                        }
                    }
                }
                "string" => {}
                _ => return None,
            }
        }
        if all.is_empty() {
            all.push(whole(String::new()));
        }
        Some(Code::Parts(all))
    }
}

/// Stands between a module of the program's own and a member of it.
const MEMBER: char = ':';

/// The name of what a module gives where no name is asked for.
const DEFAULT: &str = "*default*";

/// In classes it is one of their own things; elsewhere it may be everything there is.
fn this(node: Node<'_>) -> Option<Code> {
    let mut above = node.parent();
    while let Some(parent) = above {
        if parent.kind() == "class_body" {
            return Some(Code::Data);
        }
        above = parent.parent();
    }
    None
}

/// Whether a call only loads a script that stands beside the program.
fn is_load(callee: &Code, given: &[Argument]) -> bool {
    let [path] = given else { return false };
    let path = known(&path.value).filter(|path| path.starts_with("./") || path.starts_with("../"));
    *callee == Code::Name("require".to_owned())
        && path.is_some_and(|path| !path.contains(MEMBER) && path.strip_suffix(".json").is_none())
}

/// The text that a key plainly is.
fn known(key: &Code) -> Option<String> {
    match key {
        Code::Text(text) => Some(text.clone()),
        Code::Joined(pieces) => match pieces.as_slice() {
            [one] => known(one),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an object is only names with values.
fn are_options(node: Node<'_>) -> bool {
    parts(node).iter().all(|part| match part.kind() {
        "pair" => field(*part, "key").is_some_and(|key| key.kind() != "computed_property_name"),
        "shorthand_property_identifier" => true,
        _ => false,
    })
}
