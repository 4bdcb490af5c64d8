/** Whether a server is on this machine or in this network, by its address: names without a dot, and private addresses. */
export function isLocalAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const host = new URL(address).hostname.toLowerCase()
  if (host.startsWith('['))
    return /^\[(?:::1|::ffff:7f|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/.test(host)
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host))
    return /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    )
  return !host.includes('.') || /\.(?:local|localhost|lan|home|internal|home\.arpa)$/.test(host)
}
