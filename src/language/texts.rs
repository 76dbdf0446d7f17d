//! Texts of all languages, as Fluent files have them. A file is read when the first text of its language is asked for.

use std::borrow::Cow;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

use super::Language;

pub use fluent_bundle::FluentValue as Value;

/// How many languages there are.
const COUNT: usize = Language::ALL.len();

/// Texts in each language; made by [`texts!`](crate::texts).
pub struct Texts {
    /// The files of each language, in the order of [`Language::ALL`].
    files: [&'static [&'static str]; COUNT],
    read: [OnceLock<FluentBundle<FluentResource>>; COUNT],
}

/// Returns the [`Texts`] of these files, which each directory of `i18n/` has.
#[macro_export]
macro_rules! texts {
    ($($file:literal),+) => {
        $crate::texts!(in "/i18n/"; $($file),+)
    };
    (in $root:literal; $($file:literal),+) => {
        $crate::texts!(
            [$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "en/", $file))),+]
            in $root; $($file),+
        )
    };
    // The English texts stand elsewhere.
    (translations in $root:literal; $($file:literal),+) => {
        $crate::texts!([] in $root; $($file),+)
    };
    ($english:tt in $root:literal; $($file:literal),+) => {
        $crate::language::Texts::new([
            &$english,
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "de/", $file))),+],
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "fr/", $file))),+],
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "es/", $file))),+],
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "da/", $file))),+],
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "ru/", $file))),+],
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "ja/", $file))),+],
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $root, "zh/", $file))),+],
        ])
    };
}

impl Texts {
    /// Takes the files of each language, in the order of [`Language::ALL`].
    #[must_use]
    pub const fn new(files: [&'static [&'static str]; COUNT]) -> Self {
        Self { files, read: [const { OnceLock::new() }; COUNT] }
    }

    /// Returns a text; none where no language has it.
    pub fn say(&'static self, language: Language, key: &str) -> Option<Cow<'static, str>> {
        self.found(language, key, None)
    }

    /// Returns a text with these put into it; none where no language has it.
    pub fn tell(
        &'static self,
        language: Language,
        key: &str,
        values: &[(&str, Value<'_>)],
    ) -> Option<String> {
        let values: FluentArgs<'_> =
            values.iter().map(|(name, value)| (*name, value.clone())).collect();
        self.found(language, key, Some(&values)).map(Cow::into_owned)
    }

    /// Returns the keys of the English texts, in their order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.files[Language::English as usize].iter().flat_map(|file| file.lines());
        lines.filter_map(|line| {
            let (key, _) = line.split_once(" =")?;
            key.starts_with(|c: char| c.is_ascii_lowercase()).then_some(key)
        })
    }

    fn found(
        &'static self,
        language: Language,
        key: &str,
        values: Option<&FluentArgs<'_>>,
    ) -> Option<Cow<'static, str>> {
        let text = self.text(language, key, values);
        text.or_else(|| self.text(Language::English, key, values))
    }

    fn text(
        &'static self,
        language: Language,
        key: &str,
        values: Option<&FluentArgs<'_>>,
    ) -> Option<Cow<'static, str>> {
        let bundle = self.bundle(language);
        let pattern = bundle.get_message(key)?.value()?;
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, values, &mut errors);
        // A text that wants what it is not given is a fault of that language alone.
        let is_whole = errors.is_empty() || language == Language::English;
        is_whole.then(|| text.into_owned().into())
    }

    fn bundle(&self, language: Language) -> &FluentBundle<FluentResource> {
        self.read[language as usize].get_or_init(|| {
            // A tag of ours is one.
            let tag = language.tag().parse().unwrap_or_default();
            let mut bundle = FluentBundle::new_concurrent(vec![tag]);
            // Marks of direction would be shown as what they are: characters that hide.
            bundle.set_use_isolating(false);
            bundle.set_formatter(Some(match language.thousands() {
                ',' => apart::<',', _>,
                '.' => apart::<'.', _>,
                _ => apart::<' ', _>,
            }));
            for file in self.files[language as usize] {
                let (Ok(resource) | Err((resource, _))) =
                    FluentResource::try_new((*file).to_owned());
                // The first of two texts of one name counts; a test finds the second.
                let _ = bundle.add_resource(resource);
            }
            bundle
        })
    }
}

/// Writes whole numbers with their thousands apart; what else there is, is written as it is.
fn apart<const MARK: char, M>(value: &Value<'_>, _: &M) -> Option<String> {
    let Value::Number(number) = value else { return None };
    let digits = number.as_string();
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| grouped(&digits, MARK))
}

/// Returns digits with a mark between thousands.
pub(super) fn grouped(digits: &str, mark: char) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(mark);
        }
        text.push(digit);
    }
    text
}
