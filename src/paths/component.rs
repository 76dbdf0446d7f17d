//! One component of a pattern, and the names that it shares with a component of a place.
//! Knows nothing of directories.

use super::reach::Aim;

/// Bytes of a name (Linux, `NAME_MAX`).
const LONGEST: usize = 255;

/// A component of a pattern.
pub struct Component {
    text: String,
    items: Vec<Item>,
    /// The characters that it says, each by one bit.
    bytes: [u128; 2],
    /// How many it says.
    said: usize,
    /// A wildcard stands for a dot at the beginning.
    hidden: bool,
}

/// What stands for one character, or for any.
enum Item {
    Byte(u8),
    /// `[…]`
    Set {
        bytes: Vec<u8>,
        is_negated: bool,
    },
    /// `?`
    One,
    /// `*`
    Many,
}

/// A component of a pattern and one of a place that meet in a name.
pub(super) struct Meeting {
    /// The name.
    pub(super) name: String,
    /// The place says something of this name.
    pub(super) says: bool,
    pub(super) aim: Aim,
    /// All that the pattern says of the name, the place says too.
    pub(super) agrees: bool,
    /// The pattern says nothing of the name.
    pub(super) open: bool,
}

impl Meeting {
    /// A component of a place that a search goes through, and whether it matters that no pattern says it.
    pub(super) fn swallowed(theirs: &str, says: bool) -> Self {
        let name = theirs.replace(['*', '?'], "x");
        Self { name, says, aim: Aim::Vague, agrees: false, open: true }
    }
}

impl Component {
    /// Reads a component; as `hidden`, a wildcard in it stands for a dot at the beginning too.
    #[must_use]
    pub fn new(text: &str, hidden: bool) -> Self {
        let (items, mut bytes, mut said) = (items(text), [0; 2], 0);
        for item in &items {
            if let Item::Byte(byte) = item {
                bytes[usize::from(byte >> 7)] |= 1 << (byte & 127);
                said += 1;
            }
        }
        Self { text: text.to_owned(), items, bytes, said, hidden }
    }

    /// Whether it says nothing of the names that it fits: no character, nor how many they are where the first may be a dot.
    pub(super) fn is_open(&self) -> bool {
        self.said == 0 && !(self.is_led() && self.is_measured())
    }

    /// Whether it begins with a wildcard for one character, which stands for a dot too.
    fn is_led(&self) -> bool {
        let is_dot = |item: &Item| !matches!(item, Item::Byte(_) | Item::Many) && item.fits(b'.');
        self.hidden && self.items.first().is_some_and(is_dot)
    }

    /// Whether all names that it fits are of one length.
    fn is_measured(&self) -> bool {
        !self.items.iter().any(|item| matches!(item, Item::Many))
    }

    /// Whether it stands for any directories.
    pub(super) fn is_deep(&self) -> bool {
        self.text == "**"
    }

    /// Whether it stands for one name only.
    #[must_use]
    pub fn is_written_out(&self) -> bool {
        self.said == self.items.len()
    }

    /// Returns the one name that it stands for, if it is written out: `[s]rc` is `src`.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        let byte = |item: &Item| match item {
            Item::Byte(byte) => Some(*byte),
            _ => None,
        };
        String::from_utf8(self.items.iter().map(byte).collect::<Option<Vec<u8>>>()?).ok()
    }

    /// Whether it stands for a name that is there.
    #[must_use]
    pub fn fits(&self, name: &str) -> bool {
        let is_hidden = name.starts_with('.') && !self.hidden;
        if is_hidden && !matches!(self.items.first(), Some(Item::Byte(b'.'))) {
            return false;
        }
        let name = name.as_bytes();
        let (mut item, mut at) = (0, 0);
        // Where the last `*` stands, and how much of the name is behind it.
        let mut again: Option<(usize, usize)> = None;
        while at < name.len() {
            match self.items.get(item) {
                Some(Item::Many) => {
                    again = Some((item, at));
                    item += 1;
                }
                Some(Item::One | Item::Set { .. }) if !name[at].is_ascii() => {
                    item += 1;
                    at += 1;
                    while name.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
                        at += 1;
                    }
                }
                Some(one) if one.fits(name[at]) => {
                    item += 1;
                    at += 1;
                }
                _ => match again.as_mut() {
                    Some((many, behind)) => {
                        *behind += 1;
                        (item, at) = (*many + 1, *behind);
                    }
                    None => return false,
                },
            }
        }
        self.items[item..].iter().all(|item| matches!(item, Item::Many))
    }

    /// The two characters that every name begins with that it fits, where it says them; 0 is the second of a name that has one only.
    pub(super) fn head(&self) -> Option<[u8; 2]> {
        match self.items.as_slice() {
            [Item::Byte(one)] => Some([*one, 0]),
            [Item::Byte(one), Item::Byte(two), ..] => Some([*one, *two]),
            _ => None,
        }
    }

    /// Whether a look at the ends shows that it meets no name that the other fits.
    pub(super) fn is_apart(&self, theirs: &str) -> bool {
        let theirs = theirs.as_bytes();
        let is_hidden = self.hidden || matches!(self.items.first(), Some(Item::Byte(b'.')));
        if theirs.first() == Some(&b'.') && !is_hidden {
            return true;
        }
        let differs =
            |pair: &(&Item, &u8)| matches!(pair, (Item::Byte(one), other) if one != *other);
        let is_said =
            |pair: &(&Item, &u8)| matches!(pair, (Item::Byte(_), other) if !b"*?".contains(other));
        let (ours, others) = (self.items.iter(), theirs.iter());
        ours.clone().zip(others.clone()).take_while(is_said).any(|pair| differs(&pair))
            || ours.rev().zip(others.rev()).take_while(is_said).any(|pair| differs(&pair))
    }

    /// Whether it may mean the names of a component that it meets, or agree with them, as far as their characters tell.
    pub(super) fn may_mean(&self, theirs: &str) -> bool {
        if self.is_written_out() {
            return true;
        }
        let (mut bytes, mut open, mut shared) = ([0_u128; 2], 0, 0);
        for byte in theirs.bytes() {
            let (half, bit) = (usize::from(byte >> 7), 1 << (byte & 127));
            bytes[half] |= bit;
            open += usize::from(b"*?".contains(&byte));
            shared += usize::from(self.bytes[half] & bit != 0);
        }
        let is_open = theirs.starts_with(['*', '?']);
        if theirs.starts_with('.') && self.is_led() && !self.is_open() {
            return true;
        }
        let means = shared > 1 && (!is_open || shared * 2 > theirs.len() - open);
        let agrees = self.said > 0 && (0..2).all(|half| self.bytes[half] & !bytes[half] == 0);
        means || agrees
    }

    /// Whether it stands for this name only.
    pub(super) fn is(&self, name: &str) -> bool {
        let fits = |(item, byte): (&Item, u8)| matches!(item, Item::Byte(own) if *own == byte);
        self.items.len() == name.len() && self.items.iter().zip(name.bytes()).all(fits)
    }

    /// The character that every name ends with that it fits, where it says one.
    pub(super) fn tail(&self) -> Option<u8> {
        match self.items.last() {
            Some(Item::Byte(byte)) => Some(*byte),
            _ => None,
        }
    }

    /// A name that fits it, of which a place says nothing.
    pub(super) fn alone(&self) -> Meeting {
        let name = if self.is_deep() {
            "x".to_owned()
        } else {
            let bytes: Vec<u8> = self.items.iter().map(Item::instance).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Meeting { name, says: false, aim: Aim::Vague, agrees: false, open: self.is_open() }
    }

    /// Returns a name that fits it and the component of a place, if there is one: that in which most of what both say is the same.
    pub(super) fn meets(&self, theirs: &str) -> Option<Meeting> {
        if theirs == "*" {
            return Some(self.alone());
        }
        if self.is_written_out() && !theirs.contains(['*', '?']) {
            let aim = Aim::Plain;
            let name = || theirs.to_owned();
            let meeting = || Meeting { name: name(), says: true, aim, agrees: true, open: false };
            return self.is(theirs).then(meeting);
        }
        if self.is_apart(theirs) {
            return None;
        }
        let other = theirs.as_bytes();
        let is_hidden = matches!(self.items.first(), Some(Item::Byte(b'.'))) || self.hidden;
        if !is_hidden && other.first() == Some(&b'.') {
            return None;
        }
        let way = self.way(other)?;
        let mut bytes = way.name;
        if !is_hidden && bytes.first() == Some(&b'.') {
            bytes.insert(0, b'x');
        }
        let name = String::from_utf8_lossy(&bytes).into_owned();
        let agrees = way.agreeing > 0 && way.agreeing == self.said;
        let is_plain = self.is_written_out() || self.is_plain(other, &way.matched, agrees);
        let aim = if is_plain { Aim::Plain } else { Aim::Vague };
        Some(Meeting { name, says: true, aim, agrees, open: self.is_open() })
    }

    /// Whether it means the names of a place that it meets.
    ///
    /// - Both begin with a dot, and it says nothing that the place does not say: `.e*v`, `.[a-z]*`.
    /// - A wildcard for one character stands for the dot of the other, and it says nothing else, or only how long the name is: `?e[m-o]v`, `????`. All
    ///   programs that search let it.
    /// - The first two characters are the same: `id_*`.
    /// - Of a name that the place gives, without what is behind its last dot, it says half: `?cp.json`.
    /// - Of a name that the place leaves open at its beginning, it says more than half: `*.p?m`.
    fn is_plain(&self, theirs: &[u8], matched: &[bool], agrees: bool) -> bool {
        if theirs.first() == Some(&b'.') && agrees && matched[0] {
            return true;
        }
        let is_short = self.said == 0 && self.is_measured();
        if theirs.first() == Some(&b'.') && self.is_led() && (agrees || is_short) {
            return true;
        }
        let begins = self.items.iter().take(2).all(|item| matches!(item, Item::Byte(_)));
        if begins && matched.len() > 1 && matched[0] && matched[1] {
            return true;
        }
        let is_open = |byte: &u8| b"*?".contains(byte);
        let count = |range: std::ops::Range<usize>| {
            let said = range.clone().filter(|at| !is_open(&theirs[*at])).count();
            (range.filter(|at| matched[*at]).count(), said)
        };
        if theirs.first().is_some_and(is_open) {
            let (same, said) = count(0..theirs.len());
            return same > 1 && same * 2 > said;
        }
        let dot = theirs.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0);
        let (same, said) = count(0..dot.unwrap_or(theirs.len()));
        same > 1 && same * 2 >= said
    }
}

impl Item {
    /// A character that it stands for.
    fn instance(&self) -> u8 {
        match self {
            Self::Byte(byte) => *byte,
            Self::Set { bytes, is_negated: false } => bytes.first().copied().unwrap_or(b'x'),
            Self::Set { bytes, is_negated: true } => {
                *b"xyzw0".iter().find(|byte| !bytes.contains(byte)).unwrap_or(&b'_')
            }
            Self::One | Self::Many => b'x',
        }
    }

    fn fits(&self, byte: u8) -> bool {
        match self {
            Self::Byte(own) => *own == byte,
            Self::Set { bytes, is_negated } => bytes.contains(&byte) != *is_negated,
            Self::One | Self::Many => true,
        }
    }
}

/// A way on which a component meets one of a place.
struct Way {
    name: Vec<u8>,
    /// Which characters of the place's component the pattern says.
    matched: Vec<bool>,
    agreeing: usize,
}

/// One step on it: so many items of the pattern and characters of the place, and what of the name they make.
#[derive(Clone, Copy)]
struct Step {
    ours: usize,
    theirs: usize,
    byte: Option<u8>,
    agrees: bool,
}

impl Component {
    /// The way on which most is the same, by the best that each end can still come to.
    fn way(&self, theirs: &[u8]) -> Option<Way> {
        let (rows, columns) = (self.items.len(), theirs.len());
        let at = |ours: usize, theirs: usize| ours * (columns + 1) + theirs;
        let mut best: Vec<Option<usize>> = vec![None; (rows + 1) * (columns + 1)];
        best[at(rows, columns)] = Some(0);
        let next = |best: &[Option<usize>], ours: usize, other: usize| {
            let reached = |step: Step| {
                let rest = best[at(ours + step.ours, other + step.theirs)]?;
                Some((rest + usize::from(step.agrees), step))
            };
            let steps = self.steps(theirs, ours, other).into_iter().flatten();
            // Of equals, the first.
            steps.filter_map(reached).rev().max_by_key(|(most, _)| *most)
        };
        for ours in (0..=rows).rev() {
            for other in (0..=columns).rev() {
                if (ours, other) != (rows, columns) {
                    best[at(ours, other)] = next(&best, ours, other).map(|(most, _)| most);
                }
            }
        }
        let agreeing = best[0]?;
        let mut way = Way { name: Vec::new(), matched: vec![false; columns], agreeing };
        let (mut ours, mut other) = (0, 0);
        while (ours, other) != (rows, columns) {
            let (_, step) = next(&best, ours, other)?;
            way.name.extend(step.byte);
            if step.agrees {
                way.matched[other] = true;
            }
            ours += step.ours;
            other += step.theirs;
        }
        Some(way)
    }

    fn steps(&self, theirs: &[u8], ours: usize, other: usize) -> [Option<Step>; 3] {
        let step = |ours, theirs, byte| Some(Step { ours, theirs, byte, agrees: false });
        match (self.items.get(ours), theirs.get(other)) {
            (None, Some(b'*')) => [step(0, 1, None), None, None],
            (None, _) => [None; 3],
            (Some(Item::Many), None) => [step(1, 0, None), None, None],
            (Some(_), None) => [None; 3],
            (Some(Item::Many), Some(b'*')) => {
                [step(1, 1, Some(b'x')), step(1, 0, None), step(0, 1, None)]
            }
            (Some(Item::Many), Some(byte)) => {
                let byte = if *byte == b'?' { b'x' } else { *byte };
                [step(1, 0, None), step(0, 1, Some(byte)), None]
            }
            (Some(item), Some(b'*')) => [step(1, 0, Some(item.instance())), step(0, 1, None), None],
            (Some(item), Some(b'?')) => [step(1, 1, Some(item.instance())), None, None],
            (Some(item), Some(byte)) if item.fits(*byte) => {
                let agrees = matches!(item, Item::Byte(_));
                [Some(Step { ours: 1, theirs: 1, byte: Some(*byte), agrees }), None, None]
            }
            (Some(_), Some(_)) => [None; 3],
        }
    }
}

/// Reads a component. One that only longer names fit than there are fits none, as does one with a slash.
fn items(text: &str) -> Vec<Item> {
    let bytes = text.as_bytes();
    let mut items = Vec::with_capacity(bytes.len().min(LONGEST + 1));
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'*' if matches!(items.last(), Some(Item::Many)) => {}
            b'*' => items.push(Item::Many),
            b'?' => items.push(Item::One),
            b'[' => match set(&bytes[at..]) {
                Some((item, length)) => {
                    items.push(item);
                    at += length;
                }
                None => items.push(Item::Byte(b'[')),
            },
            byte => items.push(Item::Byte(*byte)),
        }
        if items.len() > 2 * LONGEST + 1 {
            break;
        }
    }
    if items.iter().filter(|item| !matches!(item, Item::Many)).count() > LONGEST {
        return vec![Item::Byte(b'/')];
    }
    items
}

/// Reads what stands behind `[`; returns its length with the bracket that ends it.
fn set(behind: &[u8]) -> Option<(Item, usize)> {
    let is_negated = matches!(behind.first(), Some(b'!' | b'^'));
    let start = usize::from(is_negated);
    let end = start + 1 + behind.get(start + 1..)?.iter().position(|byte| *byte == b']')?;
    let inside = &behind[start..end];
    if let ([byte], false) = (inside, is_negated) {
        return Some((Item::Byte(*byte), end + 1));
    }
    let mut bytes = Vec::new();
    let mut rest = inside;
    while let [first, tail @ ..] = rest {
        if let [b'-', last, tail @ ..] = tail {
            bytes.extend(*first..=*last);
            // Where letters are sorted otherwise, those of the other case stand between them.
            if !is_negated {
                let other = (*first..=*last).filter(u8::is_ascii_alphabetic);
                bytes.extend(other.map(|byte| byte ^ 0x20).collect::<Vec<_>>());
            }
            rest = tail;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    Some((Item::Set { bytes, is_negated }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a name fits a pattern, by trying every way.
    fn fits(items: &[Item], name: &[u8]) -> bool {
        match items {
            [] => name.is_empty(),
            [Item::Many, rest @ ..] => (0..=name.len()).any(|at| fits(rest, &name[at..])),
            [item, rest @ ..] => {
                name.split_first().is_some_and(|(byte, tail)| item.fits(*byte) && fits(rest, tail))
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn two_components_meet_in_a_name_that_fits_both(
            ours in "[ab.*?]{1,7}|[ab.]{0,3}\\[!?[ab]{1,2}\\][ab*]{0,3}",
            theirs in "[ab.][ab.*?]{0,6}",
        ) {
            let component = Component::new(&ours, true);
            let meeting = component.meets(&theirs);
            if let Some(meeting) = &meeting {
                proptest::prop_assert!(fits(&component.items, meeting.name.as_bytes()), "{ours} {}", meeting.name);
                proptest::prop_assert!(fits(&items(&theirs), meeting.name.as_bytes()), "{theirs} {}", meeting.name);
            }
            // Whatever name fits both is met.
            for name in ["a", "b", "ab", "a.b", ".a", "ba", "abab", "b.a", "xa", "ax"] {
                if fits(&component.items, name.as_bytes()) && fits(&items(&theirs), name.as_bytes()) {
                    proptest::prop_assert!(meeting.is_some(), "{ours} {theirs} {name}");
                }
            }
        }
    }

    #[test]
    fn a_wildcard_for_one_character_may_mean_a_dot() {
        for (ours, theirs, expected) in [
            ("????", ".env", Aim::Plain),
            ("?[e]??", ".env", Aim::Plain),
            ("[!a]nv*", ".env", Aim::Vague),
            ("?e*", ".env", Aim::Plain),
            ("?*", ".env", Aim::Vague),
            ("[a-z]*", "secrets.json", Aim::Vague),
            ("????", "auth", Aim::Vague),
        ] {
            let meeting = Component::new(ours, true).meets(theirs);
            assert_eq!(meeting.map_or(Aim::Vague, |meeting| meeting.aim), expected, "{ours}");
        }
    }

    #[test]
    fn a_wildcard_stands_for_no_dot_at_the_beginning_in_a_shell() {
        for (ours, hidden, expected) in [
            ("*", false, false),
            ("?git", false, false),
            ("?git", true, true),
            ("*", true, true),
            (".*", false, true),
            (".g?t", false, true),
            ("[a-z]git", true, false),
        ] {
            assert_eq!(Component::new(ours, hidden).meets(".git").is_some(), expected, "{ours}");
        }
    }
}
