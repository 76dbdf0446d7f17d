change-save = Gem
change-written = { $file } er skrevet
change-not-made = Ikke ændret
change-no-script = Uden JavaScript kan intet ændres: en ændring signeres med en nøgle, der bliver i browseren.
change-what = Hvad der ændres
change-looking = Ser efter…
change-place = linje { $line }, kolonne { $column }:

rules-intro = De egne regler, som gælder ved siden af de indbyggede. En regel har sine eksempler med: linjer, den slår til på, og linjer, den ikke slår til på.
rules-files = Regelfiler
rules-new = ny fil
rules-where = De ligger i `{ $path }`.
rules-name = Filens navn uden `.toml`
rules-check = Kontrollér
rules-try = Prøv på optegnelsen
rules-same = Det står allerede i filen.
rules-not-yet = Den kan gemmes, når alle eksempler passer.
rules-save = Gem reglerne
rules-written = { $file } er skrevet: reglerne gælder fra nu af
rules-no-examples = Ingen eksempler.
rules-holds = passer
rules-fails = passer ikke
rules-tried = Prøvet på optegnelsen
rules-no-change = Intet i den sidste uge ville være ændret: { $lines }.
rules-changes =
    { $count ->
        [one] 1 afgørelse i den sidste uge ville være ændret. Prøvet: { $lines }.
       *[other] { $count } afgørelser i den sidste uge ville være ændret. Prøvet: { $lines }.
    }
rules-lines =
    { $count ->
        [one] én linje
       *[other] { $count } forskellige linjer
    }
rules-times = { $count } gange
rules-more = Og { $count } linjer til.
rules-runs = kører
rules-contained = kører indhegnet
rules-asked = der spørges
rules-refused = afvises

settings-intro = Hvad der gælder, og hvor det kommer fra. Ændringer skrives i den egne fil; det, som maskinens politik låser, bliver.
settings-directory = Som i mappen
settings-home = hjemmemappen
settings-show = Vis
settings-broken = Indstillingerne har fejl, og hver linje afvises, til de er rettet:
settings-files = Filer, de sidste går forud
settings-not-there = (findes ikke)
settings-whole = Hele den egne fil
settings-changes = Vis, hvad der ændres
settings-general = Generelt
settings-locked = Maskinens politik låser den: `{ $where }`
settings-in-whole = Den ændres i hele filen.
settings-value = Værdi
settings-remove = Tag den ud af den egne fil
settings-same = Intet ændres: det står allerede i den egne fil.
settings-ignored = { $file } er skrevet, men ikke alt tæller: { $what }
settings-default = standard
settings-session = session
settings-unset = ikke sat

prompts-intro = Hvad en sprogmodel får at vide, når indstillingerne lader en spørge. En del, der ikke er ændret, følger programmets opdateringer.
prompts-parts = Dele
prompts-yours = { $part } (egen)
prompts-own = Egen tekst, i `{ $path }`.
prompts-built-in = Teksten er indbygget.
prompts-text = Hvad en model får at vide
prompts-placeholders = Pladsholdere
prompts-needed = nødvendig
prompts-common = `{ $common }` står for det, som prompter af én slags har til fælles:
prompts-line = Vist med linjen
prompts-check = Kontrollér og vis eksempel
prompts-back = Tilbage til den indbyggede tekst
prompts-remove = Fjern den egne tekst
prompts-same = Intet ændres: det får en model allerede at vide.
prompts-preview = Hvad en model ville læse
prompts-again = { $part } er igen den indbyggede tekst
measured-title = Modeller, målt
measured-none = Ingen model er målt endnu. `guarded-sh judge eval FIL` spørger de indstillede modeller om linjer, som du har bedømt, og kører intet.
measured-runs =
    { $count ->
        [one] spurgt én gang om hver række
       *[other] spurgt { $count } gange om hver række
    }
measured-so-far = { $done } af { $rows } rækker er færdige:
measured-cut = Den blev afsluttet før tid: { $done } af { $rows } rækker var færdige.

agents-intro = Agenterne på denne maskine, og om det, de kører, bedømmes. Ingen indstilling tages for gode varer: det, agenten ville starte, startes og skal afvise, hvad der ikke er harmløst.
agents-look = Se efter
agents-none = Ingen agent fundet her.
agents-shell = Shell
agents-hooks = Hooks
agents-guarded = bevogtet
agents-not-guarded = ikke bevogtet
agents-to-do = Skal gøres:
agents-install = Installér…
agents-uninstall = Afinstallér…
agents-change = Ændr disse filer
agents-installed = vagten er installeret i { $agent }: den gælder fra næste start
agents-uninstalled = vagten er taget ud af { $agent }

suggest-title = Forslag
suggest-less = Hvad der ville have spurgt mindre
suggest-look = Led efter det i optegnelsen
suggest-damaged = En del af optegnelsen er beskadiget og blev ikke gennemset.
suggest-none = Ingen ændring af indstillingerne ville have sparet { $count } svar i de sidste 30 dage, som alle var ja.
suggest-yes =
    { $count ->
        [one] Det, der så ville køre, er tilladt én gang og aldrig afvist:
       *[other] Det, der så ville køre, er tilladt { $count } gange og aldrig afvist:
    }
suggest-nothing-else = Af det, der blev spurgt om, ville intet andet være sluppet igennem.
suggest-others = Det, som ingen svarede på, ville også være sluppet igennem:
suggest-take = Tag imod det
suggest-write = Skriv det i de egne indstillinger
suggest-more = Og { $count } til.

try-intro = En linje, som en agent ville sende den. Den bedømmes under indtastningen, og intet køres.
try-rules = Regler skrives og prøves ved siden af.
try-directory = Mappe
try-other = Hvad hvis noget var anderledes
try-profile = Profil
try-as-it-is = som den er
try-threshold = Tærskel: den score, 0 til 100, hvorfra linjer kører straks
try-rule = En regel eller flere
try-judge = Bedøm
try-verdict = Hvordan den bedømmes
try-now = Som det er
try-then = Som det ville være
try-mistakes = Reglen kan ikke bruges:
try-runs = kører
try-contained = kører indhegnet
try-asks = spørger
try-refused = afvises
try-safe = { $score } af 100 sikkert
try-terms = Profil { $profile }, tærskel { $threshold }, bedømt på { $micros } µs.
try-instead = I stedet: `{ $line }`
try-plan = Planen: hvad der vil køre, og hvad det gør
try-nothing = Intet.
try-unread = Ukendt: linjen kan ikke læses.
try-more = Og { $count } kommandoer til.
try-no-command = (en omdirigering eller en tildeling)
try-quieter = Hvad der ville spørge mindre
try-share = Del som tekst
try-shared = Bedømmelsen som tekst
try-copy = Kopiér
try-copied = Kopieret.
try-copy-keys = Ctrl-C kopierer det markerede.
