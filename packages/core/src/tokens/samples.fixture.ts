/** Texts of many kinds for the tests of the estimate: written or generated here, the same on every machine. */
export function samples(): Record<string, string> {
  const { of, number, text } = random(42)
  const hex = (length: number) => text('0123456789abcdef', length)
  const word = () =>
    of(
      'order status customer price total shipping address created invoice flight user name'.split(
        ' ',
      ),
    )
  const lines = (count: number, line: () => string) =>
    Array.from({ length: count }, line).join('\n')
  const record = () => ({
    id: number(99999),
    name: `${word()} ${word()}`,
    [word()]: number(1000) / 8,
    tags: [word(), word()],
  })
  const records = Array.from({ length: 12 }, record)
  const time = () => new Date(1.6e12 + number(1e9) * 100).toISOString()
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join('-')

  return {
    ...prose,
    ...code,
    'json, pretty': JSON.stringify(records, null, 2),
    'json, with tabs': JSON.stringify(records, null, '\t'),
    'json, compact': JSON.stringify(records),
    log: lines(
      20,
      () =>
        `${time()} ${of(['INFO', 'WARN', 'ERROR'])} [worker-${number(9)}] ${word()} id=${number(99999)} took ${number(900)}ms`,
    ),
    csv: lines(40, () =>
      [number(100), number(100000), (number(10000) / 100).toFixed(2), -number(1000)].join(','),
    ),
    'markdown table': `| name | count | share |\n|---|---|---:|\n${lines(20, () => `| ${word()} | ${number(1000)} | ${number(100)}.5% |`)}`,
    urls: lines(
      15,
      () =>
        `https://www.${word()}.com/${word()}/${number(9999)}?${word()}=${word()}&utm_source=${word()}`,
    ),
    hex: hex(1000),
    base64: text('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 1000),
    uuids: lines(20, uuid),
    emoji: Array.from({ length: 150 }, () => String.fromCodePoint(0x1f600 + number(0x4f))).join(''),
    blanks: ' '.repeat(700),
    newlines: '\n'.repeat(700),
    indentation: lines(40, () => `${' '.repeat(4 * number(10))}${word()}.${word()}(${word()});`),
    'random words': Array.from({ length: 120 }, () =>
      text('abcdefghijklmnopqrstuvwxyz', 3 + number(9)),
    ).join(' '),
    'random letters': text('abcdefghijklmnopqrstuvwxyz', 900),
    'one letter': 'a'.repeat(600),
    lines: lines(20, () => of([...'-=*#_']).repeat(5 + number(70))),
  }
}

/** A seeded generator (mulberry32). */
export function random(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const number = (below: number): number => Math.floor(next() * below)
  const of = <T>(items: readonly T[]): T => items[number(items.length)]!
  const text = (letters: string, length: number): string =>
    Array.from({ length }, () => of([...letters])).join('')
  return { number, of, text }
}

const prose = {
  english:
    'When the harbour froze in the third week of January, nobody in the village was surprised. The old people had said that the gulls were flying low, and the bread in the bakery had cooled too fast. Martha closed the shutters, put another log on the fire, and waited for her brother, who had promised to bring the letters from town. He came late, with snow on his shoulders and a story that he told before he had even taken off his boots.',
  german:
    'Als der Zug endlich einfuhr, war der Bahnsteig schon fast leer. Nur eine ältere Frau saß noch auf ihrem Koffer und löste ein Kreuzworträtsel. Die Verspätung hatte niemand erklärt, und die Anzeigetafel zeigte seit einer Stunde dieselbe Uhrzeit. Trotzdem war die Stimmung freundlich: Jemand verteilte Äpfel, und zwei Kinder übten das Einmaleins, als gäbe es nichts Schöneres.',
  french:
    'Le marché ouvrait à six heures, mais les premiers clients arrivaient toujours un peu avant. On y trouvait des fromages, des légumes de saison et, le samedi, un marchand de livres qui connaissait l’histoire de chaque maison du quartier. Ma grand-mère achetait deux fois rien, parlait longtemps avec tout le monde et rentrait, très contente, avec un bouquet qu’elle n’avait pas prévu.',
  spanish:
    'La biblioteca del pueblo tenía solo dos salas, pero en ellas cabía el mundo entero. Por las tardes, cuando el calor apretaba, los niños se sentaban en el suelo y la maestra les leía cuentos de países lejanos. Nadie sabía quién había donado los libros más antiguos; se decía que un capitán, cansado de viajar, los había dejado allí antes de comprarse una huerta.',
  russian:
    'Утром пошёл первый снег, и город сразу стал тише. Машины ехали медленно, люди улыбались друг другу, а дети уже лепили во дворе большого снеговика. Бабушка поставила чайник, достала варенье и сказала, что зима в этом году будет долгой. Мы не спорили: на кухне было тепло, пахло хлебом, и никто никуда не спешил.',
  arabic:
    'في صباح يوم جديد خرج الصياد إلى البحر قبل شروق الشمس. كان الهواء باردا والماء هادئا، ولم يكن في الميناء أحد غير قطة صغيرة تنتظر نصيبها من السمك. رمى شبكته وجلس يفكر في أولاده وفي البيت الذي يريد أن يبنيه قرب المدرسة. وعندما عاد عند الظهر كانت السلة مليئة وكان الجميع في انتظاره.',
  hindi:
    'गाँव के बाहर एक पुराना बरगद का पेड़ था, जिसके नीचे शाम को सब लोग इकट्ठा होते थे। बच्चे खेलते, बूढ़े लोग कहानियाँ सुनाते और औरतें अपने दिन की बातें करती थीं। बारिश के मौसम में भी वहाँ की ज़मीन सूखी रहती थी। एक दिन एक यात्री आया और उसने पूछा कि यह पेड़ किसने लगाया था, पर किसी को याद नहीं था।',
  korean:
    '가을이 되자 산으로 가는 버스는 아침부터 사람들로 가득 찼다. 할머니는 창가에 앉아 김밥을 나누어 주셨고, 아이들은 단풍잎을 세며 노래를 불렀다. 정상에 오르자 바다가 보였고 바람은 생각보다 따뜻했다. 우리는 사진을 찍고 천천히 내려오면서 내년에도 꼭 다시 오자고 약속했다. 저녁에는 시장에 들러 국수를 먹었다. 돌아오는 길에는 모두가 잠들었고 기사님만 조용히 라디오를 듣고 계셨다. 집에 도착하니 벌써 밤이었다.',
  japanese:
    '駅前の小さな喫茶店は、朝の七時に開きます。店主は毎日同じ音楽をかけ、常連の客には何も聞かずにコーヒーを出します。雨の日には窓際の席が人気で、学生たちが静かに本を読んでいます。先週、新しい猫がやって来て、今では一番忙しい店員になりました。誰も名前を知らないのに、みんながその猫を呼んでいます。帰るころには、外の雨もすっかり上がっていて、空気がとても気持ちよかったです。また明日も友だちと一緒に来ようと思いました。',
  chinese:
    '村子后面有一座小山，山上种满了茶树。每年春天，采茶的人天不亮就出发，中午之前必须把新叶送到作坊。老师傅说，火候差一点，味道就完全不同。他的儿子在城里工作，只有节日才回来，可是每次回来，他都会先去看那口铁锅。今年的茶特别香，客人从很远的地方打来电话，问还能不能再留两斤。大家一边喝茶，一边谈着明年的计划，谁也没有注意到外面已经下起了小雨。傍晚的时候，雨停了，山上起了一层薄薄的雾，孩子们提着灯笼跑出来，要去看看新买的那头小牛。',
}

const code = {
  typescript: `export async function load(path: string, options: Options = {}): Promise<Result> {
  const text = await readFile(path, 'utf8')
  const rows = text.split('\\n').filter(line => line.trim() !== '')
  if (rows.length === 0) {
    throw new Error(\`Nothing in \${path}\`)
  }
  return { rows: rows.map((row, index) => ({ index, cells: row.split(options.separator ?? ',') })) }
}
`,
  python: `class Account:
    def __init__(self, owner: str, balance: float = 0.0) -> None:
        self.owner = owner
        self._balance = balance

    def withdraw(self, amount: float) -> bool:
        """Take money out, if there is enough of it."""
        if amount <= 0 or amount > self._balance:
            return False
        self._balance -= amount
        return True
`,
  c: `static int read_header(struct reader *r, uint32_t *out_size)
{
\tunsigned char buf[HEADER_SIZE];

\tif (fread(buf, 1, sizeof(buf), r->file) != sizeof(buf))
\t\treturn -EIO;
\tif (memcmp(buf, MAGIC, 4) != 0) {
\t\tfprintf(stderr, "bad magic: %02x%02x\\n", buf[0], buf[1]);
\t\treturn -EINVAL;
\t}
\t*out_size = (buf[4] << 24) | (buf[5] << 16) | (buf[6] << 8) | buf[7];
\treturn 0;
}
`,
  sql: `SELECT c.name, COUNT(o.id) AS orders, SUM(o.total) AS revenue
FROM customers c
LEFT JOIN orders o ON o.customer_id = c.id AND o.created_at >= '2024-01-01'
WHERE c.country IN ('DE', 'FR', 'ES')
GROUP BY c.name
HAVING SUM(o.total) > 1000
ORDER BY revenue DESC
LIMIT 50;
`,
  html: `<section class="card card--wide" id="pricing">
  <h2>Prices</h2>
  <ul>
    <li><a href="/plans/basic?ref=home">Basic</a> <span class="price">9.99</span></li>
    <li><a href="/plans/team?ref=home">Team</a> <span class="price">29.00</span></li>
  </ul>
  <button type="button" onclick="subscribe('team')" disabled>Subscribe</button>
</section>
`,
}
