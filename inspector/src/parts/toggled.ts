/** A set with one member more, or less if it had it. */
export function toggled<Member>(set: ReadonlySet<Member>, one: Member): ReadonlySet<Member> {
  const next = new Set(set)
  if (!next.delete(one)) next.add(one)
  return next
}
