/** Changes to the text of a page or a style sheet. Each gives the new text; what a user wrote becomes text, never markup. */

export function titleOf(html: string): string | undefined {
  const title = between(html, '<title>', '</title>')
  return title && toText(title).trim()
}

/** Replaces a title where it is the whole text of an element, or stands behind the title of a page. */
export function replaceTitle(html: string, old: string, title: string): string {
  const ends = [`>${toMarkup(old)}<`, ` – ${toMarkup(old)}<`]
  const replace = (text: string, end: string) =>
    text.replaceAll(end, () => end.replace(toMarkup(old), () => toMarkup(title)))
  return ends.reduce(replace, html)
}

/** Adds a link at the end of the page's `<nav>`; a page that has none, or has the link, stays as it is. */
export function addLink(html: string, path: string, label: string): string {
  const link = `<a href="${toMarkup(path)}">${toMarkup(label)}</a>`
  return html.includes(`href="${toMarkup(path)}"`)
    ? html
    : html.replace('</nav>', () => ` ${link}</nav>`)
}

/** Takes the link to a page out of the page's `<nav>`. */
export function removeLink(html: string, path: string): string {
  const from = html.indexOf(`<a href="${toMarkup(path)}">`)
  const to = html.indexOf('</a>', from)
  if (from < 0 || to < 0) return html
  return html.slice(0, from).replace(/ $/, '') + html.slice(to + '</a>'.length)
}

/** Adds a line at the end of the first list of a page, or as a paragraph at the end of its content. */
export function addLine(html: string, line: string): string {
  const text = toMarkup(line)
  if (html.includes('</ul>')) return html.replace('</ul>', () => `  <li>${text}</li>\n    </ul>`)
  return html.replace('</main>', () => `  <p>${text}</p>\n  </main>`)
}

/** Puts a text in place of another one, in what a reader sees and never in a tag. */
export function replaceText(html: string, text: string, by: string): string {
  const pieces = html.split(/(<[^<>]*>)/)
  return pieces
    .map(piece =>
      piece.startsWith('<') ? piece : piece.replaceAll(toMarkup(text), () => toMarkup(by)),
    )
    .join('')
}

/** A page with its heading alone. */
export const emptied = (html: string, topic: string) =>
  replaceBetween(html, '<main>', '</main>', `\n    <h1>${toMarkup(topic)}</h1>\n  `)

/** A new page that looks like the one given. */
export function pageLike(html: string, topic: string, site: string): string {
  const content = `
    <h1>${toMarkup(topic)}</h1>
    <p>This page is about ${toMarkup(topic)}. Its text is still to be written.</p>
  `
  return replaceBetween(
    replaceBetween(html, '<title>', '</title>', toMarkup(`${topic} – ${site}`)),
    '<main>',
    '</main>',
    content,
  )
}

/** The value of a custom property in a style sheet, and the style sheet with another one. */
export const property = (css: string, name: string) => between(css, `--${name}:`, ';')?.trim()
export const setProperty = (css: string, name: string, value: string) =>
  replaceBetween(css, `--${name}:`, ';', ` ${value}`)

/** `Opening hours` → `opening-hours.html` */
export function pathFor(topic: string): string {
  const words = topic.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['page']
  return `${words.join('-').slice(0, 40).replace(/-+$/, '')}.html`
}

const toMarkup = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const toText = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')

function between(text: string, start: string, end: string): string | undefined {
  const from = text.indexOf(start)
  const to = text.indexOf(end, from + start.length)
  return from < 0 || to < 0 ? undefined : text.slice(from + start.length, to)
}

function replaceBetween(text: string, start: string, end: string, inner: string): string {
  const from = text.indexOf(start)
  const to = text.indexOf(end, from + start.length)
  return from < 0 || to < 0 ? text : text.slice(0, from + start.length) + inner + text.slice(to)
}
