/** What a user wants, as far as a few patterns can tell. */
import { bareText, isNegated, isQuestion, type Understanding } from '../shared/understanding.ts'
import { toColour } from './colours.ts'
import { pathFor } from './edit-page.ts'

export type Wish =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'background'; readonly colour: string }
  | { readonly kind: 'page' | 'remove' | 'empty'; readonly topic: string }
  | { readonly kind: 'read'; readonly path: string }
  /** Adds a line to a page, or puts a text in place of another wherever it stands. */
  | { readonly kind: 'line'; readonly topic: string; readonly text: string }
  | { readonly kind: 'replace'; readonly text: string; readonly by: string }
  | { readonly kind: 'list' | 'undo' | 'changes' | 'anyway' | 'nothing' }

/** What is known of the site when a request is read. `files` may be unknown: then a page is looked for later. */
export interface SiteState {
  readonly files?: readonly string[]
  /** The notes of turns that changed something. */
  readonly notes: readonly string[]
  readonly canUndo?: boolean
  /** The text that was not understood. */
  readonly text?: string
}

export const siteUnderstanding: Understanding<SiteState, Wish> = {
  read: understand,
  ideas({ files = [], notes, canUndo, text = '' }) {
    const wanted =
      /\b(?:have|need|want|like|brauche|brauchen|möchte|voudrais) (?:an? |eine? |une? )?(\p{L}[\p{L} ]{2,28})$/iu.exec(
        text,
      )?.[1]
    const topics = files
      .filter(path => path.endsWith('.html') && path !== 'index.html')
      .map(topicOf)
    const [last = ''] = notes.slice(-1)
    return [
      ...(wanted ? [`add a page about ${wanted}`] : []),
      ...(notes.length > 0 ? ['what did you change so far?'] : []),
      ...(notes.some(note => note.includes('"Blue Door"'))
        ? []
        : ['change the title to Blue Door']),
      ...(topics.includes('opening hours') ? [] : ['add a page about opening hours']),
      last.includes('#14284b') ? 'make the background white' : 'make the background dark blue',
      ...topics.slice(-1).map(topic => `remove the ${topic} page`),
      ...(topics.includes('menu') ? ['add Apple cake, 4.20 to the menu page'] : []),
      ...(canUndo ? ['undo'] : []),
    ]
  },
}

export const topicOf = (path: string) => path.replace(/\.html$/, '').replaceAll('-', ' ')

/** The page that a topic names, of those that there are. */
export function pageOf(topic: string, files: readonly string[]): string | undefined {
  const words = topic
    .toLowerCase()
    .replace(own, '')
    .replace(/[ -]+(?:page|seite)$/, '')
  return files.find(path => path === words) ?? files.find(path => path === pathFor(words))
}

/** Words before a topic that are no part of it. */
const own = /^(?:the|our|my|your|a|an|die|der|das|eine?|unsere?|la|les?|une?|nos|notre) /i

export function understand(request: string, state: SiteState): Wish | undefined {
  const text = request.slice(0, 500).replace(/\s+/g, ' ').trim()
  const bare = bareText(text)
  if (asksForChanges.test(bare)) return { kind: 'changes' }
  if (asksForFiles.test(bare)) return { kind: 'list' }
  const path =
    /(?<!\p{L})(?:read|show|open|see|öffne|zeige?|montre|ouvre|what is in|what's in)\b.{0,20}?([\w/.-]{1,60}\.[a-z]{2,4})\b/iu.exec(
      text,
    )?.[1] ?? shownPage(bare, state)
  if (path && !/^(?:don't|do not)\b/.test(bare)) return { kind: 'read', path }
  if (keeps.test(bare) || bare === '') return { kind: 'nothing' }
  if (isQuestion(text) || isNegated(text)) return undefined
  if (undoes.test(bare)) return { kind: 'undo' }
  if (/^(?:yes )?(?:write|do) it anyway$|^trotzdem schreiben$|^écris quand même$/u.test(bare))
    return { kind: 'anyway' }
  return ofPage(text, bare) ?? ofSite(text)
}

const asksForChanges =
  /^(?:what|which)\b.*\b(?:did you|did we|have you|you've|you did|has|have|were) ?.*\b(?:chang\w*|do|done|edit\w*)\b|^what changed\b|^which changes\b|^(?:was|welche)\b.*\b(?:geändert|gemacht|änderungen)\b|^(?:que|qu'as|quels?|qu'est)(?: ce que tu)?\b.*\b(?:changé|fait|modifié|changements)(?!\p{L})|^(?:list|show|sum up|summari[sz]e)\b.*\bchanges\b/u
const asksForFiles =
  /^(?:list|show|which|what|zeige?|welche|montre|quels?|quelles?)\b.*\b(?:files|pages|dateien|seiten|fichiers)\b/u
const keeps =
  /^(?:no|nope|nein|non|nothing|never mind|wait|leave it|keep (?:it|the page)(?: as it is)?|stop|cancel|(?:don't|do not) (?:do|write|change) (?:it|that|anything))$/u
const undoes =
  /^(?:undo|revert|take (?:that|it|this) back|put (?:it|that) back(?: as it was)?|(?:mach |mache )?(?:(?:das|es|bitte|die letzte änderung) )*rückgängig|annule|défais|zurück|go back|back)(?: (?:that|it|this|again|the last (?:change|one)|the change|ça|cela|bitte|la dernière modification))*$/u

function shownPage(bare: string, { files = [] }: SiteState): string | undefined {
  const topic =
    /^(?:show|open|read|zeige?|montre)(?: me| mir| moi)? (?:the |die |la )?(.{2,40})$/u.exec(
      bare,
    )?.[1]
  return topic && pageOf(topic, files)
}

/** Wishes about one page. */
function ofPage(text: string, bare: string): Wish | undefined {
  const removed =
    /^(?:remove|delete|drop|get rid of|take down|lösche?|entferne|supprime|enlève) (?:the |die |la )?(?:(?:page|seite) (?:(?:about|for|on|called|über|zu|sur|de) )?)?(.{2,60}?)(?: page| seite)?$/u.exec(
      bare,
    )?.[1]
  const isOfPage = /\b(?:page|seite)\b|\.html$/u.test(bare)
  if (removed && isOfPage)
    return { kind: 'remove', topic: removed === 'page' || removed === 'seite' ? '' : removed }
  const emptied = /^(?:empty|clear|leere|vide) (?:the |die |la )?(.{2,60}?)(?: page| seite)$/u.exec(
    bare,
  )?.[1]
  if (emptied) return { kind: 'empty', topic: emptied }
  const [, , line, topic] =
    /\b(add|put|write|füge?|schreibe?|ajoute) (.{2,200}) (?:to|on|onto|zu|auf|à|sur) (?:the |die |der |zur |la )?(?:page |seite )?(.{2,40}?)(?: page| seite)?[.!]?$/iu.exec(
      text,
    ) ?? []
  if (
    line &&
    topic &&
    !/^(?:a|an|another|new|eine?|une) (?:\p{L}+ )?(?:page|seite|link)\b/iu.test(line)
  )
    return { kind: 'line', topic: topic.toLowerCase(), text: unquote(line) }
  const isAdded =
    /\b(?:add|create|make|new|need|want|like|write|build|set up|add|neue|füge?|erstelle?|brauche|möchte|ajoute|crée|voudrais|faut)\b|^(?:a|an|another|eine|une) /iu.test(
      text,
    )
  const about =
    /\b(?:page|seite)\b.{0,10}?(?<!\p{L})(?:about|for|on|called|with|über|zu|zum|für|sur|pour)\b (.+)$/iu.exec(
      text,
    )?.[1]
  if (about && isAdded)
    return {
      kind: 'page',
      topic: unquote(
        about
          .replace(own, '')
          .replace(
            /,? (?:would you|could you|hinzu|an|please|bitte|s'il (?:te|vous) pla[iî]t)[.!]?$/iu,
            '',
          ),
      ),
    }
  return undefined
}

/** Wishes about all of the site. */
function ofSite(text: string): Wish | undefined {
  const title =
    /\b(?:title|titel|titre)\b.{0,20}?\b(?:to|into|be|auf|in|zu|en|par)\b (.+)$/iu.exec(
      text,
    )?.[1] ?? /\b(?:rename|call) (?:the (?:site|café|page)|it|us) (?:to )?(.+)$/iu.exec(text)?.[1]
  if (title) return { kind: 'title', title: unquote(title) }
  const background =
    /\b(?:background|hintergrund|fond|everything|(?:the|whole) site)\b(.*)$/iu.exec(text)?.[1]
  const colour =
    toColour(background ?? '') ?? (background === undefined ? undefined : toColour(text))
  // "Hintergrund hellblau" needs no verb; "that blue background" is no order.
  const isBare = /^(?:background|hintergrund|fond) (?:(?:light|dark|in|en) )?\p{L}+$/iu.test(
    text.replace(/[.!]$/, ''),
  )
  const isOrder =
    /\b(?:make|change|turn|set|paint|colou?r|want|(?:i'd|would) like|mach|färbe?|setze?|mets?|in|to|en)\b/iu.test(
      text,
    )
  if (colour && (isBare || isOrder)) return { kind: 'background', colour }
  const [, old, by] =
    /\b(?:replace|ersetze?|remplace) (?:the words? |das wort |le mot )?(.{2,120}?) (?:with|by|durch|par) (.{1,200})$/iu.exec(
      text,
    ) ??
    /\b(?:change|ändere?) (?:the words? |das wort )?(.{2,120}?) (?:to|into|in) (.{1,200})$/iu.exec(
      text,
    ) ??
    []
  return old && by ? { kind: 'replace', text: unquote(old), by: unquote(by) } : undefined
}

/** The notes of changes. They are written and read here only. */
export const titleNote = (was: string, is: string) =>
  `The title was "${was}" and is "${is}" on every page.`
export const backgroundNote = (was: string, is: string) =>
  `The background was ${was} and is ${is}, in style.css.`

/** The notes of turns that changed the site. A turn that was not understood changed nothing. */
export const isOfChange = (note: string) =>
  /^(?:The title was|The background was|Added|Removed|Emptied|Replaced|Wrote|Took back) /.test(note)

/** `"Blue Door".` → `Blue Door` */
function unquote(text: string): string {
  return text
    .trim()
    .replace(/,? (?:please|bitte|ändern|would you|could you|hinzu)[.!?]?$/iu, '')
    .replace(/^["'“”‘’«]|["'“”‘’»]?[.!?]?$|["'“”‘’»]$/g, '')
    .slice(0, 80)
    .trim()
}
