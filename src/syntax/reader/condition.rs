//! `[[ … ]]`, whose words are split as elsewhere but not expanded into several.

use super::cursor::END;
use super::keyword::Keyword;
use super::parts::Quoting;
use super::word::{PLAIN, REGEX, TEST_PATTERN};
use super::{Read, Reader, refused};
use crate::syntax::script::{CommandKind, Word};

const BINARY: [&str; 15] = [
    "=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-ef", "-nt", "-ot", "<", ">",
];

impl Reader<'_> {
    pub(super) fn condition(&mut self) -> Read<CommandKind> {
        let mut words = Vec::new();
        self.either(&mut words)?;
        self.skip_newlines()?;
        self.expect_keyword(Keyword::ConditionEnd)?;
        Ok(CommandKind::Test(words))
    }

    fn either(&mut self, words: &mut Vec<Word>) -> Read<()> {
        loop {
            loop {
                self.term(words)?;
                self.skip_newlines()?;
                if !self.operator(b"&&", words)? {
                    break;
                }
            }
            if !self.operator(b"||", words)? {
                return Ok(());
            }
        }
    }

    fn term(&mut self, words: &mut Vec<Word>) -> Read<()> {
        self.skip_newlines()?;
        if self.operator(b"(", words)? {
            self.deeper(|reader| reader.either(words))?;
            self.skip_newlines()?;
            return if self.operator(b")", words)? { Ok(()) } else { Err(self.unexpected()) };
        }
        if self.keyword().is_some_and(|(it, _)| it == Keyword::ConditionEnd) {
            return Err(self.unexpected());
        }
        let first = self.test_word(words)?;
        if first.as_deref() == Some("!") {
            return self.deeper(|reader| reader.term(words));
        }
        self.skip_blanks();
        if first.as_deref().is_some_and(is_unary) {
            self.test_word(words)?;
            return Ok(());
        }
        if self.at_end_of_term() {
            return Ok(());
        }
        self.binary(words)
    }

    fn binary(&mut self, words: &mut Vec<Word>) -> Read<()> {
        let operator = if self.operator(b"<", words)? || self.operator(b">", words)? {
            String::new()
        } else {
            let Some(text) = self.test_word(words)? else {
                return Err(refused("an operator of [[ that is not plain text"));
            };
            if !BINARY.contains(&text.as_str()) {
                return Err(refused(format!("'{text}' is no operator of [[")));
            }
            text
        };
        self.skip_blanks();
        let rules = match operator.as_str() {
            "=" | "==" | "!=" => TEST_PATTERN,
            "=~" => REGEX,
            _ => PLAIN,
        };
        let Some(word) = self.word(rules)? else { return Err(self.unexpected()) };
        words.push(word);
        Ok(())
    }

    /// Reads a word. Returns its text if that is not quoted.
    fn test_word(&mut self, words: &mut Vec<Word>) -> Read<Option<String>> {
        let Some(word) = self.word(PLAIN)? else { return Err(self.unexpected()) };
        let plain = !word.parts.iter().any(|part| part.quoted);
        let text = if plain { word.literal() } else { None };
        words.push(word);
        Ok(text)
    }

    fn at_end_of_term(&mut self) -> bool {
        match self.peek() {
            END | b')' => true,
            b'&' => self.at(b"&&"),
            b'|' => self.at(b"||"),
            b']' => self.keyword().is_some_and(|(it, _)| it == Keyword::ConditionEnd),
            _ => false,
        }
    }

    fn operator(&mut self, text: &[u8], words: &mut Vec<Word>) -> Read<bool> {
        self.skip_blanks();
        let process = matches!(text, b"<" | b">") && self.peek_second() == b'(';
        let start = self.position;
        if process || !self.eat(text) {
            return Ok(false);
        }
        self.node()?;
        let part = self.literal(text.to_vec(), start, self.position, Quoting::Bare);
        words.push(Word { span: part.span, parts: vec![part] });
        Ok(true)
    }
}

fn is_unary(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'-')
        && bytes.next().is_some_and(|byte| b"abcdefghknoprstuvwxzGLNORS".contains(&byte))
        && bytes.next().is_none()
}
