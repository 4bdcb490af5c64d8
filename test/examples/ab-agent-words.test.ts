import { parseMessage } from '@throughline/core/messages'
import type { MessageLike } from 'throughline'
import { type ChatPart, createChat } from 'throughline/chat'
import { type Model, rules } from 'throughline/models'
import { describe, expect, it } from 'vitest'
import { agent, openModel } from '../../examples/ab-agent/agent.ts'
import { stateIn } from '../../examples/ab-agent/state-in-view.ts'
import { agentUnderstanding } from '../../examples/ab-agent/understand-agent.ts'
import { isWholeYes } from '../../examples/ab-agent/yes.ts'
import { chipsFor, chipsIn } from '../../examples/shared/understanding.ts'

/** The agent as the browser keeps it: each turn gets all messages. */
function talk(model: Model = openModel()) {
  const chat = createChat({ ...agent, model })
  let messages: MessageLike[] = []
  return {
    messages: () => messages,
    /** What was said at the end, and the tools that ran without an error. */
    async say(text: string) {
      messages = [...messages, { role: 'user', content: text }]
      const reply = chat.respond(messages, { projectId: 'shop' })
      const parts: ChatPart[] = []
      for await (const part of reply) parts.push(part)
      messages = [...messages, ...(await reply.messages)]
      const ran = parts.flatMap(part =>
        part.type === 'tool-result' && !part.isError ? [part.name] : [],
      )
      const said = parts.map(part => (part.type === 'text-delta' ? part.text : '')).join('')
      return {
        ran,
        said,
        results: parts.flatMap(part => (part.type === 'tool-result' ? [part.text] : [])),
      }
    },
  }
}

const plan = 'Plan a test for https://shop.example/checkout'

describe('a whole yes', () => {
  it.each([
    'yes',
    'Yes, create the experiment.',
    'looks good, launch it',
    'Yes please!',
    'Sure, go ahead.',
    'Do it',
    'ça me va, lance le',
    'ja, mach das bitte',
    "oui, d'accord",
    'Perfect. Ship it!',
    'Yes, create it once more.',
  ])('is: %s', text => expect(isWholeYes(text)).toBe(true))

  it.each([
    'I did not say yes!',
    'what exactly would you create?',
    'no',
    'wait',
    'yes?',
    'yes, but with the second idea',
    'yes if the boss agrees',
    'I would say yes tomorrow',
    'looks good',
    'ok',
    'thanks',
    'do not create it',
    "don't you dare say yes",
    'can you create it?',
    'create the other one instead',
    'my last answer was yes to something else',
    'nein',
    'ja, aber erst morgen',
    'oui mais pas maintenant',
    'yesterday',
    '',
    'Did I say "yes, create it"?',
    'launch a rocket',
  ])('is not: %s', text => expect(isWholeYes(text)).toBe(false))
})

describe('the A/B agent', () => {
  it('creates nothing without a whole yes to the preview, and says what is true', async () => {
    const { say } = talk()
    expect((await say(plan)).ran).toEqual([
      'generate_hypotheses',
      'generate_variants',
      'preview_experiment',
    ])
    for (const text of [
      'I did not say yes!',
      'no',
      'wait',
      'hold on a second',
      'nein danke',
      'attends',
    ]) {
      const { ran, said } = await say(text)
      expect([text, ran]).toEqual([text, ['get_experiment']])
      expect(said).toContain('Nothing has been created.')
    }
    const shown = await say('what exactly would you create?')
    expect(shown.ran).toEqual(['preview_experiment'])
    expect((await say('what is the experiment id?')).said).toContain('there is no id')
    expect((await say('Je préfère la troisième idée')).ran).toEqual([
      'generate_variants',
      'preview_experiment',
    ])
    expect((await say('what is it that you would create?')).ran).toEqual(['preview_experiment'])
    const second = await say("I'd rather use the second idea")
    expect(second.ran).toEqual(['generate_variants', 'preview_experiment'])
    expect(second.results.at(-1)).toContain('Saying that returns are free takes away doubt')
    const created = await say('looks good, launch it')
    expect(created.ran).toEqual(['create_experiment'])
    const [id] = /exp-[0-9a-f]{8}/.exec(created.said) ?? ['']
    expect((await say('what is the experiment id?')).said).toBe(
      `${id} was created for https://shop.example/checkout, and runs.`,
    )
    expect((await say('yes')).said).toBe(`${id} was created before, so nothing new was made.`)
    expect((await say('no, stop it')).said).toContain('I have no tool that ends it.')
    expect((await say('preview')).said).toBe(`This is what was created before, as ${id}.`)
    expect((await say('use the third idea')).said).toContain('Nothing of it has been created yet.')
  })

  it('lets no model take another sentence for a yes', async () => {
    const eager = rules(({ messages }) => {
      const last = parseMessage(messages.at(-1)!, messages.length - 1)
      if (last.role !== 'user') return 'Done.'
      const calls = last.text.includes('http')
        ? [
            { name: 'generate_hypotheses', arguments: { url: 'https://shop.example/checkout' } },
            { name: 'generate_variants' },
            { name: 'preview_experiment' },
          ]
        : [{ name: 'create_experiment' }]
      return { calls }
    })
    const { say } = talk(eager)
    // The tools of one message find each other's results.
    expect((await say(plan)).ran).toHaveLength(3)
    for (const text of ['I did not say yes!', 'what exactly would you create?', 'no', 'wait'])
      expect((await say(text)).results[0]).toContain(
        'is no plain yes to the preview, so nothing was created',
      )
    expect((await say('yes, create it')).ran).toEqual(['create_experiment'])
  })

  it('offers what works at every point of the way, and asks back with it', async () => {
    const { say, messages } = talk()
    const answers = new Set<string>()
    const seen: boolean[] = []
    for (const text of [
      undefined,
      plan,
      'use the second idea',
      'yes',
      'https://shop.example/pricing',
    ]) {
      if (text) await say(text)
      const state = stateIn(messages())
      const chips = chipsFor(agentUnderstanding, state)
      expect(chips.length).toBeGreaterThanOrEqual(2)
      expect(chips.length).toBeLessThanOrEqual(7)
      expect(chips.includes('looks good, launch it')).toBe(state.hasPreview && !state.experimentId)
      seen.push(state.hasPreview)
      const asked = await say('sing me a shanty')
      expect(asked.ran).toEqual([])
      expect(chipsIn(asked.said)).toEqual(chips.slice(0, 3))
      answers.add(asked.said)
      for (const chip of chips) {
        const other = talk()
        for (const earlier of [plan, 'use the second idea', 'yes'].slice(
          0,
          state.ideas.length && 2,
        ))
          await other.say(earlier)
        expect([chip, (await other.say(chip)).said]).not.toEqual([
          chip,
          expect.stringContaining('did not work'),
        ])
      }
    }
    expect(answers.size).toBe(5)
    expect(seen).toEqual([false, true, true, true, true])
  })
})
