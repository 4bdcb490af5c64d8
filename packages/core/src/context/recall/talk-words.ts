import { fold } from '../../log/fold.ts'
import { stem } from './terms.ts'

/** Words with which people steer a talk, in English, German, Spanish, Arabic and Hindi. */
export const steeringWords: ReadonlySet<string> = new Set(
  `a aber aclara aclarar acuerdo adelante again ahead ahi ahora al algo alguna alle allgemein alright als also
alternativa alternative am an anade anderes anders anfang another answer ante antes antworten anything aqui asi ask
attempt auch auf aufgehoert aufgehort aufzahlen aun aus ausdrucken ausfuhrlich ausfuhrlicher ayuda back bad bedeutet
before begin bei beispiel besser best better bien bist bit bitte both breve briefly bueno bullet cambia cannot carry
casual certain change check choose clarify claro clear clearer como compare complete comprendo con confirm confuse
consider continua continuar continue convert correct corrige corta corto cosa crees cual cuando cuanto cut da dachte
dale dame damit danke dann das davon dazu de decir deep deeper deine deinen deiner deja dejaste del dem den denkst
denn der desde despues detail detalle detalles die diese dieser diferente differ difference different difficult dilo
dime dir direct do doch donde dos double draft dritte du e each easier easy eben eine einen einfacher einmal either
ejemplos el elaborate elegirias elige ella else en encanta ende enough entendi entiendo entonces equivocado er eres
erklare erklaren erste ersten erzahl es escribe ese eso espera estas este esto etwas everything exactamente exactly
example expand explain explicalo explicame explicar express extend fair falsch falta fang far fasse favor few fewer
fine finish first fix follow form forma formal format former formlich formlicher formulier formuliere fortfahren forth
frase fuente full funciona fur further ganz geht gemeint genau genauer general genug gib give glaube gleich go good
gracias great grund guess gusta gut ha habe haben hace hacer hacerlo hagamos hallo han happen hard has hast hat hay
haz hazlo hello help helpful hey hi hilfe hilfst hilft hmm hold honest ich idea ihm ihn im important improve in
include incluye instead intentalo ir ist ja jetzt kannste kapiert keep kind klar klingt know kommt konntest kurze
kurzen kurzer la lang langer las lass last later latter le leave length lento les less let letzte letzten line lista
liste little lo long longer look los lot mach machen machst main make mal man manera many mas matter maybe me mean
meant mehr meinen meinst meinte mejor mejora menos mensaje mentioned message mi mind mir mismo mistake mit moment
momento more most much mucho muss must muy nach nachste nachsten nada name need nehmen nein never new next ni nice
nichts nimm ningun no noch nochmal none nope nos not nothing nuevo nur o ob obvious oder offer ok okay old one only
opcion option order ordnung other otherwise otras otros out over para paragraph parece parte particular paso perdon
perfect perhaps pero phrase piece please plus podrias point polite pon ponlo por porque possible pregunta previous
prima primer primera primero proceed pronounce prove puede puedes punkt puntos put que quelle querer queria question
quick quien quieres quiero quise quita quite rather razon read ready reason recht reconsider redo reescribe
reformulate remove repeat rephrase repite replace reply respuesta rest resume resumelo resumen revise rewrite richtig
right round sabes sag sagen same satz save say schon schreibe schreiben schritt se sea second see seem segunda segundo
seguro sein sencillo send sense sentence sentido ser serias serious shall short shorten shorter show shut si sich
sicher sie sigue siguiente similar simple simpler simplify sind skip slow small so sobre soll sollte solo son sonst
sorry sound source speak specific spell start stell step stichpunkte stick still stimmt stop style su such suggest sum
summarise summarize summary super sure sus table take tal talk tambien tan te teil tell tengo text texto thanks that
thing think third thought tiempo tiene tienes tipp todo toll tone too top traduce traducelo translate translation true
try tu turn tus two type uber ubersetz ubersetze ultima ultimo um un unas und under understand unos until up us usa
use useful usual va vale verbesser version verstanden verstehe versuche very vez viel vielen von vor wahr wait want
war warte warum was way weiss weiter weißt welche welcher welches well wenig weniger wenn wer whole why wie wieso wir
wird wirklich wo woher word worry worse wort worten write wrong wurdest y ya yeah yep yes yet yo zeig zu zum zur
zusammen zusammenfassen zweite zweiten اجابتك اختار اختصار اختصر اخر اخرى اشرح اعد اعرف اعطني افعل افهم اكثر اكمل
الاجابة الاخر الاخير الاخيرة الان الاول الاولى التالي التالية التي الثالث الثاني الثانية الجزء الخطوة الذي السابق
السابقة الشيء الى ان انا انت انتظر او اي ايضا ايها باختصار بالتفصيل بالضبط ببساطة بذلك بسيطة بشكل بعد تابع تختار ترجم
ترجمة تعرف تعني تفعل تقصد تماما توقفت ثم جدا جيد جيدا حاول حسنا حيث خطا ذلك رائع رسمي شرح شكرا صحيح طيب على عن عند غير
فضلك فقط فكرة فهمت في قائمة قد قصدت قصدته قصدي قصير قل كان كثيرا كذلك كقائمة كل كلمات كما كيف لا لك لكن لم لماذا لنفعل
لو لي ليس ما ماذا متاكد مثال مثالا مثل مرة مزيد مع مفيد ممتاز ممكن من نعم نفس نفعل نقطة هذا هذه هل هنا هو هي و وما
وماذا يبدو يعني يمكنك अगला अगली अच्छा अधिक अनुवाद अपना अपने अब आई आए आखिर आखिरी आगे आप आपका आपके आपको आया इन इनमें इस
इसका इसकी इसके इससे इसे उत्तर उदाहरण उस उसका उसे एक ऐसा औपचारिक और कदम कर करता करते करना करें करो कह कहा कहिए कहें का
काम कि की कीजिए कुछ कृपया के कैसे को कोई कोशिश कौन क्या क्यों गया गलत चलिए चाहिए चुनेंगे छोटा छोटे जब जवाब जहाँ जारी
जो ज्यादा ठीक तक तरह तो था थी थे थोड़ा दीजिए दूसरा दूसरी दूसरे दे दें दो दोबारा धन्यवाद नही नहीं ना ने पक्का पता पर
पहला पहले पिछला पिछले फिर बताइए बताएं बताओ बस बहुत बात बारे भी मतलब मदद मिला मिली मुझे मे में मेरा मैं यह यहाँ यही या
ये रखें रहा रहे रुके लगा लिए लिखिए लिखें लिखो लें लेकिन वह वहाँ वही वाला वाली वाले विस्तार शब्दों शुक्रिया संक्षेप
सकता सकते समझ समझा समझाएं समझाओ सरल सही सा साथ सूची से हाँ हां हिस्सा ही हूँ है हैं हो होगा`
    .split(/\s+/)
    .map(fold),
)

/** The same, and their stems. */
export const talkWords: ReadonlySet<string> = new Set(
  Array.from(steeringWords, word => [word, stem(word)]).flat(),
)

/** Words that speak of nothing in particular: they are ranked like others, but bring nothing back by themselves. */
export const vagueWords: ReadonlySet<string> = new Set(
  `able actually already always anybody anyone anything anyway ask bit bother care come couple currently day days
discuss else ever everybody everyone everything faster feel fewer forget forgot forgotten forward fully half happen happy hear
hope hour hours left like likely lunch making may might minute minutes miss missed moment month months morning mostly
myself near nearly nobody now often once people possibly probably quite rather recommend recently same short since somebody
someone something sometimes somewhere soon still stuff suppose sure surely taken time times today together tomorrow tonight totally
tried trying under until usually wanted week weekend weekends weeks whatever while whose willing within without wonder yesterday year years yourself
algo alguien ayer hoy manana nada nadie olvid semana tarde gestern heute irgendetwas irgendwas jemand jemals morgen niemand vergess vergessen
woche zeit कब कहाँ किस किसका किसकी किसके किसने कितना कितनी कितने किधर कौनसा कौनसी सबसे`
    .split(/\s+/)
    .map(fold),
)

/** The same in Chinese, Japanese and Korean, as parts of words. All hiragana counts: it mostly holds a sentence together. */
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
