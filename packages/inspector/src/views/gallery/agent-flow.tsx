import type { AgentDrawing } from '../../api/gallery-queries.ts'
import styles from './agent-part.module.css'

type Act = AgentDrawing['acts'][number]

const rowHeight = 30
const columns = { A: 62, log: 230, B: 398 } as const

/** The most acts that are drawn: the newest. */
const mostActs = 6

/** Who answered, what it read from the log (towards it) and what it wrote there. Time goes downwards. */
export function AgentFlow({ acts }: Pick<AgentDrawing, 'acts'>) {
  const rows = acts.slice(-mostActs).flatMap(rowsOf)
  const height = 52 + Math.max(1, rows.length) * rowHeight
  return (
    <svg
      className={styles.flow}
      viewBox={`0 0 460 ${height}`}
      role="img"
      aria-label={labelOf(acts)}
    >
      <line x1={columns.log} x2={columns.log} y1="14" y2={height} className={styles.log} />
      {(['A', 'B'] as const).map(name => (
        <g key={name}>
          <line x1={columns[name]} x2={columns[name]} y1="34" y2={height} className={styles.life} />
          <Box x={columns[name]} text={`instance ${name}`} />
        </g>
      ))}
      <Box x={columns.log} text="the log" isLog />
      {rows.map((row, at) => (
        <Row {...row} key={row.key} y={58 + at * rowHeight} />
      ))}
    </svg>
  )
}

interface FlowRow {
  readonly key: string
  readonly instance: Act['instance']
  readonly does: 'reads' | 'writes' | 'refused' | 'nothing'
  readonly text: string
  readonly seq?: number
}

function rowsOf({ turn, instance, read, wrote, refused }: Act): readonly FlowRow[] {
  const key = (what: string) => `${turn} ${what}`
  const rows: FlowRow[] = []
  if (read.length > 0)
    rows.push({ key: key('read'), instance, does: 'reads', text: read.join(', ') })
  for (const { seq, name } of wrote)
    rows.push({ key: key(`wrote ${seq} ${name}`), instance, does: 'writes', text: name, seq })
  for (const [at, name] of refused.entries())
    rows.push({ key: key(`refused ${at}`), instance, does: 'refused', text: `${name}: refused` })
  return rows.length > 0
    ? rows
    : [{ key: key('none'), instance, does: 'nothing', text: 'no tool was called' }]
}

function Box({
  x,
  text,
  isLog = false,
}: {
  readonly x: number
  readonly text: string
  readonly isLog?: boolean
}) {
  return (
    <g className={isLog ? styles.logBox : styles.instance}>
      <rect x={x - 46} y="4" width="92" height="28" rx="6" />
      <text x={x} y="22">
        {text}
      </text>
    </g>
  )
}

function Row({ instance, does, text, seq, y }: FlowRow & { readonly y: number }) {
  const side = instance === 'A' ? -1 : 1
  const [near, far] = [columns.log + side * 22, columns[instance] - side * 8]
  const [from, to] = does === 'reads' ? [near, far] : [far, near]
  const point = Math.sign(to - from)
  return (
    <g className={styles.act} data-does={does}>
      <rect
        x={columns[instance] - 4}
        y={y - 10}
        width="8"
        height="20"
        rx="2"
        className={styles.alive}
      />
      {(does === 'reads' || does === 'writes') && (
        <path
          d={`M${from} ${y}H${to}m${-6 * point} -4l${6 * point} 4l${-6 * point} 4`}
          fill="none"
        />
      )}
      <text x={(near + far) / 2} y={does === 'reads' || does === 'writes' ? y - 5 : y + 4}>
        {text}
      </text>
      {seq !== undefined && (
        <g className={styles.seq}>
          <rect x={columns.log - 18} y={y - 10} width="36" height="20" rx="5" />
          <text x={columns.log} y={y + 4}>
            #{seq}
          </text>
        </g>
      )}
    </g>
  )
}

/** The same in words. */
function labelOf(acts: readonly Act[]): string {
  if (acts.length === 0) return 'Instance A, the log and instance B: nothing has passed yet.'
  return acts
    .map(({ instance, read, wrote, refused }) => {
      const parts = [
        read.length > 0 && `read ${read.join(', ')}`,
        wrote.length > 0 &&
          `wrote ${wrote.map(({ name, seq }) => `${name} as #${seq}`).join(', ')}`,
        refused.length > 0 && `was refused ${refused.join(', ')}`,
      ].filter(part => part !== false)
      return `Instance ${instance} ${parts.length > 0 ? parts.join(', ') : 'called no tool'}`
    })
    .join('. ')
}
