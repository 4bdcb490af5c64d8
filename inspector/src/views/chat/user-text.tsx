import { ClipboardList } from 'lucide-react'
import { amountOf } from '../../parts/format.ts'
import { Fold } from './fold.tsx'
import type { MarkdownBlock } from './markdown.ts'
import { CodeBlock, RichText } from './rich-text.tsx'

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
export const isOnlyPaste = (blocks: readonly MarkdownBlock[]) => blocks.length === 1 && isPasted(blocks[0]!)

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
