page-skip = Aller au contenu
page-pages = Pages
page-leave = Se déconnecter
page-the-line = La ligne
page-now = Maintenant
page-live = En direct
page-transcripts = Transcriptions
page-rules = Règles
page-settings = Réglages
page-prompts = Prompts
page-agents = Agents
page-sessions = Sessions
page-overview = Aperçu
page-history = Historique
page-try = Banc d’essai

now-no-key = Ce navigateur peut regarder, mais pas répondre : il n’a pas de clé. Pour l’associer, ouvrir la page avec un nouveau code.
now-no-script = Sans JavaScript, cette page montre l’état à son chargement et ne peut pas répondre.
now-empty = Rien n’attend de réponse.
now-no-host = Aucune session suivie : lancer un agent avec `guarded-sh run`, ou le service avec `guarded-sh serve`.
now-hosts =
    { $count ->
        [one] Un hôte est suivi.
       *[other] { $count } hôtes sont suivis.
    }
now-answered = Réponses récentes
now-question = Question { $id }
now-in = dans
now-waits = en attente
now-left = plus personne n’attend : un oui vaut pour la prochaine tentative
now-trying = Essai en cours…
now-deny = Refuser
now-once = Autoriser une fois
now-try = Essayer d’abord
now-keep = Garder le résultat
now-type-word = Taper `{ $word }` pour l’exécuter une fois
now-more = Refuser avec un message, ou changer la ligne
now-more-stop = Refuser avec un message, arrêter l’agent ou modifier la ligne
now-stop = Refuser et arrêter l’agent
now-together = { $count } questions sur { $commands } : répondre à toutes
now-deny-each = Refuser chacune
now-once-each = Autoriser chacune une fois
now-looks = D’ici on peut regarder, mais pas répondre : ainsi le veut `page.remote.answer` dans les réglages.
now-message = Message pour l’agent
now-deny-with = Refuser avec ce message
now-edit = Ligne à juger à la place
now-judge = Faire juger cette ligne
now-session = Autoriser pour la session
now-allow-this = Autoriser ceci pour la session
now-always = Toujours autoriser : cette règle est écrite
now-write = Écrire cette règle et autoriser

live-filter = Filtre
live-text = Texte
live-agent = Agent
live-session = Session
live-project = Projet
live-action = Action
live-least = Au moins
live-any = tout
live-pause = Pause
live-no-script = Sans JavaScript, cette page montre les derniers appels au moment de son chargement.
action-allow = autorisé
action-contain = clôturé
action-ask = demandé
action-deny = refusé

files-title = Fichiers
files-link = Ce que sont devenus les fichiers
files-from-undo = Ce qu’undo a conservé avant les lignes, à côté de ce qui s’y trouve maintenant. Les fichiers modifiés sans ligne du shell n’en font pas partie.
files-nothing-kept = Undo n’a rien conservé avant ces lignes.
files-as-they-were = Tout est comme avant.
files-made = créé
files-changed = modifié
files-deleted = supprimé
files-dressed = autres permissions ou autre date
files-more =
    { $count ->
        [one] 1 chemin de plus n’est pas affiché.
       *[other] { $count } chemins de plus ne sont pas affichés.
    }
files-lines =
    { $count ->
        [one] 1 ligne de plus n’est pas affichée.
       *[other] { $count } lignes de plus ne sont pas affichées.
    }
files-unread = Non lu : { $what }

rows-calls = Appels
rows-when = Quand
rows-agent = Agent
rows-severity = Gravité
rows-happened = Résultat
rows-line = Ligne

script-units = s min h
script-unknown = ce navigateur n’est plus connu ici
script-no-key = ce navigateur n’a pas de clé : pour l’associer, ouvrir la page avec un nouveau code
script-not-taken = Non pris en compte
script-unreached = La page est injoignable pour le moment : ce qui est montré peut dater.
