# The pages about what was: the overview, the history, sessions, transcripts and calls. What is found in lines and what became of them stands in found.ftl.

## All of these pages.

record-reading = The record is being read:
record-not-all = What is shown is not all of it yet.
record-read = All of the record is read. Load the page again to see it.
record-part = { $part } %
record-earlier = Earlier
record-not-here = Not from here
record-only-here = This is seen and changed in a browser on the machine itself.
record-times =
    { $count ->
        [one] once
       *[other] { $count } times
    }
# What became of something may stand before it: `status 0 · took 1.2 s`.
record-status = status { $status }
record-took = took { $time }
record-tenths = { $whole }.{ $tenths } s
record-seconds = { $count } s
record-minutes = { $count } min
record-hours = { $count } h

## How a line ended. Names of files follow what was made or changed.

ended-signal = ended by a signal
ended-unforeseen =
    { $count ->
        [one] 1 program ran that was not foreseen
       *[other] { $count } programs ran that were not foreseen
    }
ended-made = made
ended-changed = changed
ended-more = and { $count } more

## Overview.

overview-unverified = The record does not verify: { $why }
overview-hosts =
    { $count ->
        [0] No host is followed.
        [one] One host is followed.
       *[other] { $count } hosts are followed.
    }
overview-waiting =
    { $count ->
        [0] No question waits
        [one] One question waits
       *[other] { $count } questions wait
    }
overview-far = How far back
overview-day = a day
overview-week = a week
overview-weeks = four weeks
overview-empty = Nothing was decided in this time.
overview-coverage = Coverage
overview-uncovered = Calls without a decision of ours
overview-uncovered-in =
    { $count ->
        [one] { $count } of the { $checked } transcripts written last that were looked at has some:
       *[other] { $count } of the { $checked } transcripts written last that were looked at have some:
    }
overview-uncovered-of = { $count } of { $checked }
overview-still =
    { $count ->
        [one] One of the newest transcripts is still being read.
       *[other] { $count } of the newest transcripts are still being read.
    }
overview-decided = Decided
overview-ran = Ran unasked or by a yes
overview-contained = Ran contained
overview-asked = Asked about
overview-to-agent = Left to the agent to ask
overview-refused = Refused
overview-shadow = In shadow mode
overview-waited = People were waited for
overview-judged = A model was asked
overview-spent = Spent on models today
overview-cost = { $calls } calls, { $tokens } tokens, { $money } by your prices
overview-share = { $count } ({ $percent } %)
overview-most = What was asked about most
overview-nothing = Nothing.
overview-rule = Rule
overview-rule-times = Times
overview-chart = What was decided, in { $columns } columns, at most { $most } in one
overview-bar = { $when }: { $ran } ran, { $refused } refused; { $asked } of them asked about
overview-bar-ran = ran
overview-bar-refused = refused
overview-bar-asked = asked about
overview-scale =
    { $hours ->
        [one] A column is an hour, the tallest has { $most }.
       *[other] A column is { $hours } hours, the tallest has { $most }.
    }

## History.

history-rule = Rule
history-search = Search
history-empty = Nothing in the record fits.
history-count =
    { $count ->
        [one] One call.
       *[other] { $count } calls.
    }
history-newest = The newest { $count }; there may be older ones.

## Sessions.

sessions-empty = The record has no session yet.
sessions-last = Last
sessions-asked = Asked
sessions-refused = Refused
session-more = There is more:
session-load = load it
session-empty = The record has nothing of this session.
session-no-agent = unknown agent
session-time = Time
session-decided = Decided
session-counts = { $calls }, asked about { $asked }, refused { $refused }
session-export = Export:
session-transcript = Transcript
session-kept-by = as { $agent } keeps it
session-files = Files written or changed, as its calls name them: { $count }

## A session or a transcript as a time line.

timeline-person = Person
timeline-model = Model
timeline-thought = Model, to itself
timeline-client = Client
# Beside a time: a model that the agent's model started; what the person took back.
timeline-helper = helper
timeline-withdrawn = taken back
timeline-rest =
    { $count ->
        [one] 1 byte more is not shown.
       *[other] { $count } bytes more are not shown.
    }
timeline-got = What it got
timeline-got-and-came = What it got, and what came of it
timeline-came = What came of it
timeline-earlier-came = What came of an earlier call
timeline-input = Input
timeline-output = Output
timeline-failed = failed
timeline-none = No decision
timeline-none-yet = No decision yet
timeline-none-of-ours = No decision of ours
timeline-decided = Decided
# How it is known that a decision belongs to a call; between brackets.
timeline-by-id = matched by id
timeline-by-content = matched by content
timeline-by-several = matched by content, several have it
timeline-tokens = Tokens:
timeline-tokens-in = { $count } in
timeline-tokens-out = { $count } out
timeline-tokens-cached = { $count } read from cache
timeline-tokens-written = { $count } written to cache
timeline-cost = Cost: { $cost }

## Transcripts: what agents keep of their sessions.

transcripts-evidence = What agents keep of their sessions themselves. An agent can write it: it is evidence, and never authority.
transcripts-all = all
transcripts-empty = There is no transcript.
transcripts-looked = Looked for in:
transcripts-size = Size
transcripts-project = Project, and how it began
transcripts-newer = Newer
transcripts-older = Older
transcripts-count = { $count } in all
transcript-in-record = The session in the record
transcript-newest = Newest
transcript-later = Later
transcript-further = Further
transcript-nothing = Nothing is said on this page.
transcript-reading = It is being read:
transcript-not-all = Sums and coverage are not of all of it yet.
transcript-prompts = Prompts
transcript-calls = Tool calls
transcript-used = Used
transcript-damage = Damage
transcript-damaged =
    { $count ->
        [one] 1 line of which not all can be read
       *[other] { $count } lines of which not all can be read
    }
transcript-uncovered =
    { $count ->
        [one] { $count } of { $checked } calls that run commands or change files has no decision of ours.
       *[other] { $count } of { $checked } calls that run commands or change files have no decision of ours.
    }
transcript-either = Either they ran past the guard, or the transcript does not tell the truth: the agent can write it. It is evidence, and never authority.
transcript-which = Which
transcript-more = And { $count } more.
# Where no time is known: a link to the place.
transcript-there = There
transcript-covered =
    { $count ->
        [one] The one call that runs commands or changes files has a decision of ours.
       *[other] Each of the { $count } calls that run commands or change files has a decision of ours.
    }
transcript-older =
    { $count ->
        [one] 1 call is older than the record.
       *[other] { $count } calls are older than the record.
    }
transcript-uncompared =
    { $count ->
        [one] 1 call more is too many to be compared with the record.
       *[other] { $count } calls more are too many to be compared with the record.
    }

## One call.

call-one = Call
call-title = Call { $number }
call-more-bytes =
    { $count ->
        [one] and 1 byte more
       *[other] and { $count } bytes more
    }
call-kept = What the agent keeps of it
call-directory = Directory
call-claims = It claims
call-ended = Ended
call-before = Kept before
call-undo = What it changed stands in `{ $command }`
call-score = Score
call-safe = { $score } of 100 safe
call-judged = Judged in
call-micros = { $count } µs
call-found = What was found
call-again = How it would be judged now, in full
call-course = Who saw it, and what was decided
# By which door a record came.
call-hook = the hook { $event }
call-hook-of = the hook { $event } of { $tool }
call-asked-terminal = a person was asked at the terminal; { $came }
call-asked-host = a person was asked at the host; { $came }
call-asked-question = a person was asked at the host (question { $id }); { $came }
call-no-answer = nobody answered for { $time }
call-model-answered = a model answered after { $time }
call-answered = answered after { $time }
# The proof: `at a terminal`, `by a program with a token`.
call-answered-by = answered after { $time } { $proof }
call-paused = { $told } (paused { $by })
