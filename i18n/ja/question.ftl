severity-low = 低
severity-medium = 中
severity-high = 高
severity-critical = 重大

question-asks = guarded-sh の確認
question-asked = guarded-sh の確認 (終了)
question-program = プログラム
question-place-gone = 存在しないディレクトリ
question-seconds-left = 残り { $count } 秒
question-minutes-left = 残り { $count } 分
question-wants-to-run = { $who } が { $place } でこれを実行しようとしています
question-who-where = { $who } ({ $place })
question-nobody-waits = 待機は終了: 許可は次の試行に有効
question-session = セッション { $session }
question-more-wait = ほか { $count } 件待機中
question-too-small = guarded-sh の確認がありますが、端末が小さすぎて表示できません。{ $columns }×{ $rows } 以上が必要です。Escape で拒否します。
question-left-closed = この確認は取り下げられました: { $why }。Esc で閉じます。
question-left = この確認は取り下げられました: { $why }。もう回答できません。Esc を押すまで入力は破棄されます。
question-is-answered = 回答済み: { $how }。
question-no-answer-needed = 回答は不要になりました

question-fence = フェンス
question-model = モデル
question-more-reasons = ほか { $count } 件の理由
question-safer = より安全: { $line }
question-not-held = フェンスなし
question-held-to-nothing = 許可後は何も制限されません: { $why }
question-held-with-tcp = 許可後は{ $writes }に書き込み、TCP も使えます
question-held-without-tcp = 許可後は{ $writes }に書き込めますが、TCP は使えません
question-anywhere = 任意の場所
question-in-places =
    { $more ->
        [0] { " " }{ $places }{ " " }
       *[other] { " " }{ $places } ほか { $more } か所
    }
question-no-opinion = セカンドオピニオンなし: { $why }
question-model-notes = { $model } の所見: { $note }
question-model-within = { $model }: 作業の範囲内、安全度 { $score }/100
question-model-wider = { $model }: 作業の範囲外、安全度 { $score }/100
question-model-unclear = { $model }: 判断できず、安全度 { $score }/100

choice-deny = 拒否
choice-once = 1 回だけ
choice-session = セッション
choice-always = 常に…
choice-deny-does = 理由を伝えて拒否
choice-once-by-word = 今回のみ。単語の入力が必要
choice-session-does = セッション終了まで。範囲は先に表示
choice-always-does = ルールを作成。内容は先に表示
choice-place = { $at }/{ $count }
choice-back = 戻る
choice-keep = 結果を適用
choice-write = ルールを書き込み、実行
choice-stop = 拒否してエージェントを終了

question-once-covers = 今回のみ: この行そのまま、このディレクトリで
question-for-session = { $who } のセッション終了まで許可:
question-commands = { $rest }、{ $last }
question-same = 同じ操作
question-other-lines-too = { $commands }: 他の行でも
question-only-this-line = まったく同じ行のみ
question-byte-for-byte = 1 バイトも違わず、{ $place } で
question-exactly = { $words } に限る
question-more-things = この行のほか { $count } 件の動作
question-no-worse = 重大度は「{ $severity }」まで
question-no-worse-and-only = 重大度は「{ $severity }」まで、以下のみ:
question-any-package = レジストリから任意のパッケージをインストールする
question-same-inside = { $does } (ワークスペース内の他のものも同様)
question-same-built = { $does } (ビルド生成物の他のものも同様)
question-same-temporary = { $does } (一時ディレクトリの他のものも同様)
question-rule = 次のルールを自分のルールに恒久的に追加します:
question-no-rule = ルールは書き込まれませんでした: { $why }

key-more = 続き
key-choose = 選択
key-takes = 決定
key-allows = 許可
key-edit = 編集
key-deny-and-say = 理由を書いて拒否
key-deny-and-end = 拒否して終了
key-denies-and-sends = 拒否して送信
key-try = 試行
key-explain = 説明
key-back = 戻る
key-done = 完了
key-new-line = 改行
key-scroll = スクロール
key-next-question = 次の確認へ
key-closes = 閉じる

question-type-word = 大きな被害のおそれがあります。実行するには { $word } と入力して Enter:
question-deny-and-tell = 拒否して { $who } に伝える:
question-stop = 拒否して { $who } を終了: 確認を求めたプロセスに SIGTERM を送り、5 秒後に残っていれば SIGKILL で止めます。保存されていないものは失われます。
question-edit = 行を編集。実行前に他の行と同じく判定されます。
question-not-the-word = 単語が違います
question-nothing-to-run = 実行するものがありません
question-nothing-changed = 何も変更されていません

question-moment = お待ちください…
question-keys-held = お待ちください: まだキーは無効です
question-keys-early = 読む前に押されたキーは破棄しました。お待ちください
question-keys-in-burst = 速すぎるキー入力は破棄しました。少し待って 1 つ押してください
question-keys-for-nothing = 入力は破棄されました: Esc で閉じます
question-key-too-fast = 文字の直後でキーが速すぎます: もう一度押してください
question-key-unknown = そのキーはここでは無効です。お待ちください
question-pasted = 貼り付けは回答になりません。お待ちください
question-unseen = この部分も対象です: 読んでから、もう一度 Enter
question-disturbed = 別のプログラムが上書きしたため再描画しました。読み直してください
question-disturbing = 別のプログラムが上書きしました。まだキーは無効です

question-trying = 何も変更しない環境で試行中: ネットワークなし、秘密情報なし、書き込みは別に保管。
question-not-tried = 試行できませんでした: { $why }。
question-not-kept = 結果を適用できません: { $why }。何も変更されていません。
trial-ended = 試行: { $how }。何も変更されていません。
trial-untried = 未試行: { $what }。
trial-printed = 出力:
trial-nothing = ワークスペースは何も変わりません。
trial-unreadable = 変更内容を読めません: { $why }

answered-denied = 拒否
answered-stopped = 拒否し、エージェントを終了
answered-denied-with = 拒否 (メッセージ: { $message })
answered-once = 1 回だけ許可
answered-session = セッション終了まで、他の行でも許可
answered-session-line = まったく同じ行をセッション終了まで許可
answered-always = 恒久的に許可
answered-edited = この行に変更: { $line }
answered-kept = 試行どおりに適用
short-denied = 拒否
short-once = 1 回
short-session = セッション
short-always = 常に
short-edited = 編集
short-kept = 適用
