/** The messages and tool calls. Every text is set as text, so markup in it is shown, never run. */
const list = document.getElementById('rows')

export function setRows(rows) {
  const isAtEnd = atEnd()
  list.replaceChildren(...rows.map(toElement))
  if (isAtEnd) scrollToEnd()
}

export function setRow(at, row) {
  const isAtEnd = atEnd()
  const element = toElement(row)
  if (list.children[at]) list.children[at].replaceWith(element)
  else list.append(element)
  if (isAtEnd) scrollToEnd()
}

export function appendText(at, text) {
  const isAtEnd = atEnd()
  list.children[at]?.querySelector('.text').append(text)
  if (isAtEnd) scrollToEnd()
}

function toElement(row) {
  const element = make('div', `row ${row.kind}`)
  if (row.kind === 'tool') {
    element.dataset.state = row.state
    element.append(make('code', 'name', row.tool), ' ', make('code', 'path', row.path), ' ')
    element.append(make('span', 'outcome', row.state === 'running' ? 'working…' : row.outcome))
  } else if (row.kind === 'ending') {
    element.classList.add(row.status)
    element.append(endings[row.status] ?? `This turn is ${row.status}.`)
  } else {
    element.append(make('span', 'unseen', row.kind === 'user' ? 'You: ' : 'Editor: '))
    element.append(make('div', 'text', row.text))
  }
  return element
}

const endings = {
  cancelled: 'You stopped this answer.',
  interrupted: 'The editor was interrupted here.',
  failed: 'This answer failed.',
}

function make(name, className, text) {
  const element = document.createElement(name)
  element.className = className
  if (text !== undefined) element.textContent = text
  return element
}

const atEnd = () => list.scrollHeight - list.scrollTop - list.clientHeight < 80
const scrollToEnd = () => {
  list.scrollTop = list.scrollHeight
}
