//! Ruby's syntax tree to [`Code`]. What is not listed here (here-documents, pattern matching, `alias`, `BEGIN`) is not read.

use tree_sitter::Node;

use super::{Argument, Bound, Code, Held, Lower, Source, bind, field, parts, unescaped};

pub(super) fn lower(source: &Source<'_>, root: Node<'_>) -> Option<Code> {
    // The first lines may say that the text is in another encoding, and so mean something else.
    if source.text.lines().take(2).any(|line| line.contains("coding")) {
        return None;
    }
    Ruby { source }.code(root)
}

struct Ruby<'a> {
    source: &'a Source<'a>,
}

/// Methods whose block gets one element after the other of what they are called on.
const EACH: &[&str] = &["each", "map", "select", "reject", "flat_map", "filter_map", "sort_by"];

impl Lower for Ruby<'_> {
    fn code(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "program"
            | "body_statement"
            | "block_body"
            | "then"
            | "else"
            | "elsif"
            | "do"
            | "if"
            | "unless"
            | "while"
            | "until"
            | "if_modifier"
            | "unless_modifier"
            | "while_modifier"
            | "until_modifier"
            | "rescue_modifier"
            | "conditional"
            | "case"
            | "when"
            | "pattern"
            | "begin"
            | "ensure"
            | "return"
            | "next"
            | "break"
            | "yield"
            | "argument_list"
            | "range"
            | "splat_argument"
            | "hash_splat_argument"
            | "exceptions"
            | "in" => self.all(node)?,
            "parenthesized_statements" => match parts(node).as_slice() {
                [one] => self.code(*one)?,
                _ => self.all(node)?,
            },
            "unary" => Code::Computed(self.each(node)?),
            "empty_statement" | "nil" | "redo" | "retry" | "self" | "character" | "line"
            | "file" | "rational" | "complex" | "encoding" | "super" => Code::Data,
            "true" => Code::Flag(true),
            "false" => Code::Flag(false),
            "integer" | "float" => Code::Number,
            "identifier" | "constant" | "instance_variable" | "class_variable" => {
                Code::Name(self.name(node)?)
            }
            "global_variable" => Code::Name(self.source.text(node).to_owned()),
            "simple_symbol" | "hash_key_symbol" => {
                Code::Text(self.source.text(node).trim_start_matches(':').to_owned())
            }
            "string" | "delimited_symbol" | "bare_string" | "bare_symbol" => self.string(node)?,
            "regex" => Code::Computed(vec![self.string(node)?]),
            "chained_string" => Code::Joined(self.each(node)?),
            "subshell" => {
                let text = Argument::plain(self.string(node)?);
                Code::Call(Box::new(Code::Name("`".to_owned())), vec![text])
            }
            "array" | "string_array" | "symbol_array" | "right_assignment_list" => {
                Code::List(self.each(node)?)
            }
            "hash" | "pair" => Code::Record(self.each(node)?),
            "scope_resolution" => {
                let name = self.name(field(node, "name")?)?;
                match field(node, "scope") {
                    Some(scope) => Code::Member(Box::new(self.code(scope)?), name),
                    None => Code::Name(name),
                }
            }
            "element_reference" => self.element(node)?,
            "binary" => self.operator(node)?,
            "call" => self.call(node)?,
            "lambda" | "block" | "do_block" => self.function(node, None)?,
            "method" | "singleton_method" => self.method(node)?,
            "class" | "module" => self.class(node)?,
            "assignment" => {
                let bound = Bound::Whole(self.code(field(node, "right")?)?);
                let bound = bind(self.target(field(node, "left")?)?, bound);
                match node.parent().map(|parent| parent.kind()) {
                    Some("program" | "body_statement" | "block_body" | "then" | "do" | "else") => {
                        bound
                    }
                    // Its value is used besides.
                    _ => self.used_besides(node)?,
                }
            }
            "operator_assignment" => self.used_besides(node)?,
            "for" => {
                let value = self.code(field(node, "value")?)?;
                let target = self.target(field(node, "pattern")?)?;
                Code::Parts(vec![
                    bind(target, Bound::Element(value)),
                    self.code(field(node, "body")?)?,
                ])
            }
            "rescue" => {
                let mut all = Vec::new();
                for part in parts(node) {
                    if part.kind() == "exception_variable" {
                        let target = self.target(*parts(part).first()?)?;
                        all.push(bind(target, Bound::Unknown));
                    } else {
                        all.push(self.code(part)?);
                    }
                }
                Code::Parts(all)
            }
            _ => return None,
        })
    }
}

impl Ruby<'_> {
    /// A name, which may end in a mark.
    fn name(&self, node: Node<'_>) -> Option<String> {
        let name = self.source.text(node);
        let plain = name.trim_start_matches('@');
        let plain = plain.strip_suffix(['?', '!', '=']).unwrap_or(plain);
        let is_plain = plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (is_plain && !plain.is_empty()).then(|| name.to_owned())
    }

    fn used_besides(&self, node: Node<'_>) -> Option<Code> {
        let right = self.code(field(node, "right")?)?;
        let target = self.target(field(node, "left")?)?;
        Some(Code::Parts(vec![right, bind(target, Bound::Unknown)]))
    }

    fn string(&self, node: Node<'_>) -> Option<Code> {
        let mut pieces = Vec::new();
        let is_single = self.source.text(node).starts_with('\'');
        for part in parts(node) {
            pieces.push(match part.kind() {
                "string_content" => {
                    let text = self.source.text(part);
                    // Between single quotes a backslash mostly stands for itself.
                    let is_plain = !text.contains('\\') || !is_single;
                    if is_plain { Code::Text(text.to_owned()) } else { Code::Data }
                }
                "escape_sequence" if is_single => Code::Data,
                "escape_sequence" => {
                    unescaped(self.source.text(part)).map_or(Code::Data, Code::Text)
                }
                "interpolation" => match parts(part).as_slice() {
                    [one] => self.code(*one)?,
                    _ => self.all(part)?,
                },
                _ => return None,
            });
        }
        Some(Code::Joined(pieces))
    }

    fn element(&self, node: Node<'_>) -> Option<Code> {
        let object = field(node, "object")?;
        let keys = parts(node).into_iter().filter(|part| part.id() != object.id());
        let mut keys = keys.map(|key| self.code(key)).collect::<Option<Vec<_>>>()?;
        let key = if keys.len() == 1 { keys.pop()? } else { Code::Parts(keys) };
        Some(Code::Index(Box::new(self.code(object)?), Box::new(key)))
    }

    fn operator(&self, node: Node<'_>) -> Option<Code> {
        let both = vec![self.code(field(node, "left")?)?, self.code(field(node, "right")?)?];
        Some(match self.source.text(field(node, "operator")?) {
            "+" => Code::Joined(both),
            "==" | "!=" | "=~" | "!~" | "===" | "<" | ">" | "<=" | ">=" => Code::Computed(both),
            _ => Code::Parts(both),
        })
    }

    fn call(&self, node: Node<'_>) -> Option<Code> {
        let method = match field(node, "method") {
            Some(method) if matches!(method.kind(), "identifier" | "constant") => {
                self.name(method)?
            }
            Some(_) => return None,
            // `f.(x)`
            None => "call".to_owned(),
        };
        let receiver = match field(node, "receiver") {
            // What is the object's own is called with and without it.
            Some(receiver) if receiver.kind() == "self" => None,
            Some(receiver) => Some(self.code(receiver)?),
            None => None,
        };
        let mut arguments = Vec::new();
        let mut before = Vec::new();
        for part in field(node, "arguments").map(parts).unwrap_or_default() {
            match part.kind() {
                "pair" => {
                    let key = field(part, "key")?;
                    let value = self.code(field(part, "value")?)?;
                    let name = matches!(key.kind(), "hash_key_symbol" | "simple_symbol")
                        .then(|| self.source.text(key).trim_start_matches(':').to_owned());
                    if name.is_none() {
                        before.push(self.code(key)?);
                    }
                    let name = name.or_else(|| Some("?".to_owned()));
                    arguments.push(Argument { name, spread: false, value });
                }
                "splat_argument" | "hash_splat_argument" => {
                    arguments.push(Argument { name: None, spread: true, value: self.all(part)? });
                }
                "block_argument" => before.push(self.block_argument(part)?),
                _ => arguments.push(Argument::plain(self.code(part)?)),
            }
        }
        if let Some(block) = field(node, "block") {
            let of = receiver.as_ref().filter(|of| EACH.contains(&method.as_str()) && is_flat(of));
            before.push(self.function(block, of)?);
        }
        let callee = match receiver {
            Some(receiver) => Code::Member(Box::new(receiver), method),
            None => Code::Name(method),
        };
        let call = Code::Call(Box::new(callee), arguments);
        Some(if before.is_empty() { call } else { Code::After(before, Box::new(call)) })
    }

    /// `&:name` calls the method of that name, `&value` hands a function on.
    fn block_argument(&self, node: Node<'_>) -> Option<Code> {
        match parts(node).as_slice() {
            [symbol] if symbol.kind() == "simple_symbol" => {
                let name = self.source.text(*symbol).trim_start_matches(':');
                let is_name = name.bytes().any(|byte| byte.is_ascii_alphabetic());
                let of = Box::new(Code::Data);
                Some(if is_name { Code::Member(of, name.to_owned()) } else { Code::Data })
            }
            [one] => self.code(*one),
            _ => None,
        }
    }

    fn function(&self, node: Node<'_>, of: Option<&Code>) -> Option<Code> {
        let mut names = Vec::new();
        let mut before = Vec::new();
        if let Some(all) = field(node, "parameters") {
            for (at, parameter) in parts(all).into_iter().enumerate() {
                match (parameter.kind(), of) {
                    ("identifier", Some(of)) if at == 0 => {
                        let name = Code::Name(self.name(parameter)?);
                        before.push(bind(name, Bound::Element(of.clone())));
                    }
                    _ => self.parameter(parameter, &mut names, &mut before)?,
                }
            }
        }
        if let Some(body) = field(node, "body") {
            before.push(self.code(body)?);
        }
        Some(Code::Function(names, Box::new(Code::Parts(before))))
    }

    fn parameter(
        &self,
        node: Node<'_>,
        names: &mut Vec<String>,
        before: &mut Vec<Code>,
    ) -> Option<()> {
        match node.kind() {
            "identifier" => names.push(self.name(node)?),
            "optional_parameter"
            | "keyword_parameter"
            | "splat_parameter"
            | "hash_splat_parameter"
            | "block_parameter" => {
                if let Some(name) = field(node, "name") {
                    names.push(self.name(name)?);
                }
                if let Some(value) = field(node, "value") {
                    before.push(self.code(value)?);
                }
            }
            "destructured_parameter" => {
                for part in parts(node) {
                    self.parameter(part, names, before)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn method(&self, node: Node<'_>) -> Option<Code> {
        let name = field(node, "name")?;
        if let Some(object) = field(node, "object")
            && object.kind() != "self"
        {
            return None;
        }
        let function = self.function(node, None)?;
        let name = match name.kind() {
            "identifier" | "constant" => self.name(name)?,
            "operator" => return Some(function),
            _ => return None,
        };
        let bound = bind(Code::Name(name.clone()), Bound::Whole(function));
        Some(Code::Parts(vec![Code::Own(name, Held::Function), bound]))
    }

    fn class(&self, node: Node<'_>) -> Option<Code> {
        let name = field(node, "name")?;
        if name.kind() != "constant" {
            return None;
        }
        let mut all = vec![bind(Code::Name(self.name(name)?), Bound::Unknown)];
        if let Some(above) = field(node, "superclass") {
            all.push(self.all(above)?);
        }
        if let Some(body) = field(node, "body") {
            all.push(self.code(body)?);
        }
        Some(Code::Parts(all))
    }

    fn target(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "left_assignment_list" | "destructured_left_assignment" | "rest_assignment" => {
                let targets = parts(node).into_iter().map(|part| self.target(part));
                Code::List(targets.collect::<Option<_>>()?)
            }
            "identifier" | "constant" | "instance_variable" | "class_variable"
            | "global_variable" | "element_reference" => self.code(node)?,
            "call" if field(node, "arguments").is_none() && field(node, "block").is_none() => {
                let object = self.code(field(node, "receiver")?)?;
                Code::Member(Box::new(object), self.name(field(node, "method")?)?)
            }
            _ => return None,
        })
    }
}

/// Whether what is called on is small enough to be looked at twice.
fn is_flat(code: &Code) -> bool {
    match code {
        Code::Name(_) | Code::List(_) => true,
        Code::Call(callee, _) => {
            matches!(&**callee, Code::Member(of, _) if matches!(**of, Code::Name(_)))
        }
        Code::Index(of, _) => matches!(**of, Code::Name(_)),
        _ => false,
    }
}
