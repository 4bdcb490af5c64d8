import { Fragment } from 'react'

export interface JsonTextProps {
  /** A text that may be JSON; anything else is shown as it is. */
  readonly text: string
  /** Whether it is spread over lines. */
  readonly isSpread?: boolean
}

/** Longer JSON is shown plain: colouring it would take longer than reading it. */
const mostColoured = 20_000

/** JSON with its names set off. */
export function JsonText({ text, isSpread = false }: JsonTextProps) {
  const written = text.length <= mostColoured ? rewritten(text, isSpread) : undefined
  if (written === undefined) return <code className="written soft code bright">{text}</code>
  return (
    <code className="written soft code bright">
      {tokensOf(written).map(({ text, at, isName }) => (
        <Fragment key={at}>{isName ? <b>{text}</b> : text}</Fragment>
      ))}
    </code>
  )
}

/** Only lists and objects: a text that happens to be a number stays as it was written. */
function rewritten(text: string, isSpread: boolean): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isSpread ? JSON.stringify(value, null, 2) : spaced(JSON.stringify(value))
  } catch {
    return undefined
  }
}

const tokens = /"(?:[^"\\]|\\.)*":?|[^"]+/g

function tokensOf(json: string) {
  return Array.from(json.matchAll(tokens), ({ 0: text, index }) => ({
    text,
    at: index,
    isName: text.startsWith('"') && text.endsWith('":'),
  }))
}

/** `{"a": 1, "b": 2}` */
const spaced = (json: string) =>
  tokensOf(json)
    .map(({ text, isName }) =>
      isName ? `${text} ` : text.startsWith('"') ? text : text.replaceAll(',', ', '),
    )
    .join('')
