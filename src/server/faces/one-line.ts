/**
 * JSON on one line, for every reader of lines: JSON leaves three characters as they are that Python takes for the end of
 * a line.
 */
export function oneLine(value: unknown): string {
  return JSON.stringify(value).replace(
    lineEnds,
    end => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const lineEnds = /[\u0085\u2028\u2029]/g
