//! What one process remembers: keys that the owner's programs printed, and what was answered lately. Nothing of it is written anywhere.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use guarded_sh::judge::Request;
use guarded_sh::model::Heard;
use reqwest::Client;

use crate::command::Group;
use crate::provider;

/// How long an answer counts.
const LIFE: Duration = Duration::from_secs(600);
/// Bytes of questions whose answers are remembered, and how many they are.
const ROOM: usize = 8 << 20;
const MOST: usize = 1_000;

/// What a process remembers.
#[derive(Debug)]
pub struct Memory {
    /// What speaks HTTP: connections to providers stay open for the next question.
    pub client: Client,
    /// Whether what is run ends with us, or has to be ended.
    pub group: Group,
    keys: Mutex<Vec<(Vec<String>, String)>>,
    answers: Mutex<Answers>,
    /// Sockets of this machine that no agent started.
    believed: Mutex<Vec<String>>,
}

impl Memory {
    /// Remembers nothing yet.
    pub fn new(group: Group) -> Result<Self, provider::Error> {
        let (keys, answers, believed) = (Mutex::default(), Mutex::default(), Mutex::default());
        Ok(Self { client: provider::client()?, group, keys, answers, believed })
    }

    /// Returns whether these are the very sockets that were believed last.
    pub fn believes(&self, sockets: &[String]) -> bool {
        self.believed.lock().is_ok_and(|believed| !sockets.is_empty() && *believed == sockets)
    }

    /// Remembers whom to believe.
    pub fn believe(&self, sockets: Vec<String>) {
        if let Ok(mut believed) = self.believed.lock() {
            *believed = sockets;
        }
    }

    /// Returns what a program of the owner's printed.
    pub fn key(&self, command: &[String]) -> Option<String> {
        let keys = self.keys.lock().ok()?;
        keys.iter().find(|(own, _)| own == command).map(|(_, key)| key.clone())
    }

    /// Remembers it.
    pub fn keep_key(&self, command: &[String], key: &str) {
        let Ok(mut keys) = self.keys.lock() else { return };
        keys.retain(|(own, _)| own != command);
        keys.push((command.to_owned(), key.to_owned()));
    }

    /// Forgets it: a provider does not take it any more.
    pub fn drop_key(&self, command: &[String]) {
        let Ok(mut keys) = self.keys.lock() else { return };
        keys.retain(|(own, _)| own != command);
    }

    /// Returns what was answered to the same question, if that counts still.
    pub fn answer(&self, question: &str, now: Instant) -> Option<Heard> {
        self.answers.lock().ok()?.get(question, now)
    }

    /// Remembers an answer. Only one that settles something: who could not tell is asked again.
    pub fn keep_answer(&self, question: String, heard: &Heard, now: Instant) {
        if !matches!(heard, Heard::Judged { .. }) {
            return;
        }
        if let Ok(mut answers) = self.answers.lock() {
            answers.put(question, heard.clone(), now);
        }
    }

    /// Forgets an answer.
    pub fn drop_answer(&self, question: &str) {
        if let Ok(mut answers) = self.answers.lock() {
            answers.remove(question);
        }
    }
}

/// What makes two questions the same: the line, what is known of it, what the person typed, who is asked and by which template. What ran
/// before is told to a model, and does not make another question.
pub fn question(request: &Request, template: &str) -> Option<String> {
    let mut case = request.case.clone();
    case.earlier.clear();
    serde_json::to_string(&(case, &request.providers, request.confidence, template)).ok()
}

/// Answers, oldest first.
#[derive(Debug, Default)]
struct Answers {
    kept: VecDeque<(String, Heard, Instant)>,
}

impl Answers {
    fn get(&mut self, question: &str, now: Instant) -> Option<Heard> {
        self.kept.retain(|(_, _, at)| now.saturating_duration_since(*at) < LIFE);
        let found = self.kept.iter().find(|(own, _, _)| own == question);
        found.map(|(_, heard, _)| heard.clone())
    }

    fn put(&mut self, question: String, heard: Heard, now: Instant) {
        self.remove(&question);
        if question.len() > ROOM {
            return;
        }
        self.kept.push_back((question, heard, now));
        while self.kept.len() > MOST
            || self.kept.iter().map(|(own, ..)| own.len()).sum::<usize>() > ROOM
        {
            self.kept.pop_front();
        }
    }

    fn remove(&mut self, question: &str) {
        self.kept.retain(|(own, _, _)| own != question);
    }
}

#[cfg(test)]
mod tests {
    use guarded_sh::model::{Opinion, Verdict};

    use super::*;

    fn judged() -> Heard {
        let opinion = Opinion {
            verdict: Verdict::Wider,
            safety_score: 10,
            category: String::new(),
            confidence: 90,
            uncertain: false,
            quotation: None,
            reasoning: String::new(),
        };
        Heard::Judged { by: "one/model".to_owned(), opinion }
    }

    #[test]
    fn an_answer_counts_for_its_life_and_no_longer() {
        let now = Instant::now();
        let mut answers = Answers::default();
        answers.put("q".to_owned(), judged(), now);
        assert_eq!(answers.get("q", now + LIFE / 2), Some(judged()));
        assert_eq!(answers.get("other", now), None);
        assert_eq!(answers.get("q", now + LIFE), None);
        assert!(answers.kept.is_empty());
    }

    #[test]
    fn the_oldest_make_room() {
        let now = Instant::now();
        let mut answers = Answers::default();
        for number in 0..=MOST {
            answers.put(number.to_string(), judged(), now);
        }
        assert_eq!(answers.get("0", now), None);
        assert!(answers.get("1", now).is_some());
        let long = |letter: &str| letter.repeat(ROOM / 2 + 1);
        answers.put(long("a"), judged(), now);
        answers.put(long("b"), judged(), now);
        assert_eq!(answers.kept.len(), 1);
        answers.put("c".repeat(ROOM + 1), judged(), now);
        assert!(answers.get(&long("b"), now).is_some());
    }

    #[test]
    fn only_what_settles_is_kept_and_what_is_dropped_is_gone() {
        let now = Instant::now();
        let memory = Memory::new(Group::Ours).unwrap();
        memory.keep_answer("q".to_owned(), &Heard::unavailable("it failed"), now);
        assert_eq!(memory.answer("q", now), None);
        memory.keep_answer("q".to_owned(), &judged(), now);
        assert_eq!(memory.answer("q", now), Some(judged()));
        memory.drop_answer("q");
        assert_eq!(memory.answer("q", now), None);
        let command = ["/bin/pass".to_owned()];
        memory.keep_key(&command, "sk-one");
        memory.keep_key(&command, "sk-two");
        assert_eq!(memory.key(&command).as_deref(), Some("sk-two"));
        memory.drop_key(&command);
        assert_eq!(memory.key(&command), None);
    }
}
