import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { actionsTitle, markerText, previousActionsTitle } from '../../log/texts.ts'
import { type FitOptions, fit } from '../fit.ts'
import type { Receipt } from '../receipt.ts'

const words = (n: number, from: number) =>
  Array.from({ length: n }, (_, at) => `word${from}x${at}`).join(' ')

/** A round: a thought, a call of a tool with a file, and its result. */
function round(
  n: number,
  { tool = 'read_file', path = `src/file${n}.ts`, result = `content ${n}: ${words(80, n)}` } = {},
) {
  const call = {
    id: `c${n}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify({ path }) },
  }
  return [
    { role: 'assistant', content: `I look at step ${n}.`, tool_calls: [call] },
    { role: 'tool', tool_call_id: `c${n}`, content: result },
  ]
}

const task: readonly MessageLike[] = [
  { role: 'system', content: 'You are an agent.' },
  { role: 'user', content: 'Mend the parser.' },
]
const run = (rounds: number) => [
  ...task,
  ...Array.from({ length: rounds }, (_, n) => round(n)).flat(),
]
const user = (content: string): MessageLike => ({ role: 'user', content })
const options: FitOptions = { window: 6000, reserve: 500 }
type Result = MessageLike & { readonly tool_call_id?: string }
const fateOf = ({ entries }: Receipt, seq: number) => entries[seq]!.fate
const textAt = (messages: readonly MessageLike[], part: string) =>
  messages.find(({ content }) => String(content).includes(part))?.content

describe('a long turn', () => {
  it('clears results, oldest first, and keeps the calls', () => {
    const { messages, receipt } = fit(run(30), options)
    const results = receipt.entries.filter(({ role }) => role === 'tool').map(({ fate }) => fate)
    const cleared = results.lastIndexOf('cleared')
    expect(cleared).toBeGreaterThan(3)
    expect(results.slice(cleared + 1).every(fate => fate === 'kept')).toBe(true)
    expect(results.slice(0, cleared).filter(fate => fate === 'kept')).toEqual([])
    const first = receipt.entries.find(({ fate }) => fate === 'cleared')!
    expect(first.why).toBe(`cleared: ${first.tokens} tokens, in the log as #${first.seq}`)
    expect(fateOf(receipt, first.seq - 1)).toBe('kept')
    expect(
      textAt(
        messages,
        `[Not the result: #${first.seq} (${first.tokens} tokens) is left out here] content`,
      ),
    ).toBeDefined()
    expect(messages.some(({ content }) => content === markerText)).toBe(false)
  })

  it('fills its window, and changes nothing in front of the newest rounds most of the time', () => {
    let previous: readonly MessageLike[] = []
    let changed = 0
    let least = Number.POSITIVE_INFINITY
    for (let rounds = 30; rounds < 90; rounds++) {
      const { messages, tokens } = fit(run(rounds), options)
      least = Math.min(least, tokens)
      if (
        !previous.every((message, at) => JSON.stringify(message) === JSON.stringify(messages[at]))
      )
        changed += 1
      previous = messages
    }
    expect(least).toBeGreaterThan(0.4 * 5500)
    expect(changed).toBeLessThan(24)
  })

  it('turns its oldest rounds into short lines when their calls alone are too much', () => {
    const { messages, receipt } = fit(run(150), options)
    const journal = messages.find(({ content }) =>
      String(content).startsWith('[Actions so far in this turn:]'),
    )
    expect(journal!.content).toMatch(/\n\d+\. \[read_file\] src\/file\d+\.ts\n/)
    expect(receipt.counts.digested).toBeGreaterThan(10)
    expect(receipt.counts.cleared).toBeGreaterThan(3)
  })

  it('has the same journal for a list that grew to its answer as for one that is read at once', () => {
    const growing = run(60)
    const settings = { ...options, window: 2000 }
    expect(JSON.stringify(fit(growing, settings).messages)).toContain(actionsTitle)
    growing.push({ role: 'assistant', content: 'It is mended.' })
    const { messages } = fit(growing, settings)
    expect(JSON.stringify(messages)).toContain(previousActionsTitle)
    expect(messages).toEqual(fit(structuredClone(growing), settings).messages)
  })

  it('keeps of each cleared result the line that the request asks for', () => {
    const register = (n: number) =>
      `register ${n}\nstatus: closed\nkey of berth ${n}: amber-${n * 731}\n${words(120, n)}`
    const asked = user('Read all registers, then write the keys of the berths into keys.txt.')
    const rounds = Array.from({ length: 30 }, (_, n) => round(n, { result: register(n) })).flat()
    const { messages, receipt } = fit([asked, ...rounds], options)
    const sent = JSON.stringify(messages)
    const cleared = receipt.entries.filter(({ fate }) => fate === 'cleared')
    expect(cleared.length).toBeGreaterThan(5)
    for (const { seq } of cleared) {
      const n = (seq - 2) / 2
      expect(sent).toContain(`key of berth ${n}: amber-${n * 731}`)
    }
  })

  it('tells a few words of the results in these lines, of the newest rounds first', () => {
    const settings = Array.from({ length: 200 }, (_, n) =>
      round(n, { path: `s${n}`, result: `timeout: ${n}` }),
    )
    const chat = [
      ...task,
      ...settings.flatMap(([call, result]) => [{ ...call!, content: words(20, 1) }, result!]),
    ]
    const { messages, receipt } = fit(chat, { window: 4096, reserve: 500 })
    const journal = messages.find(({ content }) =>
      String(content).startsWith('[Actions so far in this turn:]'),
    )
    const lines = String(journal?.content).split('\n').slice(2)
    const tell = lines.map(line =>
      /^(\d+)\. \[read_file\] s\d+ → timeout: (\d+)$/.exec(line)?.slice(1).map(Number),
    )
    const first = tell.findIndex(told => told !== undefined)
    expect(tell.slice(first)).toEqual(
      lines.slice(first).map((_, at) => [tell[first]![0]! + at, tell[first]![0]! + at]),
    )
    expect(lines.length - first).toBeGreaterThan(15)
    expect(receipt.tokens).toBeLessThan(4096 - 500)
  })

  it('keeps its first round, which has the plan, when its calls alone are too much', () => {
    const [call, result] = round(0)
    const planned = { ...call!, content: 'Plan: first the parser, then the printer.' }
    const { messages } = fit([...task, planned, result!, ...run(150).slice(4)], options)
    expect(messages.slice(0, 6).some(message => message === planned)).toBe(true)
    expect(textAt(messages, '[Not the result: #3 ')).toContain('is left out here] content 0')
    // A first round that is long is a round like others.
    const long = { ...call!, content: words(400, 1) }
    expect(fit([...task, long, result!, ...run(150).slice(4)], options).messages).not.toContain(
      long,
    )
  })

  it('cuts once: oldest first, with room for what comes next, and no line that was sent changes', () => {
    const messages: MessageLike[] = [...task]
    const lines = new Map<string, string>()
    let before: readonly string[] = []
    let lastCut = -2
    for (let n = 0; n < 90; n++) {
      // Each file is read, edited at once, and read again later.
      const file = (n - (n % 3)) / 3
      const path = `src/file${n % 3 === 2 ? file - 2 : file}.ts`
      messages.push(
        ...(n % 3 === 1 ? round(n, { tool: 'edit_file', path, result: 'ok' }) : round(n, { path })),
      )
      const { messages: sent } = fit(messages, options)
      const results = (sent as Result[]).filter(
        ({ tool_call_id: id, content }) => id !== undefined && /content \d/.test(String(content)),
      )
      const isLine = ({ content }: Result) => String(content).includes(' is left out here')
      // A line behind a whole result would have the next cut begin in front of it.
      expect(results.map(isLine)).toEqual(
        results.map(isLine).toSorted((a, b) => Number(b) - Number(a)),
      )
      for (const { tool_call_id: id, content } of results.filter(isLine)) {
        expect(content).toBe(lines.get(id!) ?? content)
        lines.set(id!, String(content))
      }
      const texts = sent.map(message => JSON.stringify(message))
      const isCut = before.some((text, at) => text !== texts[at])
      before = texts
      if (!isCut) continue
      expect(n - lastCut).toBeGreaterThan(1)
      lastCut = n
    }
    expect(lines.size).toBeGreaterThan(20)
  })

  it('brings back whole what a later result refers to', () => {
    const unchanged = 'File unchanged since your last Read. Refer to that earlier tool_result.'
    const seen = [...run(30), ...round(30, { path: 'src/file0.ts', result: unchanged })]
    const { messages, receipt } = fit(seen, options)
    const at = 2 + 30 * 2 + 1
    expect(fateOf(receipt, 3)).not.toBe('kept')
    expect(messages.some(({ content }) => content === `content 0: ${words(80, 0)}`)).toBe(true)
    expect(receipt.entries[at]).toMatchObject({ fate: 'altered', rule: 'references' })
    expect(messages.some(({ content }) => content === unchanged)).toBe(false)
    // As long as the earlier result is sent, nothing changes.
    expect(
      fit([...run(3), ...round(3, { path: 'src/file0.ts', result: unchanged })], options).receipt
        .counts.altered,
    ).toBe(0)
  })
})

describe('a message after a long turn', () => {
  const done = { role: 'assistant', content: 'The parser is mended.' }
  const next = { role: 'user', content: 'And now the printer.' }
  const earlier = [
    { role: 'user', content: 'Look around.' },
    { role: 'assistant', content: 'I have looked around.' },
  ]

  it.each([
    ['the first', task],
    ['a later one', [task[0]!, ...earlier, task[1]!]],
  ])(
    'takes results from the turn, %s, oldest first, and leaves its calls and thoughts',
    (_, begun) => {
      const worked = [...begun, ...run(14).slice(2), done]
      expect(fit(worked, options).receipt.counts.omitted).toBe(0)
      const { messages, receipt } = fit([...worked, next], options)
      for (const message of run(14))
        if (message.role === 'assistant') expect(messages).toContainEqual(message)
      expect(messages).toContain(done)
      const results = receipt.entries.filter(({ role }) => role === 'tool').map(({ fate }) => fate)
      const kept = results.indexOf('kept')
      expect(kept).toBeGreaterThan(0)
      expect(results).toEqual(results.map((_, place) => (place < kept ? 'cleared' : 'kept')))
    },
  )

  it('has no line for a message of a program that is sent itself and was never answered', () => {
    const program = {
      role: 'user',
      content: '<environment_context>/home/me/app</environment_context>',
    }
    const { messages } = fit([task[0]!, program, task[1]!, ...run(150).slice(2)], options)
    expect(messages).toContain(program)
    expect(JSON.stringify(messages)).toContain('[Actions so far in this turn:]')
    expect(JSON.stringify(messages)).not.toContain('(no answer)')
  })

  it('keeps the request and the newest rounds of a turn whose calls and thoughts alone are too much', () => {
    const port = { role: 'user', content: 'Port the zebra module to Kotlin.' }
    let cutInside = 0
    for (let rounds = 100; rounds < 200; rounds += 3) {
      const small = Array.from({ length: rounds }, (_, n) => round(n, { result: 'ok' })).flat()
      const worked = [task[0]!, ...earlier, port, ...small, done]
      const { messages, receipt } = fit([...worked, next], options)
      expect(messages).toContain(port)
      expect(messages).toContain(done)
      expect(receipt.tokens).toBeLessThanOrEqual(5500)
      if (messages.includes(small[2]!)) continue
      cutInside += 1
      expect(receipt.sent.some(({ part }) => part === 'journal')).toBe(true)
    }
    expect(cutInside).toBeGreaterThan(10)
  })

  it.each(['assistant', 'system'])(
    'lets the request go where a last %s message leaves no room for it',
    role => {
      const port = { role: 'user', content: `Port the zebra module to Kotlin. ${words(320, 1)}` }
      const last = { role, content: words(1050, 2) }
      let without = 0
      for (let rounds = 60; rounds < 160; rounds += 3) {
        const small = Array.from({ length: rounds }, (_, n) => round(n, { result: 'ok' })).flat()
        const { messages, receipt } = fit(
          [task[0]!, ...earlier, port, ...small, done, next, last],
          options,
        )
        expect(messages).toContain(last)
        expect(receipt.tokens).toBeLessThanOrEqual(5500)
        if (!messages.includes(port)) without += 1
      }
      expect(without).toBeGreaterThan(0)
    },
  )
})

describe('a message that names a file', () => {
  const whole = `export const parse = 1 // ${words(90, 77)}`
  const path = '/home/me/app/src/parser.ts'
  const edit = round(101, { tool: 'edit_file', path, result: 'ok' })
  const done = { role: 'assistant', content: 'It is done.' }
  const written = () => {
    const [call, result] = round(100, { tool: 'write_file', path, result: 'ok' })
    const given = JSON.stringify({ path, content: whole })
    return [
      {
        ...call!,
        tool_calls: [
          { id: 'c100', type: 'function', function: { name: 'write_file', arguments: given } },
        ],
      },
      result!,
    ]
  }
  const later = Array.from({ length: 44 }, (_, n) => round(n)).flat()

  it.each([
    ['its path', path, round(100, { path, result: whole })],
    ['the end of its path', 'src/parser.ts', round(100, { path, result: whole })],
    ['its name', 'parser.ts', round(100, { path, result: whole })],
    ['a mention of it', '@./src/parser.ts', round(100, { path, result: whole })],
    ['its name, where it was written', 'parser.ts', written()],
  ])('brings back its whole text by %s, though it was edited since', (_, name, first) => {
    const chat = [...task, ...first, ...later, ...edit, done]
    const asked = { role: 'user', content: `Go on with ${name}.` }
    const { receipt, messages } = fit([...chat, asked], options)
    const inView = messages.filter(message => JSON.stringify(message).includes(words(90, 77)))
    expect(inView).toHaveLength(1)
    expect(receipt.tokens).toBeLessThanOrEqual(5500)
    const other = fit([...chat, { role: 'user', content: 'Go on.' }], options)
    expect(JSON.stringify(other.messages).includes(words(90, 77))).toBe(false)
  })

  it('brings back a text that takes more than half of the room, and none that is too long', () => {
    const others = Array.from({ length: 150 }, (_, n) => round(n)).flat()
    const asked = [done, { role: 'user', content: 'Go on with src/parser.ts.' }]
    const view = (size: number) =>
      fit([...task, ...round(100, { path, result: words(size, 77) }), ...others, ...asked], options)
    const { messages, receipt } = view(480)
    expect(textAt(messages, words(480, 77))).toBeDefined()
    expect(receipt.parts.recall).toBeGreaterThan(1900)
    expect(receipt.tokens).toBeLessThanOrEqual(5500)
    expect(view(1200).receipt.parts.recall).toBe(0)
  })

  it('brings back what was edited in it since, which would else be taken for unchanged', () => {
    const given = JSON.stringify({ path, old_string: 'parse = 1', new_string: 'parse = 2' })
    const [call, result] = edit
    const changed = [
      {
        ...call!,
        tool_calls: [
          { id: 'c101', type: 'function', function: { name: 'edit_file', arguments: given } },
        ],
      },
      result!,
    ]
    const others = Array.from({ length: 150 }, (_, n) => round(n)).flat()
    const chat = [...task, ...round(100, { path, result: whole }), ...changed, ...others, done]
    const asked = { role: 'user', content: 'What is in parser.ts?' }
    const { messages } = fit([...chat, asked], options)
    const block = messages.find(message => JSON.stringify(message).includes(words(90, 77)))
    expect(String(block?.content)).toContain('parse = 2')
  })

  it('brings back each of several files, however often one of them was edited', () => {
    const other = `export const print = 1 // ${words(60, 78)}`
    const edits = Array.from({ length: 60 }, (_, n) =>
      round(n, { tool: 'edit_file', path, result: words(20, n) }),
    )
    const chat = [
      ...task,
      ...round(100, { path, result: whole }),
      ...round(101, { path: '/home/me/app/src/printer.ts', result: other }),
      ...edits.flat(),
      ...Array.from({ length: 80 }, (_, n) => round(n)).flat(),
      done,
    ]
    const asked = { role: 'user', content: 'What is in parser.ts and printer.ts?' }
    const block = JSON.stringify(fit([...chat, asked], options).messages)
    expect(block).toContain(whole)
    expect(block).toContain(other)
    expect(block).toContain('edit_file')
  })

  it.each([
    ['cat', (file: string) => ({ cmd: `cat ${file}`, workdir: '/home/me/app' })],
    ['a shell that is named', (file: string) => ({ command: ['bash', '-lc', `cat ./${file}`] })],
    ['numbered lines', (file: string) => ({ command: `nl -ba ${file}` })],
  ])('brings back a file that a shell has shown, and its patches: %s', (_, show) => {
    const shell = (id: string, command: object, content: string) => {
      const call = { name: 'exec_command', arguments: JSON.stringify(command) }
      return [
        { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: call }] },
        { role: 'tool', tool_call_id: id, content },
      ]
    }
    // Words do not tell the files apart.
    const numbers = Array.from({ length: 60 }, (_, n) => n).join(' ')
    const rounds = Array.from({ length: 60 }, (_, n) => {
      const file = `src/part-${n}.ts`
      const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-old ${n}\n+new ${n}\n*** End Patch`
      return [
        ...shell(`r${n}`, show(file), `the marker: ${words(80, n)} ${numbers}`),
        ...shell(`w${n}`, { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }, 'Success.'),
      ]
    })
    const ask = (n: number) => ({
      role: 'user',
      content: `What is the marker in src/part-${n}.ts?`,
    })
    const { messages } = fit([...task, ...rounds.flat(), done, ask(3), done, ask(17)], options)
    const block = String(
      messages.find(message => JSON.stringify(message).includes(words(80, 17)))?.content,
    )
    expect(block).toContain('+new 17')
  })

  it('brings back the newest whole text, not a part of it that was read later', () => {
    const [call, result] = round(102, { path, result: 'a part' })
    const given = JSON.stringify({ path, offset: 10, limit: 5 })
    const part = [
      {
        ...call!,
        tool_calls: [
          { id: 'c102', type: 'function', function: { name: 'read_file', arguments: given } },
        ],
      },
      result!,
    ]
    const old = round(99, { path, result: `old ${words(90, 76)}` })
    const chat = [...task, ...old, ...round(100, { path, result: whole }), ...part, ...later, done]
    const text = JSON.stringify(
      fit([...chat, { role: 'user', content: 'What is in parser.ts?' }], options).messages,
    )
    expect(text).toContain(words(90, 77))
    expect(text).not.toContain(words(90, 76))
  })
})

describe('system messages in a conversation', () => {
  const inLetters = (text: string) => text.replace(/\d/g, digit => 'abcdefghij'[Number(digit)]!)
  const reminder = { role: 'system', content: `Remember the todo list. ${words(60, 1)}` }

  it('are sent once, where they stand last, when they say the same', () => {
    const reminded = run(60).flatMap((message, at) =>
      at > 3 && at % 8 === 2 ? [reminder, message] : [message],
    )
    const { messages, receipt } = fit(reminded, { ...options, window: 4096 })
    const kept = messages.filter(({ content }) => content === reminder.content).length
    const stands = reminded.flatMap((message, seq) => (message === reminder ? [seq] : []))
    expect(stands.length).toBeGreaterThan(12)
    expect(kept).toBeLessThan(4)
    expect(fateOf(receipt, stands.at(-1)!)).toBe('kept')
    expect(receipt.entries[stands[0]!]).toMatchObject({
      fate: 'omitted',
      why: 'a newer system message of the same shape is sent',
    })
  })

  it('age when they take more than their part of the room', () => {
    const told = run(60).flatMap((message, at) =>
      at > 3 && at % 8 === 2
        ? [{ ...reminder, content: `${inLetters(words(40, at))} ${reminder.content}` }, message]
        : [message],
    )
    const { receipt } = fit(told, { ...options, window: 4096 })
    const systems = receipt.entries.filter(({ role, seq }) => role === 'system' && seq > 0)
    expect(systems[0]).toMatchObject({ fate: 'omitted', why: 'an older system message' })
    expect(systems.at(-1)!.fate).toBe('kept')
  })
})

describe('a chat', () => {
  const exchange = (n: number) => [
    { role: 'user', content: `Question ${n}: what about ${words(6, n)}?` },
    { role: 'assistant', content: `Answer ${n}. ${words(90, n)}` },
  ]
  const chat = Array.from({ length: 24 }, (_, n) => exchange(n)).flat()

  it('lets whole exchanges go, oldest first, and turns no answer into a line', () => {
    const next = { role: 'user', content: 'And now?' }
    const fitted = (size: number) =>
      fit([...chat.slice(0, size), next], { ...options, window: 4096 }).receipt
    let size = 6
    while (size < chat.length && fitted(size).counts.omitted === 0) size += 2
    const { counts, entries } = fitted(size)
    expect(counts.omitted).toBeGreaterThan(2)
    expect(counts.cleared).toBe(0)
    // What the message speaks of: the last exchange, and the two before it.
    expect(entries.slice(size - 6).map(({ fate }) => fate)).toEqual(Array(7).fill('kept'))
  })

  it('puts no line of ours into the mouth of the assistant', () => {
    const next = { role: 'user', content: 'And now?' }
    const answers = new Set(
      chat.flatMap(({ role, content }) => (role === 'assistant' ? [content] : [])),
    )
    for (let size = 6; size < chat.length; size += 2) {
      const { messages } = fit([...chat.slice(0, size), next], { ...options, window: 4096 })
      for (const { role, content } of messages)
        if (role === 'assistant') expect(answers).toContain(content)
    }
  })
})
