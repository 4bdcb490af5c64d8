/**
 * The event of the process that tells a running experiment that its output is no longer read (`| head`). It is not a signal:
 * Node ignores SIGPIPE only until a listener for it goes, and from then on the next closed socket would end the process.
 */
export const closedPipe = 'throughline:closed-pipe'
