page-skip = К содержимому
page-pages = Страницы
page-leave = Выйти
page-the-line = Строка
page-now = Сейчас
page-live = Поток
page-transcripts = Протоколы
page-rules = Правила
page-settings = Настройки
page-prompts = Промпты
page-agents = Агенты
page-sessions = Сеансы
page-overview = Обзор
page-history = История
page-try = Проверка

now-no-key = Этот браузер может смотреть, но не отвечать: у него нет ключа. Чтобы связать его, открыть страницу с новым кодом.
now-no-script = Без JavaScript страница показывает состояние на момент загрузки и не может отвечать.
now-empty = Ничто не ждёт ответа.
now-no-host = Сеансов нет: запустить агента через `guarded-sh run` или службу через `guarded-sh serve`.
now-hosts =
    { $count ->
        [one] Подключён { $count } хост.
        [few] Подключены { $count } хоста.
       *[many] Подключено { $count } хостов.
    }
now-answered = Недавние ответы
now-question = Вопрос { $id }
now-in = в
now-waits = ждёт
now-left = никто больше не ждёт: «да» подействует при следующей попытке
now-trying = Идёт проба…
now-deny = Отклонить
now-once = Разрешить один раз
now-try = Сначала проба
now-keep = Сохранить результат
now-type-word = Набрать `{ $word }`, чтобы выполнить один раз
now-more = Отклонить с сообщением или изменить строку
now-more-stop = Отклонить с сообщением, завершить агента или изменить строку
now-stop = Отклонить и завершить агента
now-together = Вопросы о { $commands } ({ $count }): ответить на все сразу
now-deny-each = Отклонить каждый
now-once-each = Разрешить каждый один раз
now-looks = Отсюда можно смотреть, но не отвечать: так задано в `page.remote.answer`.
now-message = Сообщение агенту
now-deny-with = Отклонить с этим сообщением
now-edit = Строка, которая проверяется вместо этой
now-judge = Проверить эту строку
now-session = Разрешить на сеанс
now-allow-this = Разрешить это на сеанс
now-always = Разрешить всегда: записать это правило
now-write = Записать правило и разрешить

live-filter = Фильтр
live-text = Текст
live-agent = Агент
live-session = Сеанс
live-project = Проект
live-action = Действие
live-least = Не ниже
live-any = все
live-pause = Пауза
live-no-script = Без JavaScript страница показывает последние вызовы на момент загрузки.
action-allow = разрешено
action-contain = в ограде
action-ask = вопрос
action-deny = отклонено

files-title = Файлы
files-link = Что стало с файлами
files-from-undo = Что undo сохранил до выполнения строк, рядом с тем, что есть сейчас. Файлов, изменённых без строки оболочки, здесь нет.
files-nothing-kept = До этих строк undo ничего не сохранял.
files-as-they-were = Всё осталось как было.
files-made = создан
files-changed = изменён
files-deleted = удалён
files-dressed = другие права или другое время
files-more =
    { $count ->
        [one] Ещё { $count } путь не показан.
        [few] Ещё { $count } пути не показаны.
       *[many] Ещё { $count } путей не показано.
    }
files-lines =
    { $count ->
        [one] Ещё { $count } строка не показана.
        [few] Ещё { $count } строки не показаны.
       *[many] Ещё { $count } строк не показано.
    }
files-unread = Не прочитано: { $what }

rows-calls = Вызовы
rows-when = Когда
rows-agent = Агент
rows-severity = Опасность
rows-happened = Что произошло
rows-line = Строка

script-units = с мин ч
script-unknown = этот браузер здесь больше не известен
script-no-key = у этого браузера нет ключа: чтобы связать его, открыть страницу с новым кодом
script-not-taken = Не принято
script-unreached = Страница сейчас недоступна: показанное может быть устаревшим.
