import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, extname, isAbsolute, relative, resolve } from 'node:path'
import { ollama } from '@throughline/models/dialects'
import type { Model } from '@throughline/models/model'
import { UserError } from '@throughline/server/cli/print'
import { importModule } from '@throughline/server/package'
import type { ExperimentPlan, ExperimentTools, Hook, PlanJson } from '../index.ts'
import { modelFor, parseExperiment } from '../index.ts'
import { harmless } from './wording.ts'

/** `model` replaces the model of every role: `ollama:llama3.2`. */
type LoadOptions = { readonly model?: string }

/** Loads a plan: JSON, or a module whose default export is a plan or a function that makes one. */
export async function loadPlan(
  file: string,
  { model: named }: LoadOptions,
): Promise<ExperimentPlan> {
  const path = resolve(file)
  const model = named === undefined ? undefined : chooseModel(named)
  const ending = extname(path)
  if (ending === '.json') return loadJsonPlan(path, file, model)
  if (/^\.m?[tj]s$/.test(ending)) return loadModulePlan(path, file, model)
  throw new UserError(`${file} is no plan: expected .ts, .mts, .js, .mjs or .json`)
}

/** Loads a stored plan. Its author is not trusted: code is not run and servers are not called that only it names. */
export function loadStoredPlan(
  id: string,
  json: PlanJson,
  { model: named }: LoadOptions,
): ExperimentPlan {
  const { tools } = json
  const nameIt = `name the plan, throughline experiment resume ${id} <plan>`
  if (tools !== undefined)
    throw new UserError(
      `the plan of "${id}" names code, ${quote(tools)}. Code that a database names is never run: ${nameIt}`,
    )
  return parseExperiment(json, {
    modelOf(name) {
      if (named === undefined && !/^(reader$|ollama:)/.test(name))
        throw new UserError(
          `${quote(name)} is a server. A server that a database names is never asked: ${nameIt}, or the model with --model`,
        )
      return chooseModel(named ?? name)
    },
  })
}

async function loadModulePlan(
  path: string,
  file: string,
  model: Model | undefined,
): Promise<ExperimentPlan> {
  const { default: exported } = await importNamed(path)
  // A plan that is a function decides which roles use the model.
  if (typeof exported === 'function')
    return requirePlan(await exported(model ? { model } : {}), file)
  const plan = requirePlan(exported, file)
  return model ? { ...plan, roles: plan.roles.map(role => ({ ...role, model })) } : plan
}

function requirePlan(value: unknown, file: string): ExperimentPlan {
  const { roles, goals, tools } = (value ?? {}) as Partial<ExperimentPlan>
  if (Array.isArray(roles) && Array.isArray(goals) && typeof tools?.get === 'function')
    return value as ExperimentPlan
  const expected =
    'its default export must be what defineExperiment gives, or a function that gives it'
  throw new UserError(`${file} has no plan: ${expected}`)
}

interface ToolsModule {
  readonly default?: unknown
  readonly tools?: unknown
  readonly hooks?: readonly Hook<Record<string, unknown>>[]
  /** Models that roles may name, besides those of `modelFor`. */
  readonly models?: Readonly<Record<string, Model>>
}

async function loadJsonPlan(
  path: string,
  file: string,
  model: Model | undefined,
): Promise<ExperimentPlan> {
  const json = readJson(path, file)
  const { tools: place } = (json ?? {}) as { readonly tools?: unknown }
  const module: ToolsModule =
    typeof place === 'string' && place !== ''
      ? await importNamed(modulePath(path, place, file))
      : {}
  return parseExperiment(json, {
    tools: toolsIn(module) ?? [],
    hooks: module.hooks ?? [],
    modelOf(name) {
      const { models = {} } = module
      return model ?? (Object.hasOwn(models, name) ? models[name]! : chooseModel(name))
    },
  })
}

/** The tools of a module that the operator of a server names, for plans that are posted to it. */
export async function loadTools(file: string): Promise<ExperimentTools<Record<string, unknown>>> {
  const tools = toolsIn(await importNamed(resolve(file)))
  if (tools) return tools
  const expected = 'its default export must be a list of what defineExperimentTool gives'
  throw new UserError(`${file} has no tools: ${expected}`)
}

/** Refuses modules outside of the plan's folder: plans are data that may be sent, so they must not name other code. */
function modulePath(plan: string, place: string, file: string): string {
  const path = resolve(dirname(plan), place)
  const inside = relative(dirname(realpathSync(plan)), existsSync(path) ? realpathSync(path) : path)
  if (!isAbsolute(inside) && !inside.startsWith('..')) return path
  const expected = 'a module beside it, such as "./tools.ts"'
  throw new UserError(`${file}: its tools must be ${expected}, not ${quote(place)}`)
}

const toolsIn = ({ default: exported, tools }: ToolsModule) =>
  [exported, tools].find(
    (value): value is ExperimentTools<Record<string, unknown>> =>
      Array.isArray(value) || typeof value === 'function',
  )

function readJson(path: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const what = error instanceof SyntaxError ? 'the JSON of ' : ''
    throw new UserError(`cannot read ${what}${file}: ${(error as Error).message}`)
  }
}

const quote = (value: unknown) => harmless(JSON.stringify(value), 200)

async function importNamed(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importModule(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UserError(`cannot load ${path}: ${why.trim().split('\n', 1)[0]}`, { cause: error })
  }
}

/** `modelFor`, with the address of Ollama from `OLLAMA_HOST`, as Ollama's own commands have it. */
export function chooseModel(name: string, env: NodeJS.ProcessEnv = process.env): Model {
  const [, model] = /^ollama:(.+)$/s.exec(name) ?? []
  if (model === undefined || !env.OLLAMA_HOST) return modelFor(name)
  return ollama({ model, host: toAddress(env.OLLAMA_HOST) })
}

/** Asks every model for its window, so that a missing model is reported before the experiment begins. */
export async function checkModels({ roles }: ExperimentPlan, signal: AbortSignal): Promise<void> {
  const models = roles.filter(({ window }) => window === undefined).map(({ model }) => model)
  for (const model of new Set(models)) {
    try {
      await model.window(signal)
    } catch (error) {
      throw new UserError(error instanceof Error ? error.message : String(error), { cause: error })
    }
  }
}

/** Makes a URL of `OLLAMA_HOST`, which may also be `0.0.0.0:11434` or `harbour`. */
function toAddress(host: string): string {
  const [
    ,
    scheme = 'http://',
    name = '',
    port = scheme === 'https://' ? ':443' : ':11434',
    path = '',
  ] = /^(https?:\/\/)?(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)?$/.exec(host) ?? []
  if (name === '') throw new UserError(`OLLAMA_HOST is no address: "${host}"`)
  return `${scheme}${name === '0.0.0.0' ? '127.0.0.1' : name}${port}${path}`
}
