import type { z } from 'zod'
import { showValue } from '../../log/error.ts'
import { nearest } from '../../log/nearest.ts'
import { parseJsonObject } from '../../log/parse-json.ts'
import { checkConfig } from './check-config.ts'
import { ConfigError, type ConfigFault } from './config-error.ts'
import {
  byDefault,
  configSchema,
  type EffectiveConfig,
  flagOf,
  isSetting,
  isShown,
  prefix,
  type ServerConfig,
  type SettingName,
  settingNames,
  variableOf,
} from './config-schema.ts'

export interface ConfigSources {
  /** By the names of the settings; undefined ones were not given. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  /** A JSON file. */
  readonly file?: { readonly path: string; readonly text: string }
}

/**
 * The configuration of the server: flags win over the environment, which wins over the file. Throws a ConfigError with all
 * faults. Reads nothing by itself.
 */
export function readConfig({ flags = {}, env = {}, file }: ConfigSources): EffectiveConfig {
  const faults: ConfigFault[] = []
  const sourced = [fromFlags(flags, faults), fromEnv(env, faults), fromFile(file, faults)]
  const config: Record<string, unknown> = {}
  const sources: Record<string, string> = {}
  for (const name of settingNames) {
    const setting = sourced.map(values => values.get(name)).find(value => value !== undefined)
    const read = configSchema.shape[name].safeParse(setting?.value)
    sources[name] = setting?.source ?? byDefault
    if (read.success) {
      if (read.data !== undefined) config[name] = read.data
    } else if (setting) {
      const shown = isShown(name, setting.value) ? `, not ${showValue(setting.value)}` : ''
      faults.push({ source: setting.source, problem: `${problemIn(read.error.issues[0])}${shown}` })
    }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  const effective = { config: config as ServerConfig, sources: sources as EffectiveConfig['sources'] }
  return checkConfig(effective, env)
}

/** What is wrong with a value; in a list of objects also where: `[1].url must be …`. */
function problemIn(issue: z.core.$ZodIssue | undefined): string {
  const { path = [], message = '' } = issue ?? {}
  const [at, field] = path
  if (issue?.code === 'unrecognized_keys') return `[${String(at)}] has no field ${issue.keys.join(', ')}`
  return typeof at === 'number' && field !== undefined ? `[${at}].${String(field)} ${message}` : message
}

type SourcedValues = Map<SettingName, { readonly value: unknown; readonly source: string }>

function fromFlags(flags: Readonly<Record<string, unknown>>, faults: ConfigFault[]) {
  const values: SourcedValues = new Map()
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined || name === 'config') continue
    const source = flagOf(name)
    if (isSetting(name)) values.set(name, { value, source })
    else faults.push(unknownName(source, settingNames.map(flagOf)))
  }
  return values
}

/** Variables that are ours but no settings: the path of the file, and those of tests and benchmarks. */
const otherVariables: ReadonlySet<string> = new Set(
  ['CONFIG', 'LONG', 'DATA', 'ROOT', 'UNREAD'].map(name => prefix + name),
)

function fromEnv(env: Readonly<Record<string, string | undefined>>, faults: ConfigFault[]) {
  const values: SourcedValues = new Map()
  const names = new Map(settingNames.map(name => [variableOf(name), name]))
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

function fromFile(file: ConfigSources['file'], faults: ConfigFault[]) {
  const values: SourcedValues = new Map()
  if (!file) return values
  const content = parseJsonObject(file.text.replace(/^\uFEFF/, ''))
  if (!content) {
    faults.push({ source: file.path, problem: 'must hold a JSON object, such as {"port": 4170}' })
    return values
  }
  for (const [name, value] of Object.entries(content)) {
    const source = `${showValue(name)} in ${file.path}`
    if (isSetting(name)) values.set(name, { value, source })
    else faults.push(unknownName(source, settingNames, name))
  }
  return values
}

function unknownName(source: string, names: readonly string[], name = source): ConfigFault {
  const meant = nearest(name, names)
  return { source, problem: `is no setting${meant === undefined ? '' : `: did you mean ${meant}?`}` }
}
