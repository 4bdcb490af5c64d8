import type { WaysDrawing } from '../../api/gallery-queries.ts'
import styles from './ways-part.module.css'

/** Of the ready questions, how many each way has the answer of. */
export function WaysMiniature({ names, questions }: WaysDrawing) {
  return (
    <svg className={styles.miniature} viewBox="0 0 260 150" aria-hidden="true">
      {names.map((name, way) => {
        const seen = questions.filter(({ sights }) => sights[way] === 'saw').length
        const share = seen / Math.max(1, questions.length)
        const x = 30 + way * 78
        return (
          <g key={name}>
            <rect x={x} y="12" width="44" height="100" rx="4" className={styles.gone} />
            <rect
              x={x}
              y={112 - 100 * share}
              width="44"
              height={100 * share}
              rx="4"
              className={styles.left}
            />
            <text x={x + 22} y="128">
              {seen} of {questions.length}
            </text>
            <text x={x + 22} y="143">
              {name}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
