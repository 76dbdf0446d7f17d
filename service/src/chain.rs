//! Who is asked, in order: of the quick ones the first that answers; where it cannot tell, of the strong ones the first. What a quick one finds wider
//! than the task stays so.

use std::time::Duration;

use guarded_sh::config::{Provider, Tier};
use guarded_sh::judge::Request;
use guarded_sh::model::{Heard, Verdict};
use reqwest::Client;

use crate::prompt::{self, Prompt};
use crate::state::State;
use crate::{addressed, answer, provider};

/// Returns what is to be sent about a case, unless nobody is to be asked.
pub fn prompt(request: &Request) -> Result<Prompt, Heard> {
    let case = &request.case;
    let texts = [Some(&case.line), case.branch.as_ref(), case.cwd.as_ref()];
    let texts = texts.into_iter().flatten().chain(case.findings.iter().map(|one| &one.reason));
    if let Some(phrase) = texts.into_iter().find_map(|text| addressed::phrase(text)) {
        return Err(Heard::unavailable(format!(
            "the line speaks to whoever judges it (\"{phrase}\"), so no model was asked"
        )));
    }
    let mut case = case.clone();
    // What was decided says nothing to a judge either.
    case.earlier.retain(|earlier| addressed::phrase(&earlier.line).is_none());
    let template = prompt::template(request.prompts.as_deref());
    template
        .and_then(|template| prompt::fill(&template, &case))
        .map_err(|error| Heard::unavailable(format!("the template cannot be used: {error}")))
}

/// Asks about a case.
pub async fn ask(request: &Request, prompt: &Prompt) -> Heard {
    let state = match State::open(&request.state) {
        Ok(state) => state,
        Err(error) => return Heard::unavailable(format!("nothing can be remembered: {error}")),
    };
    let quick = tier(request, &state, Tier::Quick, request.limit_ms, prompt).await;
    let is_final = match &quick {
        Heard::Judged { .. } => true,
        Heard::Uncertain { opinion, .. } => opinion.verdict == Verdict::Wider,
        Heard::Unavailable { .. } => false,
    };
    if is_final || !has(request, Tier::Strong) {
        return quick;
    }
    let strong = tier(request, &state, Tier::Strong, request.strong_limit_ms, prompt).await;
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

/// Asks the first of a tier that answers, within its limit. Who does not is left alone for a while.
async fn tier(
    request: &Request,
    state: &State,
    tier: Tier,
    limit_ms: u32,
    prompt: &Prompt,
) -> Heard {
    let limit = Duration::from_millis(limit_ms.into());
    let client = match provider::client(limit) {
        Ok(client) => client,
        Err(error) => return Heard::unavailable(error.to_string()),
    };
    let providers = request.providers.iter().filter(|provider| provider.tier == tier);
    let mut failed: Vec<String> = Vec::new();
    let mut asking = None;
    let asked = async {
        let _slot = match state.slot(request.at_once).await {
            Ok(slot) => slot,
            Err(error) => {
                failed.push(format!("nothing can be remembered: {error}"));
                return None;
            }
        };
        for provider in providers {
            let name = full_name(provider);
            let why = match state.begin(&name, request.budget) {
                Ok(None) => {
                    asking = Some(name.clone());
                    match one(&client, state, provider, prompt, request.confidence).await {
                        Ok(heard) => return Some(heard),
                        Err(fault) => {
                            // What cannot be remembered is asked again.
                            let _ = state.rest(&name, &fault.why, fault.after);
                            fault.why
                        }
                    }
                }
                Ok(Some(why)) => why,
                Err(error) => format!("nothing can be remembered: {error}"),
            };
            asking = None;
            failed.push(format!("{}: {why}", provider.name));
        }
        None
    };
    let answered = tokio::time::timeout(limit, asked).await;
    match answered {
        Ok(Some(heard)) => heard,
        Ok(None) if failed.is_empty() => Heard::unavailable("no provider is configured"),
        Ok(None) => Heard::unavailable(failed.join("; ")),
        Err(_) => {
            let why = format!("no answer within {limit_ms} ms");
            if let Some(name) = asking {
                let _ = state.rest(&name, &why, None);
            }
            failed.push(why);
            Heard::unavailable(failed.join("; "))
        }
    }
}

/// Why one did not answer, and after how many seconds to come back, if it says so.
struct Fault {
    why: String,
    after: Option<u64>,
}

async fn one(
    client: &Client,
    state: &State,
    provider: &Provider,
    prompt: &Prompt,
    bar: u8,
) -> Result<Heard, Fault> {
    let said = provider::ask(client, provider, &prompt.text).await.map_err(|error| {
        let after = match error {
            provider::Error::Status { retry, .. } => retry,
            _ => None,
        };
        Fault { why: error.to_string(), after }
    })?;
    let name = full_name(provider);
    // An answer counts whether its cost can be noted or not.
    let _ = state.took(&name, said.tokens);
    let opinion = answer::read(&said.text, prompt)
        .map_err(|error| Fault { why: error.to_string(), after: None })?;
    Ok(answer::heard(name, opinion, bar))
}

fn full_name(provider: &Provider) -> String {
    format!("{}/{}", provider.name, provider.model)
}
