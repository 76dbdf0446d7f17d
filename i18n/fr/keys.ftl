enter-title = Ouvrir la page
enter-unknown = Ce navigateur n'est pas connu ici, ou ne l'est plus.
enter-how = La page s'ouvre avec un code donné là où elle a été lancée : `guarded-sh page` l'affiche, et un nouveau à chaque appui sur Entrée.
enter-code = Code
enter-open = Ouvrir
enter-no-script = Sans JavaScript, on peut regarder mais pas répondre : les réponses sont signées avec une clé qui reste dans le navigateur.
enter-used = Ce code a déjà servi ou est trop ancien : en prendre un nouveau là où la page a été lancée.
enter-no-key = Ce qui est arrivé n'est pas une clé publique (P-256, non compressée).

codes-page = La page est à l'adresse
codes-passkey = Une clé d'accès s'enregistre à l'adresse
codes-elsewhere = et depuis ailleurs à l'adresse
codes-once = Le code qu'elle contient vaut une fois, pendant { $minutes } minutes. Entrée en donne un autre, `passkey` un pour enregistrer une clé d'accès, Ctrl-C met fin.

keys-title = Clés d'accès
keys-for = Un oui à ce qui est grave peut exiger le toucher d'une clé d'accès : `page.passkey` vaut `{ $needed }`. Ce qui pilote ce navigateur à l'insu de la personne ne peut pas la toucher.
keys-count =
    { $count ->
        [0] Aucune n'est enregistrée pour `{ $host }`.
        [one] Une est enregistrée pour `{ $host }`.
       *[other] { $count } sont enregistrées pour `{ $host }`.
    }
keys-host = Adresse
keys-made = Enregistrée
keys-used = Dernier usage
keys-last = C'est la dernière pour `{ $host }`. Une fois retirée, ce qui exige une clé d'accès y est refusé jusqu'à ce qu'une autre soit enregistrée.
keys-remove = Retirer
keys-removed = La clé d'accès { $name } est retirée.
keys-removed-last = La clé d'accès { $name } est retirée. C'était la dernière pour { $host } : ce qui exige une clé d'accès y est refusé jusqu'à ce qu'une autre soit enregistrée.
keys-gone = Cette clé d'accès n'existe pas.
keys-elsewhere = Les clés d'accès se retirent sur la machine elle-même.
keys-new = Une nouvelle demande un code de l'endroit où la page a été lancée : y taper `passkey` puis Entrée.
keys-register = Enregistrer une clé d'accès
keys-registered = Elle est enregistrée.
keys-not-registered = Non enregistrée
keys-no-script = Les clés d'accès demandent JavaScript.
keys-looks = D'ici, on ne répond à rien.

keys-none = cela exige une clé d'accès, et aucune n'est enregistrée pour cette adresse
keys-untouched = cela exige le toucher d'une clé d'accès
keys-strange = cette clé d'accès n'est pas enregistrée ici
keys-client = ce que le navigateur dit de la clé d'accès ne convient pas : { $why }
keys-authenticator = ce que dit la clé d'accès ne convient pas : { $why }
keys-signature = ce n'est pas signé avec cette clé d'accès
keys-counter = le compteur de cette clé d'accès a reculé : il en existe peut-être une copie
keys-full = il n'est pas conservé plus de clés d'accès : en retirer une
keys-unkept = les clés d'accès ne peuvent pas être conservées : { $why }
