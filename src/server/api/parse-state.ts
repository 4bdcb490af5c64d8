import { z } from 'zod'
import { InvalidOptionError, showValue } from '../../log/error.ts'
import { defineState, type State } from '../../state/index.ts'
import { stateForm } from '../config/state-form.ts'

/** Makes a state of a setting. The path is a JSON pointer: `~1` stands for `/`, `~0` for `~`. */
export function parseState(text: string): State<unknown> {
  if (!stateForm.test(text))
    throw new InvalidOptionError('states', `expected name=tool or name=tool#/path, got ${showValue(text)}`)
  const [, name = '', tool = '', pointer] = /^([^=]+)=([^#]+)(?:#(.*))?$/s.exec(text) ?? []
  const path = pointer?.split('/').slice(1).map(unescaped) ?? []
  return defineState({
    name,
    tool,
    schema: z.unknown(),
    ...(path.length > 0 && { pick: result => at(result, path) }),
  })
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function at(result: unknown, path: readonly string[]): unknown {
  let value = result
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
