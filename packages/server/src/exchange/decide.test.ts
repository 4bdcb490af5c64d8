import { sideName } from '@throughline/history/log'
import type { StoredTurn } from '@throughline/stores/store'
import { expect, it } from 'vitest'
import { clientMessages } from '../identity/client-message.ts'
import { itemsOf } from '../identity/item.ts'
import type { Walk } from '../identity/walk.ts'
import {
  decide,
  type EndFacts,
  type Facts,
  type ListMatch,
  type PastFacts,
  type ReplyFacts,
} from './decide.ts'
import type { ClientList } from './inquiry.ts'

const thread = { tenant: 'default', conversation: 'pond', actor: 'assistant', branch: 'main' }
const messages = clientMessages(
  ['frogs?', 'Green ones.', 'toads?'].map((content, at) => ({
    ...{ role: at === 1 ? 'assistant' : 'user', content },
  })),
)
const list: ClientList = {
  ...{ messages, items: itemsOf(messages), scope: '' },
  ...{ isSide: false, isNamed: false, isDelta: false },
}
const turn: StoredTurn = { turn: 2, status: 'completed', first: 3, last: 4, startedAt: 0, body: '' }
const walk: Walk = {
  ...{ thread, start: { thread, item: -1, at: 0, front: 'same' }, items: 2, at: 2, places: [1, 2] },
  ...{ front: 'same', leftOut: '', reworded: 0, hasMore: false, end: 2, usedAt: 0 },
}
const leave = { kind: 'branches', of: thread, at: 2, from: 2, front: 'same', why: '' } as const
const past: PastFacts = { isSure: false, hasReply: false, isLeft: false, branch: leave }
const extending: ListMatch = { kind: 'extends', walk, why: '' }
const repeating = (facts: Partial<PastFacts>, isGreeting = false): ListMatch => ({
  ...{ kind: 'repeats', walk, isGreeting, why: '', past: { ...past, ...facts } },
})
const compared = (match: ListMatch, about: Partial<ClientList> = {}): Facts => ({
  ...{ by: 'list', list: { ...list, ...about }, match, why: 'why' },
})
const named = (facts: Partial<EndFacts>): Facts => ({
  ...{ by: 'end', list, thread, conversation: 'there', why: 'why', ...facts },
})
const behind = (facts: Partial<ReplyFacts>): Facts => ({
  ...{ by: 'reply', list, thread, turn, isLast: true, why: 'why', ...facts },
})
const again = { kind: 'again', thread, after: 3, turn: 2 } as const
const failed = { kind: 'failed', thread, turn, isLeft: false, messages, repeated: 1 } as const

const onBranch = { ...thread, branch: 'id' }
const fork = { of: thread, at: 2 }
const besideName = sideName('id')

it.each<[string, Facts, object]>([
  [
    'begins what nobody said before',
    compared({ kind: 'new', thread, why: '' }),
    { kind: 'new', thread, from: 0 },
  ],
  [
    'begins a side request under a name that lists leave out',
    compared({ kind: 'new', thread, why: '' }, { isSide: true }),
    { kind: 'new', thread: { ...thread, conversation: besideName } },
  ],
  [
    'begins the thread of an agent in the conversation that started it',
    compared({ kind: 'new', thread, agent: { ...thread, actor: 'agent:1' }, why: '' }),
    { kind: 'new', thread: { ...thread, actor: 'agent:1' }, isNamed: true },
  ],
  [
    'leaves a thread where the list says something else',
    compared(leave),
    { thread: onBranch, fork, from: 2 },
  ],
  [
    'goes on at the newest end for a client that never branches',
    compared({ ...leave, newest: { ...thread, branch: 'newest' } }, { isDelta: true }),
    { kind: 'extends', thread: { ...thread, branch: 'newest' }, from: 2 },
  ],
  [
    'puts a side request that shares nothing beside its conversation',
    compared({ ...leave, at: 0 }, { isSide: true }),
    { kind: 'new', thread: { ...thread, conversation: besideName }, beside: 'pond' },
  ],
  [
    'puts a side request on a branch that lists leave out',
    compared(leave, { isSide: true }),
    { kind: 'branches', thread: { ...thread, branch: besideName }, fork },
  ],
  ['goes on at a free end', compared(extending), { kind: 'extends', thread, head: 2, from: 2 }],
  [
    'leaves a thread that is being written to',
    compared({ ...extending, past }),
    { kind: 'branches', thread: onBranch, fork, why: 'why' },
  ],
  [
    'takes a first message that others sent too for a new conversation',
    compared(repeating({ retried: turn, hasReply: true }, true)),
    { kind: 'new', thread: { ...thread, conversation: 'id' } },
  ],
  [
    'answers a first message again that is surely the same request',
    compared(repeating({ retried: turn, hasReply: true, isSure: true }, true)),
    { kind: 'again', after: 2, turn: 2 },
  ],
  [
    'answers a retry from the log',
    compared(repeating({ retried: turn, hasReply: true })),
    { kind: 'again' },
  ],
  [
    'takes over a turn that its writer left',
    compared(repeating({ retried: turn, isLeft: true })),
    { kind: 'extends', thread, isLeft: true, from: 3 },
  ],
  [
    'answers once more on a branch',
    compared(repeating({})),
    { kind: 'branches', thread: onBranch, fork, why: 'why; answered once more, on a branch' },
  ],
  ['goes on with a conversation by its name', named({}), { kind: 'extends', thread, from: 0 }],
  ['begins a conversation by its name', named({ conversation: 'new' }), { kind: 'new', thread }],
  ['answers a named request from the log', named({ earlier: again }), again],
  [
    'takes over the turn of a named request',
    named({ earlier: { ...failed, isLeft: true } }),
    { kind: 'extends', isLeft: true, from: 3 },
  ],
  [
    'tries a named request again before the turn that failed',
    named({ earlier: failed }),
    { kind: 'branches', thread: onBranch, fork, repeated: 1, from: 0 },
  ],
  ['goes on behind the last reply', behind({}), { kind: 'extends', thread, head: 4, front: 'cut' }],
  [
    'leaves a thread behind an earlier reply',
    behind({ isLast: false }),
    { kind: 'branches', thread: onBranch, fork: { of: thread, at: 4 } },
  ],
  [
    'leaves before a turn that went on, and repeats it',
    behind({ repeated: 2 }),
    { kind: 'branches', fork, repeated: 2 },
  ],
  ['answers a request behind a reply from the log', behind({ earlier: again }), again],
  [
    'takes over the turn of a request behind a reply',
    behind({ earlier: 'left' }),
    { kind: 'extends', thread, isLeft: true, items: [] },
  ],
])('%s', (_, facts, place) => {
  expect(decide(facts, () => 'id')).toMatchObject(place)
})

it('refuses a conversation that must be made before it is named', () => {
  expect(() => decide(named({ conversation: 'missing' }), () => 'id')).toThrow(
    "id 'pond' not found",
  )
})
