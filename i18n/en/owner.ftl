# The pages on which the owner tries and changes something. Names of settings, rules, files and commands stay as they are.

## Changes, wherever they are made.

change-save = Save it
change-written = { $file } is written
change-not-made = Not changed
change-no-script = Without JavaScript nothing can be changed: a change is signed with a key that stays in the browser.
change-what = What changes
change-looking = Looking…
change-place = line { $line }, column { $column }:

## Rules.

rules-intro = Your own rules, which count beside those that are built in. A rule brings its examples: lines on which it fires and lines on which it does not.
rules-files = Files of rules
rules-new = a new file
rules-where = They are in `{ $path }`.
rules-name = Name of the file, without `.toml`
rules-check = Check
rules-try = Try it on the record
rules-same = The file says so already.
rules-not-yet = It can be saved once all of its examples hold.
rules-save = Save these rules
rules-written = { $file } is written: its rules count from now on
rules-no-examples = It has no examples.
# Whether an example does.
rules-holds = holds
rules-fails = fails
rules-tried = Tried on the record
rules-no-change = It would have changed nothing of the last week: { $lines }.
rules-changes =
    { $count ->
        [one] It would have changed 1 decision of the last week. Tried: { $lines }.
       *[other] It would have changed { $count } decisions of the last week. Tried: { $lines }.
    }
rules-lines =
    { $count ->
        [one] one line
       *[other] { $count } different lines
    }
rules-times = { $count } times
rules-more = And { $count } more lines.
# What becomes of a line of the past.
rules-runs = runs
rules-contained = runs contained
rules-asked = is asked about
rules-refused = is refused

## Settings.

settings-intro = What is in force, and where it comes from. Changes are written into your own file; what a machine's policy locks stays.
settings-directory = As it is in the directory
settings-home = your home
settings-show = Show
settings-broken = The settings are broken, and every line is refused until they are mended:
settings-files = Files, later ones on top
settings-not-there = (not there)
settings-whole = Your file as a whole
settings-changes = Show what changes
settings-general = General
settings-locked = The machine's policy locks it: `{ $where }`
settings-in-whole = It is changed in the file as a whole.
settings-value = Value
settings-remove = Take it out of my file
settings-same = Nothing changes: your file says so already.
settings-ignored = { $file } is written, and not all of it counts: { $what }
# Where a value comes from.
settings-default = default
settings-session = session
settings-unset = not set

## Prompts.

prompts-intro = What a language model is told where your settings have one asked. A part that you do not change follows the program's updates.
prompts-parts = Parts
prompts-yours = { $part } (yours)
prompts-own = Yours, in `{ $path }`.
prompts-built-in = It is built in.
prompts-text = What a model is told
prompts-placeholders = Placeholders
prompts-needed = needed
# Two names of prompts follow, each a link.
prompts-common = `{ $common }` stands for what the prompts of one kind have in common:
prompts-line = Shown with the line
prompts-check = Check and preview
prompts-back = Go back to what is built in
prompts-remove = Remove my text
prompts-same = Nothing changes: that is what a model is told already.
prompts-preview = What a model would read
prompts-again = { $part } is what is built in again
measured-title = Models, measured
measured-none = No model was measured yet. `guarded-sh judge eval FILE` asks the configured models about lines that you labelled, and runs nothing.
measured-runs =
    { $count ->
        [one] each row asked about once
       *[other] each row asked about { $count } times
    }
measured-so-far = { $done } of { $rows } rows are done:
measured-cut = It was ended early: { $done } of { $rows } rows were done.

## Agents.

agents-intro = The agents that are on this machine, and whether what they run is judged. That is not believed of any setting: what the agent would start is started, and must refuse what is not harmless.
agents-look = Look at them
agents-none = No agent was found here.
agents-shell = Shell
agents-hooks = Hooks
agents-guarded = guarded
agents-not-guarded = not guarded
agents-to-do = To do:
agents-install = Install…
agents-uninstall = Uninstall…
agents-change = Change these files
agents-installed = the guard is installed into { $agent }: it counts from its next start
agents-uninstalled = the guard is taken out of { $agent }

## Suggestions.

suggest-title = Suggestions
suggest-less = What would have asked less
suggest-look = Look for it in the record
suggest-damaged = A part of the record is damaged, and was not looked at.
suggest-none = No change of settings would have spared { $count } answers of the last 30 days that were all yes.
suggest-yes =
    { $count ->
        [one] You said yes once, and never no, to what it lets run:
       *[other] You said yes { $count } times, and never no, to what it lets run:
    }
suggest-nothing-else = It would have let through nothing else of what was asked about.
suggest-others = It would also have let through what nobody answered:
suggest-take = Take it
suggest-write = Write it into my settings
suggest-more = And { $count } more.

## The playground.

try-intro = A line as an agent would send it. It is judged as you type, and nothing runs.
try-rules = Rules are written and tried beside it.
try-directory = Directory
try-other = What if something were other
try-profile = Profile
try-as-it-is = as it is
try-threshold = Threshold: the score, 0 to 100, from which lines run at once
try-rule = A rule, or some
try-judge = Judge it
try-verdict = How it is judged
try-now = As it is
try-then = As it would be
try-mistakes = The rule cannot be used:
# What becomes of a line.
try-runs = runs
try-contained = runs contained
try-asks = asks
try-refused = is refused
try-safe = { $score } of 100 safe
# Names and numbers of what a line was judged by; µs are microseconds.
try-terms = Profile { $profile }, threshold { $threshold }, judged in { $micros } µs.
try-instead = Instead: `{ $line }`
try-plan = The plan: what will run, and what it does
try-nothing = Nothing.
try-unread = Not known: the line cannot be read.
try-more = And { $count } more commands.
try-no-command = (a redirection or an assignment)
try-quieter = What would make it quieter
try-share = Share it as text
try-shared = The judgement as text
try-copy = Copy
try-copied = Copied.
try-copy-keys = Press Ctrl-C to copy what is selected.
