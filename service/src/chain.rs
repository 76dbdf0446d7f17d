//! Who is asked, in order: of the quick ones the first that answers; where it cannot tell, of the strong ones the first. What a quick one finds wider
//! than the task stays so.

use std::time::Duration;

use guarded_sh::config::{Provider, Tier};
use guarded_sh::judge::Request;
use guarded_sh::model::{Heard, Verdict};
use reqwest::Client;

use crate::prompt::{self, Prompt};
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
    let quick = tier(request, Tier::Quick, request.limit_ms, prompt).await;
    let is_final = match &quick {
        Heard::Judged { .. } => true,
        Heard::Uncertain { opinion, .. } => opinion.verdict == Verdict::Wider,
        Heard::Unavailable { .. } => false,
    };
    if is_final || !has(request, Tier::Strong) {
        return quick;
    }
    let strong = tier(request, Tier::Strong, request.strong_limit_ms, prompt).await;
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

/// Asks the first of a tier that answers, within its limit.
async fn tier(request: &Request, tier: Tier, limit_ms: u32, prompt: &Prompt) -> Heard {
    let limit = Duration::from_millis(limit_ms.into());
    let client = match provider::client(limit) {
        Ok(client) => client,
        Err(error) => return Heard::unavailable(error.to_string()),
    };
    let providers = request.providers.iter().filter(|provider| provider.tier == tier);
    let mut failed: Vec<String> = Vec::new();
    let asked = async {
        for provider in providers {
            match one(&client, provider, prompt, request.confidence).await {
                Ok(heard) => return Some(heard),
                Err(why) => failed.push(why),
            }
        }
        None
    };
    let answered = tokio::time::timeout(limit, asked).await;
    match answered {
        Ok(Some(heard)) => heard,
        Ok(None) if failed.is_empty() => Heard::unavailable("no provider is configured"),
        Ok(None) => Heard::unavailable(failed.join("; ")),
        Err(_) => {
            failed.push(format!("no answer within {limit_ms} ms"));
            Heard::unavailable(failed.join("; "))
        }
    }
}

async fn one(
    client: &Client,
    provider: &Provider,
    prompt: &Prompt,
    bar: u8,
) -> Result<Heard, String> {
    let name = &provider.name;
    let said = provider::ask(client, provider, &prompt.text).await;
    let text = said.map_err(|error| format!("{name}: {error}"))?;
    let opinion = answer::read(&text, prompt).map_err(|error| format!("{name}: {error}"))?;
    Ok(answer::heard(format!("{name}/{}", provider.model), opinion, bar))
}
