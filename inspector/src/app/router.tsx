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
import { Home } from './home.tsx'
import { lazyView } from './lazy-view.ts'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'
import { ViewFault } from './view-fault.tsx'
import { ViewFrame } from './view-frame.tsx'
import { conversationViews } from './views.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: readListSearch,
  component: framed('Throughline', Home),
})

const welcome = createRoute({
  getParentRoute: () => root,
  path: 'welcome',
  validateSearch: readListSearch,
  component: framed(
    'Connect a client',
    lazyView(() => import('../views/first-visit/first-visit.tsx'), 'FirstVisit'),
    '/',
  ),
})

const search = createRoute({
  getParentRoute: () => root,
  path: 'search',
  validateSearch: readListSearch,
  component: framed(
    'Search',
    lazyView(() => import('../views/search/search-view.tsx'), 'SearchView'),
    '/',
  ),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: 'settings',
  component: framed(
    'Settings',
    lazyView(() => import('../views/settings/settings-view.tsx'), 'SettingsView'),
    '/',
  ),
})

const experiments = createRoute({
  getParentRoute: () => root,
  path: 'e',
  validateSearch: readExperimentsSearch,
  component: framed(
    'Experiments',
    lazyView(() => import('../views/experiments/experiments-view.tsx'), 'ExperimentsView'),
    '/',
  ),
})

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

const [chat, context, whatIf, overTime, notes, state, dump, calls] = conversationViews

/** One by one, so that an address of a view that does not exist breaks the types. */
const views = [
  createRoute({ getParentRoute: () => conversation, path: chat.path, component: chat.component }),
  createRoute({ getParentRoute: () => conversation, path: context.path, component: context.component }),
  createRoute({ getParentRoute: () => conversation, path: whatIf.path, component: whatIf.component }),
  createRoute({ getParentRoute: () => conversation, path: overTime.path, component: overTime.component }),
  createRoute({ getParentRoute: () => conversation, path: notes.path, component: notes.component }),
  createRoute({ getParentRoute: () => conversation, path: state.path, component: state.component }),
  createRoute({ getParentRoute: () => conversation, path: dump.path, component: dump.component }),
  createRoute({ getParentRoute: () => conversation, path: calls.path, component: calls.component }),
] as const

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    welcome,
    search,
    settings,
    experiments,
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

/** A view that stands alone, with its name in the header. */
function framed(name: string, View: AsyncRouteComponent<object>, back?: '/') {
  const Framed = () => (
    <ViewFrame crumb={<strong>{name}</strong>} back={back}>
      <View />
    </ViewFrame>
  )
  return Object.assign(Framed, View.preload && { preload: View.preload })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
