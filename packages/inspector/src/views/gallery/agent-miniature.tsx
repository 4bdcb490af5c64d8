import type { AgentDrawing } from '../../api/gallery-queries.ts'
import styles from './agent-part.module.css'

const names = ['ideas', 'variants', 'preview', 'experiment'] as const

/** Two instances with the log between them, and how far the plan has come. */
export function AgentMiniature({ acts }: AgentDrawing) {
  const written = new Set(acts.flatMap(({ wrote }) => wrote.map(({ name }) => name)))
  return (
    <svg
      className={styles.miniature}
      viewBox="0 0 260 168"
      role="img"
      aria-label={labelOf(written)}
    >
      <line x1="130" y1="10" x2="130" y2="158" className={styles.log} />
      {(['A', 'B'] as const).map((name, at) => (
        <g key={name}>
          <rect
            x={at === 0 ? 8 : 182}
            y="64"
            width="70"
            height="40"
            rx="8"
            className={styles.instance}
          />
          <text x={at === 0 ? 43 : 217} y="88">
            instance {name}
          </text>
        </g>
      ))}
      {names.map((name, at) => (
        <g key={name} data-written={written.has(name)} className={styles.written}>
          <rect x="94" y={16 + at * 36} width="72" height="26" rx="6" />
          <text x="130" y={33 + at * 36}>
            {name}
          </text>
        </g>
      ))}
    </svg>
  )
}

const labelOf = (written: ReadonlySet<string>) =>
  written.size === 0
    ? 'Two instances and the log between them: nothing is written yet'
    : `Two instances and the log between them, with ${[...written].join(', ')}`
