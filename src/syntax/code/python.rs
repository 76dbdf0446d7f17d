//! Python's syntax tree to [`Code`]. What is not listed here (`match`, `exec` of Python 2, parameters of types) is not read.

use tree_sitter::Node;

use super::{Argument, Bound, Code, Held, Lower, Source, bind, field, parts, unescaped};

pub(super) fn lower(source: &Source<'_>, root: Node<'_>) -> Option<Code> {
    // The first two lines may say that the text is in another encoding, and so mean something else.
    if source.text.lines().take(2).any(|line| line.contains("coding")) {
        return None;
    }
    Python { source }.code(root)
}

struct Python<'a> {
    source: &'a Source<'a>,
}

impl Lower for Python<'_> {
    fn code(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "module"
            | "block"
            | "expression_statement"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "while_statement"
            | "try_statement"
            | "finally_clause"
            | "with_statement"
            | "with_clause"
            | "with_item"
            | "return_statement"
            | "raise_statement"
            | "assert_statement"
            | "expression_list"
            | "boolean_operator"
            | "conditional_expression"
            | "parenthesized_list_splat"
            | "await"
            | "yield"
            | "slice"
            | "set"
            | "pair"
            | "dictionary"
            | "list_splat"
            | "dictionary_splat"
            | "if_clause"
            | "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression"
            | "print_statement"
            | "type"
            | "generic_type"
            | "type_parameter"
            | "union_type"
            | "decorated_definition"
            | "decorator" => self.all(node)?,
            "not_operator" | "comparison_operator" => Code::Computed(self.each(node)?),
            "unary_operator" => match parts(node).as_slice() {
                [number] if matches!(number.kind(), "integer" | "float") => Code::Number,
                _ => self.all(node)?,
            },
            "parenthesized_expression" => match parts(node).as_slice() {
                [one] => self.code(*one)?,
                _ => return None,
            },
            "pass_statement"
            | "break_statement"
            | "continue_statement"
            | "global_statement"
            | "nonlocal_statement"
            | "none"
            | "ellipsis"
            | "positional_separator"
            | "keyword_separator" => Code::Data,
            "true" => Code::Flag(true),
            "false" => Code::Flag(false),
            "integer" | "float" => Code::Number,
            "identifier" => match (self.source.text(node), self.source.file) {
                ("__file__", Some(file)) => Code::Text(file.to_owned()),
                _ => Code::Name(self.source.name(node)?),
            },
            "string" => self.string(node)?,
            "concatenated_string" => Code::Joined(self.each(node)?),
            "list" | "tuple" => Code::List(self.each(node)?),
            "attribute" => {
                let object = self.code(field(node, "object")?)?;
                Code::Member(Box::new(object), self.source.name(field(node, "attribute")?)?)
            }
            "subscript" => self.subscript(node)?,
            "binary_operator" => self.operator(node)?,
            "call" => self.call(node)?,
            "lambda" | "function_definition" => self.function(node)?,
            "class_definition" => self.class(node)?,
            "assignment" => self.assignment(node)?,
            // Its value is used, and under a name besides.
            "named_expression" => Code::Parts(vec![
                self.code(field(node, "value")?)?,
                bind(self.target(field(node, "name")?)?, Bound::Unknown),
            ]),
            "augmented_assignment" => {
                let right = self.code(field(node, "right")?)?;
                let target = self.target(field(node, "left")?)?;
                Code::Parts(vec![right, bind(target, Bound::Unknown)])
            }
            "for_statement" => {
                let mut all = vec![self.looped(node)?, self.code(field(node, "body")?)?];
                if let Some(otherwise) = field(node, "alternative") {
                    all.push(self.code(otherwise)?);
                }
                Code::Parts(all)
            }
            "for_in_clause" => self.looped(node)?,
            "as_pattern" => self.named(node)?,
            "except_clause" => self.except(node)?,
            "delete_statement" => Code::Parts(
                parts(node).into_iter().map(|part| self.deleted(part)).collect::<Option<_>>()?,
            ),
            "import_statement" => self.import(node, None)?,
            "import_from_statement" => self.import(node, Some(field(node, "module_name")?))?,
            "future_import_statement" => Code::Data,
            _ => return None,
        })
    }
}

impl Python<'_> {
    fn string(&self, node: Node<'_>) -> Option<Code> {
        let mut pieces = Vec::new();
        let mut prefix = "";
        for part in parts(node) {
            match part.kind() {
                "string_start" => prefix = self.source.text(part),
                "string_end" => {}
                "string_content" => {
                    let text = self.source.text(part);
                    let is_raw = prefix.contains(['r', 'R']);
                    let is_format = prefix.contains(['f', 'F']);
                    let text = if is_raw { Some(text.to_owned()) } else { unescaped(text) };
                    let text = text.filter(|text| !(is_format && text.contains(['{', '}'])));
                    pieces.push(text.map_or(Code::Data, Code::Text));
                }
                "interpolation" => pieces.push(self.interpolation(part)?),
                _ => return None,
            }
        }
        Some(Code::Joined(pieces))
    }

    fn interpolation(&self, node: Node<'_>) -> Option<Code> {
        let value = self.code(field(node, "expression")?)?;
        let Some(format) = field(node, "format_specifier") else { return Some(value) };
        let mut all = vec![value];
        for part in parts(format) {
            all.push(self.interpolation(part)?);
        }
        Some(Code::Parts(all))
    }

    fn subscript(&self, node: Node<'_>) -> Option<Code> {
        let object = field(node, "value")?;
        let keys = parts(node).into_iter().filter(|part| part.id() != object.id());
        let mut keys = keys.map(|key| self.code(key)).collect::<Option<Vec<_>>>()?;
        let key = if keys.len() == 1 { keys.pop()? } else { Code::Parts(keys) };
        Some(Code::Index(Box::new(self.code(object)?), Box::new(key)))
    }

    fn operator(&self, node: Node<'_>) -> Option<Code> {
        let left = self.code(field(node, "left")?)?;
        let right = self.code(field(node, "right")?)?;
        Some(match self.source.text(field(node, "operator")?) {
            "+" => Code::Joined(vec![left, right]),
            "/" => Code::Slash(Box::new(left), Box::new(right)),
            _ => Code::Parts(vec![left, right]),
        })
    }

    fn call(&self, node: Node<'_>) -> Option<Code> {
        let callee = self.code(field(node, "function")?)?;
        let given = field(node, "arguments")?;
        if given.kind() == "generator_expression" {
            return Some(Code::Call(Box::new(callee), vec![Argument::plain(self.code(given)?)]));
        }
        let mut arguments = Vec::new();
        for part in parts(given) {
            arguments.push(match part.kind() {
                "keyword_argument" => Argument {
                    name: Some(self.source.name(field(part, "name")?)?),
                    spread: false,
                    value: self.code(field(part, "value")?)?,
                },
                "list_splat" | "dictionary_splat" => {
                    Argument { name: None, spread: true, value: self.all(part)? }
                }
                _ => Argument::plain(self.code(part)?),
            });
        }
        Some(Code::Call(Box::new(callee), arguments))
    }

    fn function(&self, node: Node<'_>) -> Option<Code> {
        let mut names = Vec::new();
        let mut defaults = Vec::new();
        if let Some(parameters) = field(node, "parameters") {
            for parameter in parts(parameters) {
                self.parameter(parameter, &mut names, &mut defaults)?;
            }
        }
        if let Some(hint) = field(node, "return_type") {
            defaults.push(self.code(hint)?);
        }
        if field(node, "type_parameters").is_some() {
            return None;
        }
        let body = self.code(field(node, "body")?)?;
        let function = Code::Function(names, Box::new(body));
        let function = match field(node, "name") {
            Some(name) => {
                let name = self.source.name(name)?;
                let bound = bind(Code::Name(name.clone()), Bound::Whole(function));
                Code::Parts(vec![Code::Own(name, Held::Function), bound])
            }
            None => function,
        };
        if defaults.is_empty() {
            return Some(function);
        }
        defaults.push(function);
        Some(Code::Parts(defaults))
    }

    fn parameter(
        &self,
        node: Node<'_>,
        names: &mut Vec<String>,
        defaults: &mut Vec<Code>,
    ) -> Option<()> {
        match node.kind() {
            "identifier" => names.push(self.source.name(node)?),
            "default_parameter" | "typed_default_parameter" => {
                names.push(self.source.name(field(node, "name")?)?);
                defaults.push(self.code(field(node, "value")?)?);
                if let Some(hint) = field(node, "type") {
                    defaults.push(self.code(hint)?);
                }
            }
            "typed_parameter" => {
                for part in parts(node) {
                    if part.kind() == "type" {
                        defaults.push(self.code(part)?);
                    } else {
                        self.parameter(part, names, defaults)?;
                    }
                }
            }
            "list_splat_pattern" | "dictionary_splat_pattern" => {
                for part in parts(node) {
                    self.parameter(part, names, defaults)?;
                }
            }
            "positional_separator" | "keyword_separator" => {}
            _ => return None,
        }
        Some(())
    }

    fn class(&self, node: Node<'_>) -> Option<Code> {
        let name = self.source.name(field(node, "name")?)?;
        if field(node, "type_parameters").is_some() {
            return None;
        }
        let mut all = vec![bind(Code::Name(name), Bound::Unknown)];
        if let Some(bases) = field(node, "superclasses") {
            // A metaclass and the like decide what the class is.
            if parts(bases).iter().any(|base| !matches!(base.kind(), "identifier" | "attribute")) {
                return None;
            }
            all.push(self.all(bases)?);
        }
        let body = field(node, "body")?;
        if parts(body).iter().any(|statement| self.gives_operators(*statement)) {
            return None;
        }
        all.push(self.code(body)?);
        Some(Code::Parts(all))
    }

    /// Whether a statement of a class says what its operators do by a function that is there (`__getitem__ = exec`): then `a[b]` calls it.
    fn gives_operators(&self, statement: Node<'_>) -> bool {
        let is_operator = |target: Node<'_>| {
            target.kind() != "identifier"
                || self.source.name(target).is_some_and(|name| name.starts_with("__"))
        };
        let may_be_function = |value: Node<'_>| {
            matches!(
                value.kind(),
                "identifier"
                    | "attribute"
                    | "lambda"
                    | "subscript"
                    | "conditional_expression"
                    | "call"
                    | "boolean_operator"
                    | "named_expression"
                    | "assignment"
            )
        };
        match statement.kind() {
            "expression_statement" => parts(statement).iter().any(|node| {
                node.kind() == "assignment"
                    && field(*node, "left").is_none_or(is_operator)
                    && field(*node, "right").is_some_and(may_be_function)
            }),
            // They may bind any name.
            "import_statement"
            | "import_from_statement"
            | "if_statement"
            | "try_statement"
            | "with_statement"
            | "for_statement"
            | "while_statement" => true,
            _ => false,
        }
    }

    fn assignment(&self, node: Node<'_>) -> Option<Code> {
        let target = self.target(field(node, "left")?)?;
        let hint = match field(node, "type") {
            Some(hint) => self.code(hint)?,
            None => Code::Data,
        };
        let Some(right) = field(node, "right") else {
            return Some(Code::Parts(vec![hint, bind(target, Bound::Unknown)]));
        };
        // `a = b = value`: each gets the value, which is none that a name can stand for.
        if right.kind() == "assignment" {
            let all = self.chain(right)?;
            return Some(Code::Parts(vec![hint, all, bind(target, Bound::Unknown)]));
        }
        let bound = bind(target, Bound::Whole(self.code(right)?));
        Some(if field(node, "type").is_some() { Code::Parts(vec![hint, bound]) } else { bound })
    }

    /// What stands behind the first `=` of several.
    fn chain(&self, node: Node<'_>) -> Option<Code> {
        if node.kind() != "assignment" {
            return self.all(node);
        }
        let target = bind(self.target(field(node, "left")?)?, Bound::Unknown);
        let right = field(node, "right")?;
        let value =
            if right.kind() == "assignment" { self.chain(right)? } else { self.code(right)? };
        Some(Code::Parts(vec![target, value]))
    }

    fn looped(&self, node: Node<'_>) -> Option<Code> {
        let target = self.target(field(node, "left")?)?;
        let mut cursor = node.walk();
        let mut values = node
            .children_by_field_name("right", &mut cursor)
            .filter(Node::is_named)
            .map(|value| self.code(value))
            .collect::<Option<Vec<_>>>()?;
        let value = if values.len() == 1 { values.pop()? } else { Code::Parts(values) };
        Some(bind(target, Bound::Element(value)))
    }

    /// `value as name`.
    fn named(&self, node: Node<'_>) -> Option<Code> {
        let alias = field(node, "alias")?;
        let value = parts(node).into_iter().find(|part| part.id() != alias.id())?;
        let target = match alias.kind() {
            "as_pattern_target" => self.target(*parts(alias).first()?)?,
            _ => self.target(alias)?,
        };
        Some(bind(target, Bound::Whole(self.code(value)?)))
    }

    fn except(&self, node: Node<'_>) -> Option<Code> {
        let mut all = Vec::new();
        for part in parts(node) {
            if part.kind() == "as_pattern" {
                let alias = field(part, "alias")?;
                for inner in parts(part) {
                    if inner.id() != alias.id() {
                        all.push(self.code(inner)?);
                    }
                }
                let name = parts(alias).first().copied().unwrap_or(alias);
                all.push(bind(self.target(name)?, Bound::Unknown));
            } else {
                all.push(self.code(part)?);
            }
        }
        if let Some(alias) = field(node, "alias") {
            all.push(bind(self.target(alias)?, Bound::Unknown));
        }
        Some(Code::Parts(all))
    }

    fn target(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list"
            | "list_splat_pattern" | "expression_list" => {
                let targets = parts(node).into_iter().map(|part| self.target(part));
                Code::List(targets.collect::<Option<_>>()?)
            }
            "identifier" | "attribute" | "subscript" => self.code(node)?,
            _ => return None,
        })
    }

    fn deleted(&self, node: Node<'_>) -> Option<Code> {
        match node.kind() {
            "expression_list" => {
                let each = parts(node).into_iter().map(|part| self.deleted(part));
                each.collect::<Option<Vec<_>>>().map(Code::Parts)
            }
            _ => Some(bind(self.target(node)?, Bound::Unknown)),
        }
    }

    fn import(&self, node: Node<'_>, from: Option<Node<'_>>) -> Option<Code> {
        let prefix = match from {
            Some(module) if module.kind() == "relative_import" => self.relative(module)?,
            Some(module) => format!("{}.", self.dotted(module)?),
            None => String::new(),
        };
        let mut all = Vec::new();
        for part in parts(node) {
            if from.is_some_and(|from| from.id() == part.id()) {
                continue;
            }
            match part.kind() {
                "dotted_name" => {
                    let path = self.dotted(part)?;
                    if from.is_some() {
                        all.push(Code::Import { path: prefix.clone() + &path, name: path });
                    } else {
                        // `import a.b` names `a`, and loads both.
                        let name = path.split('.').next()?.to_owned();
                        if name != path {
                            all.push(Code::Import { path, name: String::new() });
                        }
                        all.push(Code::Import { path: name.clone(), name });
                    }
                }
                "aliased_import" => {
                    let path = prefix.clone() + &self.dotted(field(part, "name")?)?;
                    let name = self.source.name(field(part, "alias")?)?;
                    all.push(Code::Import { path, name });
                }
                "wildcard_import" => {
                    all.push(Code::Import { path: prefix.clone() + "*", name: String::new() });
                }
                _ => return None,
            }
        }
        Some(Code::Parts(all))
    }

    /// `.`, `..`, `.module`: as many dots as stand there, and one behind the module.
    fn relative(&self, node: Node<'_>) -> Option<String> {
        let mut path = String::new();
        for part in parts(node) {
            match part.kind() {
                "import_prefix" => path += self.source.text(part),
                _ => path = format!("{path}{}.", self.dotted(part)?),
            }
        }
        (!path.contains(char::is_whitespace)).then_some(path)
    }

    fn dotted(&self, node: Node<'_>) -> Option<String> {
        let names = parts(node).into_iter().map(|part| self.source.name(part));
        Some(names.collect::<Option<Vec<_>>>()?.join("."))
    }
}
