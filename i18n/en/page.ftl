# The page. What it shares with questions on a terminal stands in question.ftl.

## The head of every page.

page-skip = Skip to the page
page-pages = Pages
page-leave = Leave
page-the-line = The line
page-now = Now
page-live = Live
page-transcripts = Transcripts
page-rules = Rules
page-settings = Settings
page-prompts = Prompts
page-agents = Agents
page-sessions = Sessions
page-overview = Overview
page-history = History
page-try = Playground

## Now: what waits for an answer.

now-no-key = This browser can look, and not answer: it has no key. Open the page with a new code to pair it.
now-no-script = Without JavaScript this page shows how it stood when it was loaded, and cannot answer.
now-empty = Nothing waits for an answer.
now-no-host = No session is followed: start an agent with `guarded-sh run`, or the service with `guarded-sh serve`.
now-hosts =
    { $count ->
        [one] One host is followed.
       *[other] { $count } hosts are followed.
    }
now-answered = Answered lately
now-question = Question { $id }
# Between who asks and the directory.
now-in = in
now-waits = it waits
now-left = nobody waits any more: a yes counts for its next try
now-trying = It is being tried…
now-deny = Deny
now-once = Allow once
now-try = Try it first
now-keep = Keep what it did
now-type-word = Type `{ $word }` to run it once
now-more = Deny with a message, or change the line
now-more-stop = Deny with a message, end the agent, or change the line
now-stop = Deny, and end the agent
now-together = { $count } questions of { $commands }: answer them together
now-deny-each = Deny each of these
now-once-each = Allow each of these once
now-looks = From here you can look, and not answer: `page.remote.answer` of the settings says so.
now-message = What the agent is told
now-deny-with = Deny with this message
now-edit = The line that is judged in its place
now-judge = Have this line judged instead
now-session = Allow for the session
now-allow-this = Allow this for the session
now-always = Allow always: this rule is written
now-write = Write this rule, and allow it

## Live: decisions as they are made.

live-filter = Filter
live-text = Text
live-agent = Agent
live-session = Session
live-project = Project
live-action = Action
live-least = At least
live-any = any
live-pause = Pause
live-no-script = Without JavaScript this page shows the newest calls as they were when it was loaded.
action-allow = allow
action-contain = contain
action-ask = ask
action-deny = deny

## Calls in a table.

rows-calls = Calls
rows-when = When
rows-agent = Agent
rows-severity = Severity
rows-happened = What happened
rows-line = Line

## Files that lines changed, as undo kept what was there before.

files-title = Files
files-link = What became of the files
files-from-undo = What undo kept before lines, beside what stands there now. Files that are changed without a line of the shell are not among them.
files-nothing-kept = Undo kept nothing before these lines.
files-as-they-were = All of it is as it was.
files-made = made
files-changed = changed
files-deleted = deleted
files-dressed = other permissions or another time
files-more =
    { $count ->
        [one] 1 path more is not shown.
       *[other] { $count } paths more are not shown.
    }
files-lines =
    { $count ->
        [one] 1 line more is not shown.
       *[other] { $count } lines more are not shown.
    }
files-unread = Not read: { $what }

## What scripts say. Seconds, minutes and hours, each without a space in it.

script-units = s min h
script-unknown = this browser is not known here any more
script-no-key = this browser has no key: open the page with a new code to pair it
script-not-taken = Not taken
script-unreached = The page is not reached at the moment: what is shown may be old.
