//! `case`: patterns and arms.

use super::keyword::Keyword;
use super::word::{PATTERN, VALUE};
use super::{Read, Reader};
use crate::syntax::dialect::Construct;
use crate::syntax::script::{CommandKind, Statement, Word};

impl Reader<'_> {
    pub(super) fn case(&mut self) -> Read<CommandKind> {
        self.skip_blanks();
        let Some(word) = self.word(VALUE)? else { return Err(self.unexpected()) };
        self.skip_newlines()?;
        self.expect_keyword(Keyword::In)?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.eat_keyword(Keyword::Esac) {
                break;
            }
            arms.push(self.arm()?);
            let falls = [b";;&".as_slice(), b";&"].iter().any(|end| self.eat(end));
            if falls {
                self.extension(Construct::FallThrough, self.position, self.position);
            }
            if !falls && !self.eat(b";;") {
                self.expect_keyword(Keyword::Esac)?;
                break;
            }
        }
        Ok(CommandKind::Case { word, arms })
    }

    fn arm(&mut self) -> Read<(Vec<Word>, Vec<Statement>)> {
        self.eat(b"(");
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            let Some(pattern) = self.word(PATTERN)? else { return Err(self.unexpected()) };
            patterns.push(pattern);
            self.skip_blanks();
            if self.eat(b")") {
                break;
            }
            if self.at(b"||") || self.at(b"|&") || !self.eat(b"|") {
                return Err(self.unexpected());
            }
        }
        let body = self.possibly_empty_list()?;
        // A closing word other than `esac` is for nobody here.
        self.skip_blanks();
        Ok((patterns, body))
    }
}
