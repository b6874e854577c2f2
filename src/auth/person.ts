/** People: identities at the root, one for each issuer and subject. */
import { sha256 } from "../aip/sha256.ts";

/**
 * The uid of the person whom an issuer calls by a subject, known before they ever sign in: the
 * first 40 hex characters of SHA-256 over issuer, line feed and subject.
 */
export async function personUid(issuer: string, subject: string): Promise<string> {
  return (await sha256(`${issuer}\n${subject}`)).slice(0, 40);
}
