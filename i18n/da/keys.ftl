enter-title = Åbn siden
enter-unknown = Denne browser kendes ikke her, eller ikke længere.
enter-how = Siden åbnes med en kode, der gives, hvor den blev startet: `guarded-sh page` viser den, og en ny ved hvert tryk på Enter dér.
enter-code = Kode
enter-open = Åbn
enter-no-script = Uden JavaScript kan man se, men ikke svare: svar signeres med en nøgle, der bliver i browseren.
enter-used = Denne kode er brugt eller for gammel: hent en ny, hvor siden blev startet.
enter-no-key = Det, der kom, er ikke en offentlig nøgle (P-256, ukomprimeret).

codes-page = Siden er på
codes-passkey = En adgangsnøgle registreres på
codes-elsewhere = og andre steder fra på
codes-once = Koden i den gælder én gang, i { $minutes } minutter. Enter giver en ny, `passkey` en, der registrerer en adgangsnøgle, Ctrl-C slutter.

keys-title = Adgangsnøgler
keys-for = Et ja til det alvorlige kan kræve berøring af en adgangsnøgle: `page.passkey` er `{ $needed }`. Det, der styrer denne browser uden personen, kan ikke berøre den.
keys-count =
    { $count ->
        [0] Ingen er registreret for `{ $host }`.
        [one] Én er registreret for `{ $host }`.
       *[other] { $count } er registreret for `{ $host }`.
    }
keys-host = Adresse
keys-made = Registreret
keys-used = Sidst brugt
keys-last = Det er den sidste for `{ $host }`. Når den er fjernet, afvises dér det, der kræver en adgangsnøgle, indtil en anden er registreret.
keys-remove = Fjern
keys-removed = Adgangsnøglen { $name } er fjernet.
keys-removed-last = Adgangsnøglen { $name } er fjernet. Det var den sidste for { $host }: det, der kræver en adgangsnøgle, afvises dér, indtil en anden er registreret.
keys-gone = Den adgangsnøgle findes ikke.
keys-elsewhere = Adgangsnøgler fjernes på selve maskinen.
keys-new = En ny kræver en kode derfra, hvor siden blev startet: tast `passkey` og Enter dér.
keys-register = Registrer en adgangsnøgle
keys-registered = Den er registreret.
keys-not-registered = Ikke registreret
keys-no-script = Adgangsnøgler kræver JavaScript.
keys-looks = Herfra besvares intet.

keys-none = dette kræver en adgangsnøgle, og ingen er registreret for denne adresse
keys-untouched = dette kræver berøring af en adgangsnøgle
keys-strange = denne adgangsnøgle er ikke registreret her
keys-client = det, browseren siger om adgangsnøglen, passer ikke: { $why }
keys-authenticator = det, adgangsnøglen siger, passer ikke: { $why }
keys-signature = det er ikke signeret med denne adgangsnøgle
keys-counter = tælleren i denne adgangsnøgle gik tilbage: der kan være en kopi af den
keys-full = der gemmes ikke flere adgangsnøgler: fjern en
keys-unkept = adgangsnøglerne kan ikke gemmes: { $why }
