import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  type ApplicationInfo,
  type ApplicationState,
  applicationQuery,
  galleryQuery,
} from '../../api/gallery-queries.ts'
import { serverQuery } from '../../api/queries.ts'
import { amountOf } from '../../parts/format.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { useSampleExperiment } from '../../parts/use-open-started.ts'
import { useTitle } from '../../parts/use-title.ts'
import { AgentMiniature } from './agent-miniature.tsx'
import styles from './gallery-view.module.css'
import { LampCanvas } from './lamp-canvas.tsx'
import { sampleProgram } from './sample-program.ts'
import { SiteFrame } from './site-frame.tsx'
import { WaysMiniature } from './ways-miniature.tsx'

/** The applications that can be tried here, each with a small picture of where it stands. */
export function GalleryView() {
  useTitle('Try')
  const query = useQuery(galleryQuery)
  const { data: server } = useQuery(serverQuery)
  const isReader = server?.upstream.kind === 'reader'
  return (
    <QueryState query={query}>
      {all => (
        <div className={`grid from-top ${styles.page}`}>
          <header className="grid gap-2">
            <h1>Try one, and watch what its model sees</h1>
            <p className="soft">
              Each runs in this server. What you say becomes a conversation
              {server?.store !== undefined && <> of {server.store}</>}, and what its model was sent
              stands beside it.{' '}
              {isReader &&
                'No language model is here, so small rules answer. They do what their chips say.'}
            </p>
          </header>
          <ul className={`grid gap-4 ${styles.cards}`}>
            {all.map(one => (
              <li key={one.name}>
                <Card {...one} />
              </li>
            ))}
            {server?.plugs.includes('experiments') && (
              <li>
                <StandCard mayStart={server.scopes.includes('admin')} />
              </li>
            )}
          </ul>
        </div>
      )}
    </QueryState>
  )
}

function Card({ name, title, about, problem, conversation }: ApplicationInfo) {
  const { data: state } = useQuery(applicationQuery(name, conversation, undefined))
  const turns = new Set(state?.said.map(({ turn }) => turn)).size
  return (
    <Link
      to="/try/$application"
      params={{ application: name }}
      className={`grid single clipped on-panel framed round-3 hovers ${styles.card}`}
    >
      <span className={`grid line-below ${styles.picture}`} aria-hidden="true">
        {state && <Miniature {...state} />}
      </span>
      <span className={`grid gap-1 ${styles.words}`}>
        <b className="subheading clear">{title}</b>
        <span className="soft">{about}</span>
        <span className="muted text-12-18">{problem}</span>
        <span className="muted text-12-18">
          {turns === 0 ? 'Not begun yet' : `${amountOf(turns, 'exchange')} so far`}
        </span>
      </span>
    </Link>
  )
}

/** The sample experiment runs on its own board. */
function StandCard({ mayStart }: { readonly mayStart: boolean }) {
  const { mutate, isPending } = useSampleExperiment()
  return (
    <button
      type="button"
      disabled={!mayStart || isPending}
      className={`wide grid single clipped on-panel framed round-3 hovers ${styles.card}`}
      onClick={() => mutate()}
    >
      <span className={`grid line-below ${styles.picture}`} aria-hidden="true">
        <StandMiniature />
      </span>
      <span className={`grid gap-1 ${styles.words}`}>
        <b className="subheading clear">Lemonade stand</b>
        <span className="soft">The weather, the customers and an owner act in turn.</span>
        <span className="muted text-12-18">
          An experiment whose roles must remember: each has a history of its own.
        </span>
        <span className="muted text-12-18">
          {mayStart ? 'Opens its board' : 'It needs the scope admin'}
        </span>
      </span>
    </button>
  )
}

const week = ['sunny', 'sunny', 'cloudy', 'sunny', 'rainy'] as const

/** Its week, which comes again and again. */
const StandMiniature = () => (
  <svg className={styles.stand} viewBox="0 0 260 150" aria-hidden="true">
    {week.map((weather, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place in the week
      <g key={at} data-weather={weather}>
        <rect
          x={24 + at * 44}
          y={weather === 'sunny' ? 30 : weather === 'cloudy' ? 66 : 98}
          width="32"
          height="200"
          rx="4"
        />
        <circle cx={40 + at * 44} cy="14" r="7" />
      </g>
    ))}
  </svg>
)

function Miniature({ drawing }: Pick<ApplicationState, 'drawing'>) {
  switch (drawing.kind) {
    case 'lamp':
      return (
        <span className={styles.lamp}>
          <LampCanvas
            program={drawing.program ?? sampleProgram}
            label={drawing.summary ?? 'Blue waves'}
          />
        </span>
      )
    case 'site':
      return (
        <span className={styles.site}>
          <SiteFrame
            html={drawing.pages[0]?.html ?? ''}
            title="The first page of the site"
            isSmall
          />
        </span>
      )
    case 'agent':
      return <AgentMiniature {...drawing} />
    case 'ways':
      return <WaysMiniature {...drawing} />
  }
}
