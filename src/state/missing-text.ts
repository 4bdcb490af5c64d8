/**
 * The error text of a tool that needs a missing state: what is missing, and which tool makes it. The words come from the
 * tool's name (`generate_hypotheses` → "generate hypotheses"): no grammar is guessed.
 */
export function missingText(name: string, tool: string): string {
  const words = wordsOf(tool)
  return words.includes(' ')
    ? `No ${name} available. Please ${words} first using the ${tool} tool.`
    : `No ${name} available. Please use the ${tool} tool first.`
}

/** The words of a tool's name; tool servers put their own name before a dot, a slash or two underscores. */
function wordsOf(tool: string): string {
  const own = tool.split(/[./:]|__/).findLast(part => part !== '') ?? tool
  return own
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_\-\s]+/g, ' ')
    .trim()
    .toLowerCase()
}
