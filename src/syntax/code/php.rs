//! PHP's syntax tree to [`Code`]. What is not listed here (references, variables by name, `include`, traits) is not read.
//! Names of functions, classes and methods are the same in capitals and small letters: here all are small.

use tree_sitter::Node;

use super::{Argument, Bound, Code, Held, Lower, Source, bind, field, parts};

/// Returns the program of a text that may stand in a file, behind the tag with which one begins. None: the text has more tags, and
/// what stands between them is printed, or run, whatever else it looks like.
pub(super) fn program(text: &str) -> Option<&str> {
    let behind = match text.strip_prefix("#!") {
        Some(first) => first.split_once('\n')?.1,
        None => text,
    };
    let body = match behind.strip_prefix("<?php") {
        Some(body) if body.starts_with(char::is_whitespace) => body,
        _ => behind,
    };
    let body = body.trim_end().strip_suffix("?>").unwrap_or(body);
    (!body.contains("<?") && !body.contains("?>")).then_some(body)
}

pub(super) fn lower(source: &Source<'_>, root: Node<'_>) -> Option<Code> {
    // Marks that leave the code, even in a comment.
    if source.text.contains("?>") || source.text.contains("<?") {
        return None;
    }
    Php { source }.code(root)
}

struct Php<'a> {
    source: &'a Source<'a>,
}

impl Lower for Php<'_> {
    fn code(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "program"
            | "compound_statement"
            | "expression_statement"
            | "echo_statement"
            | "print_intrinsic"
            | "if_statement"
            | "else_clause"
            | "else_if_clause"
            | "while_statement"
            | "do_statement"
            | "for_statement"
            | "switch_statement"
            | "switch_block"
            | "case_statement"
            | "default_statement"
            | "return_statement"
            | "throw_expression"
            | "try_statement"
            | "finally_clause"
            | "exit_statement"
            | "conditional_expression"
            | "sequence_expression"
            | "unset_statement"
            | "error_suppression_expression"
            | "match_expression"
            | "match_block"
            | "match_condition_list"
            | "match_conditional_expression"
            | "match_default_expression"
            | "declaration_list"
            | "argument"
            | "variadic_unpacking"
            | "colon_block" => self.all(node)?,
            "cast_expression" => Code::Parts(vec![self.code(field(node, "value")?)?]),
            "unary_op_expression" => Code::Computed(self.each(node)?),
            "parenthesized_expression" => match parts(node).as_slice() {
                [one] => self.code(*one)?,
                _ => return None,
            },
            "name" if self.source.text(node) == "__FILE__" && self.source.file.is_some() => {
                Code::Text(self.source.file?.to_owned())
            }
            "name" if self.source.text(node) == "__DIR__" && self.source.file.is_some() => {
                self.source.directory()?
            }
            "empty_statement" | "null" | "break_statement" | "continue_statement" | "name"
            | "global_declaration" => Code::Data,
            "boolean" => Code::Flag(self.source.text(node).eq_ignore_ascii_case("true")),
            "integer" | "float" => Code::Number,
            "variable_name" if self.source.text(node) == "$this" => Code::Data,
            "variable_name" => Code::Name(self.source.name(node)?),
            "string" => self.single(node)?,
            "encapsed_string" => self.double(node)?,
            "shell_command_expression" => {
                let text = Argument::plain(self.double(node)?);
                Code::Call(Box::new(Code::Name("`".to_owned())), vec![text])
            }
            "array_creation_expression" => self.array(node)?,
            "array_element_initializer" => Code::Record(self.each(node)?),
            "subscript_expression" => match parts(node).as_slice() {
                [object, key] => {
                    Code::Index(Box::new(self.code(*object)?), Box::new(self.code(*key)?))
                }
                [object] => Code::Index(Box::new(self.code(*object)?), Box::new(Code::Data)),
                _ => return None,
            },
            "member_access_expression" | "nullsafe_member_access_expression" => {
                let object = self.code(field(node, "object")?)?;
                Code::Member(Box::new(object), self.plain(field(node, "name")?)?)
            }
            "binary_expression" => self.operator(node)?,
            "function_call_expression" => {
                let callee = field(node, "function")?;
                let callee = match callee.kind() {
                    "name" | "qualified_name" => Code::Name(self.small(callee)?),
                    _ => self.code(callee)?,
                };
                Code::Call(Box::new(callee), self.arguments(node)?)
            }
            "member_call_expression" | "nullsafe_member_call_expression" => {
                let object = self.code(field(node, "object")?)?;
                let name = self.plain(field(node, "name")?)?.to_ascii_lowercase();
                let callee = Code::Member(Box::new(object), name);
                Code::Call(Box::new(callee), self.arguments(node)?)
            }
            "scoped_call_expression" => {
                let of = self.small(field(node, "scope")?)?;
                let name = self.plain(field(node, "name")?)?.to_ascii_lowercase();
                let callee = if matches!(of.as_str(), "self" | "static" | "parent") {
                    Code::Member(Box::new(Code::Data), name)
                } else {
                    Code::Name(format!("{of}::{name}"))
                };
                Code::Call(Box::new(callee), self.arguments(node)?)
            }
            // A constant is data.
            "class_constant_access_expression" => {
                let names = parts(node);
                if !names.iter().all(|name| matches!(name.kind(), "name" | "relative_scope")) {
                    return None;
                }
                Code::Data
            }
            "object_creation_expression" => self.creation(node)?,
            "anonymous_function" | "arrow_function" => self.function(node)?,
            "function_definition" => {
                let name = Code::Name(self.small(field(node, "name")?)?);
                bind(name, Bound::Whole(self.function(node)?))
            }
            "class_declaration" => self.class(node)?,
            "method_declaration" => {
                let name = self.small(field(node, "name")?)?;
                Code::Parts(vec![Code::Own(name, Held::Function), self.function(node)?])
            }
            "property_declaration" => self.properties(node)?,
            "assignment_expression" => {
                let is_statement =
                    node.parent().is_some_and(|it| it.kind() == "expression_statement");
                let right = self.code(field(node, "right")?)?;
                let target = self.target(field(node, "left")?)?;
                if is_statement {
                    bind(target, Bound::Whole(right))
                } else {
                    Code::Parts(vec![right, bind(target, Bound::Unknown)])
                }
            }
            "augmented_assignment_expression" => Code::Parts(vec![
                self.code(field(node, "right")?)?,
                bind(self.target(field(node, "left")?)?, Bound::Unknown),
            ]),
            "update_expression" => bind(self.target(field(node, "argument")?)?, Bound::Unknown),
            "foreach_statement" => self.looped(node)?,
            "catch_clause" => {
                let mut all = Vec::new();
                if let Some(name) = field(node, "name") {
                    all.push(bind(self.target(name)?, Bound::Unknown));
                }
                all.push(self.code(field(node, "body")?)?);
                Code::Parts(all)
            }
            _ => return None,
        })
    }
}

impl Php<'_> {
    /// A name that is written out, and no expression.
    fn plain(&self, node: Node<'_>) -> Option<String> {
        if node.kind() == "name" { self.source.name(node) } else { None }
    }

    fn small(&self, node: Node<'_>) -> Option<String> {
        let text = self.source.text(node);
        let text = text.strip_prefix('\\').unwrap_or(text);
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (!text.is_empty() && text.bytes().all(is_part)).then(|| text.to_ascii_lowercase())
    }

    fn single(&self, node: Node<'_>) -> Option<Code> {
        let text = self.source.text(node);
        let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
        if inner.contains('\\') {
            return Some(Code::Joined(vec![Code::Data]));
        }
        Some(Code::Joined(vec![Code::Text(inner.to_owned())]))
    }

    fn double(&self, node: Node<'_>) -> Option<Code> {
        let mut pieces = Vec::new();
        for part in parts(node) {
            pieces.push(match part.kind() {
                "string_content" => Code::Text(self.source.text(part).to_owned()),
                "escape_sequence" => match self.source.text(part) {
                    "\\n" => Code::Text("\n".to_owned()),
                    "\\t" => Code::Text("\t".to_owned()),
                    "\\\\" => Code::Text("\\".to_owned()),
                    "\\\"" => Code::Text("\"".to_owned()),
                    "\\$" => Code::Text("$".to_owned()),
                    _ => Code::Data,
                },
                // `"$a[key]"`: the key is text, not a constant.
                _ => self.code(part)?,
            });
        }
        Some(Code::Joined(pieces))
    }

    fn array(&self, node: Node<'_>) -> Option<Code> {
        let elements = parts(node);
        let is_list = elements.iter().all(|element| {
            let of = parts(*element);
            of.len() == 1 && !matches!(of[0].kind(), "by_ref" | "variadic_unpacking")
        });
        if is_list {
            let values = elements.into_iter().map(|element| self.code(*parts(element).first()?));
            return values.collect::<Option<_>>().map(Code::List);
        }
        self.each(node).map(Code::Record)
    }

    fn operator(&self, node: Node<'_>) -> Option<Code> {
        let (left, right) = (field(node, "left")?, field(node, "right")?);
        let operator = self.source.text(field(node, "operator")?);
        if operator.eq_ignore_ascii_case("instanceof") {
            return Some(Code::Computed(vec![self.code(left)?]));
        }
        let both = vec![self.code(left)?, self.code(right)?];
        Some(match operator {
            "." => Code::Joined(both),
            "??" | "?:" => Code::Parts(both),
            _ => Code::Computed(both),
        })
    }

    fn arguments(&self, node: Node<'_>) -> Option<Vec<Argument>> {
        let mut arguments = Vec::new();
        for part in parts(field(node, "arguments")?) {
            if part.kind() != "argument" || field(part, "reference_modifier").is_some() {
                return None;
            }
            let name = field(part, "name");
            let value = parts(part).into_iter().rfind(|it| Some(it.id()) != name.map(|n| n.id()));
            let value = value?;
            arguments.push(Argument {
                name: match name {
                    Some(name) => Some(self.source.name(name)?),
                    None => None,
                },
                spread: value.kind() == "variadic_unpacking",
                value: self.code(value)?,
            });
        }
        Some(arguments)
    }

    fn creation(&self, node: Node<'_>) -> Option<Code> {
        let mut name = None;
        let mut arguments = Vec::new();
        for part in parts(node) {
            match part.kind() {
                "name" | "qualified_name" if name.is_none() => name = Some(self.small(part)?),
                "arguments" => {
                    for argument in parts(part) {
                        arguments.push(Argument::plain(self.code(argument)?));
                    }
                }
                _ => return None,
            }
        }
        let class = Code::Name(format!("new:{}", name?));
        Some(Code::Call(Box::new(class), arguments))
    }

    fn function(&self, node: Node<'_>) -> Option<Code> {
        if field(node, "reference_modifier").is_some() {
            return None;
        }
        let mut names = Vec::new();
        let mut before = Vec::new();
        for parameter in field(node, "parameters").map(parts).unwrap_or_default() {
            let is_plain = matches!(parameter.kind(), "simple_parameter" | "variadic_parameter");
            if !is_plain || field(parameter, "reference_modifier").is_some() {
                return None;
            }
            names.push(self.source.name(field(parameter, "name")?)?);
            if let Some(value) = field(parameter, "default_value") {
                before.push(self.code(value)?);
            }
        }
        for part in parts(node) {
            if part.kind() == "anonymous_function_use_clause"
                && parts(part).iter().any(|name| name.kind() != "variable_name")
            {
                return None;
            }
        }
        before.push(self.code(field(node, "body")?)?);
        Some(Code::Function(names, Box::new(Code::Parts(before))))
    }

    fn class(&self, node: Node<'_>) -> Option<Code> {
        let name = format!("new:{}", self.small(field(node, "name")?)?);
        // What it extends decides what making one calls.
        if parts(node).iter().any(|part| part.kind() == "base_clause") {
            return None;
        }
        let body = Box::new(self.code(field(node, "body")?)?);
        Some(bind(Code::Name(name), Bound::Whole(Code::Function(Vec::new(), body))))
    }

    fn properties(&self, node: Node<'_>) -> Option<Code> {
        let mut all = Vec::new();
        for part in parts(node) {
            if part.kind() == "property_element" {
                let name = self.source.name(field(part, "name")?)?;
                let value = match field(part, "default_value") {
                    Some(value) => self.code(value)?,
                    None => Code::Data,
                };
                let name = name.trim_start_matches('$').to_owned();
                all.push(Code::Own(name, Held::of(&value)));
                all.push(value);
            }
        }
        Some(Code::Parts(all))
    }

    fn looped(&self, node: Node<'_>) -> Option<Code> {
        let body = field(node, "body")?;
        let given = parts(node).into_iter().filter(|part| part.id() != body.id());
        let [value, target] = given.collect::<Vec<_>>()[..] else { return None };
        let value = self.code(value)?;
        let mut all = Vec::new();
        if target.kind() == "pair" {
            all.push(value);
            for part in parts(target) {
                all.push(bind(self.target(part)?, Bound::Unknown));
            }
        } else {
            all.push(bind(self.target(target)?, Bound::Element(value)));
        }
        all.push(self.code(body)?);
        Some(Code::Parts(all))
    }

    fn target(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "variable_name" | "subscript_expression" | "member_access_expression" => {
                self.code(node)?
            }
            "list_literal" => {
                let targets = parts(node).into_iter().map(|part| self.target(part));
                Code::List(targets.collect::<Option<_>>()?)
            }
            "array_creation_expression" => {
                let targets =
                    parts(node).into_iter().map(|element| match parts(element).as_slice() {
                        [one] => self.target(*one),
                        _ => None,
                    });
                Code::List(targets.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}
