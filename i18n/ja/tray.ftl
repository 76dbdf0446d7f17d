tray-idle = 待機中の確認はありません
tray-waiting = 確認待ち { $count } 件
tray-more = ほか { $count } 件
tray-open = ページを開く
tray-pause-minutes = 15 分間休止
tray-pause-hour = 1 時間休止
tray-go-on = 再開
tray-quit = アイコンを終了
tray-failed = ページを開けません: { $why }

pause-begun = { $time } 休止: 確認は通知されず、待機します。`guarded-sh pause off` で終わります
pause-over = 休止なし: 確認は通知されます
pause-stands = 休止中、残り { $time }
