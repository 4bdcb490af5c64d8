import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidOptionError, ThroughlineError } from '@throughline/core/errors'
import { call, hypothesis, someHypothesis, user } from '@throughline/core/fixtures'
import type { MessageLike } from '@throughline/core/messages'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  appendToConversation,
  bindContext,
  bindStream,
  checkProject,
  currentState,
  getContext,
  hasContext,
  NoRequestContextError,
  OtherProjectError,
  rememberState,
  requireState,
  runWithContext,
} from './request-context.ts'

const conversation = [user('hello')]

describe('runWithContext', () => {
  it('gives the conversation, the project and own data to everything inside', async () => {
    const data = { locale: 'de' }
    const seen = await runWithContext({ conversation, projectId: 'p1', data }, async () => {
      await sleep(0)
      return getContext<typeof data>()
    })
    expect(seen).toEqual({ conversation, projectId: 'p1', data })
    expectTypeOf(seen.data?.locale).toEqualTypeOf<string | undefined>()
  })

  it('returns what the action returns, and lets its errors pass', async () => {
    expect(runWithContext({ conversation }, () => 5)).toBe(5)
    await expect(runWithContext({ conversation }, async () => 6)).resolves.toBe(6)
    expect(() =>
      runWithContext({ conversation }, () => {
        throw new RangeError('own')
      }),
    ).toThrow(RangeError)
    expect(hasContext()).toBe(false)
  })

  it('appends to its own copy of the conversation, never to the list that it was given', () => {
    runWithContext({ conversation }, () => {
      appendToConversation(user('one'), user('two'))
      expect(getContext().conversation).toHaveLength(3)
    })
    expect(conversation).toHaveLength(1)
  })

  it('can be nested: the inner request knows nothing of the outer one', () => {
    runWithContext({ conversation: call('generate_hypotheses', someHypothesis()) }, () => {
      rememberState(hypothesis, { title: 'outer', url: '' })
      runWithContext({ conversation: [] }, () => {
        expect(currentState(hypothesis)).toBeUndefined()
        rememberState(hypothesis, { title: 'inner', url: '' })
      })
      expect(currentState(hypothesis)?.title).toBe('outer')
    })
  })

  it.each([
    [{}, 'conversation'],
    [{ conversation: 'hello' }, 'conversation'],
    [{ conversation: [], projectId: '' }, 'projectId'],
    [{ conversation: [], projectId: undefined }, 'projectId'],
    [{ conversation: [], projectId: null }, 'projectId'],
  ])('refuses a context that makes no sense, a lost project too: %j', (context, option) => {
    const run = () => runWithContext(context as never, () => expect.unreachable())
    expect(run).toThrow(InvalidOptionError)
    expect(run).toThrow(`Option "${option}"`)
  })
})

describe('outside of any request', () => {
  it.each<[string, () => unknown]>([
    ['getContext', getContext],
    ['appendToConversation', () => appendToConversation(user('x'))],
    ['bindContext', () => bindContext(() => 1)],
    ['currentState', () => currentState(hypothesis)],
    ['currentState with input', () => currentState(hypothesis, { input: { title: 'x', url: '' } })],
    ['requireState', () => requireState(hypothesis)],
    ['rememberState', () => rememberState(hypothesis, { title: 'x', url: '' })],
    ['checkProject', () => checkProject('exp-1', 'p1')],
  ])('%s says what to do', (_, action) => {
    expect(action).toThrow(NoRequestContextError)
    expect(action).toThrow(expect.objectContaining({ code: 'no_request_context' }))
    expect(action).toThrow('wrap the handler in runWithContext')
    expect(hasContext()).toBe(false)
  })

  it('errors are of one family', () => {
    expect(new NoRequestContextError()).toBeInstanceOf(ThroughlineError)
    expect(new OtherProjectError('x')).toMatchObject({
      name: 'OtherProjectError',
      code: 'other_project',
    })
  })
})

describe('two hundred requests at once', () => {
  const requests = Array.from({ length: 200 }, (_, at) => `user ${at}`)

  /** A small pseudo-random delay, the same in every run, so that requests overtake each other. */
  const pause = (owner: string, step: number) =>
    sleep((owner.length * 7 + owner.charCodeAt(5) * 3 + step * 5) % 11)

  async function work(owner: string): Promise<readonly (string | undefined)[]> {
    const seen: (string | undefined)[] = []
    const look = () => seen.push(currentState(hypothesis)?.title, getContext().projectId)
    look()
    await pause(owner, 1)
    rememberState(hypothesis, { title: owner, url: '' })
    await Promise.all([
      new Promise<void>(resolve => setTimeout(() => resolve(void look()), seen.length % 3)),
      new Promise<void>(resolve => setImmediate(() => resolve(void look()))),
      new Promise<void>(resolve => queueMicrotask(() => resolve(void look()))),
    ])
    const source = new ReadableStream<number>({
      async pull(controller) {
        await pause(owner, 2)
        look()
        controller.enqueue(1)
        controller.close()
      },
    })
    const watch = new TransformStream<number, number>({
      transform(chunk, controller) {
        look()
        controller.enqueue(chunk)
      },
    })
    for await (const _ of source.pipeThrough(watch)) look()
    appendToConversation(...call('generate_hypotheses', someHypothesis(`${owner}, later`)))
    await pause(owner, 3)
    look()
    return seen
  }

  it('see nothing of each other, through awaits, timers and web streams', async () => {
    const shared: MessageLike[] = [user('the very same list for all')]
    const all = await Promise.all(
      requests.map(owner =>
        runWithContext({ conversation: shared, projectId: owner }, () => work(owner)),
      ),
    )
    for (const [at, seen] of all.entries()) {
      const owner = requests[at]!
      const titles = [undefined, owner, owner, owner, owner, owner, owner, `${owner}, later`]
      expect(seen).toEqual(titles.flatMap(title => [title, owner]))
    }
    expect(hasContext()).toBe(false)
  })

  it('find only their own in the histories that they brought', async () => {
    const found = await Promise.all(
      requests.map(owner =>
        runWithContext(
          { conversation: call('generate_hypotheses', someHypothesis(owner)) },
          async () => {
            await pause(owner, 1)
            return requireState(hypothesis).title
          },
        ),
      ),
    )
    expect(found).toEqual(requests)
  })
})

describe('streams that are read elsewhere', () => {
  async function* generate() {
    for (let at = 0; at < 3; at++) {
      yield hasContext() ? getContext().projectId : 'nobody'
      await sleep(0)
    }
  }
  const readable = () =>
    new ReadableStream<string>(
      {
        async pull(controller) {
          controller.enqueue(hasContext() ? (getContext().projectId ?? 'no project') : 'nobody')
          await sleep(0)
        },
      },
      { highWaterMark: 0 },
    )
  const take = async (stream: AsyncIterable<unknown>) => {
    const seen: unknown[] = []
    for await (const one of stream) if (seen.push(one) === 3) break
    return seen
  }

  it('run in the context of the reader when nobody binds them: what bindStream is for', async () => {
    const lost = runWithContext(
      { conversation, projectId: 'mine' },
      () => [generate(), readable()] as const,
    )
    const reader = { conversation, projectId: 'another' }
    expect(await runWithContext(reader, () => take(lost[0]))).toEqual([
      'another',
      'another',
      'another',
    ])
    expect(await runWithContext(reader, () => take(lost[1]))).toEqual([
      'another',
      'another',
      'another',
    ])
  })

  it.each([
    ['generator', generate],
    ['web stream', readable],
  ])(
    'bindStream keeps a %s in its own context, whoever reads',
    async (_, make: () => AsyncIterable<unknown>) => {
      const bind = () =>
        runWithContext({ conversation, projectId: 'mine' }, () => bindStream(make()))
      expect(await take(bind())).toEqual(['mine', 'mine', 'mine'])
      expect(
        await runWithContext({ conversation, projectId: 'another' }, () => take(bind())),
      ).toEqual(Array(3).fill('mine'))
    },
  )

  it('end, fail and are cancelled as before', async () => {
    const left: string[] = []
    async function* generator() {
      try {
        yield 1
        yield 2
      } finally {
        left.push(getContext().projectId ?? '')
      }
    }
    const run = <T>(action: () => T) => runWithContext({ conversation, projectId: 'mine' }, action)
    for await (const _ of run(() => bindStream(generator()))) break
    expect(left).toEqual(['mine'])
    expect(await run(() => new Response(bindStream(new Response('text').body!))).text()).toBe(
      'text',
    )
    const reasons: unknown[] = []
    const cancelled = run(() =>
      bindStream(
        new ReadableStream({ cancel: reason => void reasons.push(reason, getContext().projectId) }),
      ),
    )
    await cancelled.cancel('gone')
    expect(reasons).toEqual(['gone', 'mine'])
    const broken = new ReadableStream({ pull: controller => controller.error(new Error('reset')) })
    await expect(
      run(() => bindStream(broken))
        .getReader()
        .read(),
    ).rejects.toThrow('reset')
  })

  it('bindContext does the same for a callback', () => {
    const callback = runWithContext({ conversation, projectId: 'mine' }, () =>
      bindContext(
        (first: number, second: number) => [first + second, getContext().projectId] as const,
      ),
    )
    expect(callback(1, 2)).toEqual([3, 'mine'])
    expect(runWithContext({ conversation, projectId: 'another' }, () => callback(1, 2)[1])).toBe(
      'mine',
    )
  })
})
