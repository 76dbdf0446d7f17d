severity-low = низкая
severity-medium = средняя
severity-high = высокая
severity-critical = крайняя

question-asks = guarded-sh спрашивает
question-asked = guarded-sh спрашивал
question-program = программа
question-place-gone = (каталога больше нет)
question-seconds-left = осталось { $count } с
question-minutes-left = осталось { $count } мин
question-wants-to-run = { $who } хочет выполнить это в { $place }
question-who-where = { $who }: { $place }
question-nobody-waits = никто больше не ждёт: «да» подействует при следующей попытке
question-session = сеанс { $session }
question-more-wait =
    { $count ->
        [one] ждёт ещё { $count }
       *[other] ждут ещё { $count }
    }
question-too-small = guarded-sh спрашивает, но терминал слишком мал, чтобы показать о чём: нужно { $columns } на { $rows }. Escape отклоняет.
question-left-closed = Вопрос снят: { $why }. Esc закрывает его.
question-left = Вопрос снят: { $why }. Ответ не принимается, и всё, что набрано до нажатия Esc, никуда не попадёт.
question-is-answered = Ответ дан: { $how }.
question-no-answer-needed = ответ больше не нужен

question-fence = ограда
question-model = модель
question-more-reasons =
    { $count ->
        [one] ещё { $count } причина
        [few] ещё { $count } причины
       *[many] ещё { $count } причин
    }
question-safer = безопаснее: { $line }
question-not-held = ограды нет
question-held-to-nothing = после «да» её ничто не сдерживает: { $why }
question-held-with-tcp = после «да» может писать { $writes } и использовать TCP
question-held-without-tcp = после «да» может писать { $writes }, но не использовать TCP
question-anywhere = куда угодно
question-in-places =
    { $more ->
        [0] в { $places }
       *[other] в { $places } и ещё { $more }
    }
question-no-opinion = второго мнения нет: { $why }
question-model-notes = { $model } замечает: { $note }
question-model-within = { $model }: в рамках задачи, безопасность { $score } из 100
question-model-wider = { $model }: шире задачи, безопасность { $score } из 100
question-model-unclear = { $model }: неясно, безопасность { $score } из 100

choice-deny = отклонить
choice-once = один раз
choice-session = сеанс…
choice-always = всегда…
choice-deny-does = с указанием причины
choice-once-by-word = только сейчас; нужно набрать слово
choice-session-does = до конца сеанса; сначала видно, что именно
choice-always-does = записать правило; сначала оно показывается
choice-place = { $at } из { $count }
choice-back = назад
choice-keep = сохранить результат
choice-write = записать правило и выполнить строку
choice-stop = отклонить и завершить агента

question-once-covers = только сейчас: именно эта строка, в этом каталоге
question-for-session = До конца сеанса { $who } разрешить:
question-commands = { $rest } и { $last }
question-same = то же самое
question-other-lines-too = { $commands }, и в других строках тоже
question-only-this-line = только эту самую строку
question-byte-for-byte = байт в байт, в { $place }
question-exactly = точно { $words }
question-more-things =
    { $count ->
        [one] ещё { $count } действие этой строки
        [few] ещё { $count } действия этой строки
       *[many] ещё { $count } действий этой строки
    }
question-no-worse = опасность не выше: { $severity }
question-no-worse-and-only = опасность не выше: { $severity }, и ничего, кроме:
question-any-package = устанавливает пакеты из реестра, любые
question-same-inside = { $does }, и то же с другими в рабочей области
question-same-built = { $does }, и то же с другими результатами сборки
question-same-temporary = { $does }, и то же с другими во временных каталогах
question-rule = Это правило будет навсегда записано в собственные правила:
question-no-rule = правило не записано: { $why }

key-more = ещё
key-choose = выбрать
key-takes = принять
key-allows = разрешить
key-edit = изменить
key-deny-and-say = отклонить с текстом
key-deny-and-end = отклонить, завершить агента
key-denies-and-sends = отклонить и отправить
key-try = проба
key-explain = пояснить
key-back = назад
key-done = готово
key-new-line = новая строка
key-scroll = листать
key-next-question = следующий вопрос
key-closes = закрыть

question-type-word = Это может причинить большой вред. Чтобы выполнить, набрать { $word } и нажать Enter:
question-deny-and-tell = Отклонить и сообщить { $who }:
question-stop = Отклонить и завершить { $who }: спросивший получит SIGTERM, а через 5 секунд SIGKILL. Несохранённое пропадёт.
question-edit = Изменить строку. Перед выполнением она проверяется, как любая другая.
question-not-the-word = это не то слово
question-nothing-to-run = выполнять нечего
question-nothing-changed = ничего не изменено

question-moment = минутку…
question-keys-held = минутку: клавиши пока не действуют
question-keys-early = набрано раньше, чем можно прочесть, и отброшено; минутку
question-keys-in-burst = набрано слишком быстро и отброшено; минутку, затем одна клавиша
question-keys-for-nothing = это никуда не попало: Esc закрывает
question-key-too-fast = клавиша слишком быстро после текста: нажать ещё раз
question-key-unknown = эта клавиша здесь ничего не значит; минутку
question-pasted = вставленный текст не ответ; минутку
question-unseen = эта часть тоже важна: прочесть и снова нажать Enter
question-disturbed = другая программа писала поверх: нарисовано заново, прочесть ещё раз
question-disturbing = другая программа писала поверх; минутку: клавиши не действуют

question-trying = Идёт проба там, где ничего не меняется: без сети, без секретов, а записанное откладывается.
question-not-tried = Проба не удалась: { $why }.
question-not-kept = Результат нельзя сохранить: { $why }. Ничего не изменено.
trial-ended = Проба: { $how }. Ничего не изменено.
trial-untried = Без пробы: { $what }.
trial-printed = Вывод:
trial-nothing = В рабочей области ничего бы не изменилось.
trial-unreadable = Не удаётся прочесть, что изменилось бы: { $why }

answered-denied = отклонено
answered-stopped = отклонено, агент завершён
answered-denied-with = отклонено с сообщением: { $message }
answered-once = разрешено один раз
answered-session = разрешено до конца сеанса, и в других строках тоже
answered-session-line = эта самая строка разрешена до конца сеанса
answered-always = разрешено навсегда
answered-edited = заменено строкой: { $line }
answered-kept = выполнено так, как при пробе
short-denied = отклонено
short-once = один раз
short-session = сеанс
short-always = всегда
short-edited = изменено
short-kept = сохранено
