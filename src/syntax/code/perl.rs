//! Perl's syntax tree to [`Code`]: calls, and what is known of their arguments.
//!
//! Only what Perl itself runs says what a text of Perl means, so nothing is harmless by this tree: the words of the text decide
//! that. The tree tells what is done to what, and everything that is not a call is only what it is made of.

use tree_sitter::Node;

use super::{Argument, Bound, Code, Lower, Source, bind, field, parts, unescaped};

pub(super) fn lower(source: &Source<'_>, root: Node<'_>) -> Option<Code> {
    Perl { source }.code(root)
}

struct Perl<'a> {
    source: &'a Source<'a>,
}

impl Lower for Perl<'_> {
    fn code(&self, node: Node<'_>) -> Option<Code> {
        Some(match node.kind() {
            "number" => Code::Number,
            "string_literal" => self.literal(node),
            "interpolated_string_literal" => self.interpolated(node)?,
            "command_string" => {
                let text = Argument::plain(self.interpolated(node)?);
                Code::Call(Box::new(Code::Name("`".to_owned())), vec![text])
            }
            "function_call_expression" | "ambiguous_function_call_expression" => {
                let name = self.source.text(field(node, "function")?).to_owned();
                let mut arguments = Vec::new();
                let mut cursor = node.walk();
                for part in node.children_by_field_name("arguments", &mut cursor) {
                    if part.is_named() {
                        self.arguments(part, &mut arguments)?;
                    }
                }
                Code::Call(Box::new(Code::Name(name)), arguments)
            }
            "func1op_call_expression" | "func0op_call_expression" => {
                let name = self.source.text(field(node, "function")?).to_owned();
                let mut arguments = Vec::new();
                for part in parts(node) {
                    self.arguments(part, &mut arguments)?;
                }
                Code::Call(Box::new(Code::Name(name)), arguments)
            }
            "eval_expression" => {
                let mut all = self.each(node)?;
                all.push(Code::Call(Box::new(Code::Name("eval".to_owned())), Vec::new()));
                Code::Parts(all)
            }
            "subroutine_declaration_statement" => {
                let name = Code::Name(self.source.name(field(node, "name")?)?);
                let body = self.code(field(node, "body")?)?;
                bind(name, Bound::Whole(Code::Function(Vec::new(), Box::new(body))))
            }
            // `s/…/CODE/e`
            "substitution_regexp" => {
                let runs = field(node, "modifiers")
                    .is_some_and(|modifiers| self.source.text(modifiers).contains('e'));
                let mut all = vec![self.all(node)?];
                if runs {
                    all.push(Code::Call(Box::new(Code::Name("eval".to_owned())), Vec::new()));
                }
                Code::Parts(all)
            }
            _ => self.all(node)?,
        })
    }
}

impl Perl<'_> {
    fn arguments(&self, node: Node<'_>, arguments: &mut Vec<Argument>) -> Option<()> {
        match node.kind() {
            "list_expression" | "parenthesized_expression" => {
                for part in parts(node) {
                    self.arguments(part, arguments)?;
                }
            }
            // Lists become any number of arguments.
            "array" | "array_deref_expression" | "hash" | "quoted_word_list" => {
                arguments.push(Argument { name: None, spread: true, value: self.all(node)? });
            }
            _ => arguments.push(Argument::plain(self.code(node)?)),
        }
        Some(())
    }

    fn literal(&self, node: Node<'_>) -> Code {
        let Some(content) = field(node, "content") else { return Code::Text(String::new()) };
        let text = self.source.text(content);
        let is_plain = parts(content).is_empty() && !text.contains('\\');
        if is_plain { Code::Text(text.to_owned()) } else { Code::Data }
    }

    fn interpolated(&self, node: Node<'_>) -> Option<Code> {
        let Some(content) = field(node, "content") else { return Some(Code::Text(String::new())) };
        let text = self.source.text(content);
        let pieces = parts(content);
        if pieces.iter().all(|piece| piece.kind() == "escape_sequence")
            && !text.contains(['$', '@'])
        {
            return Some(unescaped(text).map_or(Code::Data, Code::Text));
        }
        self.all(content)
    }
}
