import { choosePolicy } from '@throughline/core/context'
import { nearest, showValue, ThroughlineError } from '@throughline/core/errors'
import { parseJsonObject } from '@throughline/core/values'
import type { z } from 'zod'
import { isLoopback } from '../guard/check-host.ts'
import type { EffectiveConfig, PlugSettings, ServerConfig, SettingName } from './config-schema.ts'
import {
  byDefault,
  configSchema,
  flagOf,
  isShown,
  prefix,
  settingsWith,
  variableOf,
} from './config-schema.ts'

export interface ConfigSources {
  /** By the names of the settings; undefined ones were not given. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  /** A JSON file. */
  readonly file?: { readonly path: string; readonly text: string } | undefined
  /** The settings that plugs add. */
  readonly plugged?: PlugSettings
}

/** The configuration: flags win over the environment, which wins over the file. Throws a ConfigError with all faults. */
export function readConfig({
  flags = {},
  env = {},
  file,
  plugged,
}: ConfigSources): EffectiveConfig {
  const faults: ConfigFault[] = []
  const schemas = settingsWith(plugged)
  const names = Object.keys(schemas)
  const sourced = [
    fromFlags(flags, names, faults),
    fromEnv(env, names, faults),
    fromFile(file, names, faults),
  ]
  const config: Record<string, unknown> = {}
  const sources: Record<string, string> = {}
  for (const name of names) {
    const setting = sourced.map(values => values.get(name)).find(value => value !== undefined)
    const read = schemas[name]!.safeParse(setting?.value)
    sources[name] = setting?.source ?? byDefault
    if (read.success) {
      if (read.data !== undefined) config[name] = read.data
    } else if (setting) {
      const shown = isShown(name, setting.value) ? `, not ${showValue(setting.value)}` : ''
      faults.push({ source: setting.source, problem: `${problemIn(read.error.issues[0])}${shown}` })
    }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  const effective = {
    config: config as ServerConfig,
    sources: sources as EffectiveConfig['sources'],
  }
  return checkConfig(effective, env)
}

/** What is wrong with a value; in a list of objects also where: `[1].url must be …`. */
function problemIn(issue: z.core.$ZodIssue | undefined): string {
  const { path = [], message = '' } = issue ?? {}
  const [at, field] = path
  if (issue?.code === 'unrecognized_keys')
    return `[${String(at)}] has no field ${issue.keys.join(', ')}`
  return typeof at === 'number' && field !== undefined
    ? `[${at}].${String(field)} ${message}`
    : message
}

type SourcedValues = Map<string, { readonly value: unknown; readonly source: string }>

function fromFlags(
  flags: Readonly<Record<string, unknown>>,
  names: readonly string[],
  faults: ConfigFault[],
) {
  const values: SourcedValues = new Map()
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined || name === 'config') continue
    const source = flagOf(name)
    if (names.includes(name)) values.set(name, { value, source })
    else faults.push(unknownName(source, names.map(flagOf)))
  }
  return values
}

/** Variables that are ours but no settings: the path of the file, and those of tests and benchmarks. */
const otherVariables: ReadonlySet<string> = new Set(
  ['CONFIG', 'LONG', 'DATA', 'ROOT', 'UNREAD'].map(name => prefix + name),
)

function fromEnv(
  env: Readonly<Record<string, string | undefined>>,
  all: readonly string[],
  faults: ConfigFault[],
) {
  const values: SourcedValues = new Map()
  const names = new Map(all.map(name => [variableOf(name), name]))
  for (const [variable, value] of Object.entries(env)) {
    const name = names.get(variable)
    // An empty variable is one that is not set: that is how compose files write it.
    if (!value?.trim()) continue
    if (name) values.set(name, { value, source: variable })
    else if (variable === 'OLLAMA_HOST' && !values.has('ollamaHost')) {
      values.set('ollamaHost', { value, source: variable })
    } else if (variable.startsWith(prefix) && !otherVariables.has(variable)) {
      faults.push(unknownName(variable, [...names.keys()]))
    }
  }
  return values
}

function fromFile(file: ConfigSources['file'], names: readonly string[], faults: ConfigFault[]) {
  const values: SourcedValues = new Map()
  if (!file) return values
  const content = parseJsonObject(file.text.replace(/^\uFEFF/, ''))
  if (!content) {
    faults.push({ source: file.path, problem: 'must hold a JSON object, such as {"port": 4170}' })
    return values
  }
  for (const [name, value] of Object.entries(content)) {
    const source = `${showValue(name)} in ${file.path}`
    if (names.includes(name)) values.set(name, { value, source })
    else faults.push(unknownName(source, names, name))
  }
  return values
}

function unknownName(source: string, names: readonly string[], name = source): ConfigFault {
  const meant = nearest(name, names)
  return {
    source,
    problem: `is no setting${meant === undefined ? '' : `: did you mean ${meant}?`}`,
  }
}

/** Checks the settings that depend on each other, and completes those that follow from others. */
function checkConfig(
  { config, sources }: EffectiveConfig,
  env: Readonly<Record<string, string | undefined>>,
): EffectiveConfig {
  const { host, apiKeys, requireKeys = apiKeys.length > 0, upstream, upstreamKind } = config
  const { policy, effort, reserve, window } = config
  const faults: ConfigFault[] = []
  const isGiven = (name: SettingName) => sources[name] !== byDefault
  const fault = (name: SettingName, problem: string) => {
    faults.push({ source: isGiven(name) ? sources[name] : `The setting "${name}"`, problem })
  }

  if (!isLoopback(host) && !requireKeys)
    fault(
      'host',
      'lets other machines in: give "apiKeys" or set "requireKeys", or listen on 127.0.0.1',
    )
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
    if (config.upstreams && isGiven(name))
      fault(name, 'does not go with "upstreams": put it into that list')
  try {
    choosePolicy(policy, { effort })
  } catch {
    fault('effort', `goes with the policy "default", not with "${policy}"`)
  }
  if (faults.length > 0) throw new ConfigError(faults)

  // An OLLAMA_HOST that points all clients here points this server at itself.
  const looksAtItself = isOwn(config.ollamaHost, config)
  const ollamaHost = looksAtItself
    ? configSchema.shape.ollamaHost.parse(undefined)
    : config.ollamaHost
  return {
    config: {
      ...config,
      requireKeys,
      ollamaHost,
      upstreams: config.upstreams?.map(({ keyVariable, ...entry }) =>
        keyVariable === undefined ? entry : { ...entry, key: env[keyVariable]!.trim() },
      ),
    },
    sources: looksAtItself
      ? { ...sources, ollamaHost: `${byDefault}, because ${sources.ollamaHost} is this server` }
      : sources,
  }
}

function faultsOf(
  config: ServerConfig,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const faults: string[] = []
  const all = config.upstreams ?? []
  const names = new Set<string>()
  for (const [at, { name, models, url, key, keyVariable }] of all.entries()) {
    const where = `[${at}] (${name})`
    if (names.has(name)) faults.push(`${where}: there is another one of this name`)
    names.add(name)
    if (url !== 'reader' && isOwn(url, config))
      faults.push(`${where}: is the address of this server itself`)
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

/** Whether an upstream's address is the one that this server listens on. */
function isOwn(
  address: string,
  { host, port }: { readonly host: string; readonly port: number },
): boolean {
  const url = new URL(address)
  const upstreamPort = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const isEverywhere = ['0.0.0.0', '::', '[::]'].includes(host)
  const isHere = isLoopback(url.hostname) && (isLoopback(host) || isEverywhere)
  return upstreamPort === port && (isHere || url.hostname === host)
}

/** One thing that is wrong with a configuration. */
interface ConfigFault {
  /** Where the value stands, in the words of that place: `--port`, `THROUGHLINE_PORT`, `"port" in throughline.json`. */
  readonly source: string
  /** What it must be, or what to do. */
  readonly problem: string
}

/** A configuration that the server does not start with. Names every fault, with its source. */
export class ConfigError extends ThroughlineError {
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super('invalid_config', faults.map(({ source, problem }) => `${source} ${problem}`).join('\n'))
    this.faults = faults
  }
}
