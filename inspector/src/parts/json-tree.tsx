import styles from './json-tree.module.css'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** More rows of one list or object are only counted. */
const mostRows = 200
/** Deeper ones are closed until they are opened. */
const openDepth = 3

/** A JSON value: an object as names and values, a list of objects as a table, anything else as its text. */
export function JsonTree({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  if (typeof value === 'string') return value === '' ? <i className="muted">an empty text</i> : value
  if (!Array.isArray(value) && !isFields(value)) return <span className="code">{String(value)}</span>
  const items = Object.entries(value)
  if (items.length === 0) return <i className="muted">{Array.isArray(value) ? 'an empty list' : 'empty'}</i>
  const shown = items.slice(0, mostRows)
  const columns = Array.isArray(value) ? columnsOf(value) : undefined
  const content = columns ? (
    <table className={`text-12-18 ${styles.tree}`}>
      <thead>
        <tr>
          {columns.map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map(([at, item]) => (
          <tr key={at}>
            {columns.map(name => (
              <td key={name}>
                {(item as Fields)[name] !== undefined && (
                  <JsonTree value={(item as Fields)[name]} depth={depth + 1} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  ) : (
    <table className={`text-12-18 ${styles.tree}`}>
      <tbody>
        {shown.map(([name, item]) => (
          <tr key={name}>
            <th scope="row">{Array.isArray(value) ? Number(name) + 1 : name}</th>
            <td>
              <JsonTree value={item} depth={depth + 1} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
  const more = items.length > mostRows && <p className="muted">and {items.length - mostRows} more</p>
  if (depth < openDepth)
    return (
      <>
        {content}
        {more}
      </>
    )
  return (
    <details>
      <summary>{items.length} inside</summary>
      {content}
      {more}
    </details>
  )
}

/** The names of all fields, where a list has only objects with few of them. */
function columnsOf(list: readonly unknown[]): readonly string[] | undefined {
  if (!list.every(isFields)) return undefined
  const names = [...new Set(list.slice(0, mostRows).flatMap(item => Object.keys(item)))]
  return names.length > 0 && names.length <= 8 ? names : undefined
}
