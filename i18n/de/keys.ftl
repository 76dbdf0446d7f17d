enter-title = Die Seite öffnen
enter-unknown = Dieser Browser ist hier nicht bekannt, oder nicht mehr.
enter-how = Die Seite öffnet sich mit einem Code, den es dort gibt, wo sie gestartet wurde: `guarded-sh page` zeigt ihn, und einen neuen bei jedem Druck auf Enter.
enter-code = Code
enter-open = Öffnen
enter-no-script = Ohne JavaScript kann man zusehen, aber nicht antworten: Antworten werden mit einem Schlüssel signiert, der im Browser bleibt.
enter-used = Dieser Code wurde benutzt oder ist zu alt: einen neuen dort holen, wo die Seite gestartet wurde.
enter-no-key = Was kam, ist kein öffentlicher Schlüssel (P-256, unkomprimiert).

codes-page = Die Seite ist unter
codes-passkey = Ein Passkey wird registriert unter
codes-elsewhere = und von anderswo unter
codes-once = Der Code darin gilt einmal, { $minutes } Minuten lang. Enter gibt einen neuen, `passkey` einen zum Registrieren eines Passkeys, Strg-C beendet.

keys-title = Passkeys
keys-for = Ein Ja zu Schwerwiegendem kann die Berührung eines Passkeys verlangen: `page.passkey` ist `{ $needed }`. Was diesen Browser ohne den Menschen steuert, kann ihn nicht berühren.
keys-count =
    { $count ->
        [0] Für `{ $host }` ist keiner registriert.
        [one] Für `{ $host }` ist einer registriert.
       *[other] Für `{ $host }` sind { $count } registriert.
    }
keys-host = Adresse
keys-made = Registriert
keys-used = Zuletzt benutzt
keys-last = Es ist der letzte für `{ $host }`. Ist er entfernt, wird dort abgelehnt, was einen Passkey verlangt, bis ein anderer registriert ist.
keys-remove = Entfernen
keys-removed = Der Passkey { $name } ist entfernt.
keys-removed-last = Der Passkey { $name } ist entfernt. Es war der letzte für { $host }: Was einen Passkey verlangt, wird dort abgelehnt, bis ein anderer registriert ist.
keys-gone = Diesen Passkey gibt es nicht.
keys-elsewhere = Passkeys werden auf dem Rechner selbst entfernt.
keys-new = Ein neuer braucht einen Code von dort, wo die Seite gestartet wurde: dort `passkey` und Enter tippen.
keys-register = Einen Passkey registrieren
keys-registered = Er ist registriert.
keys-not-registered = Nicht registriert
keys-no-script = Passkeys brauchen JavaScript.
keys-looks = Von hier aus wird nichts beantwortet.

keys-none = das verlangt einen Passkey, und für diese Adresse ist keiner registriert
keys-untouched = das verlangt die Berührung eines Passkeys
keys-strange = dieser Passkey ist hier nicht registriert
keys-client = was der Browser über den Passkey sagt, passt nicht: { $why }
keys-authenticator = was der Passkey sagt, passt nicht: { $why }
keys-signature = das ist nicht mit dem Schlüssel dieses Passkeys signiert
keys-counter = der Zähler dieses Passkeys lief zurück: Es kann eine Kopie von ihm geben
keys-full = mehr Passkeys werden nicht aufbewahrt: einen entfernen
keys-unkept = die Passkeys lassen sich nicht aufbewahren: { $why }
