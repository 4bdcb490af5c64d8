/** What the free tokens of a window are for, after a cut: later turns, recall, and the rest. The amounts add up to them. */
export function freeParts(
  free: number,
  { growth, recall }: { readonly growth: number; readonly recall: number },
) {
  const turns = Math.min(free, growth)
  const asked = Math.min(free - turns, recall)
  return { turns, recall: asked, rest: free - turns - asked }
}
