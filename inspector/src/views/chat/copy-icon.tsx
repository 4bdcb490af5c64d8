import { Check, Copy } from 'lucide-react'
import { useCopy } from '../../parts/use-copy.ts'

/** Copies a text; a tick says so. */
export function CopyIcon({ text }: { readonly text: string }) {
  const [isCopied, copy] = useCopy()
  return (
    <button type="button" aria-label={isCopied ? 'Copied' : 'Copy'} title="Copy" onClick={() => copy(text)}>
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </button>
  )
}
