import { fold, stem } from './terms.ts'

/** Words with which people steer a talk, in English, German, Spanish, Arabic and Hindi, and their stems. */
export const talkWords: ReadonlySet<string> = new Set(
  `again ahead all alright alternative another answer anything ask attempt back bad before begin best better bit both brief
briefly bullet cannot carry casual certain change check choose clarify clear clearer compare complete confirm confuse
consider continue convert correct cut deep deeper detail differ different difference difficult direct do double draft each
easier easy either elaborate else end enough everything exact exactly example expand explain express extend fair far few fewer fine
finish first fix follow form formal format former forth full further general give go good great guess happen hard help hello
hey hi hmm hold honest idea important improve include instead keep kind know last later latter leave length less let
line list little long longer look lot main make many matter maybe mean message mind mistake moment more most much must name
need never new next nice no none nope not nothing obvious offer ok okay old one only option order other otherwise out over
paragraph part particular perfect perhaps phrase piece please plus point polite possible previous pronounce proceed prove
put question quick quite rather read ready reason reconsider redo reformulate remove rephrase replace reply repeat rest revise rewrite
right round same save say second see seem send sense sentence serious shall short shorten shorter show shut similar simple simpler
simplify skip slow small sorry sound source specific speak spell start step stick still stop style such suggest sum summary summarise
summarize sure table take talk tell text thank thanks that thing think third thought tone too top
translate translation true try turn two type under understand until up us use useful usual version very wait want way well whole why
word worry worse write wrong yeah yep yes yet helpful meant mentioned
aber alle allgemein also anders anfang antwort antworten anderes aufzahlen ausdrucken ausfuhrlich ausfuhrlicher bedeutet beispiel besser
bist bitte dank danke dann das dein deine deinen deiner denn dir doch du eben ein eine einen einfach einfacher ende erklar erklare
erklaren erste ersten erzahl etwas falsch fang fasse formulier formuliere ganz geht genau genauer genug gib glaub glaube gleich grund gut
hallo hilfe hilfst ja jetzt kannst kannste kapiert klar klingt kommt konntest kurz kurze kurzer kurzen lang langer lass letzte letzten
liste mach machen machst mal meinst meinte meinen mehr mir moment muss nachste nachsten nein nicht nichts noch nochmal ob oder ok ordnung
prima punkt quelle recht richtig sag sagen satz schon schreib schreibe schreiben schritt sicher soll sollte sonst stell stichpunkte
stimmt stop super text teil tipp toll uber ubersetz ubersetze und verbesser verstanden verstehe version vielen viel wahr warte warum was
weiter wenig weniger wieso wird wirklich wort worten wurdest zeig zusammen zusammenfassen zweite zweiten als am an auch auf aus bei da damit das davon dazu den dem der die dies diese dieser dritte einmal er es fortfahren fur formlich formlicher gemeint habe haben hat hast hilft ich ihm ihn im in ist man mit nach nehmen nimm nur sein sich sie sind so um versuch versuche von vor war weißt weiss welche welcher welches wenn wer wie wir wo woher zu zum zur aufgehort aufgehoert dachte denkst
acuerdo adelante algo alguna ahora alternativa antes aclara aclarar anade asi ayuda aun bien breve bueno cambia claro como comprendo
con continua continuar corrige corto corta cosa crees cual dale dame de decir del desde despues detalle detalles diferente dilo dime dos
ejemplo ejemplos el ella encanta entendi entiendo entonces equivocado eres es escribe ese eso espera esta este esto estas exactamente
explica explicalo explicame explicar falta favor forma frase fuente funciona gracias gusta hacer hagamos haz hazlo idea incluye la las
lento lista lo los manera mas mejor mejora mensaje menos mismo momento mucho muy nada ningun no nuevo opcion otra otras otro otros para
parece parte paso perdon pero podrias por pregunta primer primera primero puedes punto puntos quieres quiero quita razon repite
reescribe respuesta resume resumelo resumen sabes se segunda segundo seguro sencillo sentido serias si siguiente sigue simple sobre solo
tal tambien tengo texto tiempo todo traduce traducelo tu tus ultima ultimo un una usa vale version vez a al ante aqui ahi cuando cuanto da dejaste deja donde e elige elegirias en ha hace hacerlo han has hay intenta intentalo ir le les me mi ni nos o pon ponlo porque puede que querer queria quise quien sea ser son su sus tan te tiene tienes ultimo unas unos va y ya yo
اشرح اعد اعطني اكثر اكمل الاخيرة الاجابة الان الاولى التالي التالية الثانية الثاني الجزء الخطوة الى انتظر انت اي اجابتك اختصر اخرى اخر ايضا باختصار
بالتفصيل بالضبط بسيطة بشكل بعد تابع ترجم ترجمة تعني تقصد تماما ثم جدا جيد حسنا خطا ذلك رائع شكرا صحيح طيب عن غير فقط فكرة فهمت قائمة قصير كثيرا
كلمات لا لم لماذا لو لي ليس ما ماذا متاكد مثال مثل مرة مزيد مع من ممتاز ممكن نعم نقطة هذا هذه هل هنا هو وماذا يعني يمكنك اختصار اختار اعرف افعل افهم الاخر الاخير الاول التي الثالث الذي السابق السابقة الشيء ان انا ايها او ببساطة بذلك تختار تعرف تفعل توقفت جيدا حاول حيث رسمي شرح على عند فضلك في قائمة قد قصدت قصدته قصدي قل كان كذلك كقائمة كما كيف كل لك لكن لنفعل مثالا مفيد نفس نفعل هي و وما يبدو
अगला अगली अच्छा अधिक अपना अपने आगे आप आपका आपके आपको उत्तर उदाहरण एक ऐसा और कर करें करो का कि की कुछ के को कोई क्या क्यों गलत चाहिए छोटा छोटे जवाब जारी ज्यादा
ठीक तरह तो था थोड़ा दूसरा दूसरी दूसरे दे दें दो दोबारा धन्यवाद नहीं नही पहला पहले पिछला पिछले फिर बताओ बताएं बताइए बस बहुत बात बारे भी मतलब मुझे मैं मे में यह या ये रखें रहा
रहे लिखें लिखो लें लेकिन वह विस्तार शब्दों सकते सकता समझ समझा समझाएं समझाओ सरल सही संक्षेप सा से सूची हां हाँ हिस्सा ही है हैं हो होगा अनुवाद अब आई आए आखिरी आया आखिर इन इनमें इस इसका इसकी इसके इसे इससे उस उसका उसे औपचारिक कदम करता करते करना कह कहा कहिए कहें काम कीजिए कृपया कैसे कौन कोशिश गया चलिए चुनेंगे जब जहाँ जो तक थी थे दीजिए ना ने पक्का पता पर मदद मिला मिली मेरा यहाँ यही रुके लगा लिए लिखिए वहाँ वाला वाली वाले वही शुक्रिया साथ हूँ`
    .split(/\s+/)
    .flatMap(word => [fold(word), stem(fold(word))]),
)

/** The same in Chinese, Japanese and Korean, which do not separate words. Japanese writes what only holds a sentence together in hiragana. */
export const talkPhrases = new RegExp(
  `[\\u3041-\\u309f]+|${`\
请 再 继续 说 讲 解释 一下 一遍 一点 一次 一 更 简短 简单 详细 短 长 些 你 您 的 地 得 上 刚才 刚刚 回答 答案 翻译 成 列表 例子 举 个 什么 什 么 意思 为什么 确定 吗 呢 吧 是 对 不 没 懂 明白 理解 \
第 二 三 两 点 步 下 接下来 还 有 别 其他 其它 另 谢谢 很 好 这 那 样 做 帮 助 我 可以 能 会 怎么 重写 改 写 用 句话 总结 部分 版本 等 问 错 了 就 按 多 少 需要 要 时间 最后 正式 听起来 也 从 停 地方 知道 试 选 哪 \
来 到 给 把 和 都 想 看 太 行 换 前面 后面 上面 下面 \
続 意味 簡単 詳 説明 例 挙 最後 前 答 翻訳 リスト 書 直 本当 次 目 番 点 分 他 何 待 違 要約 願 教 言葉 言 換 続き ステップ 別 丁寧 方 同 選 助 合 部分 理解 短 長 二 一 三 度 \
다시 계속 해 주세요 주 줘 줄 래 그거 그것 이거 이것 그게 이게 그런 그렇게 이렇게 무슨 뜻 왜 더 짧게 쉽게 간단 자세히 하게 설명 예 를 을 들어 마지막 답변 대답 번역 목록 으로 로 정말 맞아 맞나 요 고마워 감사 합니다 합시다 좋아 다음 단계 \
두 첫 번째 부분 이해 안 못 했 가 돼 됐어 다른 잠깐 아니 네 요약 바꿔 써 말 확실 어떻게 어느 생각 얼마나 걸려 도움 이 에 는 은 도 것 거 수 있어 있게 없어 또 뭐 좀 격식 알아 모르겠어 똑같이 멈춘 데서 보세 고르겠어 하 의 한 할`
    .split(/\s+/)
    .join('|')}`,
  'gu',
)
