/** A copy of a set with a member added, or removed if the set had it. */
export function toggled<Member>(set: ReadonlySet<Member>, one: Member): ReadonlySet<Member> {
  const next = new Set(set)
  if (!next.delete(one)) next.add(one)
  return next
}
