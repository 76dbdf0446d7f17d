change-save = Enregistrer
change-written = { $file } est écrit
change-not-made = Non modifié
change-no-script = Sans JavaScript, rien ne peut être modifié : une modification est signée avec une clé qui reste dans le navigateur.
change-what = Ce qui change
change-looking = Recherche…
change-place = ligne { $line }, colonne { $column } :

rules-intro = Les règles personnelles, qui comptent à côté des règles intégrées. Une règle apporte ses exemples : des lignes où elle se déclenche et des lignes où elle ne se déclenche pas.
rules-files = Fichiers de règles
rules-new = nouveau fichier
rules-where = Elles sont dans `{ $path }`.
rules-name = Nom du fichier, sans `.toml`
rules-check = Vérifier
rules-try = Essayer sur l’enregistrement
rules-same = Le fichier le dit déjà.
rules-not-yet = Il pourra être enregistré quand tous ses exemples seront justes.
rules-save = Enregistrer ces règles
rules-written = { $file } est écrit : ses règles comptent dès maintenant
rules-no-examples = Aucun exemple.
rules-holds = juste
rules-fails = faux
rules-tried = Essayé sur l’enregistrement
rules-no-change = Rien n’aurait changé la semaine passée : { $lines }.
rules-changes =
    { $count ->
        [one] 1 décision de la semaine passée aurait changé. Essayé : { $lines }.
       *[other] { $count } décisions de la semaine passée auraient changé. Essayé : { $lines }.
    }
rules-lines =
    { $count ->
        [one] une ligne
       *[other] { $count } lignes différentes
    }
rules-times = { $count } fois
rules-more = Et { $count } autres lignes.
rules-runs = s’exécute
rules-contained = s’exécute clôturée
rules-asked = fait l’objet d’une question
rules-refused = est refusée

settings-intro = Ce qui est en vigueur, et d’où cela vient. Les modifications vont dans le fichier personnel ; ce que la politique de la machine verrouille reste.
settings-directory = Tel que dans le répertoire
settings-home = répertoire personnel
settings-show = Montrer
settings-broken = Les réglages sont fautifs, et chaque ligne est refusée jusqu’à leur correction :
settings-files = Fichiers, les derniers l’emportent
settings-not-there = (absent)
settings-whole = Le fichier personnel en entier
settings-changes = Montrer ce qui change
settings-general = Général
settings-locked = La politique de la machine le verrouille : `{ $where }`
settings-in-whole = À modifier dans le fichier en entier.
settings-value = Valeur
settings-remove = Retirer du fichier personnel
settings-same = Rien ne change : le fichier personnel le dit déjà.
settings-ignored = { $file } est écrit, mais tout n’y compte pas : { $what }
settings-default = par défaut
settings-session = session
settings-unset = non défini

prompts-intro = Ce qui est dit à un modèle de langage, quand les réglages en font interroger un. Une partie non modifiée suit les mises à jour du programme.
prompts-parts = Parties
prompts-yours = { $part } (personnelle)
prompts-own = Texte personnel, dans `{ $path }`.
prompts-built-in = Le texte est intégré.
prompts-text = Ce qui est dit à un modèle
prompts-placeholders = Paramètres
prompts-needed = requis
prompts-common = `{ $common }` représente ce que les prompts d’un même genre ont en commun :
prompts-line = Montré avec la ligne
prompts-check = Vérifier et prévisualiser
prompts-back = Revenir au texte intégré
prompts-remove = Supprimer le texte personnel
prompts-same = Rien ne change : c’est déjà ce qui est dit à un modèle.
prompts-preview = Ce qu’un modèle lirait
prompts-again = { $part } est de nouveau le texte intégré
measured-title = Modèles, mesurés
measured-none = Aucun modèle n’a encore été mesuré. `guarded-sh judge eval FICHIER` interroge les modèles configurés sur des lignes que vous avez étiquetées, et n’exécute rien.
measured-runs =
    { $count ->
        [one] chaque ligne est demandée une fois
       *[other] chaque ligne est demandée { $count } fois
    }
measured-so-far = { $done } lignes sur { $rows } sont faites :
measured-cut = Arrêtée avant la fin : { $done } lignes sur { $rows } étaient faites.

agents-intro = Les agents présents sur cette machine, et si ce qu’ils exécutent est jugé. Aucun réglage n’est cru sur parole : ce que l’agent lancerait est lancé, et doit refuser ce qui n’est pas inoffensif.
agents-look = Les examiner
agents-none = Aucun agent trouvé ici.
agents-shell = Shell
agents-hooks = Hooks
agents-guarded = gardé
agents-not-guarded = non gardé
agents-to-do = À faire :
agents-install = Installer…
agents-uninstall = Désinstaller…
agents-change = Modifier ces fichiers
agents-installed = la garde est installée dans { $agent } : elle compte dès son prochain démarrage
agents-uninstalled = la garde est retirée de { $agent }

suggest-title = Suggestions
suggest-less = Ce qui aurait moins demandé
suggest-look = Chercher dans l’enregistrement
suggest-damaged = Une partie de l’enregistrement est endommagée et n’a pas été examinée.
suggest-none = Aucun réglage n’aurait épargné { $count } réponses des 30 derniers jours qui étaient toutes des oui.
suggest-yes =
    { $count ->
        [one] Ce qui s’exécuterait ainsi a été autorisé une fois, et jamais refusé :
       *[other] Ce qui s’exécuterait ainsi a été autorisé { $count } fois, et jamais refusé :
    }
suggest-nothing-else = Rien d’autre de ce qui a été demandé ne serait passé.
suggest-others = Serait aussi passé ce à quoi personne n’a répondu :
suggest-take = Adopter
suggest-write = Écrire dans les réglages personnels
suggest-more = Et { $count } autres.

try-intro = Une ligne comme un agent l’enverrait. Elle est jugée pendant la saisie, et rien ne s’exécute.
try-rules = Les règles s’écrivent et s’essaient à côté.
try-directory = Répertoire
try-other = Et si quelque chose était autrement
try-profile = Profil
try-as-it-is = tel quel
try-threshold = Seuil : le score, de 0 à 100, à partir duquel les lignes s’exécutent aussitôt
try-rule = Une règle, ou plusieurs
try-judge = Juger
try-verdict = Comment elle est jugée
try-now = Tel quel
try-then = Ce que ce serait
try-mistakes = La règle est inutilisable :
try-runs = s’exécute
try-contained = s’exécute clôturée
try-asks = demande
try-refused = est refusée
try-safe = sûr à { $score } sur 100
try-terms = Profil { $profile }, seuil { $threshold }, jugé en { $micros } µs.
try-instead = Plutôt : `{ $line }`
try-plan = Le plan : ce qui s’exécutera, et ce que cela fait
try-nothing = Rien.
try-unread = Inconnu : la ligne est illisible.
try-more = Et { $count } autres commandes.
try-no-command = (une redirection ou une affectation)
try-quieter = Ce qui ferait moins demander
try-share = Partager comme texte
try-shared = Le jugement comme texte
try-copy = Copier
try-copied = Copié.
try-copy-keys = Ctrl-C copie ce qui est sélectionné.
