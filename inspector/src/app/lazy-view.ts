import { lazyRouteComponent } from '@tanstack/react-router'
import { lazy } from 'react'
import { keepTrying } from '../api/keep-listening.ts'

type Loaded = Record<string, unknown>

/**
 * A part of the page that is loaded when it is first opened. While the server is away, it is tried again until it is there:
 * a view must not be lost because it was opened while the server was started again.
 */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => keepTrying(load), name)

/** The same for a sheet, which is no view. */
export const lazySheet = <Props extends object>(
  load: () => Promise<{ readonly default: React.ComponentType<Props> } & Loaded>,
) => lazy(() => keepTrying(load))
