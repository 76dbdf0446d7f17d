//! The fence: holds a line to its plan. From the plan, and what of it was permitted, comes a Landlock domain, which the process puts on before it
//! becomes the real shell. Judges nothing, and asks nobody.
//!
//! Every domain holds writing, making, moving and deleting to the workspace with its git directories, temporary directories, a few devices and the
//! caches of the tools in the line (`rules/fence.toml`); reading to what is no secret of the home; TCP to lines that reach hosts or run code; and
//! signals and abstract sockets to what the line starts itself. An effect beyond that which a person, a rule or a grant permitted widens it by this
//! effect. `docs/fence.md` says what a domain cannot do. A line that may only run contained is held by more: `container` says by what.

mod calls;
mod container;
mod denied;
mod domain;
mod grants;
mod needs;
mod prepared;
mod secrets;
mod signing;
mod stopped;
mod table;
mod verdict;

pub use calls::are_here as has_filters;
pub use container::{Error as ContainerError, Here, Service, holds_this_process};
pub use denied::{Denied, denied};
use domain::Domain;
pub use domain::{Error, Kernel, kernel};
pub use needs::{Misfit, misfit};
pub use prepared::prepare;
pub use stopped::stopped;
pub use verdict::{Verdict, WAY, WAY_OUT, verdict};

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use crate::decision::Authority;
use crate::model::{EffectKind, Facts, Held, HeldBy, Layer, Layers, Over, PathClass};
use crate::policy::{self, Assessment};
use crate::reading::Plan;
use crate::sys;
use container::{Places, View, Way};
use domain::{Holds, Rules};
use grants::{Grants, at_home};
use needs::Needs;
use prepared::Wanted;
use signing::Signing;

/// A line that was let run.
#[derive(Clone, Copy)]
pub struct Line<'l> {
    /// What it will do.
    pub plan: &'l Plan,
    /// What was found in that.
    pub assessment: &'l Assessment,
    /// Who let it run.
    pub authority: Authority,
    /// The layers of its container; none where it runs in none.
    pub layers: Layers,
}

/// Where it runs.
pub struct Ground<'g> {
    /// The world.
    pub facts: &'g Facts,
    /// Git directories of the workspace that stand outside of it.
    pub repositories: Vec<String>,
    /// The directory of the record, where the line may start a guarded shell.
    pub records: Option<String>,
    /// The service, which is the proxy of a line that needs one.
    pub service: Option<PathBuf>,
    /// The directory in which it is said what a proxy was asked for.
    pub asked: Option<PathBuf>,
    /// Where somebody may listen who has made the domain already.
    pub preparer: Option<PathBuf>,
}

/// Whether what a tool keeps is made where it is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    /// It is.
    Yes,
    /// Nothing is changed.
    No,
}

/// What holds a line: what is recorded of it, and how to make its domain.
pub struct Fencing {
    held: Held,
    writes: Option<Grants>,
    reads: Option<secrets::Around>,
    /// The rules, where they were made already.
    ready: Option<OwnedFd>,
    container: Option<View>,
    way: Option<Way>,
}

impl Fencing {
    /// Finds out how a line is held.
    #[must_use]
    pub fn of(line: &Line<'_>, ground: &Ground<'_>, making: Making) -> Self {
        let mut needs = Needs::of(line);
        let facts = ground.facts;
        let is_contained = !line.layers.is_empty();
        let may_sign = !is_contained && needs.tools.iter().any(|tool| tool.signs);
        let signing = may_sign.then(|| signing::signing(facts)).flatten();
        needs.choose(signing.as_ref());
        let grants = Grants::of(&needs, ground, making);
        let needed = needs.reads_freely.is_none().then(|| {
            // What is not known of a line reads no secrets, not those of the tools that it starts either.
            let mut own = if is_contained { Vec::new() } else { secrets_of(&needs, facts) };
            if let Some(Signing::Ssh(Some(key))) = signing {
                own.push(key);
            }
            own
        });
        let (ready, reads) = read(&needs, needed, &grants, ground);
        let container = is_contained.then(|| view(&grants, ground, reads.as_ref()));
        let refused = needs.refused.iter().filter(|path| is_refused(path, &grants, reads.as_ref()));
        let mut refused: Vec<String> = refused.map(|path| (*path).to_owned()).collect();
        refused.dedup();
        let writes = needs.writes_freely.is_none().then_some(grants);
        let way = line.layers.has(Layer::Proxy).then(|| way(line, ground)).flatten();
        let asked = way.as_ref().and_then(|way| way.told.as_ref()?.to_str().map(str::to_owned));
        let held = Held {
            by: HeldBy::Domain,
            layers: line.layers,
            guarded: container.as_ref().map(View::guards).unwrap_or_default(),
            why: needs.writes_freely.or(needs.reads_freely).map(str::to_owned),
            writes: writes.as_ref().map(|grants| grants.base.clone()),
            added: writes
                .iter()
                .flat_map(|grants| &grants.added)
                .map(grants::Grant::noted)
                .collect(),
            secrets: reads.as_ref().map(|reads| reads.kept.clone()),
            tcp: needs.tcp,
            hosts: way.as_ref().map(|way| way.hosts.clone()).unwrap_or_default(),
            asked,
            signals: needs.signals,
            refused,
            leaves: leaves(line),
        };
        Self { held, writes, reads, ready, container, way }
    }

    /// Makes it hold a line that is only tried: other directories take what the line writes in these.
    #[must_use]
    pub fn over(mut self, over: &[Over]) -> Self {
        self.container = self.container.map(|view| view.over(over));
        self.held.guarded.clear();
        self
    }

    /// Returns what is recorded.
    #[must_use]
    pub const fn held(&self) -> &Held {
        &self.held
    }

    /// Puts it on this process and all that it will start, for good: the namespaces of its container, the domain, the filter of system calls.
    pub fn put_on(mut self) -> Result<(), Error> {
        if let Some(view) = &self.container {
            container::enter(view, self.way.as_ref(), self.held.layers)?;
        }
        // What is granted is looked for where the container has it.
        self.domain()?.put_on()?;
        if self.held.layers.has(Layer::Seccomp) {
            container::filter()?;
        }
        Ok(())
    }

    fn domain(&mut self) -> Result<Domain, Error> {
        let holds = Holds {
            writes: self.writes.as_ref(),
            reads: self.reads.as_ref(),
            tcp: self.held.tcp,
            signals: self.held.signals,
        };
        let rules = match self.ready.take() {
            Some(ready) => Rules::of(ready, &holds),
            None => domain::rules(&holds)?,
        };
        Ok(Domain::of(rules, &holds))
    }
}

/// Finds out what a line may read, where that is held: `needed` are the secrets that it may. With the domain, if somebody has made it already.
fn read(
    needs: &Needs<'_>,
    needed: Option<Vec<String>>,
    grants: &Grants,
    ground: &Ground<'_>,
) -> (Option<OwnedFd>, Option<secrets::Around>) {
    let facts = ground.facts;
    let writes = needs.writes_freely.is_none().then_some(grants);
    if let Some(preparer) = &ground.preparer {
        let wanted = Wanted::new(facts, needed.clone(), writes, (needs.tcp, needs.signals));
        if let Some(given) = wanted.ask(preparer) {
            let reads = given.kept.map(secrets::Around::kept);
            return (Some(given.ruleset), reads);
        }
    }
    (None, needed.and_then(|needed| secrets::around(facts, &needed)))
}

/// The way of a contained line to the hosts that its plan names. The file in which its proxy says what was asked for has a name of its own.
fn way(line: &Line<'_>, ground: &Ground<'_>) -> Option<Way> {
    let name = sys::random::digits::<8>().ok();
    Some(Way {
        program: ground.service.clone()?,
        hosts: policy::hosts(line.plan)?,
        told: ground.asked.as_ref().zip(name).map(|(all, name)| all.join(name + ".jsonl")),
    })
}

/// The servers that a line leaves behind, and what becomes of them.
fn leaves(line: &Line<'_>) -> Vec<String> {
    let daemons = line.plan.commands.iter().flat_map(table::daemons);
    let said = daemons.map(|daemon| daemon.says(line.layers));
    said.collect::<BTreeSet<String>>().into_iter().collect()
}

/// What a contained line sees of the files.
fn view(grants: &Grants, ground: &Ground<'_>, reads: Option<&secrets::Around>) -> View {
    let facts = ground.facts;
    let is_cache = |path: &&String| grants.caches.contains(path);
    let own = grants.base.iter().filter(|path| !is_cache(path));
    let added = grants.added.iter().map(|grant| &grant.path);
    let every;
    let secrets = if let Some(around) = reads {
        &around.kept
    } else {
        // Too many entries to grant one by one are hidden one by one all the same.
        every = secrets::all(facts);
        &every
    };
    View::of(&Places {
        facts,
        writable: own.chain(added).map(String::as_str).collect(),
        caches: grants.caches.iter().map(String::as_str).collect(),
        repositories: &ground.repositories,
        secrets,
    })
}

/// The places of secrets that a line reads: those of its tools, and what of them was permitted.
fn secrets_of(needs: &Needs<'_>, facts: &Facts) -> Vec<String> {
    let tools = needs.tools.iter().chain(&needs.indirect);
    let own = tools.flat_map(|tool| tool.secrets).filter_map(|path| at_home(path, facts));
    let is_secret = |class| matches!(class, PathClass::Secret | PathClass::Home | PathClass::Root);
    let permitted = needs.files.iter().filter(|need| {
        need.kind != EffectKind::List && (is_secret(need.class) || need.path.contains('*'))
    });
    let permitted = permitted.map(|need| {
        let place = need.path.split(['*', '?', '[']).next().unwrap_or(need.path);
        place.trim_end_matches('/').to_owned()
    });
    own.chain(permitted).filter(|place| !place.is_empty()).collect()
}

/// Whether a path that a plan names, and nobody permitted, is out of reach.
fn is_refused(path: &str, grants: &Grants, reads: Option<&secrets::Around>) -> bool {
    let is_kept =
        reads.is_some_and(|reads| reads.kept.iter().any(|kept| crate::paths::is_below(path, kept)));
    is_kept || !grants.permit(path, crate::model::Doing::All)
}
