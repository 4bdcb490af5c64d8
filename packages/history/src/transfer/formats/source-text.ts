import { isFields } from '@throughline/core/fields'

/** A text, or the JSON of any other value. */
export const toText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value)

/** The line that stands for a file, so that people, models and searches know what was there. */
export const attached = (name: string): string => `[attached: ${name}]`

/** Texts with a line for each file. */
export const withFiles = (texts: readonly string[], files: readonly string[] = []): string =>
  [...texts.filter(text => text !== ''), ...files.map(attached)].join('\n')

/** The text of a result: a text, or a list of blocks. */
export function resultText(content: unknown): string {
  if (!Array.isArray(content)) return toText(content)
  return content
    .map(part => {
      if (typeof part === 'string') return part
      if (!isFields(part)) return ''
      if (typeof part.text === 'string') return part.text
      return part.type === 'image' || part.type === 'input_image' ? '[image]' : toText(part)
    })
    .join('\n')
}
