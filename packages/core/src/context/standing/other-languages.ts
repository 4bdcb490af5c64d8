import { formsOf, type RuleForms } from './rule-forms.ts'

/** Not a letter before it, not a letter behind it: `\b` knows no letters but English ones. */
const word = (words: string): string => `(?<!\\p{L})(?:${words})(?!\\p{L})`

const regex = (source: string): RegExp => new RegExp(source, 'u')

const germanVerbs =
  `achte|antworte|beantworte|beende|beginne|benutze|bestatige|bleib|duze|erklare|erwahne|erzahle?|fang|fass|
formatiere|formuliere|frage?|fuge?|gib|halte?|hang|kurze?|lass|lies|liste|losche|mach|markiere|nenne?|nimm|nutze|
offne|prufe?|rechne|rede|runde|sage?|schicke?|schliess|schlage?|schreibe?|sende|setze?|sieze|speichere|sprich|stelle?|
starte|teste|trenne|ubersetze|uberprufe|verlinke|vermeide|verwende|verzichte|warte|wiederhole|zeige?|zitiere`.replaceAll(
    '\n',
    '',
  )

const german = formsOf({
  mayRule:
    /\b(?:ab jetzt|ab sofort|von jetzt|von nun|in zukunft|zukunftig|kunftig|fur den rest|immer|nie|niemals|stets|jede[mnrs]?|allen?|deinen? antworten|wenn du|wann immer|bevor du|grundsatzlich|ausschliesslich|irgendein|ohne|in meinem|meinen?|bis ich)\b/,
  lasting: regex(
    word(
      'ab jetzt|ab sofort|von jetzt an|von nun an|in zukunft|zukunftig|kunftig|fur den rest (?:der|dieser|des|dieses|unserer|unseres)(?: \\p{L}+)?|bis ich (?:etwas anderes|was anderes|es|stopp) sage|bis auf weiteres',
    ),
  ),
  wide: regex(
    `${word(
      'immer|nie|niemals|stets|jedes mal|grundsatzlich|ausschliesslich|jede(?:r|s|n|m)? (?:antwort|nachricht|zahl|datei)|alle(?:n|r)? (?:deine(?:n|r)? )?(?:antworten|nachrichten)|deine(?:n|r)? antworten|irgendein(?:e|en|em)?|ohne (?:meine|mich|zu fragen|vorher)|in meinem namen|mein(?:e|en)? (?:namen?|nummer|telefonnummer|adresse|passwort)',
    )}|^(?:und |auch |bitte )?(?:immer,? wenn|wann immer|sobald|wenn|bevor) du `,
  ),
  order: regex(
    `^(?:(?:und|aber|also|auch|bitte|ab jetzt|ab sofort|von jetzt an|von nun an|in zukunft|kunftig)[\\s,:]+)*${word(germanVerbs)}|^(?:bitte )?(?:immer|nie|niemals|stets) (?!noch|wieder|gut|so|mehr|hab|ist|war|hatte|hat )[^,]{0,120}en$|,\\s*(?:dann |so |bitte )*${word(germanVerbs)}|${word('(?:ab jetzt|ab sofort|von nun an|von jetzt an)')},?:? (?:bitte )?[^,]{0,120}(?:en|${germanVerbs})$|${word('du (?:sollst|darfst|musst)|ich mochte,? dass du')}`,
  ),
  tells: regex(
    `^(?:ich|wir|er|sie|es|das|man|mein|meine|der|die) (?!mochte,? dass du|will,? dass du|will von dir)`,
  ),
})

const spanishVerbs =
  `abr[ae]s?|acab[ae]|agreg(?:a|ues)|anad(?:e|as)|borr(?:a|es)|cambi(?:a|es)|cit(?:a|es)|comienza|comprueb[ae]|
confirm(?:a|es)|contest(?:a|es)|da(?:me)?|des|di(?:me)?|digas|ejecut(?:a|es)|emplea|empiez[ae]|envi(?:a|es)|escrib(?:e|as)|evita|explic(?:a|ame)|
formatea|guard(?:a|es)|habl(?:a|es|ame)|hagas|haz(?:lo)?|inclu(?:ye|yas)|le(?:e|as)|llam(?:a|ame|es)|mand(?:a|es)|manten|mencion(?:a|es)|modifi(?:ca|ques)|muestr(?:a|es|ame)|
nombr(?:a|es)|olvides|p(?:on|ongas)|pid(?:e|as)|pregunt(?:a|es|ame)|recomiend(?:a|es)|recuerd(?:a|ame)|repit(?:e|as)|respond(?:e|as|eme)|resum(?:e|as)|revis(?:a|es)|sug(?:iere|ieras)|termin(?:a|es)|
toques|traduc(?:e|eme|zcas)|trat(?:a|ame|es)|tuteame|us(?:a|es)|utili(?:za|ces)|verifi(?:ca|ques)`.replaceAll(
    '\n',
    '',
  )

const spanishStart =
  '^[¡¿\\s]*(?:(?:y|pero|por favor|ademas|tambien|a partir de ahora|de ahora en adelante|desde ahora|en adelante|en el futuro)[\\s,:]+)*'

const spanish = formsOf({
  mayRule:
    /\b(?:de ahora|desde ahora|en adelante|en el futuro|resto de|hasta que|hasta nuevo|cada|siempre|nunca|jamas|cuando|antes de|todas|todos|tus respuestas|ningun[ao]?|mi|sin)\b/,
  lasting: regex(
    word(
      'a partir de ahora|de ahora en adelante|desde ahora|en adelante|en el futuro|(?:durante|por|para) el resto de (?:la|esta|nuestra|este|el)(?: \\p{L}+)?|hasta que (?:te |yo )?(?:te )?diga(?: lo contrario| otra cosa)?|hasta nuevo aviso',
    ),
  ),
  wide: regex(
    `${word('siempre|nunca|jamas|cada (?:respuesta|mensaje|vez|numero)|tod[ao]s (?:las|los|tus|sus) (?:respuestas|mensajes)|tus respuestas|ningun[ao]?|en mi nombre|mi (?:nombre|telefono|direccion|contrasena|correo|numero)|sin (?:mi|preguntar|pedir|consultar|que yo)')}|${spanishStart}(?:cuando|cada vez que|siempre que|antes de)(?: que)? (?!quieras|puedas|tengas|termines)\\p{L}+[^,]{0,120},`,
  ),
  order: regex(
    `${spanishStart}(?:(?:siempre|nunca|jamas|no|solo|nunca me|no me)\\s+)*(?:me |lo |la |te )?${word(spanishVerbs)}|,\\s*(?:por favor,? |siempre |nunca |no |entonces )*${word(spanishVerbs)}|${word('quiero que|necesito que|tienes que|debes|no debes|no puedes')}`,
  ),
  tells: regex(
    `${spanishStart}(?:yo|nosotros|el|ella|ellos|mi|eso|esto|siempre (?:he|me|lo|la|se|es|esta|hay|que)|nunca (?:he|me|lo|la|se|es|hay|habia)|cada vez que (?:yo|voy|veo|me|lo))(?!\\p{L})`,
  ),
})

const arabicOrders =
  'اجب|اجبني|اختصر|اختم|اذكر|ابدا|ارسل|اسال|اسالني|استخدم|اشرح|اضف|اعرض|اعط|اعطني|اكتب|التزم|انه|تجنب|تحدث|تحقق|تكلم|خاطبني|راجع|رد|ضع|قدم|قل|لخص|ناد|نادني|نسق|ترجم|احرص|اطلب|اسرد'

const arabic = formsOf({
  mayRule:
    /من الان|منذ الان|لاحقا|بقيه|بقية|طوال|دائما|ابدا|اطلاقا|مطلقا|كل |كلما|جميع|عندما|قبل ان|اذا|حتى اقول|حتي اقول|دون|باسمي|اسمي|لا ت/,
  lasting: regex(
    word(
      '(?:ابتداء )?(?:من|منذ) الان(?: فصاعدا| وصاعدا)?|في المستقبل|(?:ل|في )?(?:بقيه|بقية) (?:هذه |هذا )?\\p{L}+|طوال (?:هذه |هذا )?\\p{L}+|حت[ىي] اقول(?: لك)?(?: غير ذلك)?|حت[ىي] اشعار اخر',
    ),
  ),
  wide: regex(
    `${word('دائما|ابدا|اطلاقا|مطلقا|في كل مرة|(?:كل|جميع) (?:رد|اجابة|رسالة|اجاباتك|ردودك|رسائلك|رقم)|ردودك|اجاباتك|اي|(?:ب|من )?دون (?:اذني|اذن|ان تسالني|سؤالي|علمي)|باسمي|نيابة عني|اسمي|رقمي|رقم هاتفي|عنواني')}|${word('عندما|كلما|قبل ان|اذا')} ت`,
  ),
  order: regex(
    `^(?:و|ثم |من فضلك,? ?،? ?|رجاء,? ?،? ?|ارجوك )?(?:لا ت\\p{L}+|${arabicOrders})(?!\\p{L})|[،,:]\\s*(?:ف)?(?:لا ت\\p{L}+|${arabicOrders})(?!\\p{L})|(?:الان|فصاعدا|وصاعدا|دائما|ابدا|غير ذلك) (?:لا ت\\p{L}+|${arabicOrders})(?!\\p{L})|${word('اريدك ان|يجب ان|عليك ان')}`,
  ),
  tells: regex('^(?:انا|نحن|هو|هي|كنت|لقد) (?!اريدك)'),
})

const hindi = formsOf({
  mayRule: /अब से|आगे से|भविष्य|हमेशा|सदैव|कभी|हर |सभी|जब |किसी|बिना|पहले|बाकी/,
  lasting: regex(
    'अब से|आज से|आगे से|भविष्य में|(?:इस )?(?:बातचीत|चैट|सत्र) के (?:बाकी|अंत)(?: (?:हिस्से|भाग))?(?: में| के लिए| तक)?|बाकी बातचीत(?: में| के लिए)?|जब तक मैं (?:न|नहीं|कुछ और)',
  ),
  wide: regex(
    'हमेशा|सदैव|कभी (?:भी )?(?:न|नही|नहीं|मत)|कभी भी|हर बार|जब भी|जब (?:तुम|आप) |हर (?:जवाब|उत्तर|संदेश|संख्या)|(?:सभी|सारे|अपने) (?:जवाब|उत्तर|संदेश)|किसी भी|बिना पूछे|मेरी अनुमति के बिना|मेरा नाम|मेरा फोन',
  ),
  order: regex(
    '(?:मत (?:करो|करना|करें|लिखो|लिखना|लिखें|बताओ|बताना|दो|देना|भेजो|भेजना|खोलो|खोलना)|(?:कर|लिख|बता|दे|रख|भेज|खोल|पूछ|दिखा|जोड़|हो|ले|बोल|समझा|इस्तेमाल कर|प्रयोग कर|शुरू कर|समाप्त कर|खत्म कर|डाल|पढ़|चला|बदल|हटा)(?:ना|ो|ें|ए|एं|एँ|ओ|िए|िएगा|इए)|दीजिए|दीजिएगा|कीजिए|कीजिएगा|लीजिए|करो|दो|दें|लें)(?:,? कृपया)?$',
  ),
  tells: regex('^(?:मैं|हम|वह|वे|यह|मेरी|मुझे) (?!चाहता|चाहती)|(?:हूँ|हूं|है|हैं|था|थी|थे|गया|गई)$'),
})

const chinese = formsOf({
  mayRule:
    /从现在|从今|今后|以后|接下来|剩下|每次|每当|每[个條条次]|所有|总是|始终|一律|永远|绝不|绝对|千万|任何|直到我|当你|未经|從現在|以後|總是|始終|永遠|絕|當你|直到/,
  lasting: regex(
    '从现在(?:开始|起)|從現在(?:開始|起)|从今(?:以后|往后|天起)|從今以後|今后|今後|以后|以後|(?:在)?(?:接下来|剩下|余下)的(?:对话|聊天|回答|回复|时间|会话)(?:里|中)?|(?:直到|除非)我(?:说|告诉|另)(?:停|你|别的|不用)?',
  ),
  wide: regex(
    '每次|每当|每(?:个|條|条|次|一个|一条)(?:回答|回复|答复|消息|答案|数字)|所有(?:的)?(?:回答|回复|答复|消息|答案)|总是|始终|一律|永远|绝不|绝对不|千万不|千万别|任何|總是|始終|永遠|絕不|(?:当|在)?你(?:每次)?(?:回答|回复|引用|推荐|完成|给出|修改|执行|使用|运行)[^，,]{0,40}(?:时|前|后|的时候|之前|之后)|未经我|未经允许|我的(?:名字|姓名|电话|手机号|地址|密码)',
  ),
  order: regex(
    '^(?:请|請|麻烦|务必|一定要|必须|不要|别|別|不得|不准|禁止|只用|只能|用|以|总是|始终|一律|永远|绝不|绝对|千万|總是|始終|永遠|絕不|你(?:必须|要|应该|不要|不能|只能|得))|[，,：:、起始后後次前时候里中]\\s*(?:都|就|也|你)?(?:请|請|务必|一定|必须|不要|别|別|不得|不准|禁止|只|都要|都用|都|就用|先|用|你要|你必须|你只|要)|都(?:要|用|请|必须|不要|得)',
  ),
  tells: regex(
    '^(?:我们?(?!要你|希望你|想让你|需要你)|他们?|她|它)|(?:总是|每次|始终|永远)(?:都)?(?:觉得|想|会|在|是|能)|(?:以后|今后|从现在开始|从现在起)[，,]?我(?:们)?(?:要|会|想|就|得|打算)',
  ),
})

const japanese = formsOf({
  mayRule:
    /これから|今後|以後|以降|今から|常に|必ず|絶対|いつも|決して|毎回|毎度|二度と|すべて|全て|全部|この会話|このチャット|たび|際は|時は|ときは|場合は|前に|勝手に|私の/,
  lasting: regex(
    'これから(?:は|先|先は|ずっと)?|今後(?:は|ずっと)?|以後(?:は)?|以降(?:は)?|今から(?:は)?|(?:この|今回の)(?:会話|チャット|セッション)(?:の間|中|では|の残り|の最後まで|が終わるまで)(?:は|ずっと|では)?|(?:私が)?(?:やめて|いい|止めて)と言うまで',
  ),
  wide: regex(
    '常に|必ず|絶対に?|いつも|決して|毎回|毎度|二度と|(?:すべて|全て|全部)の(?:回答|返信|返事|メッセージ|数字)|(?:各|どの)(?:回答|返信|返事)|(?:する|した|答える|回答する|引用する|書く|使う|勧める)(?:たび|度|際|とき|時|場合|前)(?:に|は|には)|勝手に|(?:許可|断り|確認)なく|私の(?:名前|電話番号|住所|パスワード)',
  ),
  order: regex(
    '(?:(?:て|で|に)(?:ください|下さい|くれ|ちょうだい|ほしい(?:です)?|欲しい(?:です)?|お?願いします|ね|くださいね)|お願い(?:します|いたします)|(?:する|しない|使う|書く|答える|言う|入れる|含める)こと|ように(?:して|する|お願い)?(?:ください|下さい|こと|します)?|なさい|するな|しろ|禁止(?:です|とします)?|(?:いけません|だめです|ダメです|ならない|なりません))[。！!]?$',
  ),
  tells: regex('^(?:私|僕|俺)(?:たち)?(?:は|が|も)(?!.{0,40}(?:ください|ほしい))'),
})

const korean = formsOf({
  mayRule:
    /앞으로|지금부터|이제부터|이제는|항상|언제나|늘 |절대|매번|때마다|모든|매 |남은|끝날 때까지|할 때|하기 전|다시는|허락|마음대로|내 |제 /,
  lasting: regex(
    '앞으로(?:는|도)?|지금부터(?:는)?|이제부터(?:는)?|(?:이 |남은 )(?:대화|채팅|세션)(?:가)?(?: 끝날 때까지| 동안| 내내|에서는)|(?:내가|제가) (?:그만|멈추)[^ ]{0,6} (?:할|말할) 때까지',
  ),
  wide: regex(
    '항상|언제나|절대(?:로)?|매번|때마다|모든 (?:답변|대답|답장|메시지|숫자)|매 (?:답변|대답)|답변마다|다시는|(?:답변|대답|인용|추천|수정|실행|설명|사용)(?:을|를)? ?(?:할|하기|쓸) ?(?:때|전)(?:에|에는|는)?|허락 없이|묻지 않고|마음대로|(?:내|제) (?:이름|전화번호|주소|비밀번호)',
  ),
  order: regex(
    '(?:세요|십시오|(?:해|써|말해|답해|보여|알려|넣어|붙여|적어|줄여|끝내|시작해|물어봐|불러) ?(?:줘|줘요|주라|달라)|지 ?마(?:세요|라|요)?|지 말(?:아|아요|아줘|아 줘|아주세요|아 주세요|것|고|라)|하도록 해|할 것|해라|해요|해야 (?:해|합니다|돼)|부탁해(?:요)?|부탁드립니다|금지)$',
  ),
  tells: regex('^(?:나는|난|저는|전|우리는|내가|제가) (?!.{0,60}(?:바랍|원해|좋겠))'),
})

/** The languages beside English, each with the characters without which a text is in none of it. */
export const otherLanguages: readonly (readonly [script: RegExp | undefined, forms: RuleForms])[] =
  [
    [undefined, german],
    [undefined, spanish],
    [/[\u0600-\u06ff]/, arabic],
    [/[\u0900-\u097f]/, hindi],
    [/[\u4e00-\u9fff]/, chinese],
    [/[\u3040-\u30ff]/, japanese],
    [/[\uac00-\ud7af]/, korean],
  ]
