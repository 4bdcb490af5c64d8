/**
 * A model made of rules, so that the example runs without one. It understands the few sentences below and nothing else, and
 * says so. Like any model it sees only what it is sent: it keeps nothing between calls.
 */
import { type MessageLike, parseMessage } from 'throughline'
import { type Model, type RulesAnswer, rules } from 'throughline/models'

export const ruleModel = (): Model =>
  rules(({ messages }) => answer(messages), { name: 'rules', window: 4096, delayMs: 12 })

type Name = 'generate_hypotheses' | 'generate_variants' | 'preview_experiment' | 'create_experiment'

function answer(given: readonly MessageLike[]): RulesAnswer {
  const messages = given.map(parseMessage)
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const text = messages[asked]?.text ?? ''
  const since = messages.slice(asked + 1)
  const last = since.at(-1)?.results.at(-1)?.text ?? ''
  if (last.startsWith('Error: ')) return refusal(last.slice('Error: '.length))
  const wanted = wishes(text)
  const called = since.flatMap(({ calls }) => calls.map(({ name }) => name))
  const next = wanted.find(name => !called.includes(name))
  if (next) return { calls: [{ name: next, arguments: argumentsOf(next, text) }] }
  const done = wanted.at(-1)
  return done ? closing[done] : isNo.test(text) ? 'All right. Nothing was created.' : help
}

const isNo = /^\s*no\b|\bdon't\b|\bdo not\b|\bcancel\b/i
const address = /https?:\/\/\S+/i

/** The tools that a sentence asks for, in their order. */
function wishes(text: string): readonly Name[] {
  const words = text.replace(address, '').toLowerCase()
  if (isNo.test(words)) return []
  const wanted: Name[] = []
  const isPlan = address.test(text) && /\b(test|plan|try)\b/.test(words)
  if (address.test(text) || /\bhypotheses\b/.test(words)) wanted.push('generate_hypotheses')
  if (isPlan || /\bvariants?\b/.test(words)) wanted.push('generate_variants')
  if (isPlan || /\bpreview\b/.test(words)) wanted.push('preview_experiment')
  if (/\b(yes|create|confirm|go ahead)\b/.test(words)) wanted.push('create_experiment')
  return wanted
}

function argumentsOf(name: Name, text: string): object {
  if (name === 'generate_hypotheses') return { url: address.exec(text)?.[0].replace(/[.,!?]+$/, '') }
  if (name !== 'generate_variants') return {}
  const at = ['first', 'second', 'third'].findIndex(word => text.toLowerCase().includes(word))
  return at < 0 ? {} : { hypothesis: at + 1 }
}

const closing: Readonly<Record<Name, string>> = {
  generate_hypotheses:
    'These are my ideas. Say "variants" for the first one, or "variants for the second hypothesis".',
  generate_variants: 'These are the variants. Say "preview" to see what would be created.',
  preview_experiment: 'This is what I would create. Nothing has been created yet. Shall I create it?',
  create_experiment: 'It is created, and runs.',
}

function refusal(problem: string): string {
  const isEarly = problem.startsWith('The user has not confirmed')
  return isEarly
    ? 'I may not create it in the same breath: look at the preview first. Shall I create it?'
    : `That did not work: ${problem}`
}

const help =
  'I am a handful of rules, no language model. I understand "Plan a test for https://shop.example/checkout", "variants for the second hypothesis", "preview", "yes" and "no".'
