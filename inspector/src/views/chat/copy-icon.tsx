import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

/** Copies a text; a tick says so. */
export function CopyIcon({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <button type="button" aria-label={isCopied ? 'Copied' : 'Copy'} title="Copy" onClick={copy}>
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </button>
  )
}
