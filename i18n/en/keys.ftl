# How a browser gets in, and passkeys.

## The page that takes a code.

enter-title = Open the page
enter-unknown = This browser is not known here, or no longer.
enter-how = The page opens with a code that is given where it was started: `guarded-sh page` prints it, and again each time Enter is pressed there.
enter-code = Code
enter-open = Open
enter-no-script = Without JavaScript you can look, and not answer: answers are signed with a key that stays in the browser.
enter-used = This code was used, or is too old: get a new one where the page was started.
enter-no-key = What came is no public key (P-256, uncompressed).

## What a terminal says of addresses and codes. An address follows on a line of its own.

codes-page = The page is at
codes-passkey = A passkey is registered at
codes-elsewhere = and from elsewhere at
codes-once = The code in it counts once, for { $minutes } minutes. Enter gives another one, `passkey` one that registers a passkey, Ctrl-C ends.

## Passkeys.

keys-title = Passkeys
keys-for = A yes to what is severe can take the touch of a passkey: `page.passkey` is `{ $needed }`. What drives this browser without you cannot touch it.
keys-count =
    { $count ->
        [0] None is registered for `{ $host }`.
        [one] One is registered for `{ $host }`.
       *[other] { $count } are registered for `{ $host }`.
    }
keys-host = Address
keys-made = Registered
keys-used = Last used
keys-last = It is the last one for `{ $host }`. Once it is removed, what takes a passkey is refused there until another one is registered.
keys-remove = Remove
keys-removed = The passkey { $name } is removed.
keys-removed-last = The passkey { $name } is removed. It was the last one for { $host }: what takes a passkey is refused there until another one is registered.
keys-gone = There is no such passkey.
keys-elsewhere = Passkeys are removed on the machine itself.
keys-new = A new one takes a code from where the page was started: type `passkey` and Enter there.
keys-register = Register a passkey
keys-registered = It is registered.
keys-not-registered = Not registered
keys-no-script = Passkeys take JavaScript.
keys-looks = From here nothing is answered.

## Why one is not taken. These stand behind a colon.

keys-none = this takes a passkey, and none is registered for this address
keys-untouched = this takes the touch of a passkey
keys-strange = this passkey is not registered here
keys-client = the browser's word about the passkey does not fit: { $why }
keys-authenticator = what the passkey says does not fit: { $why }
keys-signature = it is not signed with the key of this passkey
keys-counter = the counter of this passkey went back: there may be a copy of it
keys-full = there are as many passkeys as are kept: remove one
keys-unkept = the passkeys cannot be kept: { $why }
