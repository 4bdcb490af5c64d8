import { memo, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { count } from '../../parts/format.ts'
import { type RichBlock, toBlocks, toPieces } from './rich-blocks.ts'
import styles from './rich-text.module.css'

/** More characters than this are shown when they are asked for. */
const mostCharacters = 20_000

/** The text of a message: paragraphs, code, strong words. Nothing in it is ever markup. */
export const RichText = memo(function RichText({
  text,
  fold,
}: {
  readonly text: string
  /** What stands in place of a block that is better folded; undefined for one that is shown. */
  readonly fold?: ((block: RichBlock, at: number) => React.ReactNode | undefined) | undefined
}) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > mostCharacters
  return (
    <div className={styles.text}>
      {toBlocks(isCut ? text.slice(0, mostCharacters) : text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <Block key={at} block={block} folded={fold?.(block, at)} />
      ))}
      {isCut && <Button onClick={() => setWhole(true)}>Show all {count(text.length)} characters</Button>}
    </div>
  )
})

function Block({
  block,
  folded,
}: {
  readonly block: RichBlock
  readonly folded: React.ReactNode | undefined
}) {
  if (folded !== undefined) return folded
  return block.kind === 'code' ? <CodeBlock {...block} /> : <Paragraph text={block.text} />
}

export const CodeBlock = memo(function CodeBlock({
  text,
  language,
}: {
  readonly text: string
  readonly language: string
}) {
  return (
    <figure className={styles.block}>
      <figcaption>
        <span>{language}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide block is scrolled by keys */}
      <pre tabIndex={0} dir="ltr">
        <code>{text}</code>
      </pre>
    </figure>
  )
})

const Paragraph = memo(function Paragraph({ text }: { readonly text: string }) {
  const lines = text.split('\n')
  const isList = lines.some(line => listMark(line) !== undefined)
  if (!isList)
    return (
      <p dir="auto">
        <Pieces text={text} />
      </p>
    )
  return (
    <p dir="auto">
      {lines.map((line, at) => {
        const mark = listMark(line)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
          <span key={at} className={mark === undefined ? styles.line : styles.item}>
            {mark !== undefined && (
              <span className={styles.mark}>{mark === '-' || mark === '*' ? '•' : mark}</span>
            )}
            <Pieces text={mark === undefined ? line : line.trimStart().slice(mark.length + 1)} />
          </span>
        )
      })}
    </p>
  )
})

/** `-` or `12.` at the beginning of a line. */
function listMark(line: string): string | undefined {
  return /^\s{0,8}([-*]|\d{1,3}\.) /.exec(line)?.[1]
}

const tags = { plain: 'span', code: 'code', strong: 'strong' } as const

function Pieces({ text }: { readonly text: string }) {
  return toPieces(text).map((piece, at) => {
    if (piece.kind === 'plain') return piece.text
    const Tag = tags[piece.kind]
    // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
    return <Tag key={at}>{piece.text}</Tag>
  })
}
