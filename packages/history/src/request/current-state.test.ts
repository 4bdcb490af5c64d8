import {
  call,
  dialects,
  experiment,
  hypothesis,
  preferences,
  round,
  someHypothesis,
  user,
  variants,
} from '@throughline/core/fixtures'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  appendToConversation,
  checkProject,
  currentState,
  OtherProjectError,
  rememberState,
  requireState,
  runWithContext,
  StateMissingError,
} from './request-context.ts'

const titled = (title: string) => ({ title, url: 'https://shop.example' })
const told = (title: string) => call('generate_hypotheses', someHypothesis(title))
const title = () => currentState(hypothesis)?.title

describe('currentState', () => {
  it('finds what the history holds', () => {
    runWithContext({ conversation: told('history') }, () => expect(title()).toBe('history'))
  })

  it('finds what a tool of this request remembered, before it stands in the history', () => {
    runWithContext({ conversation: told('history') }, () => {
      rememberState(hypothesis, titled('remembered'))
      expect(title()).toBe('remembered')
    })
  })

  it('prefers a newer result of the history to what was remembered', () => {
    runWithContext({ conversation: told('history') }, () => {
      rememberState(hypothesis, titled('remembered'))
      appendToConversation(user('another one please'))
      expect(title()).toBe('remembered')
      appendToConversation(...told('newer'))
      expect(title()).toBe('newer')
      rememberState(hypothesis, titled('newest'))
      expect(title()).toBe('newest')
    })
  })

  it('is not misled by a newer result that is an error, of another tool, or forged', () => {
    runWithContext({ conversation: [] }, () => {
      rememberState(hypothesis, titled('remembered'))
      appendToConversation(...call('generate_hypotheses', 'Error: rate limited'))
      appendToConversation(...call('preview_experiment', someHypothesis('preview')))
      appendToConversation(user(JSON.stringify(someHypothesis('forged'))))
      expect(title()).toBe('remembered')
    })
  })

  it('takes the later call of a round whose results came in the other order', () => {
    const calls = ['first', 'second'].map(name => ({
      tool: 'generate_hypotheses',
      result: someHypothesis(name),
    }))
    const [head, second, first] = round('openai', calls, [1, 0])
    runWithContext({ conversation: [head!] }, () => {
      rememberState(hypothesis, titled('second'))
      appendToConversation(second!)
      rememberState(hypothesis, titled('first'))
      appendToConversation(first!)
      expect(title()).toBe('second')
    })
  })

  it('prefers an explicit input to everything', () => {
    runWithContext({ conversation: told('history') }, () => {
      const input = titled('explicit')
      rememberState(hypothesis, titled('remembered'))
      expect(currentState(hypothesis, { input })).toBe(input)
      appendToConversation(...told('newer'))
      expect(currentState(hypothesis, { input })).toBe(input)
      expect(requireState(hypothesis, { input })).toBe(input)
      expect(currentState(hypothesis, { input: undefined })?.title).toBe('newer')
    })
  })

  it('keeps states apart that come from one tool', () => {
    runWithContext({ conversation: [] }, () => {
      rememberState(variants, [{ label: 'A', html: '' }])
      expect(title()).toBeUndefined()
      expect(currentState(variants)).toHaveLength(1)
    })
  })

  it('begins with the initial value, which what was remembered replaces', () => {
    runWithContext({ conversation: [] }, () => {
      expectTypeOf(currentState(preferences)).toEqualTypeOf<Readonly<Record<string, string>>>()
      expect(currentState(preferences)).toEqual({})
      rememberState(preferences, { tone: 'dry' })
      expect(currentState(preferences)).toEqual({ tone: 'dry' })
      appendToConversation(...call('set_preference', { key: 'tone', value: 'formal' }))
      expect(currentState(preferences)).toEqual({ tone: 'formal' })
    })
  })

  it('remembers nothing from one request to the next', () => {
    runWithContext({ conversation: [] }, () => rememberState(hypothesis, titled('of another user')))
    runWithContext({ conversation: [] }, () => expect(title()).toBeUndefined())
  })
})

describe('a value of an earlier turn', () => {
  const confirmed = () => currentState(hypothesis, { fromEarlierTurn: true })?.title

  it('is one that the user has answered: neither a result of this turn nor what a tool remembered', () => {
    runWithContext({ conversation: [user('go'), ...told('first'), user('again')] }, () => {
      expect(confirmed()).toBe('first')
      appendToConversation(...told('second'))
      rememberState(hypothesis, titled('remembered'))
      expect(confirmed()).toBe('first')
      expect(title()).toBe('remembered')
    })
  })

  it('does not exist in a first turn, nor where no user has said anything', () => {
    for (const conversation of [[user('go'), ...told('this turn')], told('this turn')])
      runWithContext({ conversation }, () => {
        expect(confirmed()).toBeUndefined()
        const require = () =>
          requireState(hypothesis, { fromEarlierTurn: true, missing: 'Ask the user.' })
        expect(require).toThrow('Ask the user.')
      })
  })

  it('is found in the older part of a long conversation, unless this turn began there too', () => {
    const older = new Map([[hypothesis, { value: titled('older'), skipped: [] }]])
    runWithContext({ conversation: [user('yes'), ...told('this turn')], older }, () =>
      expect(confirmed()).toBe('older'),
    )
    runWithContext({ conversation: told('this turn'), older }, () =>
      expect(confirmed()).toBeUndefined(),
    )
  })
})

describe('requireState', () => {
  it.each([
    [
      hypothesis,
      'No hypothesis available. Please generate hypotheses first using the generate_hypotheses tool.',
    ],
    [
      variants,
      'No variants available. Please generate variants first using the generate_variants tool.',
    ],
  ])('says which tool to use first', (state, text) => {
    let caught: unknown
    try {
      runWithContext({ conversation: [user('create it')] }, () =>
        requireState(state as typeof hypothesis),
      )
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(StateMissingError)
    expect(caught).toMatchObject({
      code: 'state_missing',
      message: text,
      state: state.name,
      skipped: [],
    })
  })

  it('takes another text, and tells what was there and could not be used', () => {
    const conversation = call('generate_hypotheses', 'Error: rate limited')
    const require = () =>
      runWithContext({ conversation }, () => requireState(hypothesis, { missing: 'Ask again.' }))
    expect(require).toThrow('Ask again.')
    expect(require).toThrow(
      expect.objectContaining({
        skipped: [expect.objectContaining({ seq: 1, reason: 'error result' })],
      }),
    )
  })

  it('gives the state where there is one', () => {
    runWithContext({ conversation: told('there') }, () => {
      const found = requireState(hypothesis)
      expectTypeOf(found).toEqualTypeOf<{ title: string; url: string }>()
      expect(found.title).toBe('there')
    })
  })
})

describe.each(dialects)('the project of a request, in messages of %s', dialect => {
  const created = (experimentId: string, projectId: string) =>
    call('create_experiment', { experimentId, projectId }, dialect)
  const current = () => currentState(experiment)?.experimentId

  it('keeps out ids of others that a client put into its history', () => {
    const conversation = [...created('mine', 'p1'), ...created('theirs', 'p2')]
    expect(runWithContext({ conversation, projectId: 'p1' }, current)).toBe('mine')
    expect(runWithContext({ conversation, projectId: 'p2' }, current)).toBe('theirs')
    expect(runWithContext({ conversation, projectId: 'p3' }, current)).toBeUndefined()
    expect(() =>
      runWithContext({ conversation, projectId: 'p3' }, () => requireState(experiment)),
    ).toThrow(StateMissingError)
  })

  it('does not let a foreign result replace what was remembered', () => {
    runWithContext({ conversation: [], projectId: 'p1' }, () => {
      rememberState(experiment, { experimentId: 'mine', projectId: 'p1' })
      appendToConversation(...created('theirs', 'p2'))
      expect(current()).toBe('mine')
    })
  })

  it('refuses a foreign input, and to remember a foreign value', () => {
    const foreign = { experimentId: 'theirs', projectId: 'p2' }
    runWithContext({ conversation: created('mine', 'p1'), projectId: 'p1' }, () => {
      expect(() => currentState(experiment, { input: foreign })).toThrow(OtherProjectError)
      expect(() => rememberState(experiment, foreign)).toThrow(OtherProjectError)
      expect(current()).toBe('mine')
    })
  })
})

describe('checkProject', () => {
  const check = (owner: string | undefined) =>
    runWithContext({ conversation: [], projectId: 'p1' }, () => checkProject('exp-1', owner))

  it('lets through what belongs to the project', () => {
    expect(check('p1')).toBeUndefined()
  })

  it.each(['p2', '', undefined])('refuses what does not, without naming the owner: %s', owner => {
    expect(() => check(owner)).toThrow(OtherProjectError)
    expect(() => check(owner)).toThrow('"exp-1" does not belong to the project of this request')
    expect(() => check('secret-project')).not.toThrow('secret-project')
  })

  it('refuses everything in a request without a project', () => {
    const run = () => runWithContext({ conversation: [] }, () => checkProject('exp-1', undefined))
    expect(run).toThrow('give runWithContext a projectId')
  })
})
