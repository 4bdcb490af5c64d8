/** The result of `read`, or `otherwise` if it throws, as hostile values and users' functions may. */
export function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
