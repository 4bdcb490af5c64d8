import { bareText } from '../shared/understanding.ts'
import type { Exchange } from './scenes.ts'

/** A wish to play again what played before: one step back, or a thing by its name. */
interface Return {
  /** The words that name it: "the campfire". Absent for "undo". */
  readonly name?: string
}

/** Reads "undo", "go back to the campfire". Undefined for every other request. */
export function returnIn(request: string): Return | undefined {
  const [wish, name = ''] =
    /^(?:undo|go back|back|revert|return|bring back|take (?:that|it) back|rückgängig|mach (?:das|es) rückgängig|zurück|geh zurück|deshaz|annule|reviens)(?: to| zu| zum| zur| à)?(?: (.*))?$/u.exec(
      bareText(request.slice(0, 200)),
    ) ?? []
  if (wish === undefined) return undefined
  const words = wordsOf(name)
  return words.length > 0 ? { name: words.join(' ') } : {}
}

/**
 * The exchange whose program is wanted back. Everything that was ever played is in the log, so this needs no model, and finds
 * programs that left the window long ago. An exchange that was a step back takes the one before it off, so "undo" three times goes
 * back three programs.
 */
export function findReturn(exchanges: readonly Exchange[], { name }: Return): Exchange | undefined {
  const played: Exchange[] = []
  for (const exchange of exchanges) {
    if (exchange.summary === undefined) continue
    const wish = returnIn(exchange.asked)
    if (wish && wish.name === undefined && played.length > 1) played.pop()
    else played.push(exchange)
  }
  if (name === undefined) return played.at(-2)
  const wanted = name.split(' ')
  const isNamed = ({ asked, summary = '' }: Exchange) => {
    const words = new Set(wordsOf(`${asked} ${summary}`))
    return wanted.every(word => words.has(word))
  }
  // What is asked for by its name was made by that name; later changes of it come first.
  return played.slice(0, -1).findLast(isNamed)
}

const empty = new Set(
  'the a an that this it one to what we had was before again please previous last program one step change ça cela das es letzte dernier dernière le la den die'.split(
    ' ',
  ),
)

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter(word => !empty.has(word))
}
