// Tells a running experiment that its output is no longer read (`| head`). Not SIGPIPE: Node ignores that only until a
// listener for it goes, and from then on the next closed socket would end the process.
export const closedPipe = 'throughline:closed-pipe'
