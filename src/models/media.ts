/** An image or another file of a message. */
export type Media =
  | {
      readonly type: 'bytes'
      readonly base64: string
      readonly mediaType: string
      readonly filename?: string
    }
  | { readonly type: 'url'; readonly url: string; readonly mediaType: string }
  /** A file that only its own provider can read: an id of an upload, a recording. */
  | { readonly type: 'foreign'; readonly kind: string }

export function isImage(media: Media): boolean {
  return media.type !== 'foreign' && /^image(\/|$)/.test(media.mediaType)
}
