/** People: identities at the root, one for each issuer and subject. */
import { sha256 } from "../aip/sha256.ts";

/**
 * The uid of the person with this issuer and subject, which is known before they first log in. It is the
 * first 40 hexadecimal digits of SHA-256 over the issuer, a line feed and the subject.
 */
export async function personUid(issuer: string, subject: string): Promise<string> {
  return (await sha256(`${issuer}\n${subject}`)).slice(0, 40);
}
