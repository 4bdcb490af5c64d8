import { choosePolicy } from '../../context/policies/choose-policy.ts'
import { present } from '../../log/present.ts'
import type { ServerConfig } from '../config/config-schema.ts'
import { findUpstream, type UpstreamConfig } from './find-upstream.ts'
import { type NamedUpstream, severalUpstreams } from './upstreams.ts'

/** The upstreams of a configuration: those of its list, or the only one. What was opened is closed again if one fails. */
export async function findUpstreams(config: UpstreamConfig & Pick<ServerConfig, 'upstreams' | 'effort'>) {
  if (!config.upstreams) return findUpstream(config)
  const upstreams: NamedUpstream[] = []
  const lines: string[] = []
  try {
    for (const { name, models, url, kind, key, window = config.window, policy } of config.upstreams) {
      const { upstreamKey: _, ...rest } = config
      const { upstream, what } = await findUpstream({
        ...{ ...rest, upstream: url, upstreamKind: kind },
        ...present({ upstreamKey: key, window }),
      })
      const effort = policy === 'default' ? config.effort : undefined
      const options = present({ window, policy: policy && choosePolicy(policy, present({ effort })) })
      upstreams.push({ name, upstream, patterns: models, options })
      lines.push(`The upstream "${name}" is ${what}. It takes ${models.join(', ')}.`)
    }
  } catch (error) {
    for (const { upstream } of upstreams) await upstream.close()
    throw error
  }
  return { upstream: severalUpstreams(upstreams), why: lines.join('\n') }
}
