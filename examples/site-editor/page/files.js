/** The files of the site, and the preview of one of them. */
const byId = id => document.getElementById(id)
let origin = ''
let shown = 'index.html'
/** Counts the changes: a new address makes the frame load anew. */
let version = 0

export function showPreviewAt(url) {
  origin = url
  load()
}

/** A page that is new is shown; another change is shown in the page that is open. */
export function showFiles(files, changed) {
  const known = buttons().map(({ value }) => value)
  const added = files.find(path => path.endsWith('.html') && !known.includes(path))
  if (added && known.length > 0) shown = added
  byId('files').replaceChildren(...files.map(toItem))
  if (changed) load()
  mark()
}

const buttons = () => [...byId('files').querySelectorAll('button')]

function toItem(path) {
  const [item, button] = ['li', 'button'].map(name => document.createElement(name))
  button.type = 'button'
  button.value = path
  button.textContent = path
  button.addEventListener('click', () => {
    shown = path
    load()
    mark()
  })
  item.append(button)
  return item
}

function load() {
  if (origin === '') return
  version += 1
  const url = `${origin}/${shown.split('/').map(encodeURIComponent).join('/')}`
  byId('frame').src = `${url}?v=${version}`
  byId('open').href = url
  byId('shown').textContent = shown
}

function mark() {
  for (const button of buttons())
    if (button.value === shown) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
}
