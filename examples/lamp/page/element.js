// @ts-check

/**
 * Makes an element. Its content is set as text, so whatever a person or a model wrote stays text.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} className
 * @param {...(string | Node)} content
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, className = '', ...content) {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...content)
  return made
}

/**
 * An element of the page, by its id.
 * @template {typeof HTMLElement} Kind
 * @param {string} id
 * @param {Kind} kind
 * @returns {InstanceType<Kind>}
 */
export function find(id, kind) {
  const found = document.getElementById(id)
  if (found instanceof kind) return /** @type {InstanceType<Kind>} */ (found)
  throw new Error(`The page has no ${kind.name} "${id}"`)
}
