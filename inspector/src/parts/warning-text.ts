import { count } from './format.ts'

export function warningText(
  code: string,
  { reported, predicted }: { readonly reported?: number | undefined; readonly predicted: number },
): string {
  if (code === 'prompt_truncated')
    return reported === undefined
      ? 'The model server has cut the prompt in silence'
      : `The model server has cut the prompt in silence: it read ${count(reported)} of ${count(predicted)} tokens`
  return warnings[code] ?? `Warning: ${code}`
}

const warnings: Readonly<Record<string, string>> = {
  trimmed: 'A message was too long for the window, and was shortened',
  over: 'What must be sent is more than the window holds',
}
