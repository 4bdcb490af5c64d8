import { isCount, isObject } from '../../log/values.ts'

/** What earlier calls showed of a system prompt, without its texts: which lines stand still. Contexts give it as `promptLayout`. */
export interface PromptLayout {
  /**
   * For each system message the ids of the lines in its head, divided by blanks. `_2`: lines below stand here, indented by 2;
   * `_`: lines below may stand here; `~1a`: the lines behind it are new since the conversation had that many messages (base 36).
   * Behind a dot an id, or `_2`, has the patterns of its lines.
   */
  readonly heads?: readonly string[]
  /** The tokens that a cut keeps for the changing lines: the most that they ever had, rounded up. */
  readonly room?: number
  /** The hash of the changing lines as they were sent last, and the place of the message that they stood before. */
  readonly last?: { readonly hash: string; readonly before: number }
  /** Hashes of the tools in the order in which they were first sent. */
  readonly tools?: readonly string[]
}

/** Whether a value has the form of a layout: it may come from an import. */
export function isLayout(value: unknown): value is PromptLayout {
  if (!isObject(value)) return false
  const { heads = [], room = 0, last = { hash: '', before: 0 }, tools = [] } = value
  const areTexts = (list: unknown) =>
    Array.isArray(list) && list.every(one => typeof one === 'string')
  const isPlace = isObject(last) && typeof last.hash === 'string' && isCount(last.before)
  return areTexts(heads) && areTexts(tools) && isCount(room) && isPlace
}

/** The fields of a layout that an earlier one does not have so; undefined if there are none. */
export function learnedIn(
  layout: PromptLayout,
  before: PromptLayout = {},
): PromptLayout | undefined {
  const isNew = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof PromptLayout])
  const learned = Object.entries(layout).filter(isNew)
  return learned.length > 0 ? Object.fromEntries(learned) : undefined
}
