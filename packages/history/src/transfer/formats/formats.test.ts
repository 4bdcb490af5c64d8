import { Readable } from 'node:stream'
import { words } from '@throughline/core/counters'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { someStores } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { createHistory } from '../../create-history.ts'
import type { History } from '../../history.ts'
import * as agents from './agents.fixture.ts'
import * as fixture from './formats.fixture.ts'

const open = (store: Store = memoryStore()) =>
  createHistory({ store, count: words(), now: () => 1_000_000 })

async function imported(text: string): Promise<History> {
  const history = open()
  await history.import(text)
  expect(await history.check()).toEqual([])
  return history
}

/** What the test looks at: a line for each entry of a branch. */
async function show(history: History, conversation: string, branch = 'main', actor = 'assistant') {
  const entries = await history.thread(conversation, { actor, branch }).entries()
  return entries.map(({ turn, time, message, data, isError }) => {
    const { role, content, thinking, tool_calls: calls, tool_call_id: of } = message
    const minute = new Date(time).toISOString().slice(11, 19)
    const called = (calls as { function: { name: string; arguments: string } }[] | undefined)?.map(
      ({ function: { name, arguments: given } }) => ` ${name}(${given})`,
    )
    const { model, name } = (data ?? {}) as { model?: string; name?: string }
    return [
      `${turn} ${minute} ${role}: ${content ?? ''}`,
      ...[thinking && ` (${thinking})`, called?.join(''), of && ` of ${of}`, isError && ' failed'],
      ...[model && ` by ${model}`, name && ` as ${name}`],
    ]
      .filter(Boolean)
      .join('')
  })
}

async function branchesOf(history: History, conversation: string) {
  const [info] = await history.conversations({ only: conversation })
  return info!.threads.filter(({ branch }) => branch !== 'main').map(({ branch }) => branch)
}

describe('the chats of another program', () => {
  it('ChatGPT: its tree becomes branches, with times, models, calls and names of files', async () => {
    const history = await imported(fixture.chatgptFile)
    const name = 'chatgpt-6b0f0d9c-0000-4000-8000-000000000001'
    const listed = await history.conversations({ order: 'name' })
    expect(
      listed.map(({ conversation, title, metadata }) => [conversation, title, metadata]),
    ).toEqual([
      [name, 'The boat', { from: 'ChatGPT' }],
      ['chatgpt-second', 'Short', { from: 'ChatGPT' }],
    ])
    const shared = [
      '0 10:00:00 system: I sail.\nBe brief.',
      '1 10:01:00 user: u1 says hello\n[attached: boat plan.pdf]',
    ]
    const again = '1 10:03:00 assistant: a1-again says hello by gpt-4o'
    expect(await show(history, name)).toEqual([
      ...shared,
      again,
      '2 10:08:00 user: u2-edited says hello',
      '2 10:09:00 assistant: A picture.\n[image] by gpt-4o',
    ])
    const others = await Promise.all(
      (await branchesOf(history, name)).map(branch => show(history, name, branch)),
    )
    expect(others.toSorted((a, b) => a.length - b.length)).toEqual([
      [...shared, '1 10:02:00 assistant: a1 says hello by gpt-4o'],
      [
        ...[...shared, again],
        '2 10:04:00 user: u2 says hello',
        '2 10:05:00 assistant:  (A sum.) python({"input":"print(6 * 7)"}) by gpt-4o',
        '2 10:06:00 tool: 42 of call',
        '2 10:07:00 assistant: a2 says hello by gpt-4o',
      ],
    ])
  })

  it('Claude: blocks, results, attached texts and branches', async () => {
    const history = await imported(fixture.claudeFile)
    const name = 'claude-c1a9a5f8-0000-4000-8000-000000000001'
    const shared = [
      '1 10:01:00 user: What is on?\n[attached: notes.txt]\nLunch at noon.\n[attached: photo.png]',
      '1 10:02:00 assistant: I look. (I should look.) list_events({"day":"today"})',
      '1 10:02:00 tool: Lunch at noon of toolu_1',
      '1 10:02:00 assistant: Lunch at noon.',
    ]
    expect(await show(history, name)).toEqual([
      ...shared,
      '2 10:05:00 user: And tomorrow?',
      '2 10:06:00 assistant: A swim.',
    ])
    const [branch] = await branchesOf(history, name)
    expect(await show(history, name, branch)).toEqual([
      ...shared,
      '2 10:03:00 user: And later?',
      '2 10:04:00 assistant: Nothing.',
    ])
    expect(await history.conversations()).toMatchObject([{ conversation: name, title: 'Calendar' }])
  })

  it('Open WebUI: items, or thoughts and calls in the text', async () => {
    const history = await imported(fixture.openWebuiFile)
    const name = 'open-webui-tool-chat'
    expect((await history.conversations({ only: name }))[0]!.person).toBe('u1')
    const shared = [
      '1 10:01:00 user: Rain in Paris?\n[attached: map.pdf]',
      '1 10:02:00 assistant:  (I ask.) get_weather({"city":"Paris"}) by llama3.1:8b',
      '1 10:02:00 tool: 18C, rain of call_1',
      '1 10:02:00 assistant: It rains. by llama3.1:8b',
      '2 10:03:00 user: And Rome?',
    ]
    expect(await show(history, name)).toEqual([
      ...shared,
      '2 10:04:00 assistant:  (Rome is <south>.) get_weather({"city":"Rome"}) by llama3.1:8b',
      '2 10:04:00 tool: sun of call_2',
      '2 10:04:00 assistant: Sun. by llama3.1:8b',
    ])
    const [branch] = await branchesOf(history, name)
    expect(await show(history, name, branch)).toEqual([
      ...shared,
      '2 10:05:00 assistant: Dry. by qwen3:8b',
    ])
  })

  it('LibreChat: a list with parents, and messages inside each other', async () => {
    const history = await imported(fixture.librechatFile)
    const name = 'librechat-4a86c40e-0000-4454-b158-000000000001'
    const by = 'by gpt-4-turbo as Engineer'
    const shared = [
      '1 10:01:00 user: q1 says hello\n[attached: trace.log] as User',
      `1 10:02:00 assistant: I search. (Hm.) web_search({"query":"venv"}) ${by}`,
      '1 10:02:00 tool: python -m venv of c1',
      `1 10:02:00 assistant: Make one first. ${by}`,
      '2 10:03:00 user: q2 says hello as User',
    ]
    expect(await show(history, name)).toEqual([
      ...shared,
      `2 10:05:00 assistant: r2-again says hello ${by}`,
    ])
    const [branch] = await branchesOf(history, name)
    expect(await show(history, name, branch)).toEqual([
      ...shared,
      `2 10:04:00 assistant: r2 says hello ${by}`,
    ])
    const inside = await imported(fixture.librechatTree)
    expect(await show(inside, 'librechat-4a86c40e-0000-4454-b158-000000000002')).toEqual([
      '1 10:01:00 user: q1 says hello as User',
      `1 10:02:00 assistant: r1 says hello ${by}`,
      '2 10:03:00 user: q2 says hello as User',
      `2 10:04:00 assistant: r2 says hello ${by}`,
    ])
  })

  it('Claude Code: parallel calls, a prompt that was taken back, a subagent as an actor', async () => {
    const history = await imported(fixture.claudeCodeFile)
    const name = 'claude-code-a5e0c0de-0000-4000-8000-000000000001'
    const shared = [
      '0 10:00:00 system: Caveat: local commands',
      '1 10:01:00 user: Read both files.',
      '1 10:02:00 assistant:  (Both.) Read({"path":"a"}) Read({"path":"b"}) by claude-opus-4',
      '1 10:03:00 tool: lamp a of t1',
      '1 10:03:00 tool: no such file of t2 failed',
      '1 10:04:00 assistant: Read one. by claude-opus-4',
    ]
    expect(await show(history, name)).toEqual([
      ...shared,
      '2 10:07:00 user: No: paint it blue.',
      '2 10:08:00 assistant: Painted blue. by claude-opus-4',
    ])
    const branch = (await branchesOf(history, name)).find(one => one.startsWith('fork-'))
    expect(await show(history, name, branch)).toEqual([
      ...shared,
      '2 10:05:00 user: Now paint it.\n[attached: image]',
      '2 10:06:00 assistant: Painted red. by claude-opus-4',
    ])
    expect(await show(history, name, 'main', 'agent-7f')).toEqual([
      '1 10:03:00 user: Look for b.',
      '1 10:03:00 assistant: No b. by claude-opus-4',
    ])
    expect(await history.conversations()).toMatchObject([{ title: 'Fix the lamp' }])
  })

  it('Codex: thoughts and calls join their answer; what it says in the name of the user is no turn', async () => {
    const history = await imported(fixture.codexFile)
    const name = 'codex-019a2d7a-0000-7000-8000-000000000001'
    expect(await show(history, name)).toEqual([
      '0 10:00:00 system: <environment_context>\n<cwd>/work</cwd>\n</environment_context>',
      '1 10:01:00 user: Which files are here?',
      '1 10:02:00 assistant:  (I list them.) shell({"command":["ls"]}) by gpt-5-codex',
      '1 10:03:00 tool: lamp.ts of c1',
      '1 10:03:00 assistant:  apply_patch({"input":"*** Begin Patch"}) by gpt-5-codex',
      '1 10:04:00 tool: Done of c2',
      '1 10:05:00 assistant: Only lamp.ts. by gpt-5-codex',
      '2 10:06:00 user: Thanks.',
      '2 10:07:00 assistant: Welcome. by gpt-5-codex',
    ])
    expect(await history.conversations()).toMatchObject([{ title: 'Which files are here?' }])
  })

  it('SillyTavern: names, three forms of dates, calls; a group says who speaks', async () => {
    const history = await imported(fixture.sillyTavernFile)
    const name = 'sillytavern-a1b2c3d4-0000-4000-8000-000000000001'
    expect(await show(history, name)).toEqual([
      '0 10:00:00 assistant: The heron looks up. as Heron',
      '1 10:01:00 user: Any fish today?\n[attached: pond.txt] as Ada',
      '1 10:02:00 assistant:  look({"at":"pond"}) as Heron',
      '1 10:02:00 tool: two carps of c1',
      '1 10:03:00 assistant: Two carps. (Count them.) by mythomax as Heron',
      '2 10:04:00 user: Good. as Ada',
      '2 10:05:00 assistant: It nods. by mythomax as Heron',
    ])
    const group = await imported(fixture.sillyTavernFile.replace('"name":"Heron"', '"name":"Carp"'))
    expect((await show(group, name)).at(-1)).toBe(
      '2 10:05:00 assistant: Heron: It nods. by mythomax as Heron',
    )
    const twice = fixture.sillyTavernFile.replace(/\[\{"id":"c1",(.*?)\}\]/, '[{$1},{$1}]')
    const results = (await show(await imported(twice), name)).filter(line =>
      line.includes('two carps of'),
    )
    expect(new Set(results).size).toBe(2)
  })

  it('lists of messages: as they are, alone, as lines, many, and with a name', async () => {
    const history = await imported(fixture.namedMessages)
    const said = [
      '0 10:00:00 system: Be brief.',
      '1 10:01:00 user: [object Object],[object Object]',
      '1 10:02:00 assistant:  add({"a":1,"b":2}) by gpt-4o',
      '1 10:02:00 tool: 3 of c1',
      '1 10:03:00 assistant: Three. by gpt-4o',
      '2 10:04:00 user: And four?',
      '2 10:05:00 assistant: Seven. by gpt-4o',
    ]
    expect(await show(history, 'chat-sums')).toEqual(said)
    expect(await history.thread('chat-sums').messages()).toEqual(fixture.messages)
    expect(await history.conversations({ order: 'name' })).toMatchObject([
      { conversation: 'chat-more' },
      { conversation: 'chat-sums', title: 'Sums' },
    ])
    for (const text of [fixture.messagesFile, fixture.messageLines]) {
      const { conversation } = (await (await imported(text)).conversations())[0]!
      expect(conversation).toMatch(/^chat-[0-9a-f]{32}$/)
      expect(await show(await imported(text), conversation)).toEqual(said)
    }
    expect((await (await imported(fixture.manyMessages)).conversations()).length).toBe(2)
    const eachOnALine = `${fixture.messagesFile}\n${JSON.stringify(fixture.messages.slice(1))}\n`
    expect((await (await imported(eachOnALine)).conversations()).length).toBe(2)
    const twice = `${fixture.messagesFile}\n${fixture.messagesFile}\n`
    expect((await (await imported(twice)).conversations()).length).toBe(1)
  })
})

describe('the sessions of an agent', () => {
  it('Qwen Code: parents, thoughts, calls without an id, failures, a subagent and a prompt that was taken back', async () => {
    const history = await imported(agents.qwenCodeFile)
    const shared = [
      '1 10:01:00 user: Which files are here?',
      '1 10:02:00 assistant:  (I list them.) ls({"path":"."}) pwd({}) by qwen3-coder',
      '1 10:03:00 tool: mast.ts of c1',
      '1 10:03:00 tool: no folder of a1-2 failed',
      '1 10:04:00 assistant: One: mast.ts. by qwen3-coder',
    ]
    expect(await show(history, 'qwen-code-q1')).toEqual([
      ...shared,
      '2 10:06:00 user: Delete it.\n[attached: image/png]',
    ])
    const [info] = await history.conversations()
    expect(info).toMatchObject({ title: 'Files', metadata: { from: 'Qwen Code' } })
    const branch = info!.threads.find(
      ({ actor, branch }) => actor === 'assistant' && branch !== 'main',
    )!.branch
    expect(await show(history, 'qwen-code-q1', branch)).toEqual([
      ...shared,
      '2 10:05:00 user: Open it.',
    ])
    expect(await show(history, 'qwen-code-q1', 'main', 'agent-explore-1')).toEqual([
      '1 10:02:00 user: Look deeper.',
    ])
  })

  it('pi: its tree, a name, commands of the user, and the first version without ids', async () => {
    const history = await imported(agents.piFile)
    const shared = [
      '1 10:01:00 user: Which files are here?',
      '1 10:02:00 assistant:  (I list them.) ls({"path":"."}) by kimi',
      '1 10:03:00 tool: no folder of c1 failed',
      '1 10:04:00 assistant: None. by kimi',
    ]
    expect(await show(history, 'pi-p1')).toEqual([
      ...shared,
      '2 10:06:00 user: $ ls\nmast.ts',
      '2 10:07:00 user: What is new?',
    ])
    const [branch] = await branchesOf(history, 'pi-p1')
    expect(await show(history, 'pi-p1', branch)).toEqual([
      ...shared,
      '2 10:05:00 user: And now?\n[attached: image]',
    ])
    expect(await history.conversations()).toMatchObject([{ title: 'Files' }])
    expect(await show(await imported(agents.oldPiFile), 'pi-p0')).toEqual([
      '1 10:01:00 user: Hello.',
      '1 10:02:00 assistant: Hi.',
    ])
  })

  it('Continue: attached texts, thoughts, and results that stand with their calls', async () => {
    const history = await imported(agents.continueFile)
    expect(await show(history, 'continue-c-1')).toEqual([
      '1 10:01:00 user: Which files are here?\n[attached: notes.txt]\nLunch at noon.',
      '1 10:01:00 assistant:  (I list them.) ls({"path":"."}) pwd({})',
      '1 10:01:00 tool: no folder of k2 failed',
      '1 10:01:00 tool: mast.ts of k1',
      '1 10:01:00 assistant: One: mast.ts.',
    ])
  })

  it('opencode: what its export writes', async () => {
    const history = await imported(agents.opencodeFile)
    expect(await show(history, 'opencode-ses_1')).toEqual([
      '1 10:01:00 user: Which files are here?\n[attached: plan.pdf]',
      '1 10:02:00 assistant:  (I list them.) ls({}) by big-pickle',
      '1 10:02:00 tool: mast.ts of c1',
      '1 10:02:00 assistant:  pwd({}) by big-pickle',
      '1 10:02:00 tool: no folder of c2 failed',
      '1 10:02:00 assistant: One: mast.ts. by big-pickle',
    ])
  })

  it('Cline: the messages of a task', async () => {
    const history = await imported(agents.clineFile)
    const [{ conversation } = { conversation: '' }] = await history.conversations()
    expect(conversation).toBe(`cline-${Date.UTC(2025, 4, 3, 10, 1)}`)
    const shown = await show(history, conversation)
    expect(shown.at(1)).toContain('I list them. list_files({"path":"."})')
    expect(shown.at(2)).toContain('tool: mast.ts of c1')
  })

  it.each([
    [
      'nothing but a title',
      '{"type":"summary","summary":"x","leafUuid":"y"}',
      /nothing was said in it/,
    ],
    [
      'a session without a word',
      JSON.stringify({ sessionId: 'x', history: [] }),
      /nothing was said in it/,
    ],
    [
      'what Cline shows',
      '[{"ts":1,"type":"say","say":"task","text":"Hello"}]',
      /api_conversation_history\.json/,
    ],
    ['a database', 'SQLite format 3\0', /opencode export <session>/],
    [
      'a part of opencode',
      '{"id":"prt_1","sessionID":"s","messageID":"m","type":"text"}',
      /opencode export/,
    ],
    ['a ZIP archive', 'PK\u0003\u0004', /by its name, or to the server/],
    [
      'a list of Continue',
      '[{"sessionId":"x","title":"y","workspaceDirectory":"z"}]',
      /the file of a session/,
    ],
    ['anything else', '{"a":1}', /Qwen Code, opencode, pi, Continue, Cline/],
  ])('refuses %s', async (_, text, problem) => {
    const history = open()
    await expect(history.import(text)).rejects.toThrow(problem)
    expect(await history.conversations()).toEqual([])
  })
})

const linesOf = async (history: History) => {
  const lines: string[] = []
  for await (const line of history.exportAll()) lines.push(line)
  return lines
}

describe.each(await someStores())('the same file again, on the %s store', (_, createStore) => {
  it.each(Object.entries(fixture.files))(
    '%s: adds nothing, in pieces of any size',
    async (_, text) => {
      const history = open(createStore())
      const first = await history.import(text)
      expect(first.added).toBe(first.entries)
      const before = await linesOf(history)
      const pieces = text.match(/[\s\S]{1,7}/g)!
      const second = await history.import(() => Readable.from(pieces))
      expect(second).toEqual({ ...first, added: 0 })
      expect(await history.import(Readable.from(pieces))).toEqual(second)
      expect(await linesOf(history)).toEqual(before)
    },
  )
})

describe('a file that has grown', () => {
  const list = (length: number, answer = 'yes') =>
    JSON.stringify({
      id: 'talk',
      messages: Array.from({ length }, (_, n) =>
        n % 2 === 0
          ? { role: 'user', content: `question ${n}` }
          : { role: 'assistant', content: `${answer} ${n}` },
      ),
    })

  it('adds what is new, and messages without a time keep the one that they got', async () => {
    let now = 1_000_000
    const history = createHistory({
      store: memoryStore(),
      count: words(),
      now: () => (now += 1000),
    })
    await history.import(list(4))
    const before = await history.thread('chat-talk').entries()
    expect(await history.import(list(8))).toMatchObject({ entries: 8, added: 4 })
    const after = await history.thread('chat-talk').entries()
    expect(after.slice(0, 4)).toEqual(before)
    expect(
      (await history.thread('chat-talk').turns()).map(({ turn, status }) => [turn, status]),
    ).toEqual([1, 2, 3, 4].map(turn => [turn, 'completed']))
    expect(await history.check()).toEqual([])
  })

  it('goes on in a branch where it differs from what is here, also if the conversation was gone on with here', async () => {
    const history = open()
    await history.import(list(4))
    const begun = await history.thread('chat-talk').begin({ role: 'user', content: 'said here' })
    if (begun.kind === 'begun')
      await begun.turn.complete({ role: 'assistant', content: 'answered here' })
    expect(await history.import(list(6))).toMatchObject({ entries: 6, added: 2 })
    expect((await history.thread('chat-talk').messages()).length).toBe(6)
    const [branch, ...none] = await branchesOf(history, 'chat-talk')
    expect(none).toEqual([])
    const messages = await history.thread('chat-talk', { branch: branch! }).messages()
    expect(messages.map(({ content }) => content)).toEqual([
      ...['question 0', 'yes 1', 'question 2', 'yes 3', 'question 4', 'yes 5'],
    ])
    expect(await history.import(list(6))).toMatchObject({ added: 0 })
    await history.import(list(4, 'no'))
    expect((await branchesOf(history, 'chat-talk')).length).toBe(2)
    expect(await history.check()).toEqual([])
  })

  it('keeps the branches of a tree where they are, whichever was shown last', async () => {
    const history = open()
    await history.import(fixture.chatgptFile)
    const before = await linesOf(history)
    const other = fixture.chatgptFile.replace('"current_node":"a3"', '"current_node":"a1"')
    expect(await history.import(other)).toMatchObject({ added: 0 })
    expect(await linesOf(history)).toEqual(before)
  })

  it('a title that was changed here stays, and a conversation that was deleted here stays deleted', async () => {
    const history = open()
    await history.import(fixture.chatgptFile)
    await history.describe('chatgpt-second', { title: 'Mine' })
    await history.import(fixture.chatgptFile)
    expect(await history.conversations({ only: 'chatgpt-second' })).toMatchObject([
      { title: 'Mine' },
    ])
    await history.delete('chatgpt-second')
    expect(await history.import(fixture.chatgptFile)).toMatchObject({
      conversations: [expect.stringContaining('chatgpt-6b')],
      deleted: ['chatgpt-second'],
      added: 0,
    })
  })

  it('gets another name where one is given, if it is one conversation', async () => {
    const history = open()
    await history.import(fixture.codexFile, { as: 'lamp' })
    expect((await history.conversations()).map(({ conversation }) => conversation)).toEqual([
      'lamp',
    ])
    await expect(history.import(fixture.chatgptFile, { as: 'x' })).rejects.toMatchObject({
      code: 'invalid_import',
    })
    for (const text of [fixture.manyMessages, fixture.namedMessages])
      await expect(history.import(text, { as: 'x' })).rejects.toMatchObject({
        code: 'invalid_import',
      })
    expect((await history.conversations()).length).toBe(1)
  })
})
