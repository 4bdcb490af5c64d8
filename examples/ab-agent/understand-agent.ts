import {
  bareText,
  isNegated,
  isQuestion,
  type Understanding,
  wordsIn,
} from '../shared/understanding.ts'
import { isWholeYes } from './yes.ts'

/** What the conversation has, as far as it is in view. */
export interface AgentState {
  readonly ideas: readonly string[]
  readonly url?: string | undefined
  readonly hasVariants: boolean
  /** A preview was shown, of the variants that there are now. */
  readonly hasPreview: boolean
  readonly experimentId?: string | undefined
}

/** The newest result of each tool. */
export interface AgentResults {
  readonly ideas?:
    | { readonly url: string; readonly hypotheses: readonly { readonly title: string }[] }
    | undefined
  readonly made?:
    | { readonly url: string; readonly variants: readonly { readonly jobId: string }[] }
    | undefined
  readonly preview?: { readonly jobIds: readonly string[] } | undefined
  readonly created?:
    | { readonly jobIds: readonly string[]; readonly experimentId: string }
    | undefined
}

/** What the newest results come to: a preview or an experiment of other variants is another one. */
export function toAgentState({ ideas, made, preview, created }: AgentResults): AgentState {
  const jobs = made?.variants.map(({ jobId }) => jobId).join()
  return {
    ideas: ideas?.hypotheses.map(({ title }) => title) ?? [],
    url: ideas?.url,
    hasVariants: made !== undefined && made.url === ideas?.url,
    hasPreview: preview !== undefined && preview.jobIds.join() === jobs,
    experimentId: created?.jobIds.join() === jobs ? created?.experimentId : undefined,
  }
}

export type AgentIntent =
  | { readonly kind: 'ideas' | 'plan'; readonly url: string; readonly isAtOnce: boolean }
  /** An idea, counted from 1, to be shown as variants; with `isShown`, as a preview too. */
  | { readonly kind: 'variants'; readonly idea?: number | undefined; readonly isShown: boolean }
  | { readonly kind: 'preview' | 'create' | 'not yet' | 'which' | 'lists' | 'greeting' }

export const agentUnderstanding: Understanding<AgentState, AgentIntent> = {
  read,
  ideas({ ideas, url, hasVariants, hasPreview, experimentId }) {
    if (ideas.length === 0)
      return ['checkout', 'pricing'].map(page => `Plan a test for https://shop.example/${page}`)
    const others = ['second', 'third', 'first'].flatMap((word, at) =>
      ideas.length > (at + 1) % 3 ? [`use the ${word} idea`] : [],
    )
    return [
      ...(hasPreview && !experimentId ? ['looks good, launch it', 'wait'] : []),
      ...(hasVariants ? ['what exactly would you create?'] : []),
      ...others.slice(0, 2),
      ...(hasVariants ? ['what is the experiment id?'] : []),
      'which ideas are there?',
      ...(url?.includes('pricing') ? [] : ['Plan a test for https://shop.example/pricing']),
    ]
  },
}

const address = /https?:\/\/[^\s<>"“”]+/i

/** The address that a text names, without the sign at the end of its sentence. */
export const addressIn = (text: string) => address.exec(text)?.[0].replace(/[.,!?;:)]+$/, '')

function read(text: string, state: AgentState): AgentIntent | undefined {
  const url = addressIn(text)
  const plain = text.replace(address, '')
  const words = ` ${wordsIn(plain).join(' ')} `
  const bare = bareText(plain)
  if (url !== undefined && !isNegated(plain)) return ofPage(url, words)
  if (isWholeYes(text)) return { kind: 'create' }
  if (/ (?:id|kennung|identifiant|l'id|l'identifiant) /u.test(words)) return { kind: 'which' }
  if (asksWhatWouldBe.test(words)) return { kind: 'preview' }
  if (
    /\b(?:did|have|has|was|is|hast|ist|est|as)\b.*\b(?:creat\w*|running|run|live|start\w*|launch\w*|erstellt|läuft|lancé|créé)\b/u.test(
      words,
    )
  )
    return { kind: 'which' }
  if (/\bdid i\b|\bhabe ich\b|\bai je\b/u.test(words)) return { kind: 'not yet' }
  if (isNegated(plain) || waits.test(bare || plain.trim().toLowerCase())) return { kind: 'not yet' }
  if (asksForList.test(words)) return { kind: 'lists' }
  const idea = ideaIn(words)
  const namesIdea =
    /\b(?:idea|ideas|hypothesis|hypotheses|one|option|variants?|idee|hypothese|idée|hypothèse)\b/u.test(
      words,
    )
  if (idea !== undefined && namesIdea && !isQuestion(text)) {
    if (state.ideas.length > 0 && idea > state.ideas.length) return undefined
    return {
      kind: 'variants',
      idea,
      isShown: !/\bvariants?\b|\bvarianten\b|\bvariantes\b/u.test(words),
    }
  }
  if (
    /\bpreview\b|\bvorschau\b|\baperçu\b|\bshow (?:it|me)\b|\bzeig(?:e|s)?\b|\bmontre\b/u.test(
      words,
    )
  )
    return { kind: 'preview' }
  if (/\b(?:variants?|varianten|variantes)\b/u.test(words))
    return { kind: 'variants', isShown: false }
  return undefined
}

function ofPage(url: string, words: string): AgentIntent {
  const isAtOnce = /\b(?:create|launch|start)\b/u.test(words)
  const isPlan =
    /\b(?:test|teste|testen|plan|plane|planen|planifie|try|optimi\w+|improve|verbesser\w*)\b/u.test(
      words,
    )
  return { kind: isPlan ? 'plan' : 'ideas', url, isAtOnce }
}

const asksWhatWouldBe =
  /\bwhat\b.*\byou would (?:create|launch|make|do)\b|\bwhat (?:exactly )?(?:would|will|do|are) (?:you|we|i)\b.*\b(?:creat\w*|launch\w*|make|making|do)\b|\bwhat would (?:be|get) (?:created|launched)\b|\bwas (?:genau )?(?:würdest|wirst|legst|erstellst) du\b|\bqu'est ce que tu (?:vas|créerais)\b/u

const asksForList =
  /\b(?:what|which|list|show|tell|welche|zeig\w*|quelles?|montre)\b.*\b(?:ideas|hypotheses|options|ideen|hypothesen|idées|hypothèses)\b/u

const waits =
  /^(?:wait|stop|hold on|hang on|cancel|later|leave it|never mind|not|warte|halt|stopp|moment|attends|attendez|espera)\b/u

const numbers: readonly (readonly string[])[] = [
  'first 1st 1 one erste ersten premier première'.split(' '),
  'second 2nd 2 two zweite zweiten zwei deuxième seconde second'.split(' '),
  'third 3rd 3 three dritte dritten drei troisième'.split(' '),
]

/** The idea that a text names, from 1: "the second one", "idea 3", "die zweite Idee". */
function ideaIn(words: string): number | undefined {
  // "The second one" names no first: of two numbers the ordinal counts.
  const list = words.trim().split(' ')
  const at = [0, 1, 2].findLastIndex(place =>
    numbers[place]!.some(word => list.includes(word) && word !== 'one'),
  )
  if (at >= 0) return at + 1
  const other = /\b(?:idea|hypothesis|option|number) (\d{1,3})\b/.exec(words)?.[1]
  return other === undefined ? undefined : Number(other)
}
