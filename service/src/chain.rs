//! Who is asked, in order: of the quick ones the first that answers; where it cannot tell, of the strong ones the first. What a quick one finds wider
//! than the task stays so.

use std::time::{Duration, Instant};

use guarded_sh::config::{Provider, Tier};
use guarded_sh::judge::Request;
use guarded_sh::model::{Effect, Heard, Verdict};

use crate::answer::Form;
use crate::memory::{self, Memory};
use crate::prompt::{self, Edited, Prompt};
use crate::state::State;
use crate::{addressed, answer, attach, provider};

/// Returns the template and what is to be sent about a case with all that goes along, unless nobody is to be asked.
pub fn prompt(request: &Request) -> Result<(String, Prompt), Heard> {
    prompt_with(request, None)
}

/// The same, with a part of the templates as it is edited.
pub fn prompt_with(
    request: &Request,
    edited: Option<Edited<'_>>,
) -> Result<(String, Prompt), Heard> {
    let case = &request.case;
    let texts =
        [Some(&case.line), case.branch.as_ref(), case.cwd.as_ref(), case.description.as_ref()];
    let texts = texts.into_iter().flatten().chain(case.findings.iter().map(|one| &one.reason));
    let texts = texts.chain(case.attached.iter().flat_map(|one| [&one.name, &one.text]));
    let texts = texts.chain(&case.unknown).map(String::as_str);
    let mut texts = texts.chain(case.effects.iter().filter_map(Effect::path));
    if let Some(phrase) = texts.find_map(addressed::phrase) {
        return Err(Heard::unavailable(format!(
            "the line speaks to whoever judges it (\"{phrase}\"), so no model was asked"
        )));
    }
    let mut case = case.clone();
    // What was decided says nothing to a judge either.
    case.earlier.retain(|earlier| addressed::phrase(&earlier.line).is_none());
    let template = prompt::template_with(request.template, request.prompts.as_deref(), edited);
    template
        .and_then(|template| prompt::fill(&template, &case).map(|prompt| (template.text, prompt)))
        .map_err(|error| Heard::unavailable(format!("the template cannot be used: {error}")))
}

/// Returns what is heard about a case: what was answered before to the same question, else what is answered now.
pub async fn heard(mut request: Request, memory: &Memory) -> Heard {
    let is_whole = attach::attach(&mut request.case).await;
    match answered(&request, memory).await {
        // Of what is not told whole nobody can be sure.
        Heard::Judged { by, opinion } if !is_whole => Heard::Uncertain { by, opinion },
        heard => heard,
    }
}

async fn answered(request: &Request, memory: &Memory) -> Heard {
    let (template, prompt) = match prompt(request) {
        Ok(prompt) => prompt,
        Err(heard) => return heard,
    };
    let question = memory::question(request, &template);
    if let Some(question) = &question {
        if request.is_overruled {
            memory.drop_answer(question);
        } else if let Some(heard) = memory.answer(question, Instant::now()) {
            return heard;
        }
    }
    let heard = ask(request, &prompt, memory).await;
    if let Some(question) = question.filter(|_| !request.is_overruled) {
        memory.keep_answer(question, &heard, Instant::now());
    }
    heard
}

/// Asks about a case.
async fn ask(request: &Request, prompt: &Prompt, memory: &Memory) -> Heard {
    let asker = match Asker::new(request, prompt, memory) {
        Ok(asker) => asker,
        Err(why) => return Heard::unavailable(why),
    };
    let quick = asker.tier(Tier::Quick, request.limit_ms).await;
    let is_final = match &quick {
        Heard::Judged { .. } | Heard::Noted { .. } => true,
        Heard::Uncertain { opinion, .. } => opinion.verdict == Verdict::Wider,
        Heard::Unavailable { .. } => false,
    };
    if is_final || !has(request, Tier::Strong) {
        return quick;
    }
    let strong = asker.tier(Tier::Strong, request.strong_limit_ms).await;
    match (strong, quick) {
        (Heard::Unavailable { why }, Heard::Unavailable { why: before }) => {
            Heard::unavailable(format!("{before}; {why}"))
        }
        (Heard::Unavailable { .. }, quick) => quick,
        (strong, _) => strong,
    }
}

fn has(request: &Request, tier: Tier) -> bool {
    request.providers.iter().any(|provider| provider.tier == tier)
}

/// What asking takes.
struct Asker<'r> {
    request: &'r Request,
    prompt: &'r Prompt,
    state: State,
    memory: &'r Memory,
}

/// Why one did not answer, and after how many seconds to come back, if it says so.
struct Fault {
    why: String,
    after: Option<u64>,
}

impl<'r> Asker<'r> {
    fn new(request: &'r Request, prompt: &'r Prompt, memory: &'r Memory) -> Result<Self, String> {
        let directory = request.state.as_deref().ok_or("there is no home to remember in")?;
        let state = State::open(directory).map_err(|error| forgetful(&error))?;
        Ok(Self { request, prompt, state, memory })
    }

    /// Asks the first of a tier that answers, within its limit. Who does not is left alone for a while.
    async fn tier(&self, tier: Tier, limit_ms: u32) -> Heard {
        let mut failed: Vec<String> = Vec::new();
        let mut asking = None;
        let limit = Duration::from_millis(limit_ms.into());
        let answered =
            tokio::time::timeout(limit, self.first(tier, &mut failed, &mut asking)).await;
        match answered {
            Ok(Some(heard)) => heard,
            Ok(None) if failed.is_empty() => Heard::unavailable("no provider is configured"),
            Ok(None) => Heard::unavailable(failed.join("; ")),
            Err(_) => {
                let why = format!("no answer within {limit_ms} ms");
                if let Some(name) = asking {
                    self.leave_alone(&name, &why, None);
                }
                failed.push(why);
                Heard::unavailable(failed.join("; "))
            }
        }
    }

    /// Asks one after another, and notes why each failed, and who is being asked.
    async fn first(
        &self,
        tier: Tier,
        failed: &mut Vec<String>,
        asking: &mut Option<String>,
    ) -> Option<Heard> {
        let _slot = match self.state.slot(self.request.at_once).await {
            Ok(slot) => slot,
            Err(error) => {
                failed.push(forgetful(&error));
                return None;
            }
        };
        for provider in self.request.providers.iter().filter(|provider| provider.tier == tier) {
            let name = provider.full_name();
            let why = match self.state.begin(&name, self.request) {
                Ok(Some(why)) => why,
                Err(error) => forgetful(&error),
                Ok(None) => {
                    *asking = Some(name.clone());
                    match self.one(provider, &name).await {
                        Ok(heard) => return Some(heard),
                        Err(Fault { why, after }) => {
                            self.leave_alone(&name, &why, after);
                            why
                        }
                    }
                }
            };
            *asking = None;
            failed.push(format!("{}: {why}", provider.name));
        }
        None
    }

    async fn one(&self, provider: &Provider, name: &str) -> Result<Heard, Fault> {
        let fault = |error: provider::Error| {
            let after = match error {
                provider::Error::Status { retry, .. } => retry,
                _ => None,
            };
            Fault { why: error.to_string(), after }
        };
        let found = provider::found(self.memory, provider).await.map_err(fault)?;
        let said = provider::ask(self.memory, &self.state, &found, self.prompt).await;
        let said = said.map_err(fault)?;
        let by = found.full_name();
        // An answer counts whether its cost can be noted or not.
        let (input, output) = (said.input, said.output);
        let cost = provider.input_price.for_tokens(input);
        let cost = cost.plus(provider.output_price.for_tokens(output));
        let session = self.request.session.as_deref();
        let _ = self.state.took(name, session, input.saturating_add(output), cost);
        let fault = |error: answer::Error| Fault { why: error.to_string(), after: None };
        if self.prompt.form == Form::Note {
            let note = answer::note(&said.text, self.prompt).map_err(fault)?;
            return Ok(Heard::Noted { by, note });
        }
        let opinion = answer::read(&said.text, self.prompt).map_err(fault)?;
        Ok(answer::heard(by, opinion, self.request.confidence))
    }

    /// Leaves one alone for a while. Where that cannot be remembered, it is asked again.
    fn leave_alone(&self, name: &str, why: &str, after: Option<u64>) {
        let _ = self.state.rest(name, why, after);
    }
}

/// Says why nobody is asked: a budget that is not kept is none.
fn forgetful(error: &std::io::Error) -> String {
    format!("nothing can be remembered: {error}")
}
