// @ts-check
import { element, find } from './element.js'

/** @typedef {import('../lamp.ts').LampPart} LampPart */
/** @typedef {import('../scenes.ts').Exchange} Exchange */

const talk = () => find('talk', HTMLElement)

/**
 * Shows what was said before.
 * @param {readonly Exchange[]} exchanges
 */
export function showExchanges(exchanges) {
  talk().replaceChildren()
  for (const { kind, asked, reply, summary, status } of exchanges) {
    const shown = beginExchange(asked)
    shown.decide({ kind, why: '' })
    if (summary !== undefined) shown.endWithProgram(summary, reply)
    else if (status === 'completed' && !reply.includes('{')) shown.endWithWords(reply)
    else shown.endWithoutProgram(wordsFor(status))
  }
  labelExchanges(exchanges)
}

/**
 * Says beside each request how the next one would send it: whole, as one line, or not at all.
 * @param {readonly Exchange[]} exchanges
 */
export function labelExchanges(exchanges) {
  const rows = [...talk().children].slice(-exchanges.length)
  for (const [at, row] of rows.entries()) {
    const { sentAs } = exchanges[at] ?? {}
    row.querySelector('.sent-as')?.remove()
    if (sentAs !== undefined)
      row.querySelector('.decision')?.after(element('p', 'sent-as', sentWords[sentAs]))
  }
}

const sentWords = {
  whole: 'sent whole',
  'one line': 'sent as one line',
  'not sent': 'not sent any more',
}

/** @param {string} status How the turn ended. */
function wordsFor(status) {
  if (status === 'cancelled') return 'you stopped it'
  return status === 'completed'
    ? 'the reply held no program that it can play'
    : 'the model did not answer'
}

/**
 * Adds a request to the conversation. What it returns shows the answer as it comes.
 * @param {string} asked
 */
export function beginExchange(asked) {
  const decision = element('p', 'decision')
  const answer = element('div', 'answer')
  talk().append(element('li', '', element('p', 'asked', asked), decision, answer))
  const writing = element('pre', 'writing')
  // Not read aloud piece by piece: what comes of it is.
  writing.ariaHidden = 'true'
  scrollDown()

  return {
    /** @param {{ kind: 'new' | 'follow-up', why: string }} made */
    decide({ kind, why }) {
      const words = kind === 'new' ? 'taken as something new' : 'taken as a change'
      decision.textContent = why ? `${words}: ${why}` : words
    },
    /** @param {string} message */
    warn(message) {
      decision.after(element('p', 'decision', message))
    },
    /** @param {string} text */
    write(text) {
      if (!writing.isConnected) answer.replaceChildren(writing)
      writing.append(text)
      writing.scrollTop = writing.scrollHeight
      scrollDown()
    },
    /**
     * @param {string} summary
     * @param {string} reply
     */
    endWithProgram(summary, reply) {
      const json = element('pre', 'json', pretty(reply))
      json.tabIndex = 0
      json.setAttribute('aria-label', 'Program')
      const details = element('details', '', element('summary', '', 'Program'), json)
      details.addEventListener('toggle', () => details.scrollIntoView({ block: 'nearest' }))
      answer.replaceChildren(element('p', 'summary', summary), details)
      scrollDown()
    },
    /** @param {string} words */
    endWithWords(words) {
      answer.replaceChildren(element('p', '', words))
      scrollDown()
    },
    /** @param {string} why */
    endWithoutProgram(why) {
      answer.replaceChildren(element('p', 'kept', `The lamp stays as it was: ${why}`))
      scrollDown()
    },
  }
}

/** @param {string} json */
function pretty(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

function scrollDown() {
  const scroll = find('scroll', HTMLElement)
  scroll.scrollTop = scroll.scrollHeight
}
