import { CopyButton } from '../../parts/copy-button.tsx'

interface WayProps {
  readonly name: string
  readonly line: string
}

/** How to start the server otherwise: what for, and the line to copy. */
export function Way({ name, line }: WayProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{line}</code>
        <CopyButton text={line} />
      </dd>
    </div>
  )
}
