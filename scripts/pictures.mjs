// Draws the small pictures of the documentation, docs/images/*.svg: `npm run pictures`. Readable on light and on dark pages.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../docs/images/', import.meta.url)

/** Every picture by its name. */
export function pictures() {
  return Object.entries(drawings).map(([name, { title, height, draw }]) => [
    name,
    frame(title, height, draw()),
  ])
}

const width = 720

function frame(title, height, shapes) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>${style}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>
${shapes.flat(3).join('\n')}
</svg>
`
}

const style = [
  'text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}',
  '.quiet{fill:#59636e;font-size:12px}.small{font-size:12px}.mid{text-anchor:middle}.strong{font-weight:600}',
  '.box{fill:#f6f8fa;stroke:#b7c0ca}.line{stroke:#6e7781;fill:none;stroke-width:1.5}.tip{fill:#6e7781}',
  '.kept{fill:#9ec5fe}.recalled{fill:#a3d9b1}.digested{fill:#f6d48f}.first{fill:#c8b6f2}.omitted{fill:none;stroke:#b7c0ca;stroke-dasharray:3 2}.free{fill:none;stroke:#b7c0ca}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.box{fill:#1c2128;stroke:#484f58}.line{stroke:#9198a1}.tip{fill:#9198a1}',
  '.kept{fill:#1f4f8f}.recalled{fill:#22633a}.digested{fill:#7a5a12}.first{fill:#54418f}.omitted,.free{stroke:#484f58}}',
].join('')

const toXml = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const rect = (kind, x, y, w, h, r = 4) =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}"/>`
const say = (x, y, text, kind = '') =>
  `<text class="${kind}" x="${x}" y="${y}">${toXml(text)}</text>`
const box = (x, y, w, h, text, under, kind = 'box') => [
  rect(kind, x, y, w, h, 6),
  say(x + w / 2, y + h / 2 + (under ? -2 : 4), text, 'mid strong'),
  under ? say(x + w / 2, y + h / 2 + 15, under, kind === 'box' ? 'mid quiet' : 'mid small') : [],
]
const arrow = (x1, y1, x2, y2) =>
  `<path class="line" d="M${x1} ${y1}L${x2} ${y2}" marker-end="url(#tip)"/>`
const path = d => `<path class="line" d="${d}" marker-end="url(#tip)"/>`

/** Messages in a row, a letter each: k(ept), r(ecalled), d(igested), f(irst), e(lided). */
const fates = { k: 'kept', r: 'recalled', d: 'digested', f: 'first', e: 'omitted', o: 'free' }
const row = (x, y, letters, w = 12, h = 18) =>
  [...letters].map((letter, at) => rect(fates[letter], x + at * (w + 3), y, w, h, 2))
const legend = (x, y, entries) =>
  entries.map(([letter, text], at) => [
    rect(fates[letter], x + at * 130, y, 12, 12, 2),
    say(x + at * 130 + 18, y + 11, text, 'quiet'),
  ])

/** Parts of a window, side by side, each as wide as it is given. */
const parts = (x, y, h, list) => {
  let at = x
  return list.map(([kind, w, text]) => {
    const drawn = [rect(kind, at, y, w, h, 2), say(at + w / 2, y + h / 2 + 4, text, 'mid small')]
    at += w + 2
    return drawn
  })
}

const drawings = {
  fit: {
    title: 'A conversation becomes a context that fits into the window',
    height: 170,
    draw: () => [
      say(10, 22, 'the conversation', 'strong'),
      row(10, 32, `f${'e'.repeat(9)}r${'e'.repeat(14)}rr${'e'.repeat(9)}${'k'.repeat(11)}`),
      arrow(360, 58, 360, 84),
      say(372, 76, 'fit(messages, { window, reserve })', 'quiet'),
      parts(10, 92, 30, [
        ['first', 90, 'system'],
        ['first', 80, 'first'],
        ['digested', 110, 'marker, digests'],
        ['kept', 190, 'recent messages'],
        ['recalled', 80, 'recalled'],
        ['kept', 60, 'latest'],
        ['free', 78, 'reply'],
      ]),
      say(
        10,
        142,
        'the window: never exceeded; every message of the conversation has its line in the receipt',
        'quiet',
      ),
    ],
  },
  memory: {
    title: 'The prompt grows at its end until it is full; then the cut moves far',
    height: 190,
    draw: () => [
      say(10, 20, 'tokens in the prompt', 'quiet'),
      path('M40 160L40 30'),
      path('M40 160L700 160'),
      say(640, 178, 'turns', 'quiet'),
      `<path class="line" stroke-dasharray="4 3" d="M40 45L690 45"/>`,
      say(560, 40, 'full', 'quiet'),
      `<path class="line" style="stroke-width:2.5" d="M40 150L230 45L230 112L430 45L430 112L630 45L630 112L690 92"/>`,
      say(216, 138, 'a cut, seldom: the beginning changes', 'quiet'),
      say(466, 138, 'between cuts: nothing is read again', 'quiet'),
    ],
  },
  policies: {
    title: 'What four policies keep of the same conversation',
    height: 176,
    draw: () => [
      ...[
        ['default', `f${'e'.repeat(8)}r${'e'.repeat(7)}r${'e'.repeat(5)}dd${'k'.repeat(9)}`],
        ['spongebob', `f${'e'.repeat(18)}${'k'.repeat(15)}`],
        ['tiered', `f${'e'.repeat(11)}${'d'.repeat(18)}${'k'.repeat(4)}`],
        ['sliding', `f${'e'.repeat(23)}${'k'.repeat(10)}`],
      ].map(([name, letters], at) => [
        say(10, 30 + at * 32, name, 'strong'),
        row(100, 16 + at * 32, letters),
      ]),
      legend(100, 150, [
        ['f', 'protected'],
        ['k', 'kept'],
        ['r', 'recalled'],
        ['d', 'digested'],
        ['e', 'not sent'],
      ]),
    ],
  },
  receipt: {
    title: 'The receipt names the fate of every message, the rule and the reason',
    height: 150,
    draw: () => [
      row(20, 20, 'feeereeddkkkk', 30, 30),
      path('M151 54L151 78L190 78'),
      say(198, 82, '#4 user, recalled: asked for: grid, reference, fence'),
      path('M85 54L85 112L190 112'),
      say(198, 116, '#2 user, omitted: before the cut (balanced)'),
    ],
  },
  digests: {
    title: 'An older exchange becomes one line, without a model',
    height: 130,
    draw: () => [
      box(10, 14, 300, 36, 'Make it look like a thunderstorm.'),
      box(10, 60, 300, 56, '{"program": {"steps": […]}}', '240 tokens'),
      arrow(322, 62, 372, 62),
      box(
        384,
        40,
        320,
        48,
        '[Previous: "thunderstorm" → 4 steps …]',
        '30 tokens, the same every time',
        'digested',
      ),
    ],
  },
  notes: {
    title: 'A note to self is cut out of the reply and comes back in the next prompt',
    height: 160,
    draw: () => [
      box(10, 56, 200, 50, 'the reply', 'text [NOTE TO SELF: …]'),
      path('M214 72L300 40'),
      path('M214 92L300 122'),
      box(308, 14, 150, 48, 'the user', 'sees the text'),
      box(308, 98, 150, 48, 'the log', 'keeps the note', 'digested'),
      arrow(462, 122, 536, 122),
      box(544, 98, 160, 48, 'the next prompt', 'has both', 'kept'),
    ],
  },
  state: {
    title: 'A state is read from the newest result of a tool in the log',
    height: 138,
    draw: () => [
      say(10, 24, 'the log', 'strong'),
      row(10, 36, 'oookokoookoor', 22, 26),
      say(
        10,
        126,
        'blue: results of the tool; green: the newest one that matches the schema',
        'quiet',
      ),
      path('M321 66L321 104L440 104'),
      box(448, 82, 250, 42, '{ title: "Larger button" }', undefined, 'recalled'),
    ],
  },
  log: {
    title: 'A thread only grows; a fork is a new branch that shares the past',
    height: 140,
    draw: () => [
      say(10, 34, 'main', 'strong'),
      row(90, 18, 'kkkkkkkkkkkk', 26, 26),
      say(10, 104, 'edit-1', 'strong'),
      path('M248 48L248 100L264 100'),
      row(264, 88, 'rrrr', 26, 26),
      say(400, 104, 'shares the entries before the fork, stores only its own', 'quiet'),
      say(450, 36, 'every entry durable before the model is called', 'quiet'),
    ],
  },
  chat: {
    title: 'A turn: load, fit, call the model, run tools, save',
    height: 130,
    draw: () => [
      ...['load', 'fit', 'model', 'tools', 'save'].map((name, at) => [
        box(10 + at * 144, 40, 110, 44, name),
        at < 4 ? arrow(122 + at * 144, 62, 150 + at * 144, 62) : [],
      ]),
      path('M497 38C497 10 211 10 211 36'),
      say(318, 12, 'again after tools', 'quiet'),
      say(
        10,
        112,
        'whatever happens (crash, cancel, a broken stream), the log is valid and the next turn works',
        'quiet',
      ),
    ],
  },
  tokens: {
    title: 'The window: what is sent, the margin of the estimate, and the reserve for the reply',
    height: 110,
    draw: () => [
      parts(10, 20, 34, [
        ['kept', 480, 'capacity: what may be sent'],
        ['digested', 60, 'margin'],
        ['free', 150, 'reserve: the reply'],
      ]),
      say(10, 82, 'window = capacity + margin + reserve; an exact counter has no margin', 'quiet'),
    ],
  },
  models: {
    title: 'A model takes messages and gives a stream of parts',
    height: 96,
    draw: () => [
      box(10, 22, 190, 50, 'messages, tools', 'of any provider'),
      arrow(204, 47, 260, 47),
      box(268, 22, 170, 50, 'stream()', 'Ollama, OpenAI, yours'),
      arrow(442, 47, 498, 47),
      box(506, 22, 200, 50, 'text, calls, end', 'with the tokens counted'),
    ],
  },
  stores: {
    title: 'A history writes to any store; the same cases prove each',
    height: 150,
    draw: () => [
      box(10, 52, 150, 46, 'history', 'threads, turns'),
      arrow(164, 75, 220, 75),
      box(228, 52, 150, 46, 'Store', 'texts and numbers'),
      ...['memory', 'SQLite', 'PostgreSQL', 'yours'].map((name, at) => [
        path(`M382 75L468 ${22 + at * 36}`),
        box(476, 8 + at * 36, 150, 28, name, undefined, at === 3 ? 'digested' : 'box'),
      ]),
    ],
  },
  server: {
    title: 'The server stands between clients and their model server, and keeps the log',
    height: 180,
    draw: () => [
      ...['Ollama clients', 'OpenAI clients', 'Anthropic clients', 'useChat'].map((name, at) => [
        box(10, 8 + at * 42, 150, 32, name),
        path(`M164 ${24 + at * 42}L268 ${60 + at * 14}`),
      ]),
      box(276, 46, 170, 74, 'throughline', 'keeps all, sends what fits', 'kept'),
      arrow(450, 83, 540, 83),
      box(548, 56, 160, 54, 'model server', 'or the reader'),
      arrow(361, 124, 361, 144),
      box(276, 148, 170, 28, 'SQLite or PostgreSQL'),
    ],
  },
  experiments: {
    title: 'In every step each role acts once on the shared environment',
    height: 176,
    draw: () => [
      ...[1, 2, 3, 4].map(step => say(150 + (step - 1) * 120, 22, `step ${step}`, 'quiet')),
      ...['weather', 'customers', 'owner'].map((name, at) => [
        say(10, 50 + at * 32, name, 'strong'),
        ...[0, 1, 2, 3].map(step =>
          rect(['kept', 'recalled', 'digested'][at], 130 + step * 120, 34 + at * 32, 100, 24),
        ),
      ]),
      say(10, 150, 'environment', 'strong'),
      ...['cash 20', 'cash 80', 'cash 140', 'cash 210'].map((text, at) =>
        box(130 + at * 120, 134, 100, 26, text),
      ),
    ],
  },
  reader: {
    title: 'The reader quotes the sentence of its context that fits best',
    height: 100,
    draw: () => [
      box(10, 24, 300, 50, 'the context', '… "My locker code is 4471." …', 'kept'),
      arrow(314, 49, 368, 49),
      box(
        376,
        24,
        330,
        50,
        'You said: "My locker code is 4471."',
        'no weights, no server, the same every time',
      ),
    ],
  },
  dump: {
    title: 'A dump is the context as text: all that the model gets, and nothing else',
    height: 118,
    draw: () => [
      box(10, 36, 150, 46, 'the context', 'what is sent', 'kept'),
      arrow(164, 59, 220, 59),
      rect('box', 228, 10, 330, 98, 6),
      say(244, 34, '=== SYSTEM PROMPT ==='),
      say(244, 54, 'You are a harbour master.', 'quiet'),
      say(244, 78, '=== CURRENT USER MESSAGE ==='),
      say(244, 98, 'Which berth is mine?', 'quiet'),
    ],
  },
  'what-goes-where': {
    title: 'Messages are stored, sent and shown; notes are stored and sent, and never shown',
    height: 130,
    draw: () => [
      ...['stored', 'sent', 'shown'].map((name, at) => say(205 + at * 170, 22, name, 'mid strong')),
      ...[
        ['message', ['kept', 'kept', 'kept']],
        ['note to self', ['digested', 'digested', 'omitted']],
        ['marker, recall', ['omitted', 'recalled', 'omitted']],
      ].map(([name, kinds], row) => [
        say(10, 52 + row * 32, name),
        ...kinds.map((kind, at) => rect(kind, 140 + at * 170, 36 + row * 32, 130, 22)),
      ]),
    ],
  },
  mcp: {
    title: 'An agent reads the log over the Model Context Protocol',
    height: 92,
    draw: () => [
      box(10, 20, 170, 50, 'an agent', 'any client of MCP'),
      arrow(184, 45, 250, 45),
      box(258, 20, 200, 50, 'throughline mcp', 'search, list, read, explain', 'kept'),
      arrow(462, 45, 528, 45),
      box(536, 20, 170, 50, 'the log', 'only read'),
    ],
  },
  bridges: {
    title: 'Your loop stays; only what is sent is fitted',
    height: 110,
    draw: () => [
      box(10, 30, 170, 50, 'your loop', 'AI SDK, LangChain'),
      arrow(184, 55, 240, 55),
      box(248, 30, 190, 50, 'throughline', 'middleware or helper', 'kept'),
      arrow(442, 55, 498, 55),
      box(506, 30, 190, 50, 'any model', 'gets what fits'),
    ],
  },
  instances: {
    title: 'Two servers on one PostgreSQL: either answers any conversation',
    height: 150,
    draw: () => [
      box(10, 50, 120, 46, 'clients'),
      path('M134 66L208 36'),
      path('M134 82L208 112'),
      box(216, 12, 170, 46, 'server 1', undefined, 'kept'),
      box(216, 90, 170, 46, 'server 2', undefined, 'kept'),
      path('M390 36L470 66'),
      path('M390 112L470 82'),
      box(478, 46, 220, 56, 'PostgreSQL', 'one writer per branch, by a lease'),
    ],
  },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of pictures()) writeFileSync(new URL(`${name}.svg`, folder), text)
}
