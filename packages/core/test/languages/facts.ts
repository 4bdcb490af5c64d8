/** What is said in a language: kinds of facts about four people, how each is asked for, and talk about other things. */
export interface Tongue {
  readonly names: readonly [string, string, string, string]
  /** `N` stands for a name, `V` for what is said of that person. */
  readonly kinds: readonly {
    readonly said: string
    readonly asked: string
    readonly values: readonly [string, string, string, string]
  }[]
  /** Messages and answers between the facts. Some name the same people, without any of the facts. */
  readonly talk: readonly (readonly [string, string])[]
}

/** The marks that end a question, or begin one. */
export const questionMarks = /[?？؟¿]/g

export const tongues: Readonly<Record<string, Tongue>> = {
  English: {
    names: ['Alice', 'Robert', 'Emma', 'Victor'],
    kinds: [
      {
        said: 'N has an appointment with the dentist on V.',
        asked: 'When does N have the appointment with the dentist?',
        values: ['Tuesday', 'the ninth', 'Friday morning', 'the first of June'],
      },
      {
        said: 'By the way, N is allergic to V.',
        asked: 'What is N allergic to?',
        values: ['peanuts', 'strawberries', 'shellfish', 'pollen'],
      },
      {
        said: 'N moved to V last spring.',
        asked: 'Which city did N move to?',
        values: ['Lisbon', 'Oslo', 'Denver', 'Kyoto'],
      },
      {
        said: "N's dog is called V.",
        asked: "What is the name of N's dog?",
        values: ['Biscuit', 'Shadow', 'Pepper', 'Waffle'],
      },
      {
        said: 'N works as a V.',
        asked: 'What kind of work does N do?',
        values: ['nurse', 'carpenter', 'translator', 'pilot'],
      },
      {
        said: 'N plays the V in an orchestra.',
        asked: 'Which instrument does N play?',
        values: ['cello', 'trumpet', 'harp', 'oboe'],
      },
      {
        said: "N's birthday is on V.",
        asked: "When is N's birthday?",
        values: ['3 May', '14 July', '22 October', '9 December'],
      },
      {
        said: 'N drives a V car now.',
        asked: 'Which car does N drive?',
        values: ['red', 'green', 'silver', 'yellow'],
      },
      {
        said: "The door code of N's flat is V.",
        asked: "What is the door code of N's flat?",
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'N likes V soup best.',
        asked: 'Which soup does N like best?',
        values: ['lentil', 'tomato', 'pumpkin', 'onion'],
      },
    ],
    talk: [
      ['The weather was awful again today.', 'Rain all week, they say. Take an umbrella.'],
      ['I finally cleaned the kitchen and the windows.', 'Well done! That takes half a day.'],
      ['N called me yesterday evening.', 'How nice. A long talk, I suppose.'],
      ['The train was late by forty minutes.', 'That is annoying. Did you at least get a seat?'],
      ['I read a good novel about the sea.', 'Novels about the sea never grow old.'],
      ['Tomorrow I will buy bread, milk and apples.', 'Do not forget the coffee.'],
      ['N and I watched a film last weekend.', 'A quiet evening, then.'],
      ['My neighbour is painting his fence.', 'I hope the colour suits the house.'],
      ['The meeting in the office took three hours.', 'Far too long for a meeting.'],
      ['N sends greetings to everyone.', 'Thank you, greetings back.'],
      ['The computer needs a new keyboard.', 'A wired one rarely fails.'],
      ['We planted tulips in the garden.', 'They will bloom in April.'],
    ],
  },
  German: {
    names: ['Jürgen', 'Katrin', 'Stefan', 'Monika'],
    kinds: [
      {
        said: 'N hat V einen Termin beim Zahnarzt.',
        asked: 'Wann hat N den Termin beim Zahnarzt?',
        values: ['am Dienstag', 'am Neunten', 'Freitag früh', 'am ersten Juni'],
      },
      {
        said: 'Übrigens ist N gegen V allergisch.',
        asked: 'Wogegen ist N allergisch?',
        values: ['Erdnüsse', 'Erdbeeren', 'Muscheln', 'Pollen'],
      },
      {
        said: 'N ist letztes Frühjahr nach V umgezogen.',
        asked: 'In welche Stadt ist N umgezogen?',
        values: ['Lissabon', 'Oslo', 'Leipzig', 'Kyoto'],
      },
      {
        said: 'Der Hund von N heißt V.',
        asked: 'Wie heißt der Hund von N?',
        values: ['Keks', 'Schatten', 'Pfeffer', 'Waffel'],
      },
      {
        said: 'N arbeitet als V.',
        asked: 'Als was arbeitet N?',
        values: ['Krankenpfleger', 'Tischlerin', 'Übersetzer', 'Pilotin'],
      },
      {
        said: 'N spielt V im Orchester.',
        asked: 'Welches Instrument spielt N?',
        values: ['Cello', 'Trompete', 'Harfe', 'Oboe'],
      },
      {
        said: 'N hat am V Geburtstag.',
        asked: 'An welchem Tag hat N Geburtstag?',
        values: ['3. Mai', '14. Juli', '22. Oktober', '9. Dezember'],
      },
      {
        said: 'N fährt jetzt ein V Auto.',
        asked: 'Was für ein Auto fährt N?',
        values: ['rotes', 'grünes', 'silbernes', 'gelbes'],
      },
      {
        said: 'Der Türcode von der Wohnung von N ist V.',
        asked: 'Wie ist der Türcode der Wohnung von N?',
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'N mag am liebsten V.',
        asked: 'Welche Suppe mag N am liebsten?',
        values: ['Linsensuppe', 'Tomatensuppe', 'Kürbissuppe', 'Zwiebelsuppe'],
      },
    ],
    talk: [
      [
        'Das Wetter war heute wieder furchtbar.',
        'Die ganze Woche Regen, sagen sie. Nimm einen Schirm mit.',
      ],
      [
        'Ich habe endlich die Küche und die Fenster geputzt.',
        'Gut gemacht! Das dauert einen halben Tag.',
      ],
      ['N hat mich gestern Abend angerufen.', 'Wie schön. Ein langes Gespräch, nehme ich an.'],
      [
        'Der Zug hatte vierzig Minuten Verspätung.',
        'Ärgerlich. Gab es wenigstens einen Sitzplatz?',
      ],
      ['Ich las einen guten Roman über das Meer.', 'Romane über das Meer werden nie alt.'],
      ['Morgen kaufe ich Brot, Milch und Äpfel.', 'Vergiss den Kaffee nicht.'],
      ['N und ich sahen am Wochenende einen Film.', 'Also ein ruhiger Abend.'],
      ['Mein Nachbar streicht seinen Zaun.', 'Hoffentlich passt die Farbe zum Haus.'],
      ['Die Besprechung im Büro dauerte drei Stunden.', 'Viel zu lang für eine Besprechung.'],
      ['N lässt alle grüßen.', 'Danke, Grüße zurück.'],
      ['Der Rechner braucht eine neue Tastatur.', 'Eine mit Kabel geht selten kaputt.'],
      ['Wir haben Tulpen im Garten gepflanzt.', 'Sie werden im April blühen.'],
    ],
  },
  Spanish: {
    names: ['Lucía', 'Javier', 'Carmen', 'Andrés'],
    kinds: [
      {
        said: 'N tiene cita con el dentista V.',
        asked: '¿Cuándo tiene N la cita con el dentista?',
        values: ['el martes', 'el día nueve', 'el viernes temprano', 'el uno de junio'],
      },
      {
        said: 'Por cierto, N es alérgico a V.',
        asked: '¿A qué es alérgico N?',
        values: ['los cacahuetes', 'las fresas', 'el marisco', 'el polen'],
      },
      {
        said: 'N se mudó a V la primavera pasada.',
        asked: '¿A qué ciudad se mudó N?',
        values: ['Lisboa', 'Oslo', 'Sevilla', 'Kioto'],
      },
      {
        said: 'El perro de N se llama V.',
        asked: '¿Cómo se llama el perro de N?',
        values: ['Galleta', 'Sombra', 'Pimienta', 'Trueno'],
      },
      {
        said: 'N trabaja de V.',
        asked: '¿De qué trabaja N?',
        values: ['enfermera', 'carpintero', 'traductora', 'piloto'],
      },
      {
        said: 'N toca V en una orquesta.',
        asked: '¿Qué instrumento toca N?',
        values: ['el violonchelo', 'la trompeta', 'el arpa', 'el oboe'],
      },
      {
        said: 'El cumpleaños de N es el V.',
        asked: '¿Qué día es el cumpleaños de N?',
        values: ['3 de mayo', '14 de julio', '22 de octubre', '9 de diciembre'],
      },
      {
        said: 'N conduce ahora un coche V.',
        asked: '¿Qué coche conduce N?',
        values: ['rojo', 'verde', 'plateado', 'amarillo'],
      },
      {
        said: 'El código de la puerta del piso de N es V.',
        asked: '¿Cuál es el código de la puerta del piso de N?',
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'A N le gusta sobre todo la sopa de V.',
        asked: '¿Qué sopa le gusta a N sobre todo?',
        values: ['lentejas', 'tomate', 'calabaza', 'cebolla'],
      },
    ],
    talk: [
      ['Hoy el tiempo fue horrible otra vez.', 'Lluvia toda la semana, dicen. Lleva un paraguas.'],
      ['Por fin limpié la cocina y las ventanas.', '¡Bien hecho! Eso lleva medio día.'],
      ['N me llamó ayer por la noche.', 'Qué bien. Una charla larga, supongo.'],
      ['El tren llegó cuarenta minutos tarde.', 'Qué fastidio. Al menos habría asiento.'],
      ['Leí una buena novela sobre el mar.', 'Las novelas sobre el mar nunca envejecen.'],
      ['Mañana compraré pan, leche y manzanas.', 'No olvides el café.'],
      ['N y yo vimos una película el fin de semana.', 'Una noche tranquila, entonces.'],
      ['Mi vecino está pintando la valla.', 'Espero que el color quede bien con la casa.'],
      ['La reunión en la oficina duró tres horas.', 'Demasiado larga para una reunión.'],
      ['N manda saludos a todos.', 'Gracias, saludos de vuelta.'],
      ['El ordenador necesita un teclado nuevo.', 'Uno con cable falla pocas veces.'],
      ['Plantamos tulipanes en el jardín.', 'Florecerán en abril.'],
    ],
  },
  Chinese: {
    names: ['王芳', '李伟', '张敏', '陈静'],
    kinds: [
      {
        said: 'N约了V去看牙医。',
        asked: 'N什么时候去看牙医？',
        values: ['星期二', '九号', '周五早上', '六月一日'],
      },
      {
        said: '顺便说一下，N对V过敏。',
        asked: 'N对什么过敏？',
        values: ['花生', '草莓', '贝类', '花粉'],
      },
      {
        said: 'N去年春天搬到了V。',
        asked: 'N搬到了哪个城市？',
        values: ['里斯本', '奥斯陆', '成都', '京都'],
      },
      { said: 'N的狗叫V。', asked: 'N的狗叫什么名字？', values: ['饼干', '影子', '辣椒', '华夫'] },
      { said: 'N的工作是V。', asked: 'N做什么工作？', values: ['护士', '木匠', '翻译', '飞行员'] },
      {
        said: 'N在乐团里演奏V。',
        asked: 'N演奏哪种乐器？',
        values: ['大提琴', '小号', '竖琴', '双簧管'],
      },
      {
        said: 'N的生日是V。',
        asked: 'N的生日是哪一天？',
        values: ['五月三日', '七月十四日', '十月二十二日', '十二月九日'],
      },
      {
        said: 'N现在开一辆V的车。',
        asked: 'N开的是什么车？',
        values: ['红色', '绿色', '银色', '黄色'],
      },
      {
        said: 'N家的门禁密码是V。',
        asked: 'N家的门禁密码是多少？',
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'N最喜欢喝V汤。',
        asked: 'N最喜欢喝哪种汤？',
        values: ['扁豆', '番茄', '南瓜', '洋葱'],
      },
    ],
    talk: [
      ['今天的天气又很糟糕。', '听说整个星期都下雨，记得带伞。'],
      ['我终于把厨房和窗户打扫干净了。', '辛苦了！这要花半天时间。'],
      ['N昨天晚上给我打了电话。', '真好，一定聊了很久。'],
      ['火车晚点了四十分钟。', '真烦人，希望至少有座位。'],
      ['我读了一本关于大海的好小说。', '关于大海的小说永远不会过时。'],
      ['明天我要买面包、牛奶和苹果。', '别忘了咖啡。'],
      ['周末我和N一起看了电影。', '那是个安静的晚上。'],
      ['我的邻居正在刷他的栅栏。', '希望颜色和房子相配。'],
      ['办公室的会议开了三个小时。', '开会开这么久太长了。'],
      ['N向大家问好。', '谢谢，也替我问好。'],
      ['电脑需要一个新键盘。', '有线的很少出故障。'],
      ['我们在花园里种了郁金香。', '四月就会开花。'],
    ],
  },
  Japanese: {
    names: ['田中さん', '佐藤さん', '鈴木さん', '高橋さん'],
    kinds: [
      {
        said: 'NはVに歯医者の予約があります。',
        asked: 'Nの歯医者の予約はいつですか？',
        values: ['火曜日', '九日', '金曜の朝', '六月一日'],
      },
      {
        said: 'ちなみにNはVのアレルギーがあります。',
        asked: 'Nは何のアレルギーがありますか？',
        values: ['ピーナッツ', 'いちご', '貝', '花粉'],
      },
      {
        said: 'Nは去年の春にVへ引っ越しました。',
        asked: 'Nはどの街へ引っ越しましたか？',
        values: ['リスボン', 'オスロ', '札幌', '京都'],
      },
      {
        said: 'Nの犬の名前はVです。',
        asked: 'Nの犬の名前は何ですか？',
        values: ['ビスケット', 'シャドー', 'ペッパー', 'ワッフル'],
      },
      {
        said: 'Nの仕事はVです。',
        asked: 'Nの仕事は何ですか？',
        values: ['看護師', '大工', '翻訳家', 'パイロット'],
      },
      {
        said: 'Nは楽団でVを演奏しています。',
        asked: 'Nはどの楽器を演奏していますか？',
        values: ['チェロ', 'トランペット', 'ハープ', 'オーボエ'],
      },
      {
        said: 'Nの誕生日はVです。',
        asked: 'Nの誕生日はいつですか？',
        values: ['五月三日', '七月十四日', '十月二十二日', '十二月九日'],
      },
      {
        said: 'Nは今、V車に乗っています。',
        asked: 'Nはどんな車に乗っていますか？',
        values: ['赤い', '緑の', '銀色の', '黄色い'],
      },
      {
        said: 'Nのマンションの暗証番号はVです。',
        asked: 'Nのマンションの暗証番号は何番ですか？',
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'Nが一番好きなのはVスープです。',
        asked: 'Nが一番好きなスープはどれですか？',
        values: ['レンズ豆の', 'トマト', 'かぼちゃ', 'オニオン'],
      },
    ],
    talk: [
      ['今日もひどい天気でした。', '今週はずっと雨だそうです。傘を持って行ってください。'],
      ['やっと台所と窓を掃除しました。', 'お疲れさまでした。半日かかりますね。'],
      ['昨日の夜、Nから電話がありました。', 'いいですね。長く話したのでしょう。'],
      ['電車が四十分遅れました。', '困りますね。せめて座れたらよかったのですが。'],
      ['海についての良い小説を読みました。', '海の小説は古くなりません。'],
      ['明日はパンと牛乳とりんごを買います。', 'コーヒーも忘れないでください。'],
      ['週末にNと映画を見ました。', '静かな夜だったのですね。'],
      ['隣の人が柵を塗っています。', '色が家に合うといいですね。'],
      ['会社の会議が三時間続きました。', '会議にしては長すぎます。'],
      ['Nが皆さんによろしくと言っていました。', 'ありがとうございます。よろしくお伝えください。'],
      ['パソコンに新しいキーボードが必要です。', '有線のものはあまり壊れません。'],
      ['庭にチューリップを植えました。', '四月に咲くでしょう。'],
    ],
  },
  Korean: {
    names: ['민수', '지영', '현우', '서연'],
    kinds: [
      {
        said: 'N 씨는 V에 치과 예약이 있어요.',
        asked: 'N 씨의 치과 예약은 언제예요?',
        values: ['화요일', '아홉째 날', '금요일 아침', '유월 첫날'],
      },
      {
        said: '참고로 N 씨는 V 알레르기가 있어요.',
        asked: 'N 씨는 무슨 알레르기가 있어요?',
        values: ['땅콩', '딸기', '조개', '꽃가루'],
      },
      {
        said: 'N 씨는 작년 봄에 V로 이사했어요.',
        asked: 'N 씨는 어느 도시로 이사했어요?',
        values: ['리스본', '오슬로', '대구', '교토'],
      },
      {
        said: 'N 씨 강아지 이름은 V예요.',
        asked: 'N 씨 강아지의 이름이 뭐예요?',
        values: ['비스킷', '그림자', '후추', '와플'],
      },
      {
        said: 'N 씨의 직업은 V예요.',
        asked: 'N 씨는 직업이 뭐예요?',
        values: ['간호사', '목수', '번역가', '조종사'],
      },
      {
        said: 'N 씨는 악단에서 V를 연주해요.',
        asked: 'N 씨는 어떤 악기를 연주해요?',
        values: ['첼로', '트럼펫', '하프', '오보에'],
      },
      {
        said: 'N 씨의 생일은 V이에요.',
        asked: 'N 씨 생일이 언제예요?',
        values: ['오월 삼일', '칠월 십사일', '시월 이십이일', '십이월 구일'],
      },
      {
        said: 'N 씨는 요즘 V 자동차를 몰아요.',
        asked: 'N 씨는 어떤 자동차를 몰아요?',
        values: ['빨간', '초록', '은색', '노란'],
      },
      {
        said: 'N 씨 집의 현관 비밀번호는 V이에요.',
        asked: 'N 씨 집 현관 비밀번호가 뭐예요?',
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'N 씨가 가장 좋아하는 국은 V국이에요.',
        asked: 'N 씨가 가장 좋아하는 국이 뭐예요?',
        values: ['렌틸콩', '토마토', '호박', '양파'],
      },
    ],
    talk: [
      ['오늘도 날씨가 너무 나빴어요.', '이번 주 내내 비가 온대요. 우산을 챙기세요.'],
      ['드디어 부엌과 창문을 청소했어요.', '잘했어요! 반나절은 걸리죠.'],
      ['어제 저녁에 N 씨가 전화했어요.', '좋네요. 오래 이야기했겠어요.'],
      ['기차가 사십 분이나 늦었어요.', '짜증 났겠어요. 앉아서는 왔길 바라요.'],
      ['바다에 관한 좋은 소설을 읽었어요.', '바다 소설은 질리지 않지요.'],
      ['내일은 빵과 우유와 사과를 살 거예요.', '커피도 잊지 마세요.'],
      ['주말에 N 씨와 영화를 봤어요.', '조용한 밤이었겠네요.'],
      ['이웃이 울타리를 칠하고 있어요.', '색이 집과 어울리면 좋겠어요.'],
      ['사무실 회의가 세 시간 걸렸어요.', '회의치고는 너무 길어요.'],
      ['N 씨가 모두에게 안부를 전해요.', '고마워요, 저도 안부 전해 주세요.'],
      ['컴퓨터에 새 키보드가 필요해요.', '유선은 고장이 적어요.'],
      ['정원에 튤립을 심었어요.', '사월에 필 거예요.'],
    ],
  },
  Arabic: {
    names: ['أحمد', 'ليلى', 'سمير', 'نورة'],
    kinds: [
      {
        said: 'لدى N موعد عند طبيب الأسنان V.',
        asked: 'متى موعد N عند طبيب الأسنان؟',
        values: ['يوم الثلاثاء', 'في اليوم التاسع', 'صباح الجمعة', 'في أول يونيو'],
      },
      {
        said: 'بالمناسبة، يعاني N من حساسية من V.',
        asked: 'من ماذا يعاني N من حساسية؟',
        values: ['الفول السوداني', 'الفراولة', 'المحار', 'غبار الطلع'],
      },
      {
        said: 'انتقل N إلى V في الربيع الماضي.',
        asked: 'إلى أي مدينة انتقل N؟',
        values: ['لشبونة', 'أوسلو', 'عمّان', 'كيوتو'],
      },
      {
        said: 'كلب N اسمه V.',
        asked: 'ما اسم كلب N؟',
        values: ['بسكويت', 'ظل', 'فلفل', 'رعد'],
      },
      {
        said: 'عمل N هو V.',
        asked: 'ما هو عمل N؟',
        values: ['التمريض', 'النجارة', 'الترجمة', 'الطيران'],
      },
      {
        said: 'يعزف N على V في الأوركسترا.',
        asked: 'على أي آلة يعزف N؟',
        values: ['التشيلو', 'البوق', 'القيثارة', 'المزمار'],
      },
      {
        said: 'عيد ميلاد N في V.',
        asked: 'متى عيد ميلاد N؟',
        values: ['٣ مايو', '١٤ يوليو', '٢٢ أكتوبر', '٩ ديسمبر'],
      },
      {
        said: 'يقود N الآن سيارة V.',
        asked: 'أي سيارة يقود N؟',
        values: ['حمراء', 'خضراء', 'فضية', 'صفراء'],
      },
      {
        said: 'رمز باب شقة N هو V.',
        asked: 'ما هو رمز باب شقة N؟',
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'يحب N حساء V أكثر من غيره.',
        asked: 'أي حساء يحب N أكثر من غيره؟',
        values: ['العدس', 'الطماطم', 'اليقطين', 'البصل'],
      },
    ],
    talk: [
      ['كان الطقس سيئا اليوم أيضا.', 'يقولون إن المطر سيستمر طوال الأسبوع. خذ مظلة.'],
      ['نظفت المطبخ والنوافذ أخيرا.', 'أحسنت! هذا يستغرق نصف يوم.'],
      ['اتصل بي N مساء أمس.', 'جميل. حديث طويل على ما أظن.'],
      ['تأخر القطار أربعين دقيقة.', 'هذا مزعج. أرجو أنك وجدت مقعدا.'],
      ['قرأت رواية جيدة عن البحر.', 'روايات البحر لا تشيخ أبدا.'],
      ['غدا سأشتري الخبز والحليب والتفاح.', 'لا تنس القهوة.'],
      ['شاهدت فيلما مع N في عطلة الأسبوع.', 'أمسية هادئة إذن.'],
      ['جاري يدهن السياج.', 'آمل أن يناسب اللون البيت.'],
      ['استغرق الاجتماع في المكتب ثلاث ساعات.', 'هذا طويل جدا لاجتماع.'],
      ['N يرسل التحيات إلى الجميع.', 'شكرا، وتحياتي أيضا.'],
      ['يحتاج الحاسوب إلى لوحة مفاتيح جديدة.', 'السلكية نادرا ما تتعطل.'],
      ['زرعنا التوليب في الحديقة.', 'سيزهر في أبريل.'],
    ],
  },
  Hindi: {
    names: ['राहुल', 'प्रिया', 'अमित', 'नेहा'],
    kinds: [
      {
        said: 'N की दाँतों के डॉक्टर से V मुलाक़ात है।',
        asked: 'N की दाँतों के डॉक्टर से मुलाक़ात कब है?',
        values: ['मंगलवार को', 'नौ तारीख़ को', 'शुक्रवार सुबह', 'पहली जून को'],
      },
      {
        said: 'वैसे, N को V से एलर्जी है।',
        asked: 'N को किस चीज़ से एलर्जी है?',
        values: ['मूँगफली', 'स्ट्रॉबेरी', 'सीप', 'पराग'],
      },
      {
        said: 'N पिछले वसंत में V चले गए।',
        asked: 'N किस शहर चले गए?',
        values: ['लिस्बन', 'ओस्लो', 'जयपुर', 'क्योटो'],
      },
      {
        said: 'N के कुत्ते का नाम V है।',
        asked: 'N के कुत्ते का नाम क्या है?',
        values: ['बिस्कुट', 'छाया', 'मिर्ची', 'वफ़ल'],
      },
      {
        said: 'N का पेशा V है।',
        asked: 'N का पेशा क्या है?',
        values: ['नर्सिंग', 'बढ़ईगीरी', 'अनुवाद', 'विमान उड़ाना'],
      },
      {
        said: 'N ऑर्केस्ट्रा में V बजाते हैं।',
        asked: 'N कौन सा वाद्य बजाते हैं?',
        values: ['चेलो', 'तुरही', 'वीणा', 'शहनाई'],
      },
      {
        said: 'N का जन्मदिन V को है।',
        asked: 'N का जन्मदिन कब है?',
        values: ['3 मई', '14 जुलाई', '22 अक्टूबर', '9 दिसंबर'],
      },
      {
        said: 'N अब V गाड़ी चलाते हैं।',
        asked: 'N कौन सी गाड़ी चलाते हैं?',
        values: ['लाल', 'हरी', 'चाँदी रंग की', 'पीली'],
      },
      {
        said: 'N के फ़्लैट के दरवाज़े का कोड V है।',
        asked: 'N के फ़्लैट के दरवाज़े का कोड क्या है?',
        values: ['4071', '2268', '9315', '5580'],
      },
      {
        said: 'N को V का सूप सबसे ज़्यादा पसंद है।',
        asked: 'N को कौन सा सूप सबसे ज़्यादा पसंद है?',
        values: ['मसूर', 'टमाटर', 'कद्दू', 'प्याज़'],
      },
    ],
    talk: [
      ['आज फिर मौसम बहुत ख़राब था।', 'कहते हैं पूरे हफ़्ते बारिश होगी। छाता साथ रखना।'],
      ['मैंने आख़िरकार रसोई और खिड़कियाँ साफ़ कीं।', 'शाबाश! इसमें आधा दिन लगता है।'],
      ['कल शाम N ने मुझे फ़ोन किया।', 'अच्छा लगा। लंबी बातचीत हुई होगी।'],
      ['रेलगाड़ी चालीस मिनट देर से आई।', 'बुरा लगा। उम्मीद है सीट तो मिली होगी।'],
      ['मैंने समुद्र पर एक अच्छा उपन्यास पढ़ा।', 'समुद्र के उपन्यास कभी पुराने नहीं होते।'],
      ['कल मैं रोटी, दूध और सेब ख़रीदूँगा।', 'कॉफ़ी मत भूलना।'],
      ['मैंने N के साथ सप्ताहांत में फ़िल्म देखी।', 'तो एक शांत शाम रही।'],
      ['मेरा पड़ोसी अपनी बाड़ रंग रहा है।', 'आशा है रंग घर पर जँचेगा।'],
      ['दफ़्तर की बैठक तीन घंटे चली।', 'बैठक के लिए यह बहुत लंबा है।'],
      ['N सबको नमस्ते कहते हैं।', 'धन्यवाद, उन्हें भी नमस्ते।'],
      ['कंप्यूटर को नया कीबोर्ड चाहिए।', 'तार वाला कम ख़राब होता है।'],
      ['हमने बग़ीचे में ट्यूलिप लगाए।', 'अप्रैल में खिलेंगे।'],
    ],
  },
}
