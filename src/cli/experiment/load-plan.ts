import { readFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import {
  type ExperimentPlan,
  type ExperimentTools,
  type Hook,
  parseExperiment,
} from '../../experiment/index.ts'
import type { Model } from '../../models/model.ts'
import { UserError } from '../user-error.ts'
import { chooseModel } from './choose-model.ts'
import { importModule } from './import-module.ts'

/** What a plan that is a function is told. It decides itself which roles get the model. */
export interface PlanContext {
  readonly model?: Model
}

export interface LoadOptions {
  /** Takes the place of the model of every role: `ollama:llama3.2`. */
  readonly model?: string
}

/** Loads a plan: a module whose default export is one or makes one, or JSON. */
export async function loadPlan(file: string, { model: named }: LoadOptions = {}): Promise<ExperimentPlan> {
  const path = resolve(file)
  const context: PlanContext = named === undefined ? {} : { model: chooseModel(named) }
  switch (extname(path)) {
    case '.json':
      return loadJsonPlan(readJson(path, file), dirname(path), context)
    case '.ts':
    case '.mts':
    case '.js':
    case '.mjs':
      return loadModulePlan(path, file, context)
    default:
      throw new UserError(`${file} is no plan: expected .ts, .mts, .js, .mjs or .json`)
  }
}

/** The same for a plan that was stored with its experiment. */
export function loadStoredPlan(json: unknown, { model }: LoadOptions = {}): Promise<ExperimentPlan> {
  return loadJsonPlan(json, process.cwd(), model === undefined ? {} : { model: chooseModel(model) })
}

async function loadModulePlan(path: string, file: string, context: PlanContext): Promise<ExperimentPlan> {
  const { default: given } = await importModule(path)
  if (typeof given !== 'function') {
    const plan = requirePlan(given, file)
    const { model } = context
    return model ? { ...plan, roles: plan.roles.map(role => ({ ...role, model })) } : plan
  }
  return requirePlan(await given(context), file)
}

function requirePlan(given: unknown, file: string): ExperimentPlan {
  const { roles, goals, tools } = (given ?? {}) as Partial<ExperimentPlan>
  if (Array.isArray(roles) && Array.isArray(goals) && typeof tools?.get === 'function')
    return given as ExperimentPlan
  throw new UserError(
    `${file} has no plan: its default export must be what defineExperiment gives, or a function that gives it`,
  )
}

/** What the module of a plan's tools may export. */
interface ToolsModule {
  readonly default?: unknown
  readonly tools?: unknown
  readonly hooks?: readonly Hook<Record<string, unknown>>[]
  /** Models that the roles of the plan may name, besides those that everybody knows. */
  readonly models?: Readonly<Record<string, Model>>
}

async function loadJsonPlan(json: unknown, folder: string, { model }: PlanContext): Promise<ExperimentPlan> {
  const { tools: place } = (json ?? {}) as { readonly tools?: unknown }
  const hasTools = typeof place === 'string' && place !== ''
  // The plan is stored with its experiment: a path that is whole can be found again from anywhere.
  const path = hasTools ? resolve(folder, place) : undefined
  const module: ToolsModule = path === undefined ? {} : await importModule(path)
  return parseExperiment(path === undefined ? json : { ...(json as object), tools: path }, {
    tools: (module.default ?? module.tools ?? []) as ExperimentTools<Record<string, unknown>>,
    hooks: module.hooks ?? [],
    modelOf: name => model ?? ownModel(module, name) ?? chooseModel(name),
  })
}

const ownModel = ({ models = {} }: ToolsModule, name: string) =>
  Object.hasOwn(models, name) ? models[name] : undefined

function readJson(path: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const isJson = error instanceof SyntaxError
    throw new UserError(
      `${isJson ? 'cannot read the JSON of' : 'cannot read'} ${file}: ${(error as Error).message}`,
    )
  }
}
