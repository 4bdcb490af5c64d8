import { isObject } from '@throughline/core/values'
import styles from './json-tree.module.css'

type Fields = Readonly<Record<string, unknown>>

/** More rows of one list or object are only counted. */
const mostRows = 200
/** Deeper ones are closed until they are opened. */
const openDepth = 3

/** A JSON value: an object as names and values, a list of objects as a table, anything else as its text. */
export function JsonTree({
  value,
  depth = 0,
}: {
  readonly value: unknown
  readonly depth?: number
}) {
  if (value === '') return <i className="muted">an empty text</i>
  if (typeof value === 'string')
    return value.length > 60 && depth > 0 ? <span className={styles.long}>{value}</span> : value
  if (!Array.isArray(value) && !isObject(value))
    return <span className="code">{String(value)}</span>
  const items = Object.entries(value)
  if (items.length === 0)
    return <i className="muted">{Array.isArray(value) ? 'an empty list' : 'empty'}</i>
  const shown = items.slice(0, mostRows)
  const columns = Array.isArray(value) ? columnsOf(value) : undefined
  const inside = (
    <>
      <table className={`text-12-18 ${styles.tree}`}>
        {columns && (
          <thead>
            <tr>
              {columns.map(name => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {shown.map(([name, item]) => (
            <tr key={name}>
              {!columns && <th scope="row">{Array.isArray(value) ? Number(name) + 1 : name}</th>}
              {columns ? (
                columns.map(column => (
                  <td key={column}>
                    {(item as Fields)[column] !== undefined && (
                      <JsonTree value={(item as Fields)[column]} depth={depth + 1} />
                    )}
                  </td>
                ))
              ) : (
                <td>
                  <JsonTree value={item} depth={depth + 1} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > mostRows && <p className="muted">and {items.length - mostRows} more</p>}
    </>
  )
  if (depth === 0)
    return (
      <div className={styles.whole} ref={makeReachable}>
        {inside}
      </div>
    )
  if (depth < openDepth) return inside
  return (
    <details>
      <summary>{items.length} inside</summary>
      {inside}
    </details>
  )
}

/** What scrolls can be reached by keys. */
function makeReachable(box: HTMLElement | null): void {
  if (box && box.scrollWidth > box.clientWidth) box.tabIndex = 0
}

/** The names of all fields, where a list has only objects with few of them. */
function columnsOf(list: readonly unknown[]): readonly string[] | undefined {
  if (!list.every(isObject)) return undefined
  const names = [...new Set(list.slice(0, mostRows).flatMap(item => Object.keys(item)))]
  return names.length > 0 && names.length <= 8 ? names : undefined
}
