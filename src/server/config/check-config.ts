import { choosePolicy } from '../../context/policies/choose-policy.ts'
import { ConfigError, type ConfigFault } from './config-error.ts'
import {
  byDefault,
  configSchema,
  type EffectiveConfig,
  type ServerConfig,
  type SettingName,
} from './config-schema.ts'

/** Checks the settings that depend on each other, and completes those that follow from others. */
export function checkConfig(
  { config, sources }: EffectiveConfig,
  env: Readonly<Record<string, string | undefined>>,
): EffectiveConfig {
  const { host, apiKeys, requireKeys = apiKeys.length > 0, store, upstream, upstreamKind } = config
  const { policy, effort, reserve, window } = config
  const faults: ConfigFault[] = []
  const isGiven = (name: SettingName) => sources[name] !== byDefault
  const fault = (name: SettingName, problem: string) => {
    faults.push({ source: isGiven(name) ? sources[name] : `The setting "${name}"`, problem })
  }

  if (!isLoopback(host) && !requireKeys)
    fault('host', 'lets other machines in: give "apiKeys" or set "requireKeys", or listen on 127.0.0.1')
  if (store !== undefined && isGiven('db')) fault('db', 'does not go with "store": give one of them')
  if (reserve !== undefined && window !== undefined && reserve >= window)
    fault('reserve', `must be less than the window of ${window}`)
  if (config.embedHost !== undefined && config.embedModel === undefined)
    fault('embedHost', 'needs "embedModel", the model that makes vectors')
  if (upstreamKind === 'openai' && upstream === undefined)
    fault('upstreamKind', 'needs "upstream", the address of the server')
  if (upstream !== undefined && upstream !== 'reader' && isOwn(upstream, config))
    fault('upstream', 'is the address of this server itself: give that of the model server')
  for (const problem of faultsOf(config, env)) fault('upstreams', problem)
  for (const name of ['upstream', 'upstreamKind', 'upstreamKey'] as const)
    if (config.upstreams && isGiven(name)) fault(name, 'does not go with "upstreams": put it into that list')
  try {
    choosePolicy(policy, { effort })
  } catch {
    fault('effort', `goes with the policy "default", not with "${policy}"`)
  }
  if (faults.length > 0) throw new ConfigError(faults)

  // An OLLAMA_HOST that points all clients here points this server at itself.
  const looksAtItself = isOwn(config.ollamaHost, config)
  const ollamaHost = looksAtItself ? configSchema.shape.ollamaHost.parse(undefined) : config.ollamaHost
  return {
    config: {
      ...{ ...config, requireKeys, ollamaHost },
      upstreams: config.upstreams?.map(({ keyVariable, ...entry }) =>
        keyVariable === undefined ? entry : { ...entry, key: env[keyVariable]!.trim() },
      ),
    },
    sources: looksAtItself
      ? { ...sources, ollamaHost: `${byDefault}, because ${sources.ollamaHost} is this server` }
      : sources,
  }
}

function faultsOf(config: ServerConfig, env: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = []
  const all = config.upstreams ?? []
  const names = new Set<string>()
  for (const [at, { name, models, url, key, keyVariable }] of all.entries()) {
    const where = `[${at}] (${name})`
    if (names.has(name)) faults.push(`${where}: there is another one of this name`)
    names.add(name)
    if (url !== 'reader' && isOwn(url, config)) faults.push(`${where}: is the address of this server itself`)
    if (key !== undefined && keyVariable !== undefined)
      faults.push(`${where}: has both "key" and "keyVariable": give one of them`)
    if (keyVariable !== undefined && !env[keyVariable]?.trim())
      faults.push(`${where}: the variable ${keyVariable} is not set`)
    if (models.length === 0) faults.push(`${where}: "models" must name at least one`)
    if (models.includes('*') && at < all.length - 1)
      faults.push(`${where}: takes every model, so those behind it get none: put it last`)
  }
  return faults
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name === '::1' || /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
}

/** Whether an upstream's address is the one that this server listens on. */
function isOwn(address: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const url = new URL(address)
  const upstreamPort = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const isEverywhere = ['0.0.0.0', '::', '[::]'].includes(host)
  const isHere = isLoopback(url.hostname) && (isLoopback(host) || isEverywhere)
  return upstreamPort === port && (isHere || url.hostname === host)
}
