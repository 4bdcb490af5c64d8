import { ClipboardList } from 'lucide-react'
import { createElement, memo, use } from 'react'
import { keepTrying } from '../../api/connection.ts'
import { CopyButton } from '../../parts/button.tsx'
import { amountOf } from '../../parts/format.ts'
import { Fold, useCut } from './fold.tsx'
import type { MarkdownBlock, Token } from './markdown.ts'
import styles from './rich-text.module.css'

/** The reader of Markdown is a file of its own, which loads while the messages do. */
const markdown = keepTrying(() => import('./markdown.ts'))

/** More characters than this are shown when they are asked for. */
const mostCharacters = 20_000

interface RichTextProps {
  readonly text: string
  /** Who wrote it: the text of a user is shown nearly as it was typed. */
  readonly from?: 'user' | 'model'
  /** What stands in place of a block that is better folded; undefined for one that is shown. */
  readonly fold?: (block: MarkdownBlock, at: number) => React.ReactNode
}

/** The text of a message. It becomes elements of this page only: HTML in it stays text. */
export const RichText = memo(function RichText({ text, from = 'model', fold }: RichTextProps) {
  const { toBlocks } = use(markdown)
  const { shown, more } = useCut(text, mostCharacters)
  return (
    <div className={`grid single gap-2 slim linked ${styles.text}`}>
      {toBlocks(shown, from).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <Block key={at} block={block} folded={fold?.(block, at)} />
      ))}
      {more}
    </div>
  )
})

/** A block is drawn again only when its own text has changed: a reply grows word by word. */
const Block = memo(
  ({ block, folded }: { readonly block: MarkdownBlock; readonly folded: React.ReactNode }) =>
    folded ?? toNodes(block.tokens),
  (before, after) =>
    before.folded === after.folded &&
    before.block.kind === after.block.kind &&
    before.block.text === after.block.text &&
    before.block.language === after.block.language,
)

function CodeBlock({ text, language }: Pick<MarkdownBlock, 'text' | 'language'>) {
  return (
    <figure className={`slim clipped on-canvas framed round-2 ${styles.block}`}>
      <figcaption className="row between muted label">
        <span>{language}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide block is scrolled by keys */}
      <pre tabIndex={0} dir="ltr" className="inset scrolls code thin-bar">
        <code>{text}</code>
      </pre>
    </figure>
  )
}

/** Code with at least this number of lines was pasted, not typed. */
const pastedLines = 6
/** So was a paragraph with at least this number of characters. */
const pastedCharacters = 900

const linesOf = (text: string) => text.split('\n').length

const isPasted = ({ kind, text }: MarkdownBlock) =>
  kind === 'code'
    ? linesOf(text) >= pastedLines
    : text.length >= pastedCharacters || linesOf(text) >= 2 * pastedLines

/** Whether a text is nothing but what was pasted: then it needs no bubble. */
export function useIsOnlyPaste(text: string): boolean {
  const [first, second] = use(markdown).toBlocks(text, 'user')
  return first !== undefined && second === undefined && isPasted(first)
}

/** What a user wrote. What was pasted into it is folded to a line. */
export function UserText({ seq, text }: { readonly seq: number | string; readonly text: string }) {
  return (
    <RichText
      text={text}
      from="user"
      fold={(block, at) =>
        isPasted(block) ? <Pasted name={`${seq} paste ${at}`} block={block} /> : undefined
      }
    />
  )
}

function Pasted({ name, block }: { readonly name: string; readonly block: MarkdownBlock }) {
  const { text } = block
  return (
    <div className="slim">
      <Fold
        name={name}
        icon={<ClipboardList size={14} aria-hidden />}
        label={
          <>
            {amountOf(linesOf(text), 'pasted line')}: <code>{text.slice(0, 200)}</code>
          </>
        }
      >
        {block.kind === 'code' ? <CodeBlock {...block} /> : <RichText text={text} from="user" />}
      </Fold>
    </div>
  )
}

/** The elements of tokens, which open and close like brackets. */
function toNodes(tokens: readonly Token[]): React.ReactNode {
  const open: { readonly token?: Token; readonly nodes: React.ReactNode[] }[] = [{ nodes: [] }]
  for (const [key, token] of tokens.entries()) {
    if (token.nesting === 1) open.push({ token, nodes: [] })
    else {
      const { token: start, nodes } = token.nesting === -1 ? open.pop()! : { token, nodes: [] }
      open.at(-1)!.nodes.push(toNode(start!, nodes, key))
    }
  }
  return open[0]!.nodes
}

function toNode(token: Token, nodes: React.ReactNode[], key: number): React.ReactNode {
  const { type, tag, content, info, children, hidden } = token
  // In a list without blank lines, items have no paragraphs.
  if (hidden) return nodes
  switch (type) {
    case 'inline':
      return toNodes(children ?? [])
    case 'text':
    case 'softbreak':
      return type === 'text' ? content : '\n'
    case 'fence':
    case 'code_block':
      return (
        <CodeBlock
          key={key}
          text={content.replace(/\n$/, '')}
          language={info.trim().slice(0, 40)}
        />
      )
    case 'code_inline':
      return <code key={key}>{content}</code>
    case 'hardbreak':
    case 'hr':
      return createElement(tag, { key })
    case 'link_open':
    case 'image':
      return (
        <a
          key={key}
          href={String(token.attrGet('href') ?? token.attrGet('src'))}
          target="_blank"
          rel="noreferrer"
        >
          {type === 'image' ? content || 'image' : nodes}
        </a>
      )
    case 'table_open':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys
        <div key={key} className={styles.table} tabIndex={0}>
          <table>{nodes}</table>
        </div>
      )
    case 'heading_open':
      // The page itself has the headings of the first two levels.
      return createElement(`h${Math.min(6, Number(tag[1]) + 2)}`, { key, dir: 'auto' }, nodes)
    case 'ordered_list_open':
      return createElement(tag, { key, start: token.attrGet('start') ?? undefined }, nodes)
    case 'th_open':
    case 'td_open':
      return createElement(tag, { key, dir: 'auto', align: alignOf(token) }, nodes)
    default:
      return createElement(tag, { key, dir: 'auto' }, nodes)
  }
}

/** Markdown says how a column is aligned as a style: `text-align:right`. */
const alignOf = (token: Token) => String(token.attrGet('style') ?? '').split(':')[1]
