import { attempt, isObject } from '@throughline/core/values'

/** The texts among the arguments of a call; none where these are no JSON. */
export function fieldsOf(json: string): Readonly<Record<string, string>> {
  const value = attempt<unknown>(() => JSON.parse(json), undefined)
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  )
}
