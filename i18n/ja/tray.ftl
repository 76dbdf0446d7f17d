pause-begun = { $time } 休止: 確認は通知されず、待機します。`guarded-sh pause off` で終わります
pause-over = 休止なし: 確認は通知されます
pause-stands = 休止中、残り { $time }
