/** Computes a conversation's key, for people at the database. conversation-key.ts computes the same bytes for the store. */
export const keyFunction = (schema: string): string => `
create function ${schema}.key_of(p_tenant text, p_conversation text) returns uuid language sql stable as $$
  select encode(substring(sha256(convert_to(
    octet_length(p_tenant) || ':' || p_tenant || p_conversation, 'UTF8')) for 16), 'hex')::uuid
$$;
`
