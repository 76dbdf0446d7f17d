short-waits = 待機中
short-waits-for = 残り { $time }
short-left = 離脱
short-seconds = { $count }秒
short-minutes = { $count }分
short-hours = { $count }時
watch-open = 未回答 { $count }
watch-history = 履歴 { $count }
watch-waiting = 待機 { $waiting } · ホスト { $hosts }
watch-no-history = 最近の回答はありません
watch-no-host = ホストがありません: `guarded-sh serve` または `guarded-sh run` がホストです
watch-no-questions = 待機中の確認はありません
watch-shows-all = Enter で全体を表示
watch-gone = (なし)
watch-why-where = { $why } ({ $place })
watch-too-small = 未回答 { $open } 件。端末は { $columns }×{ $rows } 以上必要
watch-not-all = 一部のみ表示: { $why }
watch-keys-in-burst = 速すぎるキー入力は破棄しました。1 つ押してください
watch-asker-ended = 要求元またはホストが終了しました
watch-host-ended = ホストが終了しました
watch-not-taken = 回答は受け付けられませんでした: { $why }

watch-foot-open = Enter 開く · d 拒否 · h 履歴 · ? ヘルプ · q 終了
watch-foot-none-open = h 履歴 · ? ヘルプ · q 終了
watch-foot-history = Enter 開く · Esc 戻る · ? ヘルプ · q 終了
watch-foot-no-history = Esc 戻る · ? ヘルプ · q 終了
watch-foot-help = いずれかのキーで戻る
watch-help-choose = 確認を選ぶ。PgUp PgDn Home End で大きく移動
watch-help-open = 開く: 詳細とすべての回答
watch-help-deny = すぐに拒否
watch-help-history = 最近の回答と一覧の切り替え
watch-help-quit = 終了。確認は未回答のまま

answer-permitted-once = 1 回だけ許可: { $line }
answer-permitted-session = セッション中は許可: { $line }
answer-permitted-line = セッション中、この行のみここで許可: { $line }
answer-denied = 拒否: { $line }
answer-stopped = 拒否し、エージェントを終了します: { $line }
answer-critical-once = 重大なため、許可は今回のみ有効です
answer-not-permitted = 許可されませんでした。確認は未回答のままです
answer-type-word = 1 回実行するには `{ $word }` と入力。それ以外は実行しません:
answer-no-such = ID { $id } の未回答の確認はありません
answer-lists = guarded-sh pending で一覧を表示します

run-cannot-show = { $who } が '{ $line }' を実行しようとしていますが、この端末では確認を表示できません (TERM)。別の端末で `guarded-sh watch` を使って回答してください
run-gave-up = 要求元が待機をやめました
run-answered-elsewhere = 別の場所で回答済み: { $how }
run-needs-none = 要求元が終了したか、回答が不要になりました
run-ended = 要求元が終了しました

notice-asks = guarded-sh の確認: { $severity } ({ $id })
notice-warns = guarded-sh の警告
notice-open = 開く

practice-wanted = 練習用の確認を表示しますか? 何を選んでも実行されません。
practice-said = 回答: { $how }
practice-left = 未回答のままです。実際なら確認は残り、エージェントはひとまず拒否されます
