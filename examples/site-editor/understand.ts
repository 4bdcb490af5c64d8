/** What a user wants, as far as a few patterns can tell. */
import { toColour } from './colours.ts'

export type Wish =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'background'; readonly colour: string }
  | { readonly kind: 'page'; readonly topic: string }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'list' | 'unknown colour' | 'nothing to undo' | 'unknown' }

/** Reads a request. `notes`: what the agent wrote for itself in earlier turns; the newest one of a change says what to take back. */
export function understand(request: string, notes: readonly string[]): Wish {
  const text = request.slice(0, 500).replaceAll('\n', ' ').trim()
  const title = /\btitle\b.{0,20}?\b(?:to|into)\b(.+)$/i.exec(text)?.[1]
  if (title) return { kind: 'title', title: unquote(title) }
  const topic = /\bpage\b.{0,10}?\b(?:about|for|on|called)\b(.+)$/i.exec(text)?.[1]
  if (topic) return { kind: 'page', topic: unquote(topic) }
  const background = /\bbackground\b(.*)$/i.exec(text)?.[1]
  if (background !== undefined) {
    const colour = toColour(background)
    return colour ? { kind: 'background', colour } : { kind: 'unknown colour' }
  }
  if (/\bundo\b|\bback\b/i.test(text)) return takeBack(notes.findLast(note => changed.test(note)) ?? '')
  const path = /\b(?:read|show|open)\b.{0,20}?([\w/.-]{1,60}\.[a-z]{2,4})\b/i.exec(text)?.[1]
  if (path) return { kind: 'read', path }
  return /\bfiles?\b/i.test(text) ? { kind: 'list' } : { kind: 'unknown' }
}

/** The notes of the two changes that can be taken back. They are written and read here only. */
export const titleNote = (was: string, is: string) => `The title was "${was}" and is "${is}" on every page.`
export const backgroundNote = (was: string, is: string) =>
  `The background was ${was} and is ${is}, in style.css.`

/** The notes of turns that changed the site. A turn that was not understood changed nothing. */
const changed = /^(?:The title was|The background was|Added) /

function takeBack(note: string): Wish {
  const title = /^The title was "(.*)" and is "/.exec(note)?.[1]
  if (title) return { kind: 'title', title }
  const colour = toColour(/^The background was (\S+) and is/.exec(note)?.[1] ?? '')
  return colour ? { kind: 'background', colour } : { kind: 'nothing to undo' }
}

/** `"Blue Door".` → `Blue Door` */
function unquote(text: string): string {
  return text
    .trim()
    .replace(/^["'“”‘’]|["'“”‘’]?[.!?]?$|["'“”‘’]$/g, '')
    .slice(0, 80)
    .trim()
}
