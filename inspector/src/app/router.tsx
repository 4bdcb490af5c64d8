import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
} from '@tanstack/react-router'
import {
  parseSearch,
  readConversationSearch,
  readExperimentSearch,
  readExperimentsSearch,
  readListSearch,
  stringifySearch,
} from '../parts/address.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { ConversationShell } from './conversation-shell.tsx'
import { ExperimentShell } from './experiment-shell.tsx'
import { NotFound, ViewFault } from './faults.tsx'
import { Home } from './home.tsx'
import { Shell } from './shell.tsx'
import { ViewFrame } from './view-frame.tsx'
import { conversationViews, lazyView } from './views.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const FirstVisit = lazyView(() => import('../views/first-visit/first-visit.tsx'), 'FirstVisit')
const SearchView = lazyView(() => import('../views/search/search-view.tsx'), 'SearchView')
const SettingsView = lazyView(() => import('../views/settings/settings-view.tsx'), 'SettingsView')
const ExperimentsView = lazyView(() => import('../views/experiments/experiments-view.tsx'), 'ExperimentsView')

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
  const component = Object.assign(Framed, View.preload && { preload: View.preload })
  return createRoute({ getParentRoute: () => root, path, validateSearch, component })
}

const pages = [
  page('/', 'Throughline', Home, readListSearch),
  page('welcome', 'Connect a client', FirstVisit, readListSearch),
  page('search', 'Search', SearchView, readListSearch),
  page('settings', 'Settings', SettingsView, readListSearch),
  page('e', 'Experiments', ExperimentsView, readExperimentsSearch),
] as const

const experiment = createRoute({
  getParentRoute: () => root,
  path: 'e/$experiment',
  validateSearch: readExperimentSearch,
  component: ExperimentShell,
})

const experimentHome = createRoute({
  getParentRoute: () => experiment,
  path: '/',
  beforeLoad: ({ params: { experiment } }) => {
    throw redirect({ to: '/e/$experiment/$view', params: { experiment, view: 'board' }, replace: true })
  },
})

const experimentView = createRoute({
  getParentRoute: () => experiment,
  path: '$view',
  component: lazyView(() => import('../views/experiments/experiment-view.tsx'), 'ExperimentView'),
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
    throw redirect({ to: '/c/$conversation/context', params: { conversation }, search, replace: true })
  },
})

const viewOf = <const Path extends string>(view: {
  readonly path: Path
  readonly component: AsyncRouteComponent<object>
}) => createRoute({ getParentRoute: () => conversation, ...view })

const [chat, context, whatIf, overTime, notes, state, dump, calls] = conversationViews

/** One by one, so that an address of a view that does not exist breaks the types. */
const views = [
  ...([viewOf(chat), viewOf(context), viewOf(whatIf), viewOf(overTime)] as const),
  ...([viewOf(notes), viewOf(state), viewOf(dump), viewOf(calls)] as const),
] as const

export const router = createRouter({
  routeTree: root.addChildren([
    ...pages,
    experiment.addChildren([experimentHome, experimentView]),
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
