/**
 * The event of the process by which a running experiment hears that nobody reads its output any more (`| head`). It is no signal:
 * Node ignores SIGPIPE only until a listener for it goes, and from then on the next closed socket would end the process.
 */
export const closedPipe = 'throughline:closed-pipe'
