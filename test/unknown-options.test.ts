import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as chat from '@throughline/chat'
import * as core from '@throughline/core'
import { defineState } from '@throughline/core/state'
import * as experiment from '@throughline/experiment'
import { createHistory } from '@throughline/history'
import * as models from '@throughline/models'
import { documentStore, memoryStore } from '@throughline/stores'
import { postgresStore } from '@throughline/stores/postgres'
import { backupSqlite, sqliteStore } from '@throughline/stores/sqlite'
import { readOptionsPage } from '@throughline/test-tools/options-text'
import * as aiSdk from 'throughline/ai-sdk'
import { why } from 'throughline/explain'
import { fitLangChain } from 'throughline/langchain'
import * as notes from 'throughline/notes'
import * as tokens from 'throughline/tokens'
import { cl100k } from 'throughline/tokens/cl100k'
import { o200k } from 'throughline/tokens/o200k'
import { expect, it } from 'vitest'

const history = createHistory({ store: memoryStore() })
const thread = history.thread('c')
const model = models.reader()
const talk = chat.createChat({ history, model })

type Call = (options: never) => unknown

/** Public functions that take options, a misspelt option of each, and the one that was meant. */
const functions: Record<string, readonly [call: Call, unknown: string, meant: string]> = {
  artifact: [core.artifact, 'titel', 'title'],
  balanced: [core.balanced, 'digest', 'digests'],
  createFitter: [core.createFitter, 'savedIndx', 'savedIndex'],
  createHistory: [createHistory, 'leaseMS_', 'leaseMs'],
  defineState: [defineState as Call, 'tools', 'tool'],
  fit: [options => core.fit([], options), 'reserv', 'reserve'],
  memoryStore: [memoryStore, 'maxEntryByte', 'maxEntryBytes'],
  recall: [core.recall, 'efort', 'effort'],
  sliding: [core.sliding, 'message', 'messages'],
  stable: [core.stable, 'lows', 'low'],
  thorough: [core.thorough, 'digester', 'digesters'],
  thrifty: [core.thrifty, 'lo', 'low'],
  tiered: [core.tiered, 'ful', 'full'],
  why: [options => why([{ role: 'user', content: 'a' }], 0, options), 'polici', 'policy'],
  'History.delete': [options => history.delete('c', options), 'dryrun', 'dryRun'],
  'History.deleteAll': [history.deleteAll, 'dry_run', 'dryRun'],
  'History.import': [options => history.import('', options), 'persn', 'person'],
  'History.retain': [history.retain, 'conversationMs', 'conversationsMs'],
  'History.search': [options => history.search('a', options), 'limt', 'limit'],
  'History.thread': [options => history.thread('c', options), 'brnch', 'branch'],
  'Thread.begin': [options => thread.begin([], options), 'mark', 'marks'],
  'Thread.context': [thread.context, 'sistem', 'system'],
  'Thread.why': [options => thread.why(1, options), 'windw', 'window'],
  createNoteScanner: [notes.createNoteScanner, 'nonse', 'nonce'],
  noteFilter: [notes.noteFilter, 'onNotes', 'onNote'],
  noteInstruction: [notes.noteInstruction, 'bye', 'by'],
  splitNote: [options => notes.splitNote('', options), 'nonse', 'nonce'],
  createCounter: [tokens.createCounter, 'imageToken', 'imageTokens'],
  estimate: [tokens.estimate, 'imageToken', 'imageTokens'],
  o200k: [o200k, 'framings', 'framing'],
  cl100k: [cl100k, 'framings', 'framing'],
  documentStore: [documentStore, 'lod', 'load'],
  sqliteStore: [sqliteStore, 'readonly_', 'readOnly'],
  backupSqlite: [backupSqlite, 'paths', 'path'],
  postgresStore: [postgresStore, 'timeout', 'timeoutMs'],
  aiSdk: [options => models.aiSdk({} as never, options), 'windows', 'window'],
  anthropic: [models.anthropic, 'cacheMark', 'cacheMarks'],
  ollama: [models.ollama, 'keepalive_', 'keepAlive'],
  ollamaEmbed: [models.ollamaEmbed, 'modl', 'model'],
  openaiCompatible: [models.openaiCompatible, 'baseUrls', 'baseURL'],
  reader: [models.reader, 'delay', 'delayMs'],
  rules: [options => models.rules(() => '', options), 'nam', 'name'],
  transformersEmbed: [models.transformersEmbed, 'dtypes', 'dtype'],
  createChat: [chat.createChat, 'maxRound', 'maxRounds'],
  'Chat.send': [options => talk.send('a', options), 'conversion', 'conversation'],
  'Chat.edit': [options => talk.edit('a', options), 'brnch', 'branch'],
  'Chat.regenerate': [talk.regenerate, 'brnch', 'branch'],
  createUIChatHandler: [chat.createUIChatHandler, 'linger', 'lingerMs'],
  defineTool: [chat.defineTool as Call, 'timeout', 'timeoutMs'],
  createExperiments: [experiment.createExperiments, 'stall', 'stallMs'],
  defineExperiment: [experiment.defineExperiment as Call, 'maxStep', 'maxSteps'],
  defineExperimentTool: [experiment.defineExperimentTool as Call, 'timeout', 'timeoutMs'],
  parseExperiment: [options => experiment.parseExperiment('{}', options), 'tool', 'tools'],
  fitStep: [aiSdk.fitStep, 'onContex', 'onContext'],
  throughlineMiddleware: [aiSdk.throughlineMiddleware, 'reserv', 'reserve'],
  fitLangChain: [options => fitLangChain([], options), 'creat', 'create'],
}

/** What they need besides. */
const needed: Record<string, object> = {
  'Chat.edit': { at: 1 },
  sqliteStore: { path: join(tmpdir(), 'never.db') },
}

it.each(Object.entries(functions))(
  '%s refuses an unknown option',
  async (name, [call, unknown, meant]) => {
    const refused = {
      code: 'invalid_option',
      option: unknown,
      message: expect.stringContaining(`Did you mean ${meant}?`),
    }
    const run = async () => call({ ...needed[name], [unknown]: 1 } as never)
    await expect(run()).rejects.toMatchObject(refused)
  },
)

/** These look first at what they cannot do without. */
const others: Record<string, RegExp> = {
  'Chat.edit': /^Option "at": /,
  'Chat.regenerate': /^Option "(?:at|options)": /,
}

it.each(Object.entries(functions))(
  '%s refuses what is no object of options',
  async (name, [call]) => {
    for (const value of [4, 'log.db', true, [1], () => 4, null]) {
      const run = async () => call(value as never)
      await expect(run(), String(value)).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.stringMatching(
          others[name] ?? /^Option "options": expected an object with /,
        ),
      })
    }
  },
)

it('says in which words to say it', () => {
  const list = [{ role: 'user', content: 'a' }]
  for (const name of [
    'maxTokens',
    'max_tokens',
    'contextWindow',
    'context_length',
    'num_ctx',
    'maxInputTokens',
  ])
    expect(() => core.fit(list, { [name]: 100 } as never)).toThrow(
      `Option "${name}": is unknown. Use window.`,
    )
  expect(() => core.fit(list, { strategy: 1 } as never)).toThrow('Use policy.')
  const tool = { name: 'look', description: 'Looks.' }
  for (const [name, ours] of [
    ['inputSchema', 'input'],
    ['execute', 'run'],
  ] as const)
    expect(() => chat.defineTool({ ...tool, [name]: {} } as never)).toThrow(
      `Option "${name}": is unknown. Use ${ours}.`,
    )
  expect(() => core.fit(list, { tokenizer: 1 } as never)).toThrow('Use count.')
  // Where there is no such option, nothing is made up.
  expect(() => core.sliding({ maxTokens: 1 } as never)).toThrow('Known: messages.')
  expect(() => core.sliding(4 as never)).toThrow('expected an object with messages, got 4')
  expect(() => core.recall(0.7 as never)).toThrow(
    'with some of low, digests, digesters, effort, got 0.7',
  )
  expect(() => sqliteStore('log.db' as never)).toThrow(/path.*got "log.db"/)
  expect(() => tokens.createCounter((() => 1) as never)).toThrow('got a function')
  expect(() => tokens.createCounter({ id: 'mine', exact: true } as never)).toThrow(
    '"text": expected a function',
  )
  expect(() => tokens.createCounter({ exact: true, text: () => 1 } as never)).toThrow(
    '"id": expected a name',
  )
})

it('refuses options of a policy that has none', () => {
  expect(() => core.spongebob({ marker: '[cut]' } as never)).toThrow(
    'Option "marker": is unknown: none is known here.',
  )
  expect(core.spongebob().name).toBe('spongebob')
})

it('names all options where none is near, and takes an option that is undefined', () => {
  expect(() => core.sliding({ zebra: 1 } as never)).toThrow(
    'Option "zebra": is unknown. Known: messages.',
  )
  expect(core.sliding({ zebra: undefined } as never).name).toBe('sliding')
})

/** Their options are read by one line, or they are for tests. */
const exempt =
  /^(createStateReader|readState|currentState|requireState|showEach|toUIMessageStream|assertContext|readerServer|tokenizerJson|Experiments\.|ToolMaker\.|Thread\.|Turn\.|Chat\.context|History\.check)/

it('asks every function of the page of options', () => {
  const names = [...readOptionsPage().text.matchAll(/^### (.*)$/gm)].map(([, name]) => name!)
  expect(names.filter(name => !exempt.test(name) && !functions[name])).toEqual([])
})
