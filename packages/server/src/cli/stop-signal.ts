/** Resolves when the process is asked to stop. */
export const stopSignal = () =>
  new Promise(resolve => process.once('SIGINT', resolve).once('SIGTERM', resolve))
