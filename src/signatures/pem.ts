/** Reads PEM (RFC 7468). */
import { type Bytes, bytesOf, SignatureError } from "./signature.ts";

/** The bytes of all blocks with a label, such as `CERTIFICATE`. Throws SignatureError for one that is not base64. */
export function readPem(text: string, label: string): Bytes[] {
  const blocks: Bytes[] = [];
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  for (let at = text.indexOf(begin); at >= 0; at = text.indexOf(begin, at)) {
    const stop = text.indexOf(end, at);
    if (stop < 0) throw new SignatureError("a PEM block has no end");
    blocks.push(bytesOf(text.slice(at + begin.length, stop), "PEM block"));
    at = stop + end.length;
  }
  return blocks;
}
