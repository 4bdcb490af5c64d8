import type { FitOptions } from '@throughline/core/context'
import { showValue } from '@throughline/core/errors'
import { ModelError } from '@throughline/models/model'
import type { ListedModel } from '@throughline/models/wire'
import { withCredential } from './credential.ts'
import type { Upstream } from './upstream.ts'

export interface NamedUpstream {
  readonly name: string
  readonly upstream: Upstream
  readonly patterns: readonly string[]
  /** What holds for its models in place of the server's own options. */
  readonly options: {
    readonly policy?: NonNullable<FitOptions['policy']>
    readonly window?: number
  }
}

/** All upstreams of a server. A model is answered by the first one that takes its name, and by no other. */
export interface Upstreams
  extends Pick<Upstream, 'model' | 'models' | 'close'>,
    Required<Pick<Upstream, 'count'>> {
  readonly all: readonly NamedUpstream[]
  find(model: string): NamedUpstream | undefined
  /** The same, but throws ModelError if none does. */
  of(model: string): NamedUpstream
  /** The upstream of a model by the name that records of calls have; undefined if it is gone. */
  ofRecorded(model: string): NamedUpstream | undefined
  /** A model by the name that records of calls have, or by its own: gives its own. */
  plainName(model: string): string
}

/** The upstreams of a server that has one: it takes every model, and records have the plain names. */
export function oneUpstream(upstream: Upstream): Upstreams {
  const named: NamedUpstream = { name: upstream.kind, upstream, patterns: ['*'], options: {} }
  return {
    ...severalUpstreams([named]),
    ofRecorded: () => named,
    plainName: name => name,
    model: name => upstream.model(name),
  }
}

/** Several upstreams. Records name models with them, `openai/gpt-5`: counts of one say nothing about the same name elsewhere. */
export function severalUpstreams(all: readonly NamedUpstream[]): Upstreams {
  const find = (model: string) => {
    // Ollama lists `qwen3:latest`, and takes it by either name.
    const names = [model, model.replace(/:latest$/, '')]
    return all.find(({ patterns }) =>
      patterns.some(one => names.some(name => matchesGlob(one, name))),
    )
  }
  const of = (model: string): NamedUpstream => {
    const upstream = find(model)
    if (upstream) return upstream
    const patterns = all.flatMap(one => one.patterns).slice(0, 20)
    const message = `No upstream takes the model ${showValue(model)}: the upstreams here take ${patterns.join(', ')}.`
    throw new ModelError('model_not_found', message, { status: 404 })
  }
  const ofRecorded = (model: string) => all.find(({ name }) => model.startsWith(`${name}/`))
  return {
    all,
    find,
    of,
    ofRecorded,
    plainName(model) {
      const by = ofRecorded(model)
      const own = by ? model.slice(by.name.length + 1) : model
      // A model may itself be called like an upstream with a stroke: then that upstream does not take the rest.
      return by && find(own) === by ? own : model
    },
    model(name) {
      const { name: by, upstream } = of(name)
      return { ...upstream.model(name), name: `${by}/${name}` }
    },
    models: signal =>
      eachThatAnswers(all, async one => {
        const listed = await one.upstream.models(signal)
        // A name that another upstream takes is never asked here.
        return listed.filter(({ name }) => find(name) === one)
      }),
    count: async (name, prompt) => of(name).upstream.count?.(name, prompt),
    async close() {
      await Promise.all(all.map(({ upstream }) => upstream.close()))
    },
  }
}

/** The models that are listed at once, for who only looks at something: an upstream that hangs has none. */
export const modelsSoon = ({
  models,
}: Pick<Upstreams, 'models'>): Promise<readonly ListedModel[]> =>
  models(AbortSignal.timeout(soonMs)).catch(() => [])

const soonMs = 1000

/** The models of all upstreams, in order. Unreachable upstreams are left out; throws if all are unreachable. */
export async function eachThatAnswers<Row>(
  all: readonly NamedUpstream[],
  list: (one: NamedUpstream) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const ask = () => Promise.allSettled(all.map(list))
  // Which of several a client's key is for is not known: none gets it.
  const answers = await (all.length > 1 ? withCredential({}, ask) : ask())
  const lists = answers.filter(answer => answer.status === 'fulfilled').map(({ value }) => value)
  const [away] = answers.filter(answer => answer.status === 'rejected')
  if (lists.length === 0 && away) throw away.reason
  return lists.flat()
}

/** Whether a name is of a form such as `gpt-*`, where `*` stands for any letters or none. */
export function matchesGlob(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const place = name.indexOf(part, at)
    if (place < 0) return false
    at = place + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
