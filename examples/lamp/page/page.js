// @ts-check
import { askLamp, readLamp } from './ask.js'
import { element, find } from './element.js'
import { createLampView } from './lamp-view.js'
import { showSteps } from './steps-view.js'
import { beginExchange, labelExchanges, showExchanges } from './talk-view.js'
import { showTokens } from './token-view.js'

/** @typedef {import('../program.ts').Program} Program */

const input = find('request', HTMLInputElement)
const form = find('form', HTMLFormElement)
const [send, stop, pause] = [
  find('send', HTMLButtonElement),
  find('stop', HTMLButtonElement),
  find('pause', HTMLButtonElement),
]

let markStep = showSteps(undefined)
const lamp = createLampView(find('lamp', HTMLCanvasElement), find('room', HTMLElement), ms =>
  markStep(ms),
)
/** @type {AbortController | undefined} */
let asking

/**
 * @param {Program | undefined} program
 * @param {string} summary
 */
function play(program, summary) {
  markStep = showSteps(program)
  lamp.play(program)
  find('playing', HTMLElement).textContent = program?.name ?? 'Nothing plays yet'
  find('lamp', HTMLElement).setAttribute(
    'aria-label',
    program ? `The lamp plays ${summary}` : 'The lamp is off',
  )
  pause.disabled = program === undefined
}

/**
 * What works now, word for word.
 * @param {readonly string[]} chips
 */
function showChips(chips) {
  const buttons = chips.map(idea => {
    const button = element('button', '', idea)
    button.type = 'button'
    button.addEventListener('click', () => void ask(idea))
    return button
  })
  find('ideas', HTMLElement).replaceChildren(...buttons)
}

/** @param {string} request */
async function ask(request) {
  if (asking || request.trim() === '') return
  asking = new AbortController()
  show(asking)
  const exchange = beginExchange(request)
  let reply = ''
  let isEnded = false
  try {
    const as = String(new FormData(form).get('as') ?? '')
    for await (const part of askLamp(request, as, asking.signal)) {
      isEnded = part.type === 'program' || part.type === 'kept'
      if (part.type === 'decision') exchange.decide(part)
      if (part.type === 'tokens') showTokens(part)
      if (part.type === 'warning') exchange.warn(part.message)
      if (part.type === 'text') exchange.write(part.text)
      if (part.type === 'text') reply += part.text
      if (part.type === 'kept' && part.said !== undefined) exchange.endWithWords(part.said)
      else if (part.type === 'kept') exchange.endWithoutProgram(part.why)
      if (part.type !== 'program') continue
      exchange.endWithProgram(part.summary, reply)
      play(part.program, part.summary)
    }
    if (!isEnded) exchange.endWithoutProgram('the answer broke off')
  } catch (error) {
    const why = asking.signal.aborted
      ? 'you stopped it'
      : error instanceof Error
        ? error.message
        : String(error)
    exchange.endWithoutProgram(why)
  }
  asking = undefined
  show(undefined)
  const view = await readLamp().catch(() => undefined)
  if (!view || asking) return
  labelExchanges(view.exchanges)
  showTokens(view.tokens)
  showChips(view.chips)
}

/** @param {AbortController | undefined} busy */
function show(busy) {
  send.hidden = busy !== undefined
  stop.hidden = busy === undefined
  for (const button of find('ideas', HTMLElement).querySelectorAll('button'))
    button.disabled = busy !== undefined
  if (busy) return
  find('as', HTMLFieldSetElement).querySelector('input')?.click()
  // The button that was pressed is gone. On a touch screen the keyboard would open: there nothing is done.
  if (document.activeElement === document.body && matchMedia('(pointer: fine)').matches)
    input.focus()
}

async function open() {
  try {
    const { program, summary = '', exchanges, tokens, chips, modelName, isRules } = await readLamp()
    find('model', HTMLElement).textContent = `driven by ${modelName}`
    find('welcome', HTMLElement).textContent = isRules
      ? 'I am a few rules, not a model: I know colours, patterns, a few scenes and simple changes. Start me with --ollama to talk to a model.'
      : `Say what you want to see. ${modelName} writes the program.`
    showExchanges(exchanges)
    showTokens(tokens)
    play(program, summary)
    showChips(chips)
    pause.textContent = lamp.isPaused ? 'Play' : 'Pause'
  } catch {
    find('model', HTMLElement).textContent =
      'The server does not answer: start it again and reload this page.'
  }
}

form.addEventListener('submit', event => {
  event.preventDefault()
  if (asking) return
  const request = input.value
  input.value = ''
  void ask(request)
})
stop.addEventListener('click', () => asking?.abort())
pause.addEventListener('click', () => {
  lamp.toggle()
  pause.textContent = lamp.isPaused ? 'Play' : 'Pause'
})
// What scrolls must be reached with the keyboard.
find('scroll', HTMLElement).tabIndex = 0
addEventListener('hashchange', () => void open())
void open()
