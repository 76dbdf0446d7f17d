# A question, as a person is asked it on a terminal; much of it stands on the page as well.
# Keys and the word that is typed for what is critical are the same in every language. See docs/languages.md.

## Severities: 8 columns at most.

severity-low = low
severity-medium = medium
severity-high = high
severity-critical = critical

## Who asks, and how it stands.

question-asks = guarded-sh asks
question-asked = guarded-sh asked
question-program = a program
question-place-gone = a directory that is gone
question-seconds-left = { $count } s left
question-minutes-left = { $count } min left
question-wants-to-run = { $who } wants to run this in { $place }
question-who-where = { $who } in { $place }
question-nobody-waits = it no longer waits: a yes counts for its next try
question-session = session { $session }
question-more-wait =
    { $count ->
        [one] 1 more waits
       *[other] { $count } more wait
    }
question-too-small = guarded-sh asks, but this terminal is too small to show what: make it { $columns } by { $rows }. Escape denies.
question-left-closed = This question left: { $why }. Esc closes it.
question-left = This question left: { $why }. It takes no answer, and what you type goes nowhere until you press Esc.
question-is-answered = It is answered: { $how }.
question-no-answer-needed = no answer is needed any more

## Why it is asked. The first two stand in the column of the severities: 9 columns at most.

question-fence = fence
question-model = model
question-more-reasons =
    { $count ->
        [one] 1 more reason
       *[other] { $count } more reasons
    }
question-safer = safer: { $line }
question-not-held = it is not held
question-held-to-nothing = holds it to nothing after a yes: { $why }
question-held-with-tcp = lets it write { $writes }, and use TCP, after a yes
question-held-without-tcp = lets it write { $writes }, and not use TCP, after a yes
question-anywhere = anywhere
question-in-places =
    { $more ->
        [0] in { $places }
       *[other] in { $places } and { $more } more
    }
question-no-opinion = no second opinion: { $why }
question-model-notes = { $model } notes: { $note }
question-model-within = { $model } finds it within the task, { $score } of 100 safe
question-model-wider = { $model } finds it wider than the task, { $score } of 100 safe
question-model-unclear = { $model } cannot tell, { $score } of 100 safe

## The answers: 10 columns at most for what is chosen, any for what it does.

choice-deny = deny
choice-once = once
choice-session = session…
choice-always = always…
choice-deny-does = with the reason
choice-once-by-word = this one run; you type a word for it
choice-session-does = until the session ends; you see for what
choice-always-does = writes a rule; you see it first
choice-place = { $at } of { $count }
choice-back = back
choice-keep = keep what it did
choice-write = write the rule, and run the line
choice-stop = deny, and end the agent

## What an answer covers.

question-once-covers = this one run: this very line, in this directory
question-for-session = Until { $who }'s session ends, allow:
question-commands = { $rest } and { $last }
question-same = the same
question-other-lines-too = { $commands }, in other lines too
question-only-this-line = only this same line
question-byte-for-byte = byte for byte, in { $place }
question-exactly = exactly { $words }
question-more-things =
    { $count ->
        [one] 1 more thing that this line does
       *[other] { $count } more things that this line does
    }
question-no-worse = no worse than { $severity }
question-no-worse-and-only = no worse than { $severity }, and nothing but:
question-any-package = installs packages from the registry, whichever
question-same-inside = { $does }, and the same to others inside the workspace
question-same-built = { $does }, and the same to others of the build's output
question-same-temporary = { $does }, and the same to others below temporary directories
question-rule = This rule would be written into your own rules, for good:
question-no-rule = no rule was written: { $why }

## What keys do: as short as possible, they stand side by side.

key-more = more
key-choose = choose
key-takes = takes it
key-allows = allows it
key-edit = edit
key-deny-and-say = deny, say why
key-deny-and-end = deny, end agent
key-denies-and-sends = denies and sends
key-try = try
key-explain = explain
key-back = back
key-done = done
key-new-line = new line
key-scroll = scroll
key-next-question = shows the next question
key-closes = closes this

## What is written.

question-type-word = This can do great harm. To run it, type { $word } and press Enter:
question-deny-and-tell = Deny it, and tell { $who }:
question-stop = Deny it, and end { $who }: what asked is told to end (SIGTERM), and is killed if it has not after 5 seconds. What it had not saved is lost.
question-edit = Edit the line. It is judged like any other before it runs.
question-not-the-word = that is not the word
question-nothing-to-run = there is nothing to run
question-nothing-changed = nothing was changed

## Keys that do not count.

question-moment = one moment…
question-keys-held = one moment: keys do not count yet
question-keys-early = keys typed before you could read this were dropped; one moment
question-keys-in-burst = keys typed this fast were dropped; one moment, then press one
question-keys-for-nothing = that went nowhere: Esc closes this
question-key-too-fast = that key came too fast behind the text: press it again
question-key-unknown = that key means nothing here; one moment
question-pasted = what is pasted is no answer; one moment
question-unseen = this part asks too: read it, then press Enter again
question-disturbed = another program wrote over this: it was drawn again, so read it anew
question-disturbing = another program wrote over this; one moment: keys do not count yet

## A line that is tried.

question-trying = It is being tried, where it changes nothing: no network, no secrets, and what it writes is put aside.
question-not-tried = It could not be tried: { $why }.
question-not-kept = It cannot be kept: { $why }. Nothing was changed.
trial-ended = Tried: { $how }. Nothing was changed.
trial-untried = Not tried: { $what }.
trial-printed = It printed:
trial-nothing = It would change nothing in the workspace.
trial-unreadable = What it would change cannot be read: { $why }

## What was answered: `It is answered: …`, `you said: …`, and in a list by one word of 10 columns at most.

answered-denied = denied
answered-stopped = denied, and the agent ended
answered-denied-with = denied, with the message: { $message }
answered-once = allowed once
answered-session = allowed until the session ends, in other lines too
answered-session-line = this same line allowed until the session ends
answered-always = allowed for good
answered-edited = to be this line: { $line }
answered-kept = carried out as it was tried
short-denied = denied
short-once = once
short-session = session
short-always = always
short-edited = edited
short-kept = kept
