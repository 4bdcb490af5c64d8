import { fit } from '@throughline/core'
import { words } from '@throughline/core/counters'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { everyStore } from '@throughline/test-tools/every-store'
import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import { createHistory, type History, type HistoryOptions } from '../src/index.ts'

const day = 24 * 60 * 60 * 1000

/** A history of a person who remembers, with a clock that each message sets forward. */
function open(store: Store, more: Partial<HistoryOptions> = {}) {
  let time = Date.UTC(2026, 4, 3)
  const now = () => {
    time += 1000
    return time
  }
  const options = {
    store,
    count: words(),
    window: 2000,
    person: 'ada',
    remember: 'person',
    now,
    ...more,
  } as const
  return {
    history: createHistory(options),
    wait(ms: number) {
      time += ms
    },
  }
}

/** A turn, and the context that its message was answered with. */
async function say(history: History, conversation: string, text: string, reply = 'Noted.') {
  const thread = history.thread(conversation)
  const begun = await thread.begin({ role: 'user', content: text })
  if (begun.kind !== 'begun') throw new Error('the turn was replayed')
  const context = await thread.context()
  const call = await thread.saveCall(context, { model: 'model' })
  const head = begun.turn.next - 1
  await begun.turn.complete({ role: 'assistant', content: reply })
  return { context, call, thread, head }
}

/** A trip that was planned in spring, something else, and half a year. */
async function tell({ history, wait }: ReturnType<typeof open>) {
  await say(history, 'trip', 'Let us plan a trip to Rome with my sister Livia.', 'Gladly. When?')
  await say(
    history,
    'trip',
    'In June. We booked the hotel Albergo del Sole, by the Pantheon.',
    'A fine place.',
  )
  wait(day)
  await say(history, 'kitchen', 'How do I make a good risotto?', 'Toast the rice first.')
  wait(180 * day)
}

let conversations = 0
const newConversation = () => `later ${conversations++}`

const question = 'What is the name of the hotel that I booked in Rome?'
const textsOf = ({ messages }: { readonly messages: readonly { readonly content?: unknown }[] }) =>
  messages.map(({ content }) => String(content))

const stores = await everyStore()
const sqlite = stores.find(([name]) => name === 'sqlite')![1]

describe.each(stores)('a person who remembers, on %s', (_, create) => {
  it('is answered from another conversation: word for word, with its day and its name, just before the message', async () => {
    const { history, ...rest } = open(create())
    await tell({ history, ...rest })
    const { context } = await say(history, 'new', question)
    const [block, asked] = textsOf(context)
    expect(asked).toBe(question)
    expect(block!.split('\n')).toEqual([
      '[From other conversations:]',
      '3 May 2026',
      'user: Let us plan a trip to Rome with my sister Livia.',
      'assistant: Gladly. When?',
      'user: In June. We booked the hotel Albergo del Sole, by the Pantheon.',
      'assistant: A fine place.',
    ])
    expect(context.receipt.sent[0]).toMatchObject({ part: 'recall', remembered: { for: 1 } })
    const [entry] = await history.thread('new').entries()
    const quote = entry!.quotes!.find(({ seq }) => seq === 3)
    expect(quote).toMatchObject({ conversation: 'trip', why: 'asked for: hotel, booked' })
    expect(JSON.stringify(entry!.quotes)).not.toContain('Albergo')
  })

  it.each([
    ['Both birthdays fall on Easter.', 'When is a birthday?'],
    ['The surveyor stayed for lunch.', 'Who was to stay?'],
    ['Livia studied with Orsini.', 'Whose studies?'],
    ['We are hiking to the Devil’s Hole.', 'Where was the hike?'],
  ])('finds %j by another form of its word: %j', async (said, asked) => {
    const { history, wait } = open(create())
    await say(history, 'before', said)
    wait(180 * day)
    const { context } = await say(history, 'new', asked)
    expect(textsOf(context)[0]).toContain(said)
  })

  it('is brought nothing back by a message that asks for nothing, nor where nobody speaks or it is not wanted', async () => {
    const store = create()
    const own = open(store)
    await tell(own)
    const others = [
      [own.history, 'Thank you, that is all for today.'],
      [createHistory({ store, count: words(), window: 2000, remember: 'person' }), question],
      [createHistory({ store, count: words(), window: 2000, person: 'ada' }), question],
      [
        createHistory({ store, count: words(), window: 2000, person: 'bob', remember: 'person' }),
        question,
      ],
    ] as const
    for (const [number, [history, text]] of others.entries())
      expect(textsOf((await say(history, `other ${number}`, text)).context)).toEqual([text])
  })

  it('is answered from chats that were imported for that person, whose they stay', async () => {
    const store = create()
    const messages = [
      { role: 'user', content: 'We booked the hotel Albergo del Sole in Rome.' },
      { role: 'assistant', content: 'A fine place.' },
    ]
    const file = JSON.stringify({ id: 'trip', messages })
    const nobody = createHistory({ store })
    const asked = async (person: string, conversation: string) =>
      textsOf((await say(open(store, { person }).history, conversation, question)).context).join()
    await nobody.import(file)
    expect(await asked('ada', 'too early')).not.toContain('Albergo')
    expect((await nobody.import(file, { person: 'ada' })).added).toBe(0)
    expect(await asked('ada', 'new')).toContain(
      'user: We booked the hotel Albergo del Sole in Rome.',
    )
    // The same file of another person adds nothing to what is there.
    await open(store, { person: 'bob' }).history.import(file)
    expect(await asked('bob', 'his')).not.toContain('Albergo')
    await expect(nobody.import(file, { person: '' })).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })

  it('deletes only what is theirs', async () => {
    const store = create()
    const [ada, bob] = ['ada', 'bob'].map(person => open(store, { person }))
    await say(ada!.history, 'hers', 'My boat is called Heron.')
    await say(bob!.history, 'his', 'My boat is called Gull.')
    expect(await ada!.history.delete('his')).toBe(false)
    const later = open(store, { now: () => Date.now() + day }).history
    expect(await later.retain({ conversationsMs: 1000 })).toEqual({ deleted: ['hers'], calls: 0 })
    await expect(later.retain({ callsMs: 1000 })).rejects.toMatchObject({ code: 'invalid_option' })
    expect((await bob!.history.conversations()).map(({ conversation }) => conversation)).toEqual([
      'his',
    ])
    expect(await bob!.history.delete('his')).toBe(true)
  })

  it('has its own conversation first', async () => {
    const { history, ...rest } = open(create())
    await tell({ history, ...rest })
    await say(history, 'new', 'The name of the hotel that I booked in Rome is Hotel Nerva.')
    const { context } = await say(history, 'new', question)
    expect(textsOf(context).join()).not.toContain('Albergo')
  })

  it('gets the same bytes in another instance, later, and in a replay', async () => {
    const store = create()
    const own = open(store)
    await tell(own)
    const { context, call, head } = await say(own.history, 'new', question)
    expect(textsOf(context)[0]).toContain('Albergo')
    await say(own.history, 'later', 'The hotel in Rome that I booked by name was too loud.')
    const another = open(store).history.thread('new')
    for (const thread of [own.history.thread('new'), another]) {
      expect((await thread.context({ at: head })).messages).toEqual(context.messages)
      expect(await thread.replay(call)).toEqual(context.messages)
    }
  })

  it('loses what is deleted, in contexts, replays, calls and exports', async () => {
    const own = open(create())
    await tell(own)
    const { call, thread } = await say(own.history, 'new', question, 'I found it.')
    await own.history.delete('trip')
    expect(textsOf(await thread.context())).toEqual([question, 'I found it.'])
    expect(textsOf({ messages: await thread.replay(call) })[0]).toBe(
      '[From other conversations:]\n(4 messages, deleted since)',
    )
    const lines: string[] = []
    for await (const line of own.history.exportAll()) lines.push(line)
    expect(lines.join('\n')).not.toMatch(/Albergo|Livia|Pantheon/)
  })

  it('shares no quotes with a guest, and is not quoted what the guest said', async () => {
    const store = create()
    const [ada, bob] = [open(store), open(store, { person: 'bob' })]
    await tell(ada)
    const asked = await say(ada.history, 'new', question, 'By the Pantheon.')
    expect(textsOf(asked.context)[0]).toContain('Albergo')
    // In this instance, which has quoted it, and in another one.
    for (const { history } of [bob, open(store, { person: 'bob' })]) {
      const { context } = await say(
        history,
        'new',
        'The hotel that I booked in Oslo is the Nordlys.',
        'Oslo it is.',
      )
      expect(textsOf(context).join()).not.toMatch(/Albergo|other conversations/)
    }
    const turn = await bob.history.thread('new').begin({ role: 'user', content: 'Is it dear?' })
    if (turn.kind !== 'begun') throw new Error('the turn was replayed')
    await turn.turn.append({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'price', arguments: '{}' } }],
    })
    await turn.turn.append({ role: 'tool', tool_call_id: 'c', content: '90' })
    expect(textsOf(await bob.history.thread('new').context()).join()).not.toContain('Albergo')
    await turn.turn.complete({ role: 'assistant', content: 'The Nordlys costs 90.' })
    // Her own turn has her block again.
    expect(textsOf((await say(ada.history, 'new', 'Thank you.')).context).join()).toContain(
      'Albergo',
    )
    ada.wait(180 * day)
    for (const { history } of [ada, open(store)]) {
      const { context } = await say(
        history,
        newConversation(),
        'What is the name of the hotel that I booked in Oslo?',
      )
      expect(textsOf(context).join()).not.toContain('Nordlys')
    }
    // All of it is in the log, with who spoke, and stays so in a copy.
    const copy = memoryStore()
    const lines: string[] = []
    for await (const line of ada.history.exportAll()) lines.push(line)
    await createHistory({ store: copy }).import(lines.join('\n'))
    const entries = await createHistory({ store: copy }).thread('new').entries()
    expect(entries.map(({ guest = 'ada' }) => guest)).toEqual([
      ...['ada', 'ada', 'bob', 'bob', 'bob', 'bob', 'bob', 'bob', 'bob', 'bob', 'ada', 'ada'],
    ])
  })

  it('is never shown what is another person’s, whatever the log refers to', async () => {
    const store = create()
    const own = open(store)
    await tell(own)
    await say(own.history, 'new', question)
    await own.history.describe('trip', { person: 'bob' })
    expect(textsOf(await own.history.thread('new').context())).toEqual([question, 'Noted.'])
    // The conversation itself became another one's: its references are not for him.
    await own.history.describe('trip', { person: 'ada' })
    await own.history.describe('new', { person: 'bob' })
    expect(textsOf(await own.history.thread('new').context())).toEqual([question, 'Noted.'])
  })
})

it('keeps a block where it stands until another one comes, or its message is cut', async () => {
  const { history, ...rest } = open(memoryStore(), { window: 120 })
  await tell({ history, ...rest })
  const { context } = await say(history, 'new', question, 'Albergo del Sole.')
  const [block] = textsOf(context)
  const next = await say(
    history,
    'new',
    'Thank you. Let us speak of something else, of bread.',
    'Gladly.',
  )
  expect(textsOf(next.context).slice(0, 2)).toEqual([block, question])
  // Nothing goes for it: where the room is needed, it goes first.
  const long = 'Bread needs flour, water, salt and time; '.repeat(9)
  const full = await say(history, 'new', long)
  expect(textsOf(full.context).join()).not.toContain('From other conversations')
  expect(full.context.tokens).toBeLessThanOrEqual(120)
})

it('is joined to its message where roles must alternate, and a call still holds no text of it', async () => {
  const { history, ...rest } = open(memoryStore())
  await tell({ history, ...rest })
  const thread = history.thread('new')
  await thread.begin({ role: 'user', content: question })
  const context = await thread.context({ shape: 'alternating' })
  expect(textsOf(context)).toHaveLength(1)
  expect(textsOf(context)[0]).toMatch(
    /^\[From other conversations:\]\n[\s\S]*Albergo[\s\S]*\n\nWhat is the name/,
  )
  const call = await thread.saveCall(context, { model: 'model' })
  expect(call.plan).not.toContain('Albergo')
  expect(await thread.replay(call)).toEqual(context.messages)
})

it('leaves a context without quotes as it was', async () => {
  const { history } = open(memoryStore())
  const { context, thread } = await say(history, 'new', question)
  const [message] = await thread.messages()
  expect(context.messages).toEqual(fit([message!], { window: 2000, count: words() }).messages)
})

const nouns = 'hotel boat garden sister doctor recipe school concert harbour bicycle'.split(' ')

/** Lives through random turns of two people of two tenants; each tells secrets of their own. Returns what others were shown. */
async function leaksIn(store: Store, turns: number): Promise<readonly string[]> {
  let state = 7
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const people = ['home', 'work'].flatMap(tenant =>
    ['ada', 'bob'].map(person => ({
      name: `${tenant}${person}`,
      ...open(store, { tenant, person }),
    })),
  )
  const leaks: string[] = []
  let remembered = 0
  for (let turn = 0; turn < turns; turn++) {
    const { name, history, wait } = people[random(4)]!
    wait(random(3) * day)
    const noun = nouns[random(nouns.length)]!
    const conversation = `${name} ${random(turns / 8)}`
    const isAsking = random(2) === 0
    const text = isAsking
      ? `What is the name of my ${noun}?`
      : `The name of my ${noun} is secret${name}${turn}.`
    const { context } = await say(history, conversation, text)
    const shown = textsOf(context).join('\n')
    if (shown.includes('[From other conversations:]')) remembered += 1
    for (const [found] of shown.matchAll(/secret[a-z]+/g))
      if (found !== `secret${name}`) leaks.push(`${name} saw ${found}`)
  }
  console.log(`${remembered} of ${turns} messages brought something back`)
  expect(remembered).toBeGreaterThan(turns / 20)
  return leaks
}

it('never quotes another person or tenant, in random turns', async () => {
  expect(await leaksIn(isLong ? sqlite() : memoryStore(), isLong ? 2_400 : 120)).toEqual([])
})

describe('what other conversations say', () => {
  /** A store that tells which stretches of entries are read, and whose caches may be damaged. */
  function watched(damage: (bytes: Uint8Array) => Uint8Array = bytes => bytes) {
    const store = memoryStore()
    const stretches: number[] = []
    const given: Store = {
      ...store,
      entries(thread, range = {}) {
        if (thread.conversation === 'menu')
          stretches.push((range.to ?? Number.POSITIVE_INFINITY) - (range.from ?? 1) + 1)
        return store.entries(thread, range)
      },
      async loadCache(thread, key) {
        const found = await store.loadCache(thread, key)
        return found && { ...found, bytes: damage(found.bytes) }
      },
    }
    return { given, stretches }
  }

  /** A hundred messages of the past, and what a question in another instance brings back of them. */
  async function askedLater({ given, stretches }: ReturnType<typeof watched>) {
    const before = open(given)
    const messages = Array.from({ length: 50 }, (_, n) => [
      { role: 'user' as const, content: `Line ${n} of the menu: soup, bread and cheese.` },
      {
        role: 'assistant' as const,
        content: n === 20 ? 'The hotel in Rome is the Albergo.' : 'Noted.',
      },
    ]).flat()
    await before.history.thread('menu').seedTurns(messages)
    stretches.length = 0
    return quotedIn(open(given).history, 'later', 'What is the name of my hotel in Rome?')
  }

  async function quotedIn(history: History, conversation: string, question: string) {
    const { thread } = await say(history, conversation, question)
    const [asked] = await thread.entries({ limit: 2 })
    return (asked!.quotes ?? []).map(({ conversation, seq }) => `${conversation} ${seq}`)
  }

  it('is not read from the log again, but for what was deleted there since its last checkpoint', async () => {
    const store = watched()
    expect(await askedLater(store)).toContain('menu 42')
    // Its name and its quotes. What has come after the stored passage has no word of the question.
    expect(store.stretches.filter(length => length > 8)).toEqual([100])
  })

  it('is read on where something new of it has the words', async () => {
    const store = watched()
    const { history } = open(store.given)
    await history.thread('menu').seed({ role: 'user', content: 'Soup, bread and cheese.' })
    const question = 'What is the name of my hotel in Rome?'
    expect(await quotedIn(history, 'first', question)).toEqual([])
    await history
      .thread('menu')
      .seed({ role: 'user', content: 'My hotel in Rome is the Albergo Sole.' })
    expect(await quotedIn(history, 'second', question)).toContain('menu 2')
    await history
      .thread('menu')
      .seed({ role: 'user', content: 'The hotel in Rome has the room 42.' })
    expect(
      await quotedIn(history, 'third', 'Which room do I have in the hotel in Rome?'),
    ).toContain('menu 3')
  })

  it('is made anew where what was stored of it is damaged', async () => {
    const store = watched(bytes => bytes.map(byte => byte ^ 1))
    expect(await askedLater(store)).toEqual(await askedLater(watched()))
    expect(store.stretches).toContain(128)
  })
})

it('would notice a store that forgets whose conversations it is asked for', async () => {
  const store = memoryStore()
  const forgetful: Store = {
    ...store,
    findWords: (tenant, wanted, { person: _, ...rest } = {}) =>
      store.findWords(tenant, wanted, rest),
    conversations: (tenant, { person: _, ...rest } = {}) => store.conversations(tenant, rest),
  }
  expect(await leaksIn(forgetful, 120)).not.toEqual([])
})
