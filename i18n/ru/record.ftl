record-reading = Журнал читается:
record-not-all = Показано ещё не всё.
record-read = Журнал прочитан целиком. Загрузите страницу заново, чтобы увидеть всё.
record-part = { $part } %
record-earlier = Раньше
record-not-here = Не отсюда
record-only-here = Это видно и меняется только в браузере на самой машине.
record-times =
    { $count ->
        [one] { $count } раз
        [few] { $count } раза
       *[many] { $count } раз
    }
record-status = статус { $status }
record-took = время { $time }
record-tenths = { $whole },{ $tenths } с
record-seconds = { $count } с
record-minutes = { $count } мин
record-hours = { $count } ч

ended-signal = завершено сигналом
ended-unforeseen =
    { $count ->
        [one] выполнена { $count } непредвиденная программа
        [few] выполнены { $count } непредвиденные программы
       *[many] выполнено { $count } непредвиденных программ
    }
ended-made = создано:
ended-changed = изменено:
ended-more = и ещё { $count }

overview-unverified = Журнал не прошёл проверку: { $why }
overview-hosts =
    { $count ->
        [0] Ни один хост не подключён.
        [one] Подключён { $count } хост.
        [few] Подключены { $count } хоста.
       *[many] Подключено { $count } хостов.
    }
overview-waiting =
    { $count ->
        [0] Ни один вопрос не ждёт
        [one] Ждёт { $count } вопрос
        [few] Ждут { $count } вопроса
       *[many] Ждёт { $count } вопросов
    }
overview-far = За какое время
overview-day = день
overview-week = неделя
overview-weeks = четыре недели
overview-empty = За это время ничего не решалось.
overview-coverage = Охват
overview-uncovered = Вызовы без нашего решения
overview-uncovered-in = Есть в { $count } из { $checked } просмотренных последних протоколов:
overview-uncovered-of = { $count } из { $checked }
overview-still =
    { $count ->
        [one] Ещё читается { $count } из последних протоколов.
        [few] Ещё читаются { $count } из последних протоколов.
       *[many] Ещё читается { $count } из последних протоколов.
    }
overview-decided = Решений
overview-ran = Выполнено без вопроса или после «да»
overview-contained = Выполнено в ограде
overview-asked = С вопросом
overview-to-agent = Вопрос оставлен агенту
overview-refused = Отклонено
overview-shadow = В теневом режиме
overview-waited = Ожидание людей
overview-judged = Спрошена модель
overview-spent = Потрачено на модели сегодня
overview-cost = запросов: { $calls }, токенов: { $tokens }, по своим ценам { $money }
overview-share = { $count } ({ $percent } %)
overview-most = О чём спрашивали чаще всего
overview-nothing = Ни о чём.
overview-rule = Правило
overview-rule-times = Раз
overview-chart = Решения в { $columns } столбцах, не больше { $most } в одном
overview-bar = { $when }: выполнено { $ran }, отклонено { $refused }; из них с вопросом { $asked }
overview-bar-ran = выполнено
overview-bar-refused = отклонено
overview-bar-asked = с вопросом
overview-scale =
    { $hours ->
        [1] Столбец — час, в самом высоком { $most }.
        [one] Столбец — { $hours } час, в самом высоком { $most }.
        [few] Столбец — { $hours } часа, в самом высоком { $most }.
       *[many] Столбец — { $hours } часов, в самом высоком { $most }.
    }

history-rule = Правило
history-search = Искать
history-empty = В журнале ничего не подходит.
history-count =
    { $count ->
        [one] { $count } вызов.
        [few] { $count } вызова.
       *[many] { $count } вызовов.
    }
history-newest = Последние { $count }; могут быть и более старые.

sessions-empty = В журнале ещё нет сеансов.
sessions-last = Последний
sessions-asked = С вопросом
sessions-refused = Отклонено
session-more = Есть новое:
session-load = загрузить
session-empty = В журнале ничего нет об этом сеансе.
session-no-agent = неизвестный агент
session-time = Время
session-decided = Решений
session-counts = { $calls }, с вопросом { $asked }, отклонено { $refused }
session-export = Экспорт:
session-transcript = Протокол
session-kept-by = каким его ведёт { $agent }
session-files = Записанные или изменённые файлы, как их называют вызовы: { $count }

timeline-person = Человек
timeline-model = Модель
timeline-thought = Модель, про себя
timeline-client = Клиент
timeline-helper = помощник
timeline-withdrawn = отозвано
timeline-rest =
    { $count ->
        [one] Ещё { $count } байт не показан.
        [few] Ещё { $count } байта не показаны.
       *[many] Ещё { $count } байт не показано.
    }
timeline-got = Что получено
timeline-got-and-came = Что получено и что вышло
timeline-came = Что вышло
timeline-earlier-came = Что вышло из более раннего вызова
timeline-input = Ввод
timeline-output = Вывод
timeline-failed = сбой
timeline-none = Решения нет
timeline-none-yet = Решения ещё нет
timeline-none-of-ours = Нашего решения нет
timeline-decided = Решено
timeline-by-id = найдено по идентификатору
timeline-by-content = найдено по содержанию
timeline-by-several = найдено по содержанию, оно у нескольких
timeline-tokens = Токены:
timeline-tokens-in = вход { $count }
timeline-tokens-out = выход { $count }
timeline-tokens-cached = из кэша { $count }
timeline-tokens-written = в кэш { $count }
timeline-cost = Стоимость: { $cost }

transcripts-evidence = Что агенты сами хранят о своих сеансах. Агент может это писать: это свидетельство, но никогда не основание для решений.
transcripts-all = все
transcripts-empty = Протоколов нет.
transcripts-looked = Где искали:
transcripts-size = Размер
transcripts-project = Проект и начало сеанса
transcripts-newer = Новее
transcripts-older = Старее
transcripts-count = всего { $count }
transcript-in-record = Сеанс в журнале
transcript-newest = Самое новое
transcript-later = Позже
transcript-further = Дальше
transcript-nothing = На этой странице ничего не сказано.
transcript-reading = Протокол читается:
transcript-not-all = Суммы и охват пока не по всему протоколу.
transcript-prompts = Промпты
transcript-calls = Вызовы инструментов
transcript-used = Израсходовано
transcript-damage = Повреждения
transcript-damaged =
    { $count ->
        [one] { $count } строка читается не полностью
        [few] { $count } строки читаются не полностью
       *[many] { $count } строк читаются не полностью
    }
transcript-uncovered =
    { $count ->
        [one] { $count } из { $checked } вызовов, которые выполняют команды или меняют файлы, не имеет нашего решения.
       *[other] { $count } из { $checked } вызовов, которые выполняют команды или меняют файлы, не имеют нашего решения.
    }
transcript-either = Либо они прошли мимо стража, либо протокол говорит неправду: агент может его писать. Это свидетельство, но никогда не основание для решений.
transcript-which = Какие
transcript-more = И ещё { $count }.
transcript-there = Там
transcript-covered =
    { $count ->
        [1] Единственный вызов, который выполняет команды или меняет файлы, имеет наше решение.
       *[other] Каждый из вызовов, которые выполняют команды или меняют файлы ({ $count }), имеет наше решение.
    }
transcript-older =
    { $count ->
        [one] { $count } вызов старше журнала.
        [few] { $count } вызова старше журнала.
       *[many] { $count } вызовов старше журнала.
    }
transcript-uncompared =
    { $count ->
        [one] Ещё { $count } вызов не сравнивается с журналом: их слишком много.
        [few] Ещё { $count } вызова не сравниваются с журналом: их слишком много.
       *[many] Ещё { $count } вызовов не сравниваются с журналом: их слишком много.
    }

call-one = Вызов
call-title = Вызов { $number }
call-more-bytes =
    { $count ->
        [one] и ещё { $count } байт
        [few] и ещё { $count } байта
       *[many] и ещё { $count } байт
    }
call-kept = Что о нём хранит агент
call-directory = Каталог
call-claims = Заявленная цель
call-ended = Завершение
call-before = Сохранено заранее
call-undo = Что изменилось, показывает `{ $command }`
call-score = Оценка
call-safe = безопасность { $score } из 100
call-judged = Проверено за
call-micros = { $count } мкс
call-found = Что найдено
call-again = Как это было бы оценено сейчас, со всеми подробностями
call-course = Кто это видел и что было решено
call-hook = хук { $event }
call-hook-of = хук { $event } от { $tool }
call-asked-terminal = человека спросили в терминале; { $came }
call-asked-host = человека спросили на хосте; { $came }
call-asked-question = человека спросили на хосте (вопрос { $id }); { $came }
call-no-answer = никто не отвечал { $time }
call-model-answered = модель ответила через { $time }
call-answered = ответ через { $time }
call-answered-by = ответ через { $time } { $proof }
call-paused = { $told } (пауза: { $by })
