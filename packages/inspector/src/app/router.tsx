import { useQuery } from '@tanstack/react-query'
import type { AsyncRouteComponent, ErrorComponentProps } from '@tanstack/react-router'
import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  redirect,
  useParams,
} from '@tanstack/react-router'
import { galleryQuery } from '../api/gallery-queries.ts'
import {
  parseSearch,
  readConversationSearch,
  readExperimentSearch,
  readExperimentsSearch,
  readGallerySearch,
  readListSearch,
  stringifySearch,
  viewAt,
} from '../parts/address.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState, Skeleton } from '../parts/query-state.tsx'
import { ConversationShell } from './conversation-shell.tsx'
import { Home } from './home.tsx'
import { conversationViews, FirstVisit, lazyView, places } from './places.ts'
import { Shell } from './shell.tsx'
import { TabbedFrame, ViewFrame } from './view-frame.tsx'

function NotFound() {
  return (
    <ViewFrame crumb={<strong>Throughline</strong>} back="/">
      <EmptyState
        title="There is nothing at this address"
        action={<Link to="/">All conversations</Link>}
      >
        It may have been deleted, or the address is incomplete.
      </EmptyState>
    </ViewFrame>
  )
}

/** A fault of this page itself, or a missing file of it: a new build has other files, so the page must be loaded again. */
function ViewFault({ error }: ErrorComponentProps) {
  return (
    <EmptyState
      title="This view has failed"
      action={<Button onClick={() => location.reload()}>Try again</Button>}
    >
      {error instanceof Error ? error.message : String(error)}
    </EmptyState>
  )
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const SearchView = lazyView(() => import('../views/search/search-view.tsx'), 'SearchView')
const SettingsView = lazyView(() => import('../views/settings/settings-view.tsx'), 'SettingsView')
const ExperimentsView = lazyView(
  () => import('../views/experiments/experiments-view.tsx'),
  'ExperimentsView',
)

const GalleryView = lazyView(() => import('../views/gallery/gallery-view.tsx'), 'GalleryView')

/** A view that stands alone, with its name in the header. */
function page<const Path extends string, Search extends object>(
  path: Path,
  name: string,
  View: AsyncRouteComponent<object>,
  validateSearch: (search: Record<string, unknown>) => Search,
) {
  const Framed = () => (
    <ViewFrame crumb={<strong>{name}</strong>} back={path === '/' ? undefined : '/'}>
      <View />
    </ViewFrame>
  )
  const component = Object.assign(Framed, { preload: View.preload })
  return createRoute({ getParentRoute: () => root, path, validateSearch, component })
}

const pages = [
  page('/', 'Throughline', Home, readListSearch),
  page('welcome', 'Connect a client', FirstVisit, readListSearch),
  page('search', 'Search', SearchView, readListSearch),
  page('settings', 'Settings', SettingsView, readListSearch),
  page('e', 'Experiments', ExperimentsView, readExperimentsSearch),
  page('try', 'Try', GalleryView, readGallerySearch),
] as const

const ExperimentView = lazyView(
  () => import('../views/experiments/experiment-view.tsx'),
  'ExperimentView',
)

function Experiment() {
  const { experiment = '' } = useParams({ strict: false })
  return (
    <TabbedFrame list={places[1]} kind="Experiment" name={experiment} tabs={[]}>
      <ExperimentView />
    </TabbedFrame>
  )
}

const experiment = createRoute({
  getParentRoute: () => root,
  path: 'e/$experiment',
  validateSearch: readExperimentSearch,
  component: Object.assign(Experiment, { preload: ExperimentView.preload }),
})

const ApplicationView = lazyView(
  () => import('../views/gallery/application-view.tsx'),
  'ApplicationView',
)

function Application() {
  const { application = '' } = useParams({ strict: false })
  const { data: all = [] } = useQuery(galleryQuery)
  const title = all.find(({ name }) => name === application)?.title ?? application
  const tabs = all.map(({ name, title }) => ({
    label: title,
    link: { to: '/try/$application', params: { application: name } } as const,
  }))
  return (
    <TabbedFrame list={places[3]} kind="Application" name={title} tabs={tabs}>
      <ApplicationView key={application} />
    </TabbedFrame>
  )
}

const application = createRoute({
  getParentRoute: () => root,
  path: 'try/$application',
  validateSearch: readGallerySearch,
  component: Object.assign(Application, { preload: ApplicationView.preload }),
})

const conversation = createRoute({
  getParentRoute: () => root,
  path: 'c/$conversation',
  validateSearch: readConversationSearch,
  component: ConversationShell,
})

const conversationHome = createRoute({
  getParentRoute: () => conversation,
  path: '/',
  beforeLoad: ({ params: { conversation }, search }) => {
    throw redirect({ ...viewAt('context', conversation, search), replace: true })
  },
})

const getParentRoute = () => conversation
const [chat, context, overTime, tools] = conversationViews

/** One by one, so that an address of a view that does not exist breaks the types. */
const views = [
  createRoute({ getParentRoute, ...chat }),
  createRoute({ getParentRoute, ...context }),
  createRoute({ getParentRoute, ...overTime }),
  createRoute({ getParentRoute, ...tools }),
] as const

export const router = createRouter({
  routeTree: root.addChildren([
    ...pages,
    experiment,
    application,
    conversation.addChildren([conversationHome, ...views]),
  ]),
  basepath: '/inspector',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: Skeleton,
  defaultErrorComponent: ViewFault,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
