enter-title = ページを開く
enter-unknown = このブラウザーはここでは知られていないか、もう有効ではありません。
enter-how = ページを開くには、起動した場所で発行されるコードが必要です。`guarded-sh page` が表示し、そこで Enter を押すたびに新しいコードが出ます。
enter-code = コード
enter-open = 開く
enter-no-script = JavaScript がないと、見ることはできますが回答はできません。回答はブラウザーから出ない鍵で署名されます。
enter-used = このコードは使用済みか期限切れです。ページを起動した場所で新しいコードを取得してください。
enter-no-key = 届いたものは公開鍵ではありません (P-256、非圧縮)。

codes-page = ページのアドレス:
codes-passkey = パスキーの登録用アドレス:
codes-elsewhere = ほかの場所からのアドレス:
codes-once = 含まれるコードは { $minutes } 分間、1 回だけ有効です。Enter で別のコード、`passkey` でパスキー登録用のコード、Ctrl-C で終了。

keys-title = パスキー
keys-for = 重大なものへの「はい」には、パスキーへのタッチを求められます。`page.passkey` は `{ $needed }` です。本人なしにこのブラウザーを操るものは、タッチできません。
keys-count =
    { $count ->
        [0] `{ $host }` には登録されていません。
       *[other] `{ $host }` には { $count } 個登録されています。
    }
keys-host = アドレス
keys-made = 登録日時
keys-used = 最終使用
keys-last = `{ $host }` の最後のパスキーです。削除すると、別のパスキーが登録されるまで、パスキーを要するものはそこで拒否されます。
keys-remove = 削除
keys-removed = パスキー { $name } を削除しました。
keys-removed-last = パスキー { $name } を削除しました。{ $host } の最後のパスキーでした。別のパスキーが登録されるまで、パスキーを要するものはそこで拒否されます。
keys-gone = そのパスキーはありません。
keys-elsewhere = パスキーの削除は、このマシン自体で行います。
keys-new = 新しい登録には、ページを起動した場所のコードが必要です。そこで `passkey` と入力して Enter を押します。
keys-register = パスキーを登録
keys-registered = 登録しました。
keys-not-registered = 登録できませんでした
keys-no-script = パスキーには JavaScript が必要です。
keys-looks = ここからは回答できません。

keys-none = これにはパスキーが必要ですが、このアドレスには登録されていません
keys-untouched = これにはパスキーへのタッチが必要です
keys-strange = このパスキーはここに登録されていません
keys-client = パスキーについてのブラウザーの情報が合いません: { $why }
keys-authenticator = パスキーの情報が合いません: { $why }
keys-signature = このパスキーの鍵による署名ではありません
keys-counter = このパスキーのカウンターが戻っています。複製があるかもしれません
keys-full = これ以上パスキーを保存できません。1 つ削除してください
keys-unkept = パスキーを保存できません: { $why }
