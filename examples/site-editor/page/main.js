/** The page: listens to the editor, shows what it says, and sends what the user writes. */
import { showFiles, showPreviewAt } from './files.js'
import { appendText, setRow, setRows } from './rows.js'

const byId = id => document.getElementById(id)
const [text, send, stop, ideas] = ['text', 'send', 'stop', 'ideas'].map(byId)
let isBusy = false

const take = {
  state({ rows, isBusy: busy, model, chips }) {
    // Told once, when the answer is whole: a screen reader should not spell a stream.
    if (isBusy && !busy)
      byId('said').textContent = rows.findLast(({ kind }) => kind !== 'tool')?.text ?? 'Stopped.'
    isBusy = busy
    setRows(rows)
    byId('model').textContent = model === 'rules' ? 'rules, no model' : model
    ideas.hidden = rows.length > 0
    showChips(chips)
    byId('rows').toggleAttribute('data-busy', isBusy)
    send.hidden = isBusy
    stop.hidden = !isBusy
    if (isBusy) byId('said').textContent = 'Working.'
  },
  row: ({ at, row }) => setRow(at, row),
  text: ({ at, text }) => appendText(at, text),
  files: ({ files, changed }) => showFiles(files, changed),
  preview: ({ url }) => showPreviewAt(url),
  problem: ({ text }) => showProblem(text),
}

const events = new EventSource('/api/events')
events.onmessage = ({ data }) => {
  const event = JSON.parse(data)
  take[event.type]?.(event)
}
events.onopen = () => {
  byId('away').hidden = true
}
events.onerror = () => {
  byId('away').hidden = false
  byId('rows').removeAttribute('data-busy')
}

function showProblem(problem) {
  byId('problem').textContent = problem
  byId('problem').hidden = problem === ''
}

async function post(path, body) {
  const response = await fetch(path, { method: 'POST', body }).catch(() => undefined)
  if (!response?.ok) showProblem(response ? await response.text() : 'The editor does not answer.')
  return response?.ok ?? false
}

async function sendText() {
  const message = text.value.trim()
  if (message === '' || isBusy) return
  showProblem('')
  text.value = ''
  if (!(await post('/api/messages', message))) text.value = message
}

byId('composer').addEventListener('submit', event => {
  event.preventDefault()
  sendText()
})
text.addEventListener('keydown', event => {
  // While an input method composes, Enter takes its proposal.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  sendText()
})
stop.addEventListener('click', () => {
  post('/api/cancel')
  text.focus()
})
document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && isBusy) post('/api/cancel')
})
/** What works now: a click sends it word for word, a click with Shift puts it into the box. */
function showChips(chips) {
  byId('chips').replaceChildren(...chips.map(toChip))
}

function toChip(chip) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = chip
  button.disabled = isBusy
  button.addEventListener('click', event => {
    text.value = chip
    if (event.shiftKey) text.focus()
    else sendText()
  })
  return button
}

/** On a narrow screen one of the two panels is shown. */
for (const button of document.querySelectorAll('[data-show]'))
  button.addEventListener('click', () => {
    document.body.dataset.panel = button.dataset.show
    for (const other of document.querySelectorAll('[data-show]'))
      other.setAttribute('aria-pressed', String(other === button))
  })

text.focus()
