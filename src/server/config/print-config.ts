import { type EffectiveConfig, isShown, type SettingName, settingNames } from './config-schema.ts'
import type { UpstreamEntry } from './kinds.ts'

/** The effective configuration, a setting a line with its source. Secrets are not shown. */
export function printConfig({ config, sources }: EffectiveConfig): string {
  const rows = settingNames.map(name => [name, show(name, config[name]), sources[name]] as const)
  const widest = (column: 0 | 1) => rows.reduce((most, row) => Math.max(most, row[column].length), 0)
  const [names, values] = [widest(0), Math.min(widest(1), 40)]
  return rows
    .map(([name, value, source]) => `${name.padEnd(names)}  ${value.padEnd(values)}  ${source}`)
    .join('\n')
}

function show(name: SettingName, value: unknown): string {
  if (value === undefined) return '-'
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0) return 'none'
  if (name === 'upstreams') return (list as readonly UpstreamEntry[]).map(showUpstream).join('; ')
  if (isShown(name, value)) return list.join(', ')
  return typeof value === 'string' ? withoutSecrets(value) : `${list.length} (not shown)`
}

const showUpstream = ({ name, models, url }: UpstreamEntry) =>
  `${models.join(', ')} to ${name} at ${/[@?]/.test(url) ? withoutSecrets(url) : url}`

/** The host and the name of a database. */
function withoutSecrets(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url?.host ? `${url.protocol}//…@${url.host}${url.pathname}` : '(not shown)'
}
