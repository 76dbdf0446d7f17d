enter-title = 打开页面
enter-unknown = 此处不认识这个浏览器，或已不再认识。
enter-how = 打开页面需要代码，代码在启动页面的地方给出：`guarded-sh page` 会显示它，在那里每按一次 Enter 就给出新的代码。
enter-code = 代码
enter-open = 打开
enter-no-script = 没有 JavaScript 时只能查看，不能回答：回答用留在浏览器里的密钥签名。
enter-used = 此代码已使用或已过期：请在启动页面的地方获取新代码。
enter-no-key = 收到的不是公钥（P-256，未压缩）。

codes-page = 页面地址：
codes-passkey = 通行密钥注册地址：
codes-elsewhere = 从别处访问的地址：
codes-once = 其中的代码只能用一次，{ $minutes } 分钟内有效。按 Enter 给出新代码，输入 `passkey` 给出注册通行密钥的代码，Ctrl-C 结束。

keys-title = 通行密钥
keys-for = 对严重的事项说“是”可以要求触碰通行密钥：`page.passkey` 为 `{ $needed }`。在本人不知情时操纵此浏览器的程序无法触碰它。
keys-count =
    { $count ->
        [0] `{ $host }` 没有注册通行密钥。
       *[other] `{ $host }` 注册了 { $count } 个。
    }
keys-host = 地址
keys-made = 注册时间
keys-used = 上次使用
keys-last = 这是 `{ $host }` 的最后一个。移除后，在注册另一个之前，那里凡是需要通行密钥的都会被拒绝。
keys-remove = 移除
keys-removed = 通行密钥 { $name } 已移除。
keys-removed-last = 通行密钥 { $name } 已移除。它是 { $host } 的最后一个：在注册另一个之前，那里凡是需要通行密钥的都会被拒绝。
keys-gone = 没有这个通行密钥。
keys-elsewhere = 通行密钥须在本机上移除。
keys-new = 注册新的需要启动页面处给出的代码：在那里输入 `passkey` 并按 Enter。
keys-register = 注册通行密钥
keys-registered = 已注册。
keys-not-registered = 未注册
keys-no-script = 通行密钥需要 JavaScript。
keys-looks = 从这里不能回答。

keys-none = 这需要通行密钥，而此地址没有注册
keys-untouched = 这需要触碰通行密钥
keys-strange = 此通行密钥未在这里注册
keys-client = 浏览器关于通行密钥的说明不符：{ $why }
keys-authenticator = 通行密钥的说明不符：{ $why }
keys-signature = 这不是用此通行密钥的密钥签名的
keys-counter = 此通行密钥的计数器倒退了：可能存在副本
keys-full = 无法保存更多通行密钥：请移除一个
keys-unkept = 无法保存通行密钥：{ $why }
