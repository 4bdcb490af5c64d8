import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { choosePolicy } from '@throughline/core/context'
import { ThroughlineError } from '@throughline/core/errors'
import { ollamaEmbed } from '@throughline/models'
import { isPostgres, type Store } from '@throughline/stores/store'
import { createKeys } from '../auth/create-keys.ts'
import type { ServerConfig } from '../config/config-schema.ts'
import { createServer, type ServerOptions } from '../create-server.ts'
import { inspectorPath, notBuilt } from '../inspector/inspector-routes.ts'
import { packageFile } from '../package.ts'
import { findUpstreams } from '../upstream/find-upstream.ts'
import { oneUpstream } from '../upstream/upstreams.ts'
import { listen } from './listen.ts'
import { createHideName, createServerLog, openTelemetry, withoutNames } from './server-log.ts'
import { windowLines } from './window-lines.ts'

/** Opens the log, finds the upstream and listens. If something fails, what was opened is closed again. */
export async function startServer(
  config: ServerConfig,
  options: Pick<ServerOptions, 'plugs'> & { readonly writeLog?: (line: string) => void } = {},
) {
  const log = createServerLog(config.logLevel, options.writeLog)
  const { upstream, why } = await findUpstreams(config)
  const report = await openTelemetry()
  const opened: (() => Promise<unknown>)[] = [() => upstream.close()]
  const closeAll = async () => {
    for (const close of opened.toReversed()) await close()
  }
  try {
    const store = await openStore(config)
    opened.push(() => store.close())
    if (
      config.requireKeys &&
      config.apiKeys.length === 0 &&
      (await createKeys(store).list()).length === 0
    )
      throw new ThroughlineError(
        'no_keys',
        'Every request needs a key, and there is none: make one with "throughline keys create", or give "apiKeys".',
      )
    const { host, port, notes, policy, effort, embedModel: model } = config
    const vectors =
      model === undefined
        ? undefined
        : ollamaEmbed({ model, host: config.embedHost ?? config.ollamaHost })
    const hide = config.logNames ? undefined : await createHideName(store)
    const server = createServer({
      ...config,
      store,
      upstream,
      plugs: options.plugs ?? [],
      // The upstreams have it, and know more of it.
      window: undefined,
      maxBodyBytes: config.maxBody,
      // An entry also holds what contexts take in place of the reply, and what is kept beside it.
      maxReply: Math.min(config.maxReply, config.maxEntry >> 2),
      leaseMs: config.leaseTime,
      sideMs: config.sideTime,
      keepMs: config.keepFor,
      keepCallsMs: config.keepCallsFor,
      unreadMs: config.unreadTimeout,
      lingerMs: config.lingerTime,
      keepAliveMs: config.keepAlive,
      embed: vectors && { ...vectors, onError: log.embedFailed },
      stallMs: config.silenceTimeout,
      allowed: { host, hosts: config.allowedHosts, origins: config.allowedOrigins },
      policy: choosePolicy(policy, { effort }),
      notes: notes === 'off' ? false : { place: notes },
      inspector: config.inspector ? inspectorFolder : undefined,
      about: {
        upstream: why,
        store: isPostgres(config.db) ? 'PostgreSQL' : basename(config.db),
        window: config.window,
      },
      onDeleted: (tenant, conversation) =>
        log.deleted(tenant, hide?.(conversation) ?? conversation),
      onServed(served) {
        const shown = hide ? withoutNames(served, hide) : served
        log.served(shown)
        report?.(shown)
      },
    })
    const listening = await listen(server.fetch, {
      host,
      port,
      requestTimeoutMs: config.requestTimeout,
    })
    opened.push(() => listening.close(config.shutdownTimeout))
    // Before the port: listeners to live events would stay until they are cut off.
    opened.push(() => server.close())
    log.started(listening.url, why)
    const { url } = listening
    const inspector = existsSync(inspectorFolder) ? `${url}${inspectorPath}` : notBuilt
    return {
      url,
      /** Which upstream answers, and why; of several a line for each. */
      upstream: why,
      /** The models that are known now, with their windows and from where these are known: a line for each. */
      windows: () => windowLines('all' in upstream ? upstream : oneUpstream(upstream)),
      /** Where the inspector is, or why it is not there. Undefined if it is switched off. */
      inspector: config.inspector ? inspector : undefined,
      /** Lets replies come to their end for a while, then closes the port, the upstream and the log. */
      stop: () => closeAll().then(log.stopped),
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Opens the log and brings its schema up to date, so that a fault shows when the server starts. */
async function openStore(config: ServerConfig): Promise<Store> {
  const { db, distribute, maxEntry: maxEntryBytes, storeTimeout: timeoutMs } = config
  const store = isPostgres(db)
    ? (await import('@throughline/stores/postgres')).postgresStore({
        url: db,
        maxEntryBytes,
        timeoutMs,
        ...(distribute && { distribute }),
      })
    : (await import('@throughline/stores/sqlite')).sqliteStore({
        path: db,
        maxEntryBytes,
        // Enough to delete all but very long conversations when nothing else can be written.
        spareBytes: 4 * 1024 ** 2,
      })
  try {
    await store.migrate()
    return store
  } catch (error) {
    await store.close().catch(() => undefined)
    throw error
  }
}

const inspectorFolder = packageFile('dist/inspector')
