/** Turns texts into vectors: texts that mean much the same get vectors that point much the same way. */
export interface Embedder {
  /** The name that the vectors are stored under. Vectors of another name are never compared with them. */
  readonly model: string
  /** Gives one vector for each text, in the same order, all of one length. */
  embed(texts: readonly string[], options: EmbedRequest): Promise<readonly ArrayLike<number>[]>
}

/** What an embedder gets beside the texts. */
export interface EmbedRequest {
  /** Aborted when the vectors are no longer needed. */
  readonly signal: AbortSignal
}
