/** The key of a conversation, for people at the database. The store itself computes it in conversation-key.ts: the same bytes. */
export const keyFunction = (schema: string): string => `
create function ${schema}.key_of(p_tenant text, p_conversation text) returns uuid language sql stable as $$
  select encode(substring(sha256(convert_to(
    octet_length(p_tenant) || ':' || p_tenant || p_conversation, 'UTF8')) for 16), 'hex')::uuid
$$;
`
