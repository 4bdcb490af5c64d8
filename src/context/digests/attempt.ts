/** The result of `read`, or `otherwise` where it throws: hostile values and users' functions must not cost a line. */
export function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
